/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A block of a kernel on one CPU thread. Its lanes are fibers that run in
 * passes: each pass gives every lane that can run a turn, in an order drawn
 * from the block's seed. A lane runs until it pauses, has to wait in a
 * collective, or ends.
 */
#ifndef HOST_GPU_BLOCK_H
#define HOST_GPU_BLOCK_H
#include "fiber.h"
#include "stack.h"

#include <ginet/cpu.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>

enum { GIN_WARP = 32, GIN_BLOCK_THREADS_MAX = 1024, GIN_BLOCK_WARPS_MAX = GIN_BLOCK_THREADS_MAX / GIN_WARP };

struct gin_block;
struct gin_launch_run; /* cpu.h */

struct gin_lane {
	struct gin_cpu_lane self; /* first: gin_cpu_self points here */
	struct gin_fiber fiber;
	struct gin_block *block;
	uint32_t index;     /* in the block, x fastest */
	uint32_t group;     /* while parked in a warp's collective: which */
	const char *where;  /* "file:line" of the last call into the runner; NULL: none yet */
	uint64_t value;     /* what it brought to a collective, then what it gets */
	uint32_t arg, width;
};

/* Lanes of a warp that meet in one collective. */
struct gin_group {
	enum gin_cpu_collective kind;
	uint32_t mask, arrived;
	uint32_t generation;     /* which of the two addresses below */
	char order[2];           /* for gin_order_*(): a lane may arrive again before the last one has left */
};

struct gin_warp { /* sets of lanes: one bit each */
	uint32_t ready, paused, at_barrier;
	uint32_t ended;  /* ended, or never there */
	uint32_t groups_used; /* a set of groups, of those that lanes wait in */
	struct gin_group groups[GIN_WARP];
};

struct gin_barrier {
	uint32_t arrived, n_true;
	int kind;
	uint32_t generation;
	char order[2];
};

struct gin_block {
	struct gin_launch_run *run;
	struct gin_block *next;      /* of those that run, under the GPU's lock */
	struct gin_fiber thread;     /* the thread's own stack */
	struct gin_stacks *stacks;
	struct gin_lane *lanes;
	pthread_t tid;
	void *dyn_shared;
	uint32_t number;             /* in its launch, x fastest */
	uint32_t serial;             /* over all launches of the GPU */
	uint32_t n_lanes, n_warps, n_live;
	uint64_t rng;
	uint32_t collectives;        /* completed */
	uint32_t strides[8];         /* coprime to n_warps: orders of a pass */
	bool stepped;                /* simulation: every call into the runner gives the lane's turn back */
	struct gin_barrier barrier;
	bool failed;                 /* report[] says why */
	char report[1024];
	/* For the watchdog, which reads them while the block runs. */
	struct gin_lane *current;    /* NULL: no lane has the processor */
	uint64_t turns;
	uint64_t watched_turns;      /* the watchdog's: as it last saw them */
	uint32_t watched_looks;      /* in a row that saw no change */
	struct gin_warp warps[GIN_BLOCK_WARPS_MAX];
};

/* Lanes ready to go, none has run. On the thread of the block. */
void gin_block_init(struct gin_block *block);
void gin_block_fini(struct gin_block *block); /* also with lanes in the middle of something */

/* Run until all lanes have ended (0) or the launch has failed (-EIO). */
int gin_block_loop(struct gin_block *block);

void gin_block_report_deadlock(struct gin_block *block); /* no lane can run, some live */

/* One turn of one lane, which must be able to run. */
void gin_block_turn(struct gin_block *block, uint32_t index);
uint32_t gin_block_n_ready(const struct gin_block *block); /* lanes that could take a turn, paused ones too */
uint32_t gin_block_nth_ready(const struct gin_block *block, uint32_t n);

/* The kernel is wrong: end the launch, with this line (the first one wins). */
void gin_lane_report(struct gin_lane *lane, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* From a lane that is reported: park for good. */
void gin_lane_park(struct gin_lane *lane) __attribute__((noreturn));
#define gin_lane_fail(lane, ...) (gin_lane_report(lane, __VA_ARGS__), gin_lane_park(lane))

/* cpu_sim.c, nothing outside of a simulation. At a lane's end: until its stores are in memory. */
void gin_lane_settle(const struct gin_lane *lane);
/* Lanes of warp w have met in a collective that orders memory. */
void gin_block_synced(const struct gin_block *block, uint32_t w, uint32_t lanes);

/* From a lane: give the turn back. */
static inline void gin_lane_yield(struct gin_lane *lane)
{
	gin_fiber_switch(&lane->fiber, &lane->block->thread);
}

static inline struct gin_lane *gin_lane_self(void)
{
	return (struct gin_lane *)gin_cpu_self;
}

static inline struct gin_warp *gin_lane_warp(struct gin_lane *lane)
{
	return &lane->block->warps[lane->index / GIN_WARP];
}

/* collective.c */
void gin_collective_lane_ended(struct gin_lane *lane); /* those who waited for it may go on */
/* All live lanes wait for each other: write who stands where. */
void gin_collective_describe(const struct gin_block *block, char *buf, size_t size);
#endif
