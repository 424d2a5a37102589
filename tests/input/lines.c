/* SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"
#include <pthread.h>
#include <stdio.h>

enum { N_LINES = 64, LINE = 1100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the engine's thread logs too */
static struct { enum gin_log_level level; char text[LINE]; } lines[N_LINES];
static int n_lines;
static char joined[N_LINES * LINE];

static void keep(enum gin_log_level level, const char *line, void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	if (n_lines < N_LINES) {
		lines[n_lines].level = level;
		snprintf(lines[n_lines++].text, LINE, "%s", line);
	}
	pthread_mutex_unlock(&lock);
}

void lines_keep(void)
{
	static int is_set; /* gin_log_to() itself must not be called while others log */

	if (!is_set)
		gin_log_to(keep, NULL);
	is_set = 1;
	pthread_mutex_lock(&lock);
	n_lines = 0;
	pthread_mutex_unlock(&lock);
}

int lines_count(enum gin_log_level level)
{
	int i, n = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < n_lines; i++)
		n += lines[i].level == level;
	pthread_mutex_unlock(&lock);
	return n;
}

const char *lines_text(enum gin_log_level level)
{
	size_t at = 0;
	int i;

	pthread_mutex_lock(&lock);
	joined[0] = 0;
	for (i = 0; i < n_lines; i++)
		if (lines[i].level == level)
			at += (size_t)snprintf(joined + at, sizeof(joined) - at, "%s\n", lines[i].text);
	pthread_mutex_unlock(&lock);
	return joined;
}
