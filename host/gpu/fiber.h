/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibers: stacks that one thread switches between. The switch is ours, since
 * swapcontext() makes two system calls. All fibers of a thread share its
 * floating-point modes and signal mask.
 */
#ifndef HOST_GPU_FIBER_H
#define HOST_GPU_FIBER_H
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(GINET_TSAN)
#define GIN_FIBER_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GIN_FIBER_WATCHED 1
#endif
#endif

struct gin_fiber {
	void *sp;    /* while it does not run */
	void *stack; /* lowest byte */
	size_t size;
	void *fake;  /* AddressSanitizer's second stack */
	void *tsan;  /* ThreadSanitizer's idea of a thread */
	int ordered; /* set by the user: a switch to it orders memory, see fiber.c */
};

/* The stack on which the caller runs already. */
void gin_fiber_init_thread(struct gin_fiber *thread);

/* Prepare a fiber that starts entry(arg); entry must end in gin_fiber_leave(). skew: bytes of the stack's top to leave free. */
void gin_fiber_init(struct gin_fiber *fiber, void *stack, size_t size, size_t skew, void (*entry)(void *arg), void *arg);

/* At the start of entry: from is who switched here. */
void gin_fiber_started(struct gin_fiber *from);

/* Save the callee's registers on this stack, its top in *save; go on with those on the stack sp. */
void gin_fiber_swap(void **save, void *sp);

#ifdef GIN_FIBER_WATCHED /* a sanitizer is to be told */
void gin_fiber_switch(struct gin_fiber *from, struct gin_fiber *to);
#else
/* Inline: a processor predicts returns by the calls before, and after a switch each one is a miss. */
static inline void gin_fiber_switch(struct gin_fiber *from, struct gin_fiber *to)
{
	gin_fiber_swap(&from->sp, to->sp);
}
#endif
void gin_fiber_leave(struct gin_fiber *from, struct gin_fiber *to) __attribute__((noreturn)); /* for good */

/* Forget a fiber, also one in the middle of something; not the caller's own, which is thread. */
void gin_fiber_drop(struct gin_fiber *fiber, struct gin_fiber *thread);

/* ThreadSanitizer: what came before release(where) is seen after acquire(where). Elsewhere nothing. */
void gin_order_release(void *where);
void gin_order_acquire(void *where);
#endif
