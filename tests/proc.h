/* SPDX-License-Identifier: BSD-3-Clause */
/* What a test program holds now, by /proc: to see that nothing is left. Numbers to compare with each other. */
#ifndef TESTS_PROC_H
#define TESTS_PROC_H
#include <check.h>
#include <dirent.h>
#include <stdio.h>

static inline int proc_entries(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static inline int proc_n_fds(void)
{
	return proc_entries("/proc/self/fd");
}

static inline int proc_n_threads(void)
{
	return proc_entries("/proc/self/task");
}

static inline int proc_n_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int c, n = 0;

	ck_assert_ptr_nonnull(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}
#endif
