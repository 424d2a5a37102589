/* SPDX-License-Identifier: BSD-3-Clause */
#include "left.h"
#include "proc.h"
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

void left_prepare(void)
{
	pthread_t thread;

	/* With the first one ThreadSanitizer starts one of its own. */
	ck_assert_int_eq(pthread_create(&thread, NULL, nothing, NULL), 0);
	pthread_join(thread, NULL);
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	mallopt(M_TRIM_THRESHOLD, 128 << 10);
}

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%*d %ld", &pages), 1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

struct left left_now(void)
{
	struct left left = { .rss_bytes = resident() };

	left.fds = proc_n_fds();
	left.threads = proc_n_threads();
	left.maps = proc_n_maps();
	return left;
}
