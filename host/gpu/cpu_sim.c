/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes as actors of the deterministic simulation. Blocks stay threads, since
 * __shared__ is thread-local; but only the holder of a baton runs: the
 * scheduler hands it to a block for one turn of one lane, and waits for it.
 */
#include "cpu.h"
#include "log.h"

#include <errno.h>

#ifdef GINET_SIM
#include "sim/lane.h"
#include "sim/sim.h"

#include <semaphore.h>
#include <stdlib.h>

struct gin_cpu_sim {
	struct gin_sim *sim;
	struct gin_actor actor;
	struct gin_cpu_gpu *gpu;
	sem_t back;                 /* the block is done with its turn */
	struct gin_sim_seat *seats; /* of the blocks, oldest first: the scheduler's choice is by place */
};

/* A block in the simulation. */
struct gin_sim_seat {
	struct gin_sim_seat *next;
	struct gin_block *block;
	sem_t turn;
	uint32_t lane; /* whose turn it is */
};

static uint32_t n_ready(void *ctx)
{
	const struct gin_cpu_sim *sim = ctx;
	const struct gin_sim_seat *seat;
	uint32_t n = 0;

	for (seat = sim->seats; seat; seat = seat->next)
		n += gin_block_n_ready(seat->block);
	return n;
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem)) /* EINTR */
		;
}

static void step(void *ctx, uint32_t which)
{
	struct gin_cpu_sim *sim = ctx;
	struct gin_sim_seat *seat;

	for (seat = sim->seats;; seat = seat->next) {
		uint32_t n = gin_block_n_ready(seat->block);

		if (which < n)
			break;
		which -= n;
	}
	seat->lane = gin_block_nth_ready(seat->block, which);
	sem_post(&seat->turn);
	wait_for(&sim->back);
}

static uint64_t next_ns(void *ctx)
{
	(void)ctx;
	return GIN_SIM_NEVER; /* lanes that wait are ready: they look again */
}

/* The schedule point of host/sim/lane.c. */
static void yield(void)
{
	struct gin_lane *lane = gin_lane_self();

	if (!lane || !lane->block->stepped)
		return;
	gin_lane_warp(lane)->ready |= 1u << lane->self.lane;
	gin_lane_yield(lane);
}

int gin_cpu_sim_create(struct gin_cpu_gpu *gpu, uint64_t seed)
{
	struct gin_cpu_sim *sim = calloc(1, sizeof(*sim));
	int err;

	if (!sim)
		return -ENOMEM;
	err = gin_sim_create(seed, &sim->sim);
	if (err) {
		gin_error("cpu:sim: cannot start a simulation%s",
			  err == -EBUSY ? ": one runs already in this process, close its GPU first" : "");
		free(sim);
		return err;
	}
	sem_init(&sim->back, 0, 0);
	sim->gpu = gpu;
	sim->actor = (struct gin_actor){
		.name = "lanes", .n_ready = n_ready, .step = step, .next_ns = next_ns, .ctx = sim
	};
	gin_sim_add(sim->sim, &sim->actor);
	gin_sim_on_yield(yield);
	gpu->sim = sim;
	return 0;
}

void gin_cpu_sim_destroy(struct gin_cpu_gpu *gpu)
{
	struct gin_cpu_sim *sim = gpu->sim;

	if (!sim)
		return;
	gin_sim_on_yield(NULL);
	gin_sim_remove(sim->sim, &sim->actor);
	gin_sim_destroy(sim->sim);
	sem_destroy(&sim->back);
	free(sim);
	gpu->sim = NULL;
}

void gin_cpu_sim_started(struct gin_block *block)
{
	wait_for(&block->run->gpu->sim->back);
}

static void take_seat(struct gin_cpu_sim *sim, struct gin_sim_seat *seat)
{
	struct gin_sim_seat **at = &sim->seats;

	while (*at)
		at = &(*at)->next;
	*at = seat;
}

static void leave_seat(struct gin_cpu_sim *sim, const struct gin_sim_seat *seat)
{
	struct gin_sim_seat **at = &sim->seats;

	while (*at != seat)
		at = &(*at)->next;
	*at = seat->next;
}

static void take_turn(struct gin_block *block, uint32_t lane)
{
	gin_sim_lane_enter(block->serial, lane);
	gin_block_turn(block, lane);
	gin_sim_lane_leave();
}

int gin_cpu_sim_block(struct gin_block *block)
{
	struct gin_cpu_sim *sim = block->run->gpu->sim;
	struct gin_sim_seat seat = { .block = block };
	int err = 0;

	sem_init(&seat.turn, 0, 0);
	take_seat(sim, &seat); /* gin_launch() waits for the post */
	for (;;) {
		sem_post(&sim->back);
		wait_for(&seat.turn);
		take_turn(block, seat.lane);
		if (block->n_live && !gin_block_n_ready(block))
			gin_block_report_deadlock(block);
		if (block->failed || __atomic_load_n(&block->run->failed, __ATOMIC_RELAXED))
			err = -EIO;
		if (err || !block->n_live)
			break;
	}
	leave_seat(sim, &seat);
	sem_destroy(&seat.turn);
	return err;
}

void gin_cpu_sim_block_ended(struct gin_cpu_gpu *gpu)
{
	sem_post(&gpu->sim->back);
}

struct wait {
	struct gin_cpu_gpu *gpu;
	uint64_t until;
};

static int is_over(void *arg)
{
	const struct wait *wait = arg;

	return !wait->gpu->runs || wait->gpu->crashed || gin_cpu_time_ns() >= wait->until;
}

int gin_cpu_sim_wait(struct gin_cpu_gpu *gpu, uint64_t ns)
{
	struct gin_sim *sim = gpu->sim->sim;
	struct wait wait = { .gpu = gpu, .until = gin_cpu_time_ns() + ns };
	int err = gin_sim_run(sim, is_over, &wait, UINT64_MAX);

	if (err)
		gin_error("simulation: nothing can ever run again; seed %llu, step %llu",
			  (unsigned long long)gin_sim_seed(sim), (unsigned long long)gin_sim_steps(sim));
	return err;
}

void gin_lane_settle(const struct gin_lane *lane)
{
	if (lane->block->stepped)
		gin_sim_lane_end();
}

void gin_block_synced(const struct gin_block *block, uint32_t w, uint32_t lanes)
{
	uint32_t i;

	if (!block->stepped)
		return;
	for (i = 0; i < GIN_WARP; i++)
		if (lanes >> i & 1)
			gin_sim_lane_fence(block->serial, w * GIN_WARP + i, GIN_SCOPE_CTA);
}
#else

int gin_cpu_sim_create(struct gin_cpu_gpu *gpu, uint64_t seed)
{
	(void)gpu;
	(void)seed;
	gin_error("cpu:sim: this library is not built for simulation; link with ginet_sim instead of ginet");
	return -ENOTSUP;
}

void gin_cpu_sim_destroy(struct gin_cpu_gpu *gpu)
{
	(void)gpu;
}

void gin_cpu_sim_started(struct gin_block *block)
{
	(void)block;
}

int gin_cpu_sim_block(struct gin_block *block)
{
	(void)block;
	return -ENOTSUP;
}

void gin_cpu_sim_block_ended(struct gin_cpu_gpu *gpu)
{
	(void)gpu;
}

int gin_cpu_sim_wait(struct gin_cpu_gpu *gpu, uint64_t ns)
{
	(void)gpu;
	(void)ns;
	return -ENOTSUP;
}

void gin_lane_settle(const struct gin_lane *lane)
{
	(void)lane;
}

void gin_block_synced(const struct gin_block *block, uint32_t w, uint32_t lanes)
{
	(void)block;
	(void)w;
	(void)lanes;
}
#endif
