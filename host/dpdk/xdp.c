/* SPDX-License-Identifier: BSD-3-Clause */
/* net_af_xdp stands on libxdp and libbpf, which print to stderr by themselves: what they say goes where DPDK's lines go. */
#include "dpdk.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

/* Both have it so: bpf/libbpf.h, libbpf_print_fn_t; xdp/libxdp.h, libxdp_print_fn_t. Levels: 0 warning, 1 info, 2 debug. */
typedef int (*print_fn)(int level, const char *fmt, va_list ap);
typedef print_fn (*set_print_fn)(print_fn fn);

static int print(int level, const char *fmt, va_list ap)
{
	char line[512];
	int len = vsnprintf(line, sizeof(line), fmt, ap);

	if (level == 0 && len > 0)
		dpdk_log_said(line);
	return len;
}

static void set_print(const char *library, const char *function)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	set_print_fn set = NULL;

	if (!handle)
		return;
	*(void **)&set = dlsym(handle, function);
	if (set)
		set(print);
	dlclose(handle); /* gives back our count of it only */
}

void dpdk_xdp_silence(void)
{
	set_print("libbpf.so.1", "libbpf_set_print");
	set_print("libxdp.so.1", "libxdp_set_print");
}
