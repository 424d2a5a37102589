/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This file is never instrumented by ThreadSanitizer (host/CMakeLists.txt
 * builds it with GINET_TSAN instead): to it a switch inside a function that it
 * watches looks like a return from another one.
 */
#include "fiber.h"
#include "asan.h"

#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif

/* Return address of a new fiber's first swap: calls entry(arg), both in callee-saved registers. */
void gin_fiber_start(void);

/*
 * gin_fiber_start says by .cfi_undefined that nobody called it: a backtrace in
 * a kernel ends there instead of in what happens to be above the stack.
 */
#if defined(__x86_64__)
enum { SAVED_ENTRY = 3, SAVED_ARG = 2, SAVED_RETURN = 6, SAVED_WORDS = 7 }; /* r15 r14 r13 r12 rbx rbp, return address */
__asm__(".pushsection .text.gin_fiber, \"ax\"\n" /* else gdb takes it for the C function before */
	".p2align 4\n"
	".globl gin_fiber_swap\n"
	".hidden gin_fiber_swap\n"
	".type gin_fiber_swap, @function\n"
	"gin_fiber_swap:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r14\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r13\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r12\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size gin_fiber_swap, . - gin_fiber_swap\n"
	".p2align 4\n"
	".globl gin_fiber_start\n"
	".hidden gin_fiber_start\n"
	".type gin_fiber_start, @function\n"
	"gin_fiber_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	endbr64\n"
	"	movq %r13, %rdi\n"
	"	callq *%r12\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size gin_fiber_start, . - gin_fiber_start\n"
	".popsection\n");
#elif defined(__aarch64__)
enum { SAVED_ENTRY = 0, SAVED_ARG = 1, SAVED_RETURN = 11, SAVED_WORDS = 20 }; /* x19 ... x28, x29, x30, d8 ... d15 */
__asm__(".pushsection .text.gin_fiber, \"ax\"\n" /* else gdb takes it for the C function before */
	".p2align 4\n"
	".globl gin_fiber_swap\n"
	".hidden gin_fiber_swap\n"
	".type gin_fiber_swap, %function\n"
	"gin_fiber_swap:\n"
	"	.cfi_startproc\n"
	"	sub sp, sp, #160\n"
	"	.cfi_adjust_cfa_offset 160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	.cfi_adjust_cfa_offset -160\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size gin_fiber_swap, . - gin_fiber_swap\n"
	".p2align 4\n"
	".globl gin_fiber_start\n"
	".hidden gin_fiber_start\n"
	".type gin_fiber_start, %function\n"
	"gin_fiber_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined x30\n"
	"	mov x0, x20\n"
	"	blr x19\n"
	"	brk #1\n"
	"	.cfi_endproc\n"
	".size gin_fiber_start, . - gin_fiber_start\n"
	".popsection\n");
#else
#error "the CPU runner switches stacks on x86-64 and aarch64 only"
#endif

#ifdef FIBER_ASAN
void __sanitizer_start_switch_fiber(void **fake, const void *stack, size_t size);
void __sanitizer_finish_switch_fiber(void *fake, const void **old_stack, size_t *old_size);

static void before_switch(void **fake, const struct gin_fiber *to)
{
	__sanitizer_start_switch_fiber(fake, to->stack, to->size);
}

static void after_switch(struct gin_fiber *self)
{
	__sanitizer_finish_switch_fiber(self->fake, NULL, NULL);
}

/* from may be the thread's own stack: nobody else tells us its bounds. */
static void after_first_switch(struct gin_fiber *from)
{
	const void *stack;

	__sanitizer_finish_switch_fiber(NULL, &stack, &from->size);
	from->stack = (void *)(uintptr_t)stack;
}
#else
static void before_switch(void **fake, const struct gin_fiber *to)
{
	(void)fake;
	(void)to;
}

#ifdef GIN_FIBER_WATCHED
static void after_switch(struct gin_fiber *self)
{
	(void)self;
}
#endif

static void after_first_switch(struct gin_fiber *from)
{
	(void)from;
}
#endif

#ifdef GINET_TSAN
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);

/*
 * 1: no_sync. A switch by itself orders nothing, as two threads of a GPU are not ordered: so races show. In the
 * simulation one holder of a baton runs, whose store buffers show what is not ordered: a race there would be false.
 */
static void tsan_switch(struct gin_fiber *to)
{
	if (to->ordered)
		__tsan_release(to);
	__tsan_switch_to_fiber(to->tsan, 1);
	if (to->ordered)
		__tsan_acquire(to);
}
#define TSAN_SWITCH(to) tsan_switch(to)
#define TSAN_THREAD() __tsan_get_current_fiber()
#define TSAN_CREATE() __tsan_create_fiber(0)
#define TSAN_DROP(fiber) __tsan_destroy_fiber(fiber)
#define TSAN_RELEASE(addr) __tsan_release(addr)
#define TSAN_ACQUIRE(addr) __tsan_acquire(addr)
#else
#define TSAN_SWITCH(to) ((void)(to))
#define TSAN_THREAD() NULL
#define TSAN_CREATE() NULL
#define TSAN_DROP(fiber) ((void)(fiber))
#define TSAN_RELEASE(addr) ((void)(addr))
#define TSAN_ACQUIRE(addr) ((void)(addr))
#endif

void gin_fiber_init_thread(struct gin_fiber *thread)
{
	memset(thread, 0, sizeof(*thread));
	thread->tsan = TSAN_THREAD();
}

void gin_fiber_init(struct gin_fiber *fiber, void *stack, size_t size, size_t skew, void (*entry)(void *arg), void *arg)
{
	/* The ABIs of both machines want the stack aligned to 16 at a call. */
	uintptr_t top = ((uintptr_t)stack + size - skew) & ~(uintptr_t)15;
	uintptr_t *saved = (uintptr_t *)top - SAVED_WORDS;

	memset(saved, 0, SAVED_WORDS * sizeof(*saved));
	saved[SAVED_ENTRY] = (uintptr_t)entry;
	saved[SAVED_ARG] = (uintptr_t)arg;
	saved[SAVED_RETURN] = (uintptr_t)gin_fiber_start;
	fiber->sp = saved;
	fiber->stack = stack;
	fiber->size = size;
	fiber->fake = NULL;
	fiber->tsan = TSAN_CREATE();
}

void gin_fiber_started(struct gin_fiber *from)
{
	after_first_switch(from);
}

#ifdef GIN_FIBER_WATCHED
void gin_fiber_switch(struct gin_fiber *from, struct gin_fiber *to)
{
	before_switch(&from->fake, to);
	TSAN_SWITCH(to);
	gin_fiber_swap(&from->sp, to->sp);
	after_switch(from);
}
#endif

void gin_fiber_leave(struct gin_fiber *from, struct gin_fiber *to)
{
	before_switch(NULL, to); /* NULL: the second stack can go */
	TSAN_SWITCH(to);
	gin_fiber_swap(&from->sp, to->sp);
	__builtin_unreachable();
}

/* What the fiber did comes before what the thread does from now on. */
void gin_fiber_drop(struct gin_fiber *fiber, struct gin_fiber *thread)
{
	gin_asan_unpoison(fiber->stack, fiber->size); /* red zones of frames that nobody will leave */
	if (!fiber->tsan)
		return;
	TSAN_SWITCH(fiber);
	TSAN_RELEASE(fiber);
	TSAN_SWITCH(thread);
	TSAN_ACQUIRE(fiber);
	TSAN_DROP(fiber->tsan);
	fiber->tsan = NULL;
}

void gin_order_release(void *where)
{
	TSAN_RELEASE(where);
}

void gin_order_acquire(void *where)
{
	TSAN_ACQUIRE(where);
}
