/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the library's lines go: stderr, or a function of yours. */
#ifndef GINET_LOG_H
#define GINET_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

enum gin_log_level { GIN_LOG_ERROR, GIN_LOG_WARNING, GIN_LOG_INFO, GIN_LOG_DEBUG };

/**
 * Send log lines to fn instead of stderr; NULL goes back to stderr.
 *
 * line has no newline and is valid during the call only. fn may be called from
 * any thread, also from several at once. $GINET_LOG (error, warning, info,
 * debug; default info) chooses what reaches stderr; fn gets every line.
 * Call it before other threads use the library.
 */
void gin_log_to(void (*fn)(enum gin_log_level level, const char *line, void *arg), void *arg);

#ifdef __cplusplus
}
#endif
#endif
