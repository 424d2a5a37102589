/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interrupt RUNS FOLDER PROGRAM [ARG...]     Ctrl-C at RUNS moments of PROGRAM's
 * life, to it and all that it started, as a terminal does. It must end soon,
 * with all of them, and leave FOLDER as it was after a whole run.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nap(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	nanosleep(&t, NULL);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setpgid(0, 0);
	signal(SIGINT, SIG_DFL); /* whoever runs the tests may ignore it */
	dup2(open("/dev/null", O_RDWR), STDOUT_FILENO);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	execv(argv[0], argv);
	_exit(127);
}

/* Until the program has ended: its status, or -1. */
static int end_of(pid_t pid)
{
	int ms, status;

	for (ms = 0; ms < PATIENCE_MS; ms++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nap(1000000);
	}
	return -1;
}

static int group_is_gone(pid_t pid)
{
	int ms;

	for (ms = 0; ms < PATIENCE_MS; ms++) {
		if (kill(-pid, 0) && errno == ESRCH)
			return 1;
		nap(1000000);
	}
	return 0;
}

static int entries(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static int interrupt(char **argv, uint64_t delay_ns)
{
	pid_t pid = start(argv);
	int status;

	nap(delay_ns);
	kill(-pid, SIGINT);
	status = end_of(pid);
	if (status == -1 || !group_is_gone(pid)) {
		fprintf(stderr, "FAILED: %s goes on %d s after SIGINT at %llu us\n", status == -1 ? "it" : "a process of it",
			PATIENCE_MS / 1000, (unsigned long long)delay_ns / 1000);
		kill(-pid, SIGKILL);
		return 1;
	}
	if ((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) ||
	    (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 130)))
		return 0;
	fprintf(stderr, "FAILED: status 0x%x after SIGINT at %llu us\n", (unsigned int)status, (unsigned long long)delay_ns / 1000);
	return 1;
}

int main(int argc, char **argv)
{
	int i, before, failed = 0;
	uint64_t span;

	if (argc < 4) {
		fprintf(stderr, "usage: interrupt RUNS FOLDER PROGRAM [ARG...]\n");
		return 2;
	}
	span = now_ns();
	if (end_of(start(argv + 3))) {
		fprintf(stderr, "FAILED: a whole run\n");
		return 1;
	}
	span = now_ns() - span;
	before = entries(argv[2]);
	srandom(3);
	for (i = 0; i < atoi(argv[1]) && !failed; i++)
		failed = interrupt(argv + 3, (uint64_t)random() % span);
	if (entries(argv[2]) != before) {
		fprintf(stderr, "FAILED: %d entries in %s, then %d\n", before, argv[2], entries(argv[2]));
		failed = 1;
	}
	return failed;
}
