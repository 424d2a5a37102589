/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's clock, and its random numbers. */
#include "../../host/sim/env.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define DRAWS 20000

static uint64_t drawn[THREADS * DRAWS];

START_TEST(time_is_the_monotonic_clock)
{
	struct timespec before, after;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &before);
	ns = gin_env_now(gin_env_real());
	clock_gettime(CLOCK_MONOTONIC, &after);
	ck_assert_uint_ge(ns, (uint64_t)before.tv_sec * 1000000000u + (uint64_t)before.tv_nsec);
	ck_assert_uint_le(ns, (uint64_t)after.tv_sec * 1000000000u + (uint64_t)after.tv_nsec);
}
END_TEST

static void *draw_many(void *arg)
{
	uint64_t *to = arg;

	for (int i = 0; i < DRAWS; i++)
		to[i] = gin_env_random(gin_env_real(), GIN_RNG_NUMBERS);
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* A torn or repeated draw would hand the same number to two threads. */
START_TEST(threads_never_draw_the_same_number)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, draw_many, drawn + i * DRAWS), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	qsort(drawn, THREADS * DRAWS, sizeof(drawn[0]), by_value);
	for (int i = 1; i < THREADS * DRAWS; i++)
		ck_assert_uint_ne(drawn[i - 1], drawn[i]);
}
END_TEST

/* Each bit comes up in about half of the draws: 6 sigma of 20,000 are 424. */
START_TEST(every_bit_is_random)
{
	int ones[64] = { 0 };

	for (int i = 0; i < DRAWS; i++) {
		uint64_t v = gin_env_random(gin_env_real(), GIN_RNG_FAULTS);

		for (int b = 0; b < 64; b++)
			ones[b] += v >> b & 1;
	}
	for (int b = 0; b < 64; b++) {
		ck_assert_int_gt(ones[b], DRAWS / 2 - 424);
		ck_assert_int_lt(ones[b], DRAWS / 2 + 424);
	}
}
END_TEST

static uint64_t first_of_a_process(void)
{
	int fds[2];
	uint64_t v = 0;

	ck_assert_int_eq(pipe(fds), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		v = gin_env_random(gin_env_real(), GIN_RNG_NUMBERS);
		_exit(write(fds[1], &v, sizeof(v)) != (ssize_t)sizeof(v));
	}
	ck_assert_int_eq(read(fds[0], &v, sizeof(v)), sizeof(v));
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(fds[0]);
	close(fds[1]);
	return v;
}

START_TEST(two_processes_draw_different_numbers)
{
	ck_assert_uint_ne(first_of_a_process(), first_of_a_process());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("env");
	TCase *tc = tcase_create("env");
	SRunner *runner = srunner_create(suite);

	tcase_add_test(tc, time_is_the_monotonic_clock);
	tcase_add_test(tc, threads_never_draw_the_same_number);
	tcase_add_test(tc, every_bit_is_random);
	tcase_add_test(tc, two_processes_draw_different_numbers);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
