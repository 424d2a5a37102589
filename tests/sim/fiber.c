/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A context only starts a fiber: each switch of contexts asks the kernel for
 * the signal mask. From then on jumps lead from stack to stack.
 */
#include "fiber.h"

#include <check.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

/* TSan keeps a stack of calls for each fiber: a function that is entered on one and left on another would upset it. */
#define NOT_TRACKED __attribute__((no_sanitize("thread")))

#define STACK_BYTES (64u << 10)

struct fiber {
	ucontext_t start; /* not a local: begin() never returns, and ASan would keep its frame poisoned */
	jmp_buf self, caller;
	void (*fn)(void *arg);
	void *arg;
	jmp_buf bottom; /* where each start begins, once there was one */
	bool has_bottom, begun, ended;
	void *tsan_self, *tsan_caller;
	const void *caller_stack;
	size_t caller_stack_bytes;
	char *stack;
};

static struct fiber *running;

/* Sanitizers follow a stack switch only when told. */
NOT_TRACKED static void before_switch_in(struct fiber *f, void **fake_stack)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(fake_stack, f->stack, STACK_BYTES);
#endif
#if defined(__SANITIZE_THREAD__)
	f->tsan_caller = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(f->tsan_self, 0);
#endif
	(void)f;
	(void)fake_stack;
}

NOT_TRACKED static void before_switch_out(struct fiber *f, void **fake_stack)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(fake_stack, f->caller_stack, f->caller_stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
	__tsan_switch_to_fiber(f->tsan_caller, 0);
#endif
	(void)f;
	(void)fake_stack;
}

NOT_TRACKED static void after_switch(void *fake_stack, const void **old_stack, size_t *old_bytes)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(fake_stack, old_stack, old_bytes);
#endif
	(void)fake_stack;
	(void)old_stack;
	(void)old_bytes;
}

/* Its frame stays at the bottom of the stack for good, so that a later start need not ask the kernel. */
NOT_TRACKED static void entry(void)
{
	struct fiber *f;

	running->has_bottom = true;
	(void)_setjmp(running->bottom);
	f = running;
	after_switch(NULL, &f->caller_stack, &f->caller_stack_bytes);
	f->fn(f->arg);
	f->ended = true;
	before_switch_out(f, NULL);
	_longjmp(f->caller, 1);
}

struct fiber *fiber_create(void)
{
	struct fiber *f = calloc(1, sizeof(*f));

	ck_assert_ptr_nonnull(f);
	f->stack = malloc(STACK_BYTES);
	ck_assert_ptr_nonnull(f->stack);
	f->ended = true;
	return f;
}

static void forget(struct fiber *f)
{
#if defined(__SANITIZE_ADDRESS__)
	__asan_unpoison_memory_region(f->stack, STACK_BYTES);
#endif
#if defined(__SANITIZE_THREAD__)
	if (f->tsan_self)
		__tsan_destroy_fiber(f->tsan_self);
	f->tsan_self = NULL;
#endif
	(void)f;
}

void fiber_destroy(struct fiber *f)
{
	if (!f)
		return;
	forget(f);
	free(f->stack);
	free(f);
}

void fiber_start(struct fiber *f, void (*fn)(void *arg), void *arg)
{
	forget(f);
#if defined(__SANITIZE_THREAD__)
	f->tsan_self = __tsan_create_fiber(0);
#endif
	f->fn = fn;
	f->arg = arg;
	f->ended = f->begun = false;
}

NOT_TRACKED static void begin(struct fiber *f)
{
	ucontext_t *start = &f->start;

	f->begun = true;
	if (f->has_bottom)
		_longjmp(f->bottom, 1);
	getcontext(start);
	start->uc_stack.ss_sp = f->stack;
	start->uc_stack.ss_size = STACK_BYTES;
	start->uc_link = NULL;
	makecontext(start, entry, 0);
	setcontext(start);
}

NOT_TRACKED static void switch_in(struct fiber *f)
{
	if (_setjmp(f->caller))
		return;
	if (f->begun)
		_longjmp(f->self, 1);
	begin(f);
}

NOT_TRACKED static void switch_out(struct fiber *f)
{
	if (!_setjmp(f->self))
		_longjmp(f->caller, 1);
}

NOT_TRACKED void fiber_resume(struct fiber *f)
{
	void *fake_stack = NULL;

	running = f;
	before_switch_in(f, &fake_stack);
	switch_in(f);
	after_switch(fake_stack, NULL, NULL);
	running = NULL;
}

NOT_TRACKED void fiber_yield(void)
{
	struct fiber *f = running;
	void *fake_stack = NULL;

	before_switch_out(f, &fake_stack);
	switch_out(f);
	after_switch(fake_stack, &f->caller_stack, &f->caller_stack_bytes);
}

bool fiber_ended(const struct fiber *f)
{
	return f->ended;
}
