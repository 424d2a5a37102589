/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * net_af_xdp stands on libxdp and libbpf, which print to stderr by themselves:
 * while a driver opens or closes, what they say goes where DPDK's lines go. A
 * program that uses them too finds its own function again afterwards.
 */
#include "dpdk.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

/* Both have it so: bpf/libbpf.h, libbpf_print_fn_t; xdp/libxdp.h, libxdp_print_fn_t. The setters return the old one. */
typedef int (*print_fn)(int level, const char *fmt, va_list ap);
typedef print_fn (*set_print_fn)(print_fn fn);

static const char *const talkers[N_TALKERS][2] = { { "libbpf.so.1", "libbpf_set_print" }, { "libxdp.so.1", "libxdp_set_print" } };

static int print_to_log(int level, const char *fmt, va_list ap)
{
	char line[512];
	int len = vsnprintf(line, sizeof(line), fmt, ap);

	dpdk_log_line(level == 0, line, len < 0 ? 0 : (size_t)len); /* 0: LIBBPF_WARN, LIBXDP_WARN */
	return 0;
}

static set_print_fn setter(uint32_t i)
{
	void *handle = dlopen(talkers[i][0], RTLD_LAZY | RTLD_NOLOAD);
	set_print_fn set = handle ? (set_print_fn)dlsym(handle, talkers[i][1]) : NULL;

	if (handle)
		dlclose(handle);
	return set;
}

void dpdk_talkers_hear(struct dpdk_talkers *t)
{
	uint32_t i;

	for (i = 0; i < N_TALKERS; i++) {
		set_print_fn set = setter(i);

		t->old[i] = set ? (void (*)(void))set(print_to_log) : NULL;
	}
}

void dpdk_talkers_let(const struct dpdk_talkers *t)
{
	uint32_t i;

	for (i = 0; i < N_TALKERS; i++) {
		set_print_fn set = setter(i);

		if (set)
			set((print_fn)t->old[i]);
	}
}
