/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPDK's start leaves behind where it was not asked to: a folder for files
 * that it does not make in the modes used here, and words in the program's
 * environment, from the constructors of the mlx drivers (DPDK 22.11,
 * drivers/common/mlx5/linux/mlx5_common_verbs.c and mlx5_common_os.c).
 */
#include "dpdk.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <rte_eal.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const words[N_TRACE_WORDS] = { "RDMAV_HUGEPAGES_SAFE", "MLX5_DEVICE_FATAL_CLEANUP", "MLX4_DEVICE_FATAL_CLEANUP" };

/* As EAL chooses it, lib/eal/unix/eal_filesystem.c. */
static void find_parent(char path[PATH_MAX])
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	snprintf(path, PATH_MAX, "%s/dpdk", getuid() == 0 ? "/var/run" : xdg ? xdg : "/tmp");
}

void dpdk_traces_look(struct dpdk_traces *t)
{
	char parent[PATH_MAX];
	uint32_t i;

	find_parent(parent);
	t->had_parent = !access(parent, F_OK);
	for (i = 0; i < N_TRACE_WORDS; i++)
		t->had_word[i] = getenv(words[i]) != NULL;
}

/* Folders of programs that were killed in the moment of their start; never more than a name, as nothing is put into them. */
static void sweep(const char *parent)
{
	DIR *dir = opendir(parent);
	const struct dirent *d;
	char path[PATH_MAX + 300];
	int pid;

	while (dir && (d = readdir(dir))) {
		if (sscanf(d->d_name, "ginet-%d", &pid) != 1 || pid <= 0 || !kill(pid, 0) || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", parent, d->d_name);
		rmdir(path);
	}
	if (dir)
		closedir(dir);
}

void dpdk_traces_remove(const struct dpdk_traces *t, int keep_words)
{
	char parent[PATH_MAX];
	uint32_t i;

	if (strstr(rte_eal_get_runtime_dir(), "/ginet-"))
		rmdir(rte_eal_get_runtime_dir());
	find_parent(parent);
	sweep(parent);
	if (!t->had_parent)
		rmdir(parent);
	for (i = 0; i < N_TRACE_WORDS && !keep_words; i++)
		if (!t->had_word[i])
			unsetenv(words[i]);
}
