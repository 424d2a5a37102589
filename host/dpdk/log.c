/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* fopencookie() */
#include "dpdk.h"
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
		said->text[0] = 0;
	kept = said;
}

/* What a driver says comes first; what EAL adds ("Driver cannot attach the device") tells nothing more. */
static void keep(const char *line, size_t len)
{
	size_t at = strlen(kept->text);

	if (at && !strncmp(line, "EAL: ", 5))
		return;
	snprintf(kept->text + at, sizeof(kept->text) - at, "%s%.*s", at ? "; " : "", (int)len, line);
}

static void forward(uint32_t level, const char *line, size_t len)
{
	char text[1024];

	snprintf(text, sizeof(text), "DPDK: %.*s", (int)len, line);
	dpdk_host->log(level <= RTE_LOG_ERR ? GIN_LOG_WARNING : GIN_LOG_DEBUG, text);
}

/* One call for each line, as the stream has no buffer to collect more. */
static ssize_t take(void *cookie, const char *line, size_t size)
{
	uint32_t level = (uint32_t)rte_log_cur_msg_loglevel();
	size_t len = size;

	(void)cookie;
	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	if (!len)
		return (ssize_t)size;
	if (!kept)
		forward(level, line, len);
	else if (level <= RTE_LOG_WARNING)
		keep(line, len);
	return (ssize_t)size;
}

void dpdk_log_said(const char *line)
{
	size_t len = strcspn(line, "\n");

	if (kept)
		keep(line, len);
	else
		forward(RTE_LOG_INFO, line, len);
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
