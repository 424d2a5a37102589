/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process holds: to see that nothing was left behind. */
#ifndef TESTS_LIFE_LEFT_H
#define TESTS_LIFE_LEFT_H
#include <check.h>

struct left { int fds, maps, threads; long rss_bytes; };

void left_prepare(void); /* makes malloc's own mappings a function of what is allocated; call it first */
struct left left_now(void);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LEFT_PLAIN 0 /* the sanitizer maps as it likes */
#else
#define LEFT_PLAIN 1
#endif

#ifdef __SANITIZE_THREAD__
#define LEFT_STRIDE 5 /* of what is tried one by one: it is slow */
#else
#define LEFT_STRIDE 1
#endif

#define ck_same(before, after)                                                                  \
	do {                                                                                    \
		ck_assert_int_eq((before).fds, (after).fds);                                    \
		ck_assert_int_eq((before).threads, (after).threads);                            \
		if (LEFT_PLAIN)                                                                 \
			ck_assert_int_eq((before).maps, (after).maps);                          \
	} while (0)
#endif
