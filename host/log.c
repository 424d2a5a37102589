/* SPDX-License-Identifier: BSD-3-Clause */
/* Log lines: to the user's function, or to stderr with one write() each, so that lines of threads do not mix. */
#include "log.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "ginet: "
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define LINE_MAX_BYTES 1024u /* without prefix and newline */
#define CUT_MARK "..."

static void (*user_fn)(enum gin_log_level level, const char *line, void *arg);
static void *user_arg;
static enum gin_log_level stderr_level;
static pthread_once_t stderr_level_once = PTHREAD_ONCE_INIT;
static __thread unsigned int n_errors;
static __thread struct gin_log_kept *kept_lines;

static void write_line(const char *line, size_t len)
{
	char buf[PREFIX_LEN + LINE_MAX_BYTES + 1];

	memcpy(buf, PREFIX, PREFIX_LEN);
	memcpy(buf + PREFIX_LEN, line, len);
	buf[PREFIX_LEN + len] = '\n';
	/* A line that stderr does not take is lost: there is nobody left to tell. */
	if (write(STDERR_FILENO, buf, PREFIX_LEN + len + 1) < 0)
		return;
}

static void read_stderr_level(void)
{
	static const char *const words[] = { "error", "warning", "info", "debug" };
	const char *word = getenv("GINET_LOG");
	char line[128];

	stderr_level = GIN_LOG_INFO;
	if (!word || !*word)
		return;
	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]) == 0) {
			stderr_level = (enum gin_log_level)i;
			return;
		}
	}
	snprintf(line, sizeof(line), "GINET_LOG=%.32s is unknown, using info; known: error, warning, info, debug", word);
	write_line(line, strlen(line));
}

/* One line stays one line, whatever a name in it contains. */
static void flatten(char *line)
{
	for (; *line; line++)
		if (*line == '\n' || *line == '\r')
			*line = ' ';
}

void gin_log_to(void (*fn)(enum gin_log_level level, const char *line, void *arg), void *arg)
{
	user_fn = fn;
	user_arg = arg;
}

void gin_log_keep(struct gin_log_kept *kept)
{
	if (kept)
		kept->n = 0;
	kept_lines = kept;
}

static void keep(enum gin_log_level level, const char *line)
{
	unsigned int i = kept_lines->n;

	if (level > GIN_LOG_INFO || i == sizeof(kept_lines->lines) / sizeof(kept_lines->lines[0]))
		return;
	kept_lines->lines[i].level = level;
	snprintf(kept_lines->lines[i].text, sizeof(kept_lines->lines[i].text), "%s", line);
	kept_lines->n++;
}

unsigned int gin_log_errors(void)
{
	return n_errors;
}

void gin_log(enum gin_log_level level, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES + 1];
	int saved_errno = errno; /* callers log on their error path */
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (len < 0)
		line[0] = '\0';
	if (len > (int)LINE_MAX_BYTES)
		memcpy(line + LINE_MAX_BYTES - strlen(CUT_MARK), CUT_MARK, sizeof(CUT_MARK));
	flatten(line);
	if (!kept_lines)
		n_errors += level == GIN_LOG_ERROR;
	if (kept_lines) {
		keep(level, line);
	} else if (user_fn) {
		user_fn(level, line, user_arg);
	} else {
		pthread_once(&stderr_level_once, read_stderr_level);
		if (level <= stderr_level)
			write_line(line, strlen(line));
	}
	errno = saved_errno;
}
