/* SPDX-License-Identifier: BSD-3-Clause */
/* Not instrumented by ThreadSanitizer, like fiber.c: what the runner does is no part of the kernel. */
#include "block.h"
#include "cpu.h"
#include "idle.h"
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

__thread struct gin_cpu_lane *gin_cpu_self;

/* xorshift64: the seed is never 0. */
static uint64_t draw(struct gin_block *block)
{
	uint64_t x = block->rng;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	block->rng = x;
	return x * 0x2545f4914f6cdd1dull >> 16;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void choose_strides(struct gin_block *block)
{
	uint32_t i, stride;

	for (i = 0; i < 8; i++) {
		do
			stride = 1 + (uint32_t)(draw(block) % block->n_warps);
		while (gcd(stride, block->n_warps) != 1);
		block->strides[i] = stride;
	}
}

static struct gin_dim3 position(uint32_t linear, const struct gin_dim3 *size)
{
	struct gin_dim3 at;

	at.x = linear % size->x;
	at.y = linear / size->x % size->y;
	at.z = linear / size->x / size->y;
	return at;
}

static void lane_main(void *arg)
{
	struct gin_lane *lane = arg;
	struct gin_block *block = lane->block;
	struct gin_warp *warp = gin_lane_warp(lane);

	gin_fiber_started(&block->thread);
	block->run->kernel->cpu(block->run->args);
	gin_lane_settle(lane);
	warp->ended |= 1u << lane->self.lane;
	block->n_live--;
	gin_collective_lane_ended(lane);
	gin_fiber_leave(&lane->fiber, &block->thread);
}

static void init_lane(struct gin_block *block, struct gin_lane *lane, uint32_t index)
{
	const struct gin_launch_config *cfg = &block->run->cfg;
	/* Frames of all lanes at one place in their pages would share a few sets of the cache. */
	size_t skew = index % GIN_WARP * 128;

	memset(lane, 0, sizeof(*lane));
	lane->block = block;
	lane->index = index;
	lane->self.thread = position(index, &cfg->block);
	lane->self.block = position(block->number, &cfg->grid);
	lane->self.block_dim = cfg->block;
	lane->self.grid_dim = cfg->grid;
	lane->self.lane = index % GIN_WARP;
	lane->self.dyn_shared = block->dyn_shared;
	gin_fiber_init(&lane->fiber, gin_stacks_at(block->stacks, index), block->stacks->size, skew, lane_main, lane);
	lane->fiber.ordered = block->stepped;
}

void gin_block_init(struct gin_block *block)
{
	uint32_t i;

	gin_fiber_init_thread(&block->thread);
	block->thread.ordered = block->stepped;
	choose_strides(block);
	for (i = 0; i < block->n_warps; i++)
		block->warps[i].ended = ~0u;
	for (i = 0; i < block->n_lanes; i++) {
		struct gin_warp *warp = &block->warps[i / GIN_WARP];

		init_lane(block, &block->lanes[i], i);
		warp->ended &= ~(1u << i % GIN_WARP);
		warp->ready |= 1u << i % GIN_WARP;
	}
	block->n_live = block->n_lanes;
}

void gin_block_fini(struct gin_block *block)
{
	uint32_t i;

	for (i = 0; i < block->n_lanes; i++)
		gin_fiber_drop(&block->lanes[i].fiber, &block->thread);
}

void gin_block_turn(struct gin_block *block, uint32_t index)
{
	struct gin_lane *lane = &block->lanes[index];
	struct gin_warp *warp = &block->warps[index / GIN_WARP];

	warp->ready &= ~(1u << lane->self.lane);
	warp->paused &= ~(1u << lane->self.lane);
	__atomic_store_n(&block->current, lane, __ATOMIC_RELAXED);
	__atomic_store_n(&block->turns, block->turns + 1, __ATOMIC_RELAXED);
	gin_cpu_self = &lane->self;
	gin_fiber_switch(&block->thread, &lane->fiber);
	gin_cpu_self = NULL;
	__atomic_store_n(&block->current, NULL, __ATOMIC_RELAXED);
	if (!gin_stacks_intact(block->stacks, index) && !block->failed) {
		block->failed = true;
		snprintf(block->report, sizeof(block->report),
			 "%s: thread %u of block %u used more than its %zu KiB of stack; open the GPU as \"cpu:stack=KiB\"",
			 lane->where ? lane->where : block->run->kernel->name, index, block->number,
			 block->stacks->size >> 10);
	}
}

void gin_lane_report(struct gin_lane *lane, const char *fmt, ...)
{
	struct gin_block *block = lane->block;
	va_list args;
	int n;

	if (block->failed)
		return;
	n = snprintf(block->report, sizeof(block->report), "%s: kernel %s, block %u, thread %u (lane %u) ",
		     lane->where, block->run->kernel->name, block->number, lane->index, lane->self.lane);
	va_start(args, fmt);
	vsnprintf(block->report + n, sizeof(block->report) - (size_t)n, fmt, args);
	va_end(args);
	block->failed = true;
}

void gin_lane_park(struct gin_lane *lane)
{
	for (;;) /* a failed block gives no more turns */
		gin_lane_yield(lane);
}

/* The lanes of one warp that can run now, each once, in random order. */
static void turn_warp(struct gin_block *block, uint32_t w)
{
	uint32_t todo = block->warps[w].ready, start, turned;

	while (todo && !block->failed) {
		start = (uint32_t)draw(block) % GIN_WARP;
		turned = start ? todo >> start | todo << (GIN_WARP - start) : todo;
		start = (start + (uint32_t)__builtin_ctz(turned)) % GIN_WARP;
		todo &= ~(1u << start);
		gin_block_turn(block, w * GIN_WARP + start);
	}
}

/* Lanes that paused may run again in the next pass. Returns whether one can run, and in *only_pauses whether all had paused. */
static bool end_pass(struct gin_block *block, bool *only_pauses)
{
	bool any = false;
	uint32_t i;

	*only_pauses = true;
	for (i = 0; i < block->n_warps; i++) {
		struct gin_warp *warp = &block->warps[i];

		if (warp->ready)
			*only_pauses = false;
		warp->ready |= warp->paused;
		warp->paused = 0;
		if (warp->ready)
			any = true;
	}
	return any;
}

static void pass(struct gin_block *block)
{
	uint64_t r = draw(block);
	uint32_t w = (uint32_t)(r >> 3) % block->n_warps, stride = block->strides[r & 7], i;

	for (i = 0; i < block->n_warps; i++) {
		if (block->warps[w].ready)
			turn_warp(block, w);
		w = (w + stride) % block->n_warps;
	}
}

void gin_block_report_deadlock(struct gin_block *block)
{
	int n = snprintf(block->report, sizeof(block->report),
			 "deadlock in kernel %s, block %u: every thread waits for another: ", block->run->kernel->name,
			 block->number);

	block->failed = true;
	gin_collective_describe(block, block->report + n, sizeof(block->report) - (size_t)n);
}

int gin_block_loop(struct gin_block *block)
{
	struct gin_idle idle = { .alone = !block->run->gpu->helps };
	bool only_pauses = false;

	while (block->n_live) {
		pass(block);
		if (!block->failed && block->n_live && !end_pass(block, &only_pauses))
			gin_block_report_deadlock(block);
		if (block->failed || __atomic_load_n(&block->run->failed, __ATOMIC_RELAXED))
			return -EIO;
		if (block->n_live && only_pauses)
			gin_idle(&idle, block->collectives);
	}
	return 0;
}

uint32_t gin_block_n_ready(const struct gin_block *block)
{
	uint32_t i, n = 0;

	for (i = 0; i < block->n_warps; i++)
		n += (uint32_t)__builtin_popcount(block->warps[i].ready | block->warps[i].paused);
	return n;
}

uint32_t gin_block_nth_ready(const struct gin_block *block, uint32_t n)
{
	uint32_t w = 0, set;

	for (;; w++) {
		uint32_t count;

		set = block->warps[w].ready | block->warps[w].paused;
		count = (uint32_t)__builtin_popcount(set);
		if (n < count)
			break;
		n -= count;
	}
	while (n--)
		set &= set - 1;
	return w * GIN_WARP + (uint32_t)__builtin_ctz(set);
}

void gin_cpu_pause(const char *where)
{
	struct gin_lane *lane = gin_lane_self();

	if (!lane) { /* the host's C code on the device headers */
		gin_idle_host();
		return;
	}
	lane->where = where;
	gin_lane_warp(lane)->paused |= 1u << lane->self.lane;
	gin_lane_yield(lane);
}

void gin_cpu_trap(const char *where)
{
	struct gin_lane *lane = gin_lane_self();

	if (!lane) {
		gin_error("%s: __trap() outside a kernel", where);
		return;
	}
	lane->where = where;
	gin_lane_fail(lane, "called __trap()");
}

int gin_cpu_printf(const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vprintf(fmt, args);
	va_end(args);
	return n;
}
