/* SPDX-License-Identifier: BSD-3-Clause */
/* Coroutines for tests: lanes without the CPU runner. */
#ifndef TESTS_SIM_FIBER_H
#define TESTS_SIM_FIBER_H
#include <stdbool.h>

#if defined(__has_feature) /* clang's names for gcc's */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

struct fiber;

struct fiber *fiber_create(void);                                    /* fails the test without memory */
void fiber_destroy(struct fiber *f);                                 /* also one that has not ended */
void fiber_start(struct fiber *f, void (*fn)(void *arg), void *arg); /* again and again; forgets what it did before */
void fiber_resume(struct fiber *f);                                  /* until it yields or ends */
void fiber_yield(void);                                              /* of the one that runs */
bool fiber_ended(const struct fiber *f);
#endif
