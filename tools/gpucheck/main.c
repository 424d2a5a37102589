/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpucheck [--gpu NAME] [--json FILE] [--quick] [--programs DIR] [--limit S]
 *
 * Runs each row in a process that is not ours: what hangs there is killed and
 * reported, and the next row gets a new process. This one never touches CUDA,
 * so nothing of a broken GPU can hold it.
 */
#include "check.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPEN_S = 60, LIMIT_S = 40, ALL_S = 300, OPENED = -1, NO_GPU = -2, BAD_NAME = -3 };

struct worker {
	pid_t pid; /* 0: none */
	int fd;
	int fresh; /* it has not opened the GPU yet */
};

/*
 * In the worker.
 */

static void tell(int fd, const struct result *r)
{
	if (write(fd, r, sizeof(*r)) != (ssize_t)sizeof(*r)) /* at most PIPE_BUF: whole or not at all */
		_exit(3);
}

static void open_gpu(struct setting *s, int fd)
{
	struct result r = {.row = OPENED};
	int err;

	if (s->gpu)
		return;
	err = gin_gpu_open(s->gpu_name, &s->gpu);
	if (err) {
		r.row = err == -EINVAL ? BAD_NAME : NO_GPU;
		r.status = err == -ENODEV || err == -ENOTSUP ? ROW_NOT_RUN : ROW_FAILED;
		note(&r, "%s", last_error_line());
		tell(fd, &r);
		_exit(0);
	}
	say_gpu(gin_gpu_name(s->gpu), r.note, sizeof(r.note));
	tell(fd, &r);
}

static void work(struct setting *s, int row, int fd)
{
	struct result r;
	uint64_t start;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	keep_lines();
	open_gpu(s, fd);
	for (; row < n_rows; row++) {
		memset(&r, 0, sizeof(r));
		r.row = row;
		if (rows[row].program) {
			gin_gpu_close(s->gpu);
			s->gpu = NULL;
		}
		start = now_ns();
		if (rows[row].run(s, &r, rows[row].arg) && r.status == ROW_OK)
			bad(&r, "failed without a word");
		r.seconds = (double)(now_ns() - start) / 1e9;
		tell(fd, &r);
	}
	gin_gpu_close(s->gpu);
	_exit(0);
}

/*
 * In the process that watches.
 */

static int start_worker(struct worker *w, struct setting *s, int row)
{
	int fds[2];

	if (pipe(fds))
		return -1;
	fflush(stdout);
	w->pid = fork();
	if (w->pid < 0) {
		w->pid = 0;
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	if (!w->pid) {
		close(fds[0]);
		work(s, row, fds[1]);
	}
	close(fds[1]);
	w->fd = fds[0];
	w->fresh = 1;
	return 0;
}

/* Kill it with all it started. A process that hangs in the driver may not go: it is left behind after 5 s. */
static void end_worker(struct worker *w, int *status)
{
	int i;

	*status = 0;
	if (!w->pid)
		return;
	kill(-w->pid, SIGKILL);
	kill(w->pid, SIGKILL);
	for (i = 0; i < 500 && waitpid(w->pid, status, WNOHANG) == 0; i++)
		usleep(10000);
	close(w->fd);
	w->pid = 0;
}

/* 1: a result; 0: the worker has died; -1: nothing in time. */
static int hear(struct worker *w, struct result *r, uint64_t until)
{
	struct pollfd p = {.fd = w->fd, .events = POLLIN};
	uint64_t now = now_ns();
	int ready = poll(&p, 1, now < until ? (int)((until - now) / 1000000) + 1 : 0);

	if (ready <= 0)
		return ready < 0 && errno == EINTR ? hear(w, r, until) : -1;
	return read(w->fd, r, sizeof(*r)) == (ssize_t)sizeof(*r);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* 0: the worker has its GPU, r->note describes it; else r->row is NO_GPU or BAD_NAME. */
static int hear_opened(struct worker *w, struct result *r, uint64_t end)
{
	int status, heard = hear(w, r, earlier(now_ns() + OPEN_S * 1000000000ull, end));

	w->fresh = 0;
	if (heard == 1 && r->row == OPENED)
		return 0;
	end_worker(w, &status);
	if (heard == 1)
		return -1;
	memset(r, 0, sizeof(*r));
	r->row = NO_GPU;
	if (heard)
		bad(r, "opening the GPU hung: killed after %d s", OPEN_S);
	else
		bad(r, "opening the GPU ended the process (signal %d)", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return -1;
}

static void run_row(struct worker *w, struct setting *s, int row, struct result *r, uint64_t end)
{
	uint64_t start = now_ns();
	int status, heard;

	memset(r, 0, sizeof(*r));
	if (!w->pid && start_worker(w, s, row)) {
		bad(r, "no process");
		return;
	}
	if (w->fresh && hear_opened(w, r, end)) {
		r->status = ROW_FAILED;
		return;
	}
	start = now_ns();
	heard = hear(w, r, earlier(start + (uint64_t)s->limit_s * 1000000000u, end));
	if (heard == 1)
		return;
	end_worker(w, &status);
	memset(r, 0, sizeof(*r));
	r->seconds = (double)(now_ns() - start) / 1e9;
	bad(r, heard ? "no answer within %d s: killed" : "its process died, by signal %d",
	    heard		  ? s->limit_s
	    : WIFSIGNALED(status) ? WTERMSIG(status)
				  : 0);
	r->status = heard ? ROW_HUNG : ROW_FAILED;
}

/*
 * The table.
 */

static const char *const words[] = {
    [ROW_OK] = "ok", [ROW_FAILED] = "FAILED", [ROW_NOT_RUN] = "not run", [ROW_HUNG] = "HUNG"};

static void print_row(const struct result *r)
{
	printf(*r->note ? "%-8s%s\n" : "%s%s\n", words[r->status], r->note);
	fflush(stdout);
}

static void json_string(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++)
		if ((unsigned char)*text < 0x20)
			fprintf(f, "\\u%04x", (unsigned int)*text);
		else
			fprintf(f, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	fputc('"', f);
}

static void json_row(FILE *f, const char *name, const struct result *r)
{
	int i;

	fputs("    {\"name\": ", f);
	json_string(f, name);
	fputs(", \"status\": ", f);
	json_string(f, words[r->status]);
	fprintf(f, ", \"seconds\": %.3f, \"note\": ", r->seconds);
	json_string(f, r->note);
	fputs(", \"metrics\": {", f);
	for (i = 0; i < r->n_metrics; i++)
		fprintf(f, "%s\"%s\": %.4f", i ? ", " : "", r->metrics[i].name, r->metrics[i].value);
	fputs("}}", f);
}

static int cannot_write(const char *path)
{
	fprintf(stderr, "gpu-check: cannot write %s: %s\n", path, strerror(errno));
	return -1;
}

/* Before the rows run: nobody waits for a table that cannot be written down. */
static int open_json(const char *path, FILE **out)
{
	if (!path)
		return 0;
	*out = fopen(path, "we");
	return *out ? 0 : cannot_write(path);
}

/* No table came: no file either. */
static void drop_json(FILE *f, const char *path)
{
	struct stat st;

	if (!f)
		return;
	if (!fstat(fileno(f), &st) && S_ISREG(st.st_mode))
		unlink(path);
	fclose(f);
}

static int write_json(FILE *f, const char *path, const struct setting *s, const char *gpu, const char *cpu, double load,
		      const struct result *results)
{
	int i;

	fputs("{\n  \"gpu\": ", f);
	json_string(f, gpu);
	fputs(",\n  \"cpu\": ", f);
	json_string(f, cpu);
	fprintf(f, ",\n  \"quick\": %s,\n  \"foreign_load\": %.3f,\n  \"rows\": [\n", s->quick ? "true" : "false",
		load);
	for (i = 0; i < n_rows; i++) {
		json_row(f, rows[i].name, &results[i]);
		fputs(i + 1 < n_rows ? ",\n" : "\n", f);
	}
	fputs("  ]\n}\n", f);
	return fclose(f) ? cannot_write(path) : 0;
}

/* All rows; returns how many are neither ok nor left out. */
static int run_table(struct worker *w, struct setting *s, struct result *results)
{
	uint64_t end = now_ns() + ALL_S * 1000000000ull;
	int row, n[4] = {0}, status;

	for (row = 0; row < n_rows; row++) {
		printf("%-58s", rows[row].name);
		fflush(stdout);
		if (now_ns() < end)
			run_row(w, s, row, &results[row], end);
		else
			not_run(&results[row], "%d s are over", ALL_S);
		print_row(&results[row]);
		n[results[row].status]++;
	}
	end_worker(w, &status);
	printf("\n%d rows: %d ok, %d failed, %d hung, %d not run\n", n_rows, n[ROW_OK], n[ROW_FAILED], n[ROW_HUNG],
	       n[ROW_NOT_RUN]);
	return n[ROW_FAILED] + n[ROW_HUNG];
}

/* Whether there is a GPU is found out by a process that may hang, too. 0, or the exit code. */
static int find_gpu(struct worker *w, struct setting *s, char *gpu, size_t size)
{
	struct result r;

	if (start_worker(w, s, 0)) {
		fprintf(stderr, "gpu-check: no process: %s\n", strerror(errno));
		return 1;
	}
	if (!hear_opened(w, &r, UINT64_MAX)) {
		snprintf(gpu, size, "%s", r.note);
		return 0;
	}
	if (r.status == ROW_FAILED) {
		fprintf(stderr, "gpu-check: %s\n", r.note);
		return r.row == BAD_NAME ? 2 : 1;
	}
	printf("skipped: no GPU: %s\n", r.note);
	return 77;
}

static int folder_fd = -1;
static char folder[] = "/tmp/gpu-check.XXXXXX";

/* What rows that were killed may have left. Called by a signal, too. */
static void remove_folder(void)
{
	unlinkat(folder_fd, CAPTURE_IN, 0);
	unlinkat(folder_fd, CAPTURE_OUT, 0);
	rmdir(folder);
}

/* The worker dies with us, and what it started with it. */
static void on_signal(int sig)
{
	remove_folder();
	_exit(128 + sig);
}

static int make_folder(struct setting *s)
{
	if (!mkdtemp(folder) || (folder_fd = open(folder, O_DIRECTORY | O_CLOEXEC)) < 0) {
		fprintf(stderr, "gpu-check: %s: %s\n", folder, strerror(errno));
		return 1;
	}
	s->folder = folder;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: gpu-check [--gpu NAME] [--json FILE] [--quick]\n");
	return 2;
}

static int parse(int argc, char **argv, struct setting *s, const char **json)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick"))
			s->quick = 1;
		else if (i + 1 < argc && !strcmp(argv[i], "--gpu"))
			s->gpu_name = argv[++i];
		else if (i + 1 < argc && !strcmp(argv[i], "--json"))
			*json = argv[++i];
		else if (i + 1 < argc && !strcmp(argv[i], "--programs"))
			s->programs = argv[++i];
		else if (i + 1 < argc && !strcmp(argv[i], "--limit") && atoi(argv[i + 1]) > 0)
			s->limit_s = atoi(argv[++i]);
		else
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct setting s = {.gpu_name = "cuda:0", .programs = ".", .limit_s = LIMIT_S};
	struct result *results = calloc((size_t)n_rows, sizeof(*results));
	struct worker w = {0};
	struct load before, after;
	const char *json = NULL;
	char gpu[400], cpu[256];
	FILE *json_file = NULL;
	int err, failed;

	if (!results || parse(argc, argv, &s, &json))
		return usage();
	signal(SIGPIPE, SIG_IGN);
	err = open_json(json, &json_file) ? 1 : make_folder(&s);
	if (!err)
		err = find_gpu(&w, &s, gpu, sizeof(gpu));
	if (err) {
		drop_json(json_file, json);
		goto out;
	}
	say_cpu(cpu, sizeof(cpu));
	printf("gpu-check: software ConnectX and %s\n%s%s\n\n", gpu, cpu, s.quick ? ", quick" : "");
	read_load(&before);
	failed = run_table(&w, &s, results);
	read_load(&after);
	printf("foreign load %.0f %%: CPU time that other programs took meanwhile, of all CPUs\n",
	       100 * foreign_load(&before, &after));
	if (json_file && write_json(json_file, json, &s, gpu, cpu, foreign_load(&before, &after), results))
		failed = 1;
	err = failed ? 1 : 0;
out:
	if (s.folder)
		remove_folder();
	free(results);
	return err;
}
