/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread does whose lanes only wait. A nap that an event ends says so in "disturbed". */
#include "gpu/idle.h"
#include "gpu/runner.h"
#include <check.h>
#include <errno.h>
#include <time.h>

enum { LONG_IDLE = 1000000 }; /* passes that did nothing: more than it yields for */

static struct gin_idle idle;

static void nap_once(void)
{
	gin_idle(&idle, 0);
}

/* The first call only notes what has happened so far. */
static void start(void)
{
	idle = (struct gin_idle){ .n = LONG_IDLE };
	nap_once();
	idle.disturbed = 0;
}

START_TEST(event_before_the_nap_is_not_slept_over)
{
	start();
	gin_runner_happened();
	nap_once();
	ck_assert_uint_eq(idle.disturbed, 1);
}
END_TEST

START_TEST(events_of_others_do_not_end_every_nap)
{
	start();
	gin_runner_happened();
	nap_once();
	gin_runner_happened();
	nap_once();
	ck_assert_uint_eq(idle.disturbed, 0);
	nap_once(); /* what happened meanwhile was seen by the look before */
	ck_assert_uint_eq(idle.disturbed, 0);
	gin_runner_happened();
	nap_once();
	ck_assert_uint_eq(idle.disturbed, 1);
}
END_TEST

START_TEST(nap_without_events_ends_by_itself)
{
	start();
	nap_once();
	ck_assert_uint_eq(idle.disturbed, 0);
	ck_assert(idle.since_ns);
}
END_TEST

START_TEST(work_ends_the_silence)
{
	start();
	nap_once();
	gin_idle(&idle, 1); /* a collective more: the kernel found something */
	ck_assert_uint_eq(idle.n, 0);
	ck_assert(!idle.since_ns);
}
END_TEST

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* An eighth of the silence, at most 10 ms: so what nobody tells of is seen not much later. */
START_TEST(naps_grow_with_the_silence)
{
	uint64_t begin = now_ns();

	start();
	nap_once();
	idle.since_ns = begin - 1000000000;
	nap_once();
	ck_assert_uint_ge(now_ns() - begin, 10000000);
	idle.since_ns = now_ns();
	begin = now_ns();
	nap_once();
	ck_assert_uint_ge(now_ns() - begin, 30000);
}
END_TEST

START_TEST(event_leaves_errno_alone)
{
	errno = EDOM;
	gin_runner_happened(); /* a signal handler stops kernels by it */
	ck_assert_int_eq(errno, EDOM);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("idle");
	TCase *tc = tcase_create("idle");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, event_before_the_nap_is_not_slept_over);
	tcase_add_test(tc, events_of_others_do_not_end_every_nap);
	tcase_add_test(tc, nap_without_events_ends_by_itself);
	tcase_add_test(tc, work_ends_the_silence);
	tcase_add_test(tc, naps_grow_with_the_silence);
	tcase_add_test(tc, event_leaves_errno_alone);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
