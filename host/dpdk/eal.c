/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK inside somebody else's program. EAL starts once in a process and never
 * ends: after rte_eal_cleanup() it cannot start again, so it is not called, and
 * EAL's interrupt thread stays until the program ends. Nothing of the caller
 * changes: affinity and signal mask are put back, arguments are our own.
 *
 * Memory: with 2 MiB pages that are free, --in-memory takes what it needs;
 * without, the start would fail and could not be tried again, so they are
 * counted first and --no-huge takes ordinary pages.
 */
#define _GNU_SOURCE /* cpu_set_t, secure_getenv() */
#include "dpdk.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <rte_build_config.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FREE_PAGES "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
#define ENOUGH_PAGES 128u      /* 256 MiB: some NICs with their packets */
#define ORDINARY_MIB "1024"    /* of addresses; memory only as packets are used */
#define NO_DEVICE "ffff:ff:1f.7" /* -a of it: PCI is looked at, no device is taken before it is asked for */

enum state { DOWN, UP, FAILED };
static enum state state;
static int with_pci, joined;
static char why[512];

struct args {
	int n;
	char *v[24];
	char lcores[1200], prefix[48];
};

static uint32_t free_pages(void)
{
	FILE *f = fopen(FREE_PAGES, "re");
	unsigned int n = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%u", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

static void add(struct args *a, const char *arg)
{
	a->v[a->n++] = (char *)(uintptr_t)arg; /* EAL moves the pointers, not what they point at */
}

/* "(0)@(0,1,5)": one lcore, which may run wherever the caller may: no worker starts, nothing is pinned. */
static void add_lcores(struct args *a, const cpu_set_t *cpus)
{
	size_t at = (size_t)sprintf(a->lcores, "--lcores=(0)@(");
	int cpu, n = 0;

	for (cpu = 0; cpu < RTE_MAX_LCORE && at < sizeof(a->lcores) - 8; cpu++)
		if (CPU_ISSET(cpu, cpus))
			at += (size_t)sprintf(a->lcores + at, "%s%d", n++ ? "," : "", cpu);
	sprintf(a->lcores + at, ")");
	if (n)
		add(a, a->lcores);
}

static void fill(struct args *a, const cpu_set_t *cpus, const char *devargs)
{
	a->n = 0;
	add(a, "ginet");
	if (free_pages() >= ENOUGH_PAGES) {
		add(a, "--in-memory");
	} else {
		add(a, "--no-huge");
		add(a, "-m");
		add(a, ORDINARY_MIB);
		add(a, "--no-shconf");
	}
	snprintf(a->prefix, sizeof(a->prefix), "--file-prefix=ginet-%d", (int)getpid());
	add(a, a->prefix);
	add(a, "--no-telemetry");
	add(a, "--log-level=5"); /* warnings */
	add_lcores(a, cpus);
	with_pci = devargs && sn_devargs_is_pci(devargs);
	if (with_pci) {
		add(a, "-a");
		add(a, NO_DEVICE);
	} else {
		add(a, "--no-pci");
		add(a, "--iova-mode=va"); /* one behaviour for root and others */
	}
	a->v[a->n] = NULL;
}

static int is_library(const struct dirent *entry)
{
	return strstr(entry->d_name, ".so") != NULL;
}

/*
 * Drivers that a program brings along, where DPDK's own folder is not: a driver
 * that is loaded twice ends the program. Not by EAL's -d: it refuses folders
 * that stand below a world-writable one, such as /tmp.
 */
static void load_drivers(void)
{
	const char *folder = secure_getenv("GINET_PMD_DIR");
	struct dirent **entries;
	char path[PATH_MAX];
	int i, n;

	if (!folder || !*folder || !access(RTE_EAL_PMD_PATH, F_OK))
		return;
	n = scandir(folder, &entries, is_library, alphasort);
	if (n < 0)
		dpdk_error("GINET_PMD_DIR: %s: %s", folder, strerror(errno));
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (!dlopen(path, RTLD_NOW))
			dpdk_error("GINET_PMD_DIR: %s", dlerror());
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static int start(const char *devargs)
{
	struct dpdk_traces traces;
	struct dpdk_said said;
	sigset_t all, mask;
	struct args a;
	cpu_set_t cpus;
	int err = dpdk_log_open();

	if (err)
		return err;
	dpdk_traces_look(&traces);
	pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	fill(&a, &cpus, devargs);
	load_drivers();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask); /* EAL's threads inherit it: signals belong to the program's own */
	dpdk_log_keep(&said);
	err = rte_eal_init(a.n, a.v) < 0 ? -rte_errno : 0;
	dpdk_log_keep(NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	dpdk_traces_remove(&traces, with_pci); /* a card of mlx5 needs them */
	if (err)
		snprintf(why, sizeof(why), "DPDK does not start (%s): %s", strerror(-err), said.text);
	return err;
}

/* The program has its own DPDK: its settings, its log, its memory. */
static int join(void)
{
	joined = with_pci = 1;
	return 0;
}

static const char *const needed[] = { "bus_vdev", "mempool_ring" };

static int check_libraries(void)
{
	char package[64];
	uint32_t i;

	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!dpdk_driver_find(needed[i], package, sizeof(package)))
			continue;
		snprintf(why, sizeof(why), "DPDK's library %s is missing (Debian: apt-get install %s); start the program again then",
			 needed[i], package);
		return -ENOENT;
	}
	return 0;
}

int dpdk_eal_start(const char *devargs)
{
	static int err;

	if (state == DOWN) {
		err = rte_lcore_count() ? join() : start(devargs);
		if (err == -EALREADY) /* somebody was faster, or has ended it already */
			snprintf(why, sizeof(why), "this program has started and ended DPDK before, which works only once");
		if (!err && !joined)
			err = check_libraries();
		state = err ? FAILED : UP;
	}
	if (state == FAILED)
		dpdk_error("soft:%.100s: %s", devargs ? devargs : "capture", why[0] ? why : "no memory");
	return err;
}

int dpdk_eal_has_pci(void)
{
	return with_pci;
}
