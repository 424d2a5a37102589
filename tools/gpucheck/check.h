/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-check: rows of a table, each a check or a measurement, run in a process that may be killed. */
#ifndef GPUCHECK_CHECK_H
#define GPUCHECK_CHECK_H
#include "kernels.h"

enum status { ROW_OK, ROW_FAILED, ROW_NOT_RUN, ROW_HUNG };
enum { N_METRICS = 10 };
#define CAPTURE_IN "in.pcap"
#define CAPTURE_OUT "out.pcap"

struct metric { char name[32]; double value; };

/* What a row came to; travels through a pipe in one write. */
struct result {
	int row;
	enum status status;
	double seconds;
	char note[400]; /* for the table: figures, or why not */
	struct metric metrics[N_METRICS];
	int n_metrics;
};

/* What rows need to know. */
struct setting {
	const char *gpu_name;
	const char *programs; /* folder of the samples */
	const char *folder;   /* for captures; whoever watches removes it, with CAPTURE_IN and CAPTURE_OUT */
	int quick;
	int limit_s; /* a row may take; then it hangs */
	struct gin_gpu *gpu;  /* NULL in rows that start programs */
};

struct row {
	const char *name;                                            /* of the table, and of the JSON */
	int (*run)(const struct setting *s, struct result *r, int arg); /* 0; else r->note says why */
	int arg;
	int program;  /* 1: starts programs, so the GPU must not be held meanwhile */
};
extern const struct row rows[];
extern const int n_rows;

/* The rows, by file. */
int row_words(const struct setting *s, struct result *r, int arg);
int row_atomics(const struct setting *s, struct result *r, int arg);
int row_mem(const struct setting *s, struct result *r, int arg);
int row_launch(const struct setting *s, struct result *r, int arg);
int row_copy(const struct setting *s, struct result *r, int arg);
int row_traffic(const struct setting *s, struct result *r, int arg);
int row_echo(const struct setting *s, struct result *r, int scope);
int row_crowd(const struct setting *s, struct result *r, int arg);
int row_answers(const struct setting *s, struct result *r, int arg);
int row_stop(const struct setting *s, struct result *r, int arg);
int row_error(const struct setting *s, struct result *r, int arg);
int row_rate(const struct setting *s, struct result *r, int scope);
int row_trip(const struct setting *s, struct result *r, int arg);
int row_latency(const struct setting *s, struct result *r, int arg);
int row_sample(const struct setting *s, struct result *r, int which);

/* Results. Each returns -1, so that "return bad(...)" reads well; want() 0 if the two are equal. */
int bad(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int not_run(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int want(struct result *r, const char *what, int64_t got, int64_t expected);
void note(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void add_metric(struct result *r, const char *name, double value);
double median(double *values, int n); /* sorts them */
uint64_t now_ns(void);

/* The last line that the library logged as an error, for notes. */
void keep_lines(void);
const char *last_error_line(void);

/* info.c: the header of the table. */
void say_gpu(const char *name, char *buf, size_t size);     /* "NVIDIA H200, driver 13.0, runtime 13.0" */
void say_cpu(char *buf, size_t size);                       /* "Intel(R) Xeon(R), 2 CPUs" */
struct load { uint64_t busy, total; };                      /* of the machine, clock ticks */
void read_load(struct load *l);                             /* without this process and its children */
double foreign_load(const struct load *before, const struct load *after); /* 0 to 1 */
#endif
