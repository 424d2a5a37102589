/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* fopencookie(), memmem() */
#include "dpdk.h"
#include <ctype.h>
#include <errno.h>
#include <rte_log.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread struct dpdk_said *kept;

void dpdk_error(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	dpdk_host->log(GIN_LOG_ERROR, line);
}

void dpdk_note(struct sn_device *dev, enum gin_log_level level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	dpdk_host->note(dev, level, line);
}

void dpdk_log_keep(struct dpdk_said *said)
{
	if (said)
		said->text[0] = said->n = 0;
	kept = said;
}

/* "eth_dev_tap_create(): Unable to ...": which function it was helps nobody here. */
static const char *without_function(const char *line, const char *end)
{
	const char *p = line;

	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return p > line && end - p > 4 && !strncmp(p, "(): ", 4) ? p + 4 : line;
}

/*
 * The first two lines tell the cause; what EAL adds to a driver's words ("Driver
 * cannot attach the device") tells nothing more, nor does the lack of processes
 * to share the device with, which nobody wants here.
 */
static void keep(const char *line, size_t len)
{
	const char *end = line + len;
	size_t at = strlen(kept->text);

	if (kept->n == 2 || (kept->n && !strncmp(line, "EAL: ", 5)) || memmem(line, len, "mp action", 9) || memmem(line, len, "secondary", 9))
		return;
	line = without_function(line, end);
	snprintf(kept->text + at, sizeof(kept->text) - at, "%s%.*s", kept->n++ ? "; " : "", (int)(end - line), line);
}

static void forward(int is_error, const char *line, size_t len)
{
	char text[1024];

	snprintf(text, sizeof(text), "DPDK: %.*s", (int)len, line);
	dpdk_host->log(is_error ? GIN_LOG_WARNING : GIN_LOG_DEBUG, text);
}

static size_t without_newline(const char *line, size_t len)
{
	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	return len;
}

void dpdk_log_line(int is_warning, const char *line, size_t len)
{
	len = without_newline(line, len);
	if (!kept)
		forward(0, line, len);
	else if (is_warning && len)
		keep(line, len);
}

/* One call for each line: DPDK flushes after each. */
static ssize_t take(void *cookie, const char *line, size_t size)
{
	uint32_t level = (uint32_t)rte_log_cur_msg_loglevel();
	size_t len = without_newline(line, size);

	(void)cookie;
	if (len && kept && level <= RTE_LOG_WARNING)
		keep(line, len);
	else if (len && !kept)
		forward(level <= RTE_LOG_ERR, line, len);
	return (ssize_t)size;
}

int dpdk_log_open(void)
{
	cookie_io_functions_t io = { .write = take };
	FILE *stream = fopencookie(NULL, "w", io);

	if (!stream)
		return -ENOMEM;
	setvbuf(stream, NULL, _IOLBF, 2048);
	return rte_openlog_stream(stream) ? -EIO : 0;
}
