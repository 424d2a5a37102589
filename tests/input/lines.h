/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library logs, kept for tests. */
#ifndef TESTS_INPUT_LINES_H
#define TESTS_INPUT_LINES_H
#include <check.h>
#include <ginet/log.h>
#include <string.h>

void lines_keep(void);  /* from now on, instead of stderr; forgets what was kept */
int lines_count(enum gin_log_level level);
/* All lines of that level, joined by newlines. Valid until the next call. */
const char *lines_text(enum gin_log_level level);

/* Exactly one error line since lines_keep(), with these words in it. Forgets it. */
#define ck_one_error(words)                                                                                     \
	do {                                                                                                    \
		ck_assert_msg(lines_count(GIN_LOG_ERROR) == 1, "%d error lines:\n%s", lines_count(GIN_LOG_ERROR), \
			      lines_text(GIN_LOG_ERROR));                                                       \
		ck_assert_msg(strstr(lines_text(GIN_LOG_ERROR), words), "'%s' is not in: %s", words,            \
			      lines_text(GIN_LOG_ERROR));                                                       \
		lines_keep();                                                                                   \
	} while (0)

#define ck_no_error() \
	ck_assert_msg(!lines_count(GIN_LOG_ERROR), "error lines:\n%s", lines_text(GIN_LOG_ERROR))
#endif
