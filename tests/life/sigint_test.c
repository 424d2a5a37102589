/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C at any moment of a program's life: it ends by itself, soon. sigint_test PROGRAM [ARG...] */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { RUNS = 15 };
#else
enum { RUNS = 60 };
#endif
enum { PATIENCE_S = 30 }; /* until a program is said to hang */

static char **program;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* *out: the read end of its standard output. */
static pid_t start(int *out)
{
	int ends[2];
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv(program[0], program);
		_exit(127);
	}
	close(ends[1]);
	*out = ends[0];
	return pid;
}

/* Waits for its end; kills it when it does not come. Its status. */
static int end_of(pid_t pid)
{
	struct timespec limit = { .tv_sec = PATIENCE_S };
	sigset_t child;
	int status, err;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	do
		err = waitpid(pid, &status, WNOHANG) == pid ? 0 : sigtimedwait(&child, NULL, &limit);
	while (err == SIGCHLD || (err < 0 && errno == EINTR));
	if (err) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		ck_abort_msg("it did not end within %d s of SIGINT", PATIENCE_S);
	}
	return status;
}

static void drain(int fd)
{
	char buf[4096];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static void nap(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	nanosleep(&t, NULL);
}

/* How long it takes until the program says that it is ready. */
static uint64_t start_up_ns(void)
{
	uint64_t t = now_ns();
	char c;
	int out;
	pid_t pid = start(&out);

	ck_assert_int_eq(read(out, &c, 1), 1);
	t = now_ns() - t;
	kill(pid, SIGINT);
	drain(out);
	ck_assert_int_eq(end_of(pid), 0);
	return t;
}

/* Delays spread over its start and a while after; twice: as impatient people press it. */
START_TEST(ends_by_itself)
{
	int i, out, status, n_killed = 0, n_ended = 0;
	sigset_t child;
	uint64_t span;
	pid_t pid;

	signal(SIGINT, SIG_DFL); /* the program's until it sets its own: Check's handler kills, and others ignore it */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL); /* so that end_of() can wait for it */
	span = start_up_ns() * 5 / 4;
	srandom(7);
	for (i = 0; i < RUNS; i++) {
		pid = start(&out);
		nap((uint64_t)random() % span);
		kill(pid, SIGINT);
		if (_i)
			kill(pid, SIGINT);
		drain(out);
		status = end_of(pid);
		if (WIFSIGNALED(status)) {
			ck_assert_int_eq(WTERMSIG(status), SIGINT);
			n_killed++;
		} else {
			ck_assert_int_eq(WEXITSTATUS(status), 0);
			n_ended++;
		}
	}
	ck_assert_int_eq(n_killed + n_ended, RUNS);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("Ctrl-C");
	TCase *tc = tcase_create("sigint");
	SRunner *sr;
	int failed;

	if (argc < 2)
		return 2;
	program = argv + 1;
	tcase_add_loop_test(tc, ends_by_itself, 0, 2);
	tcase_set_timeout(tc, 240);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
