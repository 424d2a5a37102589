/* SPDX-License-Identifier: BSD-3-Clause */
#include "left.h"
#include <dirent.h>
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

static int entries(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static int map_lines(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int c, n = 0;

	ck_assert_ptr_nonnull(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
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

	left.fds = entries("/proc/self/fd");
	left.threads = entries("/proc/self/task");
	left.maps = map_lines();
	return left;
}
