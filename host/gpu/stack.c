/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13, include/uapi/asm-generic/mman-common.h */
#endif

enum { CANARY = 64, GUARD_PAGES_MAX = 16384 };
static const uint8_t canary_byte = 0xc5;
static unsigned guard_pages; /* in the process, of kind GIN_GUARD_PAGE */

static uint8_t *guard_at(const struct gin_stacks *stacks, uint32_t i)
{
	return stacks->base + i * stacks->stride;
}

static bool guard_by_madvise(const struct gin_stacks *stacks)
{
	uint32_t i;

	for (i = 0; i < stacks->n; i++)
		if (madvise(guard_at(stacks, i), stacks->page, MADV_GUARD_INSTALL))
			return false;
	return true;
}

static bool guard_by_page(const struct gin_stacks *stacks)
{
	uint32_t i;

	if (__atomic_add_fetch(&guard_pages, stacks->n, __ATOMIC_RELAXED) > GUARD_PAGES_MAX)
		goto err_count;
	for (i = 0; i < stacks->n; i++)
		if (mprotect(guard_at(stacks, i), stacks->page, PROT_NONE))
			goto err_protect;
	return true;

err_protect:
	mprotect(stacks->base, stacks->n * stacks->stride, PROT_READ | PROT_WRITE);
err_count:
	__atomic_sub_fetch(&guard_pages, stacks->n, __ATOMIC_RELAXED);
	return false;
}

static void guard_by_canary(const struct gin_stacks *stacks)
{
	uint32_t i;

	for (i = 0; i < stacks->n; i++)
		memset(guard_at(stacks, i) + stacks->page - CANARY, canary_byte, CANARY);
}

static enum gin_guard guard(const struct gin_stacks *stacks)
{
	if (guard_by_madvise(stacks))
		return GIN_GUARD_MADVISE;
	if (guard_by_page(stacks))
		return GIN_GUARD_PAGE;
	guard_by_canary(stacks);
	return GIN_GUARD_CANARY;
}

struct gin_stacks *gin_stacks_create(uint32_t n, size_t size)
{
	struct gin_stacks *stacks = calloc(1, sizeof(*stacks));
	void *base;

	if (!stacks)
		return NULL;
	stacks->n = n;
	stacks->page = (size_t)sysconf(_SC_PAGESIZE);
	stacks->size = (size + stacks->page - 1) / stacks->page * stacks->page;
	stacks->stride = stacks->size + stacks->page;
	base = mmap(NULL, n * stacks->stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		    0);
	if (base == MAP_FAILED) {
		free(stacks);
		return NULL;
	}
	stacks->base = base;
	madvise(base, n * stacks->stride, MADV_NOHUGEPAGE); /* else each lane's few KiB take 2 MiB */
	stacks->guard = guard(stacks);
	return stacks;
}

void gin_stacks_destroy(struct gin_stacks *stacks)
{
	if (!stacks)
		return;
	munmap(stacks->base, stacks->n * stacks->stride);
	if (stacks->guard == GIN_GUARD_PAGE)
		__atomic_sub_fetch(&guard_pages, stacks->n, __ATOMIC_RELAXED);
	free(stacks);
}

void *gin_stacks_at(const struct gin_stacks *stacks, uint32_t i)
{
	return guard_at(stacks, i) + stacks->page;
}

int gin_stacks_intact(const struct gin_stacks *stacks, uint32_t i)
{
	const uint8_t *canary = guard_at(stacks, i) + stacks->page - CANARY;
	uint32_t k;

	if (stacks->guard != GIN_GUARD_CANARY)
		return 1;
	for (k = 0; k < CANARY; k++)
		if (canary[k] != canary_byte)
			return 0;
	return 1;
}
