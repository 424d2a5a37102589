/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of lanes, a block's worth at a time, kept for the next launch. */
#ifndef HOST_GPU_STACK_H
#define HOST_GPU_STACK_H
#include <stddef.h>
#include <stdint.h>

enum gin_guard {
	GIN_GUARD_MADVISE, /* MADV_GUARD_INSTALL, Linux 6.13: costs no mapping */
	GIN_GUARD_PAGE,    /* mprotect(): two mappings a lane, and the system allows 65,530 */
	GIN_GUARD_CANARY,  /* a pattern that is looked at when a lane has run */
};

struct gin_stacks { /* of one block */
	struct gin_stacks *next;
	uint8_t *base;
	size_t size, stride, page; /* bytes: usable part of one stack; from stack to stack; the guard below each */
	uint32_t n;
	enum gin_guard guard;
};

/* NULL: no memory. Any thread. */
struct gin_stacks *gin_stacks_create(uint32_t n, size_t size);
void gin_stacks_destroy(struct gin_stacks *stacks);
void *gin_stacks_at(const struct gin_stacks *stacks, uint32_t i); /* lowest usable byte of stack i */
int gin_stacks_intact(const struct gin_stacks *stacks, uint32_t i); /* 0: lane i ran over its canary */
#endif
