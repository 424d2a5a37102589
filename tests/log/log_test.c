/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What reaches stderr: a child process writes to a socket that keeps each
 * write() apart, so a line in two pieces shows.
 */
#include "log.h"
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WRITES 1024
static char writes[MAX_WRITES][2048];

/* Run fn with stderr as that socket and $GINET_LOG as given; returns the number of writes. */
static int record(void (*fn)(void), const char *level)
{
	int sv[2], status, n = 0;
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (level)
			setenv("GINET_LOG", level, 1);
		else
			unsetenv("GINET_LOG");
		dup2(sv[1], STDERR_FILENO);
		close(sv[0]);
		close(sv[1]);
		fn();
		_exit(0);
	}
	close(sv[1]);
	for (;;) {
		char piece[2048];
		ssize_t len = recv(sv[0], piece, sizeof(piece) - 1, 0);

		if (len <= 0)
			break;
		ck_assert_int_lt(n, MAX_WRITES);
		memcpy(writes[n], piece, (size_t)len);
		writes[n][len] = '\0';
		n++;
	}
	close(sv[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	return n;
}

static void one_of_each(void)
{
	gin_error("e %d", 1);
	gin_warn("w %d", 2);
	gin_info("i %d", 3);
	gin_debug("d %d", 4);
}

START_TEST(all_but_debug_by_default)
{
	ck_assert_int_eq(record(one_of_each, NULL), 3);
	ck_assert_str_eq(writes[0], "ginet: e 1\n");
	ck_assert_str_eq(writes[1], "ginet: w 2\n");
	ck_assert_str_eq(writes[2], "ginet: i 3\n");
	ck_assert_int_eq(record(one_of_each, ""), 3);
}
END_TEST

START_TEST(the_environment_chooses)
{
	ck_assert_int_eq(record(one_of_each, "error"), 1);
	ck_assert_str_eq(writes[0], "ginet: e 1\n");
	ck_assert_int_eq(record(one_of_each, "warning"), 2);
	ck_assert_int_eq(record(one_of_each, "info"), 3);
	ck_assert_str_eq(writes[2], "ginet: i 3\n");
	ck_assert_int_eq(record(one_of_each, "debug"), 4);
	ck_assert_str_eq(writes[3], "ginet: d 4\n");
}
END_TEST

START_TEST(an_unknown_level_is_named_once)
{
	ck_assert_int_eq(record(one_of_each, "loud"), 4);
	ck_assert_str_eq(writes[0],
			 "ginet: GINET_LOG=loud is unknown, using info; known: error, warning, info, debug\n");
	ck_assert_str_eq(writes[1], "ginet: e 1\n");
}
END_TEST

static void long_lines(void)
{
	char text[2001];

	memset(text, 'a', sizeof(text));
	text[1024] = '\0';
	gin_error("%s", text); /* just fits */
	text[1024] = 'a';
	text[2000] = '\0';
	gin_error("%s", text);
}

START_TEST(a_line_above_1_KiB_is_cut)
{
	ck_assert_int_eq(record(long_lines, NULL), 2);
	ck_assert_uint_eq(strlen(writes[0]), 7 + 1024 + 1);
	ck_assert_str_eq(writes[0] + 7 + 1023, "a\n");
	ck_assert_uint_eq(strlen(writes[1]), 7 + 1024 + 1);
	ck_assert_str_eq(writes[1] + 7 + 1020, "a...\n");
}
END_TEST

static void two_lines_in_one(void)
{
	gin_error("no device '%s'", "soft:\r\nfake");
}

START_TEST(a_line_stays_one_line)
{
	ck_assert_int_eq(record(two_lines_in_one, NULL), 1);
	ck_assert_str_eq(writes[0], "ginet: no device 'soft:  fake'\n");
}
END_TEST

#define N_THREADS 4
#define N_LINES 100

static void *log_lines(void *arg)
{
	const char *name = (const char *)arg;

	for (int i = 0; i < N_LINES; i++)
		gin_error("%s%s%s%s %d", name, name, name, name, i);
	return NULL;
}

static void from_many_threads(void)
{
	static char names[N_THREADS][2] = { "A", "B", "C", "D" };
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, log_lines, names[i]))
			_exit(1);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

START_TEST(lines_of_threads_are_whole_and_in_order)
{
	int next[N_THREADS] = { 0 };

	ck_assert_int_eq(record(from_many_threads, NULL), N_THREADS * N_LINES);
	for (int i = 0; i < N_THREADS * N_LINES; i++) {
		char want[64];
		int t = writes[i][7] - 'A';

		ck_assert_int_ge(t, 0);
		ck_assert_int_lt(t, N_THREADS);
		snprintf(want, sizeof(want), "ginet: %c%c%c%c %d\n", 'A' + t, 'A' + t, 'A' + t, 'A' + t, next[t]++);
		ck_assert_str_eq(writes[i], want);
	}
}
END_TEST

struct seen { int n; enum gin_log_level level[8]; char line[8][64]; };

static void note(enum gin_log_level level, const char *line, void *arg)
{
	struct seen *seen = (struct seen *)arg;

	seen->level[seen->n] = level;
	snprintf(seen->line[seen->n++], sizeof(seen->line[0]), "%s", line);
}

START_TEST(a_callback_gets_every_line_bare)
{
	struct seen seen = { .n = 0 };

	gin_log_to(note, &seen);
	one_of_each();
	gin_log_to(NULL, NULL);
	ck_assert_int_eq(seen.n, 4);
	ck_assert_int_eq(seen.level[0], GIN_LOG_ERROR);
	ck_assert_str_eq(seen.line[0], "e 1");
	ck_assert_int_eq(seen.level[3], GIN_LOG_DEBUG);
	ck_assert_str_eq(seen.line[3], "d 4");
}
END_TEST

static void to_a_callback_and_back(void)
{
	struct seen seen = { .n = 0 };

	gin_log_to(note, &seen);
	gin_error("first");
	gin_log_to(NULL, NULL);
	gin_error("second");
}

START_TEST(a_callback_replaces_stderr_until_NULL)
{
	ck_assert_int_eq(record(to_a_callback_and_back, NULL), 1);
	ck_assert_str_eq(writes[0], "ginet: second\n");
}
END_TEST

static void with_closed_stderr(void)
{
	close(STDERR_FILENO);
	errno = ENOSPC;
	gin_error("lost");
	if (errno != ENOSPC)
		_exit(1);
}

START_TEST(errno_survives)
{
	ck_assert_int_eq(record(with_closed_stderr, NULL), 0);
}
END_TEST

static void tries_and_says(void)
{
	struct gin_log_kept kept;
	unsigned int before, i;

	gin_log_keep(&kept);
	before = gin_log_errors();
	gin_error("cause %d", 1);
	gin_info("aside");
	gin_debug("not even kept");
	for (i = 0; i < 10; i++)
		gin_warn("more");
	if (kept.n != 4 || strcmp(kept.lines[0].text, "cause 1") || kept.lines[0].level != GIN_LOG_ERROR ||
	    strcmp(kept.lines[1].text, "aside") || kept.lines[1].level != GIN_LOG_INFO || gin_log_errors() != before)
		_exit(1);
	gin_log_keep(NULL);
	gin_error("said");
}

START_TEST(kept_lines_are_not_logged)
{
	ck_assert_int_eq(record(tries_and_says, "debug"), 1);
	ck_assert_str_eq(writes[0], "ginet: said\n");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("log");
	Suite *suite = suite_create("log");
	SRunner *runner;
	int n_failed;

	tcase_add_test(tc, all_but_debug_by_default);
	tcase_add_test(tc, the_environment_chooses);
	tcase_add_test(tc, an_unknown_level_is_named_once);
	tcase_add_test(tc, a_line_above_1_KiB_is_cut);
	tcase_add_test(tc, a_line_stays_one_line);
	tcase_add_test(tc, lines_of_threads_are_whole_and_in_order);
	tcase_add_test(tc, a_callback_gets_every_line_bare);
	tcase_add_test(tc, a_callback_replaces_stderr_until_NULL);
	tcase_add_test(tc, errno_survives);
	tcase_add_test(tc, kept_lines_are_not_logged);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
