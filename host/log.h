/* SPDX-License-Identifier: BSD-3-Clause */
/* One line to the user: what was tried, with which values, why it failed, what helps. */
#ifndef HOST_LOG_H
#define HOST_LOG_H
#include <ginet/log.h>

/* Any thread. Never on the data path. Lines above 1 KiB are cut. */
void gin_log(enum gin_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define gin_error(...) gin_log(GIN_LOG_ERROR, __VA_ARGS__)
#define gin_warn(...) gin_log(GIN_LOG_WARNING, __VA_ARGS__)
#define gin_info(...) gin_log(GIN_LOG_INFO, __VA_ARGS__)
#define gin_debug(...) gin_log(GIN_LOG_DEBUG, __VA_ARGS__)

/* Lines that were kept instead of logged; more than fit are lost. */
struct gin_log_kept {
	unsigned int n;
	struct {
		enum gin_log_level level;
		char text[512];
	} lines[4];
};

/* From now on keep what this thread logs; NULL: log it again. For one who tries, and says himself what came of it. */
void gin_log_keep(struct gin_log_kept *kept);

/* Errors that this thread has logged so far. */
unsigned int gin_log_errors(void);

/*
 * For a call that passes an error up to the user: one line for each failure,
 * and it should be the cause's. before: gin_log_errors() at the call's start;
 * logs only if nobody below has.
 */
#define gin_error_if_untold(before, ...)               \
	do {                                           \
		if (gin_log_errors() == (before))      \
			gin_error(__VA_ARGS__);        \
	} while (0)
#endif
