/* SPDX-License-Identifier: BSD-3-Clause */
/* What a row came to. */
#include "check.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line_kept[400];

static void keep(enum gin_log_level level, const char *line, void *arg)
{
	(void)arg;
	if (level > GIN_LOG_WARNING)
		return;
	pthread_mutex_lock(&lock);
	snprintf(line_kept, sizeof(line_kept), "%s", line);
	pthread_mutex_unlock(&lock);
}

void keep_lines(void)
{
	gin_log_to(keep, NULL);
}

const char *last_error_line(void)
{
	static char copy[sizeof(line_kept)];

	pthread_mutex_lock(&lock);
	memcpy(copy, line_kept, sizeof(copy));
	pthread_mutex_unlock(&lock);
	return *copy ? copy : "no line says why";
}

int bad(struct result *r, const char *fmt, ...)
{
	va_list ap;

	r->status = ROW_FAILED;
	va_start(ap, fmt);
	vsnprintf(r->note, sizeof(r->note), fmt, ap);
	va_end(ap);
	return -1;
}

int not_run(struct result *r, const char *fmt, ...)
{
	va_list ap;

	r->status = ROW_NOT_RUN;
	va_start(ap, fmt);
	vsnprintf(r->note, sizeof(r->note), fmt, ap);
	va_end(ap);
	return -1;
}

int want(struct result *r, const char *what, int64_t got, int64_t expected)
{
	if (got == expected)
		return 0;
	return bad(r, "%s: %lld, expected %lld", what, (long long)got, (long long)expected);
}

void note(struct result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->note, sizeof(r->note), fmt, ap);
	va_end(ap);
}

void add_metric(struct result *r, const char *name, double value)
{
	struct metric *m;

	if (r->n_metrics == N_METRICS)
		return;
	m = &r->metrics[r->n_metrics++];
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->value = value;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
