/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample as a process: started, listened to, ended. */
#define _GNU_SOURCE /* memmem() */
#include "peer.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 25000, END_MS = 10000 };

static void run(char *const argv[], int out, int err)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	dup2(out, 1);
	dup2(err, 2);
	execv(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int spawn(struct program *p, char *const argv[])
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC))
		return -1;
	if (pipe2(err, O_CLOEXEC | O_NONBLOCK)) {
		close(out[0]);
		close(out[1]);
		return -1;
	}
	p->pid = fork();
	if (!p->pid)
		run(argv, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	p->out = out[0];
	p->err = err[0];
	return p->pid < 0 ? -1 : 0;
}

/* Read on until its output has the word or ends. 1: it has. */
static int read_until(struct program *p, const char *word, uint64_t until)
{
	struct pollfd poll_out = {.fd = p->out, .events = POLLIN};
	uint64_t now;
	ssize_t n;

	while (!memmem(p->text, p->n, word, strlen(word))) {
		now = now_ns();
		if (now >= until || p->n == sizeof(p->text) - 1)
			return 0;
		if (poll(&poll_out, 1, (int)((until - now) / 1000000) + 1) <= 0)
			continue;
		n = read(p->out, p->text + p->n, sizeof(p->text) - 1 - p->n);
		if (n <= 0)
			return 0;
		p->n += (size_t)n;
		p->text[p->n] = 0;
	}
	return 1;
}

/* The last line that it wrote to stderr. */
static const char *complaint(struct program *p)
{
	static char text[1024];
	ssize_t n = read(p->err, text, sizeof(text) - 1);
	char *at;

	if (n <= 0)
		return "it says nothing";
	text[n] = 0;
	if (text[n - 1] == '\n')
		text[n - 1] = 0;
	at = strrchr(text, '\n');
	return at ? at + 1 : text;
}

int program_start(struct program *p, struct result *r, char *const argv[])
{
	memset(p, 0, sizeof(*p));
	if (spawn(p, argv))
		return bad(r, "cannot start %s: %s", argv[0], strerror(errno));
	if (!read_until(p, "\n", now_ns() + START_MS * 1000000ull))
		return bad(r, "it does not start: %s", complaint(p));
	return 0;
}

int program_end(struct program *p, struct result *r, int interrupt)
{
	uint64_t until = now_ns() + END_MS * 1000000ull;
	int status = 0, ended;

	if (interrupt)
		kill(p->pid, SIGINT);
	read_until(p, "\n\n\n", until); /* which it never says: so to the end of its output */
	while (!(ended = waitpid(p->pid, &status, WNOHANG) != 0) && now_ns() < until)
		usleep(2000);
	if (!ended)
		return bad(r, "it does not end within %d s", END_MS / 1000);
	p->pid = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return bad(r, "it ends by %s %d: %s", WIFEXITED(status) ? "code" : "signal",
			   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), complaint(p));
	return 0;
}

int program_sums(const struct program *p, struct result *r)
{
	return strstr(p->text, "accounted for: ok\n") ? 0 : bad(r, "its counters do not add up");
}

void program_kill(struct program *p)
{
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->out > 0)
		close(p->out);
	if (p->err > 0)
		close(p->err);
	memset(p, 0, sizeof(*p));
}
