/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler of the deterministic simulation. Every choice comes from the
 * seed's schedule stream; nothing here depends on addresses, real time or the
 * order in which the machine's threads happen to run.
 */
#include "sim.h"
#include "../log.h"
#include "loads.h"
#include "mix.h"
#include "stores.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * Fair choice finds few interleavings: nobody ever lags far behind. So steps
 * come in phases, and each phase draws its own unfairness.
 */
struct phase {
	uint64_t end;       /* steps at which it is over */
	uint64_t salt;      /* decides which actors starve */
	uint64_t cost_ns;   /* a step takes 1 to this */
	int by_actor;       /* 1: each actor weighs the same; 0: each step does */
	enum { ANY, MOSTLY_FIRST, MOSTLY_LAST } which;
};

struct gin_sim {
	struct gin_env env;
	uint64_t seed;
	uint64_t stream[GIN_RNG_COUNT];
	uint64_t now, steps, trace;
	struct phase phase;
	struct gin_actor *actors; /* in the order they were added */
};

#define FED 64u     /* weight of an actor, and of one that starves */
#define STARVED 1u
#define JUMP UINT32_MAX /* in the trace, instead of an actor: the clock jumped */

static struct gin_sim *current;

static uint64_t sim_now(void *ctx)
{
	const struct gin_sim *sim = ctx;

	return sim->now;
}

static uint64_t sim_random(void *ctx, enum gin_rng stream)
{
	struct gin_sim *sim = ctx;

	return gin_mix_next(&sim->stream[stream]);
}

static uint64_t draw(struct gin_sim *sim, uint64_t below)
{
	return gin_mix_below(sim_random(sim, GIN_RNG_SCHEDULE), below);
}

static void new_phase(struct gin_sim *sim)
{
	static const uint64_t costs[] = { 8, 64, 64, 1024 };
	struct phase *p = &sim->phase;

	/* Lengths over many orders of magnitude: 1 to 2, ... 512 to 1024. */
	p->end = sim->steps + 1 + draw(sim, 2ull << draw(sim, 10));
	p->salt = sim_random(sim, GIN_RNG_SCHEDULE);
	p->cost_ns = costs[draw(sim, 4)];
	p->by_actor = (int)draw(sim, 2);
	p->which = draw(sim, 2) ? ANY : draw(sim, 2) ? MOSTLY_FIRST : MOSTLY_LAST;
}

static uint64_t weight(const struct phase *p, uint32_t index, uint32_t n_ready)
{
	/* One actor in four starves. */
	uint64_t each = gin_mix64(p->salt + index) & 3 ? FED : STARVED;

	return n_ready == 0 ? 0 : p->by_actor ? each : each * n_ready;
}

static uint32_t ready(const struct gin_actor *a)
{
	return a->n_ready(a->ctx);
}

/* Which of its n steps an actor takes; where steps are lanes, the bias lets one run far ahead of the rest. */
static uint32_t draw_which(struct gin_sim *sim, uint32_t n)
{
	if (sim->phase.which == ANY || draw(sim, 16) == 0)
		return (uint32_t)draw(sim, n);
	return sim->phase.which == MOSTLY_FIRST ? 0 : n - 1;
}

/* NULL: nothing is ready. *index: its place in the list. */
static struct gin_actor *draw_actor(struct gin_sim *sim, uint32_t *index)
{
	uint64_t total = 0;
	uint32_t i = 0;

	for (struct gin_actor *a = sim->actors; a; a = a->next)
		total += weight(&sim->phase, i++, ready(a));
	if (total == 0)
		return NULL;

	uint64_t at = draw(sim, total);

	*index = 0;
	for (struct gin_actor *a = sim->actors; a; a = a->next, (*index)++) {
		uint64_t w = weight(&sim->phase, *index, ready(a));

		if (at < w)
			return a;
		at -= w;
	}
	return NULL; /* not reached: n_ready() has no side effects */
}

static void trace_step(struct gin_sim *sim, uint32_t index, uint32_t which)
{
	sim->steps++;
	gin_sim_note(sim, (uint64_t)index << 32 | which);
	gin_sim_note(sim, sim->now);
}

/* Nothing is ready: go to where the next actor may be. */
static int jump(struct gin_sim *sim)
{
	uint64_t next = GIN_SIM_NEVER;

	for (struct gin_actor *a = sim->actors; a; a = a->next) {
		uint64_t ns = a->next_ns(a->ctx);

		next = ns < next ? ns : next;
	}
	if (next == GIN_SIM_NEVER)
		return -EDEADLK;
	/* Always forward: an actor that names the past and stays idle must not stop the clock. */
	sim->now = next > sim->now ? next : sim->now + 1;
	trace_step(sim, JUMP, 0);
	return 0;
}

static int step(struct gin_sim *sim)
{
	if (sim->steps >= sim->phase.end)
		new_phase(sim);

	uint32_t index;
	struct gin_actor *actor = draw_actor(sim, &index);

	if (!actor)
		return jump(sim);

	uint32_t which = draw_which(sim, ready(actor));

	sim->now += 1 + draw(sim, sim->phase.cost_ns);
	trace_step(sim, index, which);
	actor->step(actor->ctx, which);
	return 0;
}

int gin_sim_run(struct gin_sim *sim, int (*done)(void *arg), void *arg, uint64_t max_steps)
{
	uint64_t end = max_steps > UINT64_MAX - sim->steps ? UINT64_MAX : sim->steps + max_steps;

	while (!done(arg)) {
		if (sim->steps >= end)
			return -ETIME;
		int err = step(sim);
		if (err)
			return err;
	}
	return 0;
}

int gin_sim_create(uint64_t seed, struct gin_sim **out)
{
	if (current) {
		gin_error("cannot start a simulation with seed %" PRIu64 ": one with seed %" PRIu64
			  " still runs in this process, end it first",
			  seed, current->seed);
		return -EBUSY;
	}
	struct gin_sim *sim = calloc(1, sizeof(*sim));
	if (!sim)
		return -ENOMEM;
	sim->env = (struct gin_env){ .now_ns = sim_now, .random = sim_random, .ctx = sim };
	sim->seed = seed;
	for (uint64_t i = 0; i < GIN_RNG_COUNT; i++)
		sim->stream[i] = gin_mix64(gin_mix64(seed) + i);
	sim->now = 1; /* 0 often means "never yet" */
	current = sim;
	gin_stores_attach(sim);
	gin_loads_attach(sim);
	*out = sim;
	return 0;
}

void gin_sim_destroy(struct gin_sim *sim)
{
	if (!sim)
		return;
	gin_loads_detach(sim);
	gin_stores_detach(sim);
	current = NULL;
	free(sim);
}

struct gin_sim *gin_sim_current(void)
{
	return current;
}

const struct gin_env *gin_sim_env(struct gin_sim *sim)
{
	return &sim->env;
}

void gin_sim_add(struct gin_sim *sim, struct gin_actor *actor)
{
	struct gin_actor **p = &sim->actors;

	while (*p)
		p = &(*p)->next;
	actor->next = NULL;
	*p = actor;
}

void gin_sim_remove(struct gin_sim *sim, struct gin_actor *actor)
{
	for (struct gin_actor **p = &sim->actors; *p; p = &(*p)->next) {
		if (*p == actor) {
			*p = actor->next;
			return;
		}
	}
}

uint64_t gin_sim_seed(const struct gin_sim *sim)
{
	return sim->seed;
}

uint64_t gin_sim_steps(const struct gin_sim *sim)
{
	return sim->steps;
}

uint64_t gin_sim_trace(const struct gin_sim *sim)
{
	return sim->trace;
}

void gin_sim_note(struct gin_sim *sim, uint64_t what)
{
	sim->trace = gin_mix64((sim->trace ^ what) + GIN_MIX_STEP);
}

void gin_sim_now_add(struct gin_sim *sim, uint64_t ns)
{
	sim->now += ns;
}
