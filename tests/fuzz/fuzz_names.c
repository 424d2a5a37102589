/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as the name of a NIC or (byte 0 odd) of a GPU: opened and closed
 * again, or refused with a line that says why. Names that would make
 * interfaces, sockets or files on the machine are left out; without the plugin
 * that holds for captures and for DPDK's devices.
 */
#include "fuzz.h"
#include <ginet/ginet.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

static uint32_t n_lines; /* atomic: a NIC has a thread */

static void count_line(enum gin_log_level level, const char *line, void *arg)
{
	(void)arg;
	FUZZ_CHECK(*line && !strchr(line, '\n'));
	if (level == GIN_LOG_ERROR)
		__atomic_add_fetch(&n_lines, 1, __ATOMIC_RELAXED);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setenv("GINET_PLUGIN_DIR", "/nowhere", 1);
	gin_log_to(count_line, NULL);
	return 0;
}

static int touches_the_machine(const char *name)
{
	static const char *const words[] = { "tap", "unix", "packet", "auto" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return 1;
	return 0;
}

static int open_nic(const char *name)
{
	struct gin_nic *nic = NULL;
	struct gin_nic_info info;
	struct gin_nic_stats stats;
	int err = gin_nic_open(name, &nic);

	if (err) {
		FUZZ_CHECK(!nic);
		return err;
	}
	FUZZ_CHECK(!gin_nic_info(nic, &info) && !gin_nic_stats(nic, &stats));
	FUZZ_CHECK(!(info.mac[0] & 1) && info.mtu >= 68);
	gin_nic_close(nic);
	return 0;
}

static int open_gpu(const char *name)
{
	struct gin_gpu *gpu = NULL;
	int err = gin_gpu_open(name, &gpu);

	if (err) {
		FUZZ_CHECK(!gpu);
		return err;
	}
	FUZZ_CHECK(*gin_gpu_name(gpu));
	gin_gpu_close(gpu);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *name;
	int err;

	if (!len)
		return 0;
	name = calloc(1, len);
	memcpy(name, data + 1, len - 1);
	n_lines = 0;
	if (!touches_the_machine(name)) {
		err = data[0] & 1 ? open_gpu(name) : open_nic(name);
		FUZZ_CHECK(err <= 0 && (!err || __atomic_load_n(&n_lines, __ATOMIC_RELAXED)));
	}
	free(name);
	return 0;
}
