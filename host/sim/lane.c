/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of lanes in simulation builds: first a schedule point, then the
 * access through the lane's store buffer. Threads that are no lane (the host's
 * C code on the device headers) act directly on memory.
 */
#include "lane.h"
#include "loads.h"
#include "stores.h"

#include <stdbool.h>
#include <string.h>

struct self {
	struct gin_lane_id id;
	bool is_lane;
};

static _Thread_local struct self self;
static void (*on_yield)(void);
static void (*on_load)(uint64_t lane, const void *p);
static void (*on_acquire)(uint64_t lane);

void gin_sim_lane_enter(uint32_t block, uint32_t lane)
{
	self = (struct self){ .id = { .block = block, .lane = lane }, .is_lane = true };
}

void gin_sim_lane_leave(void)
{
	self.is_lane = false;
}

void gin_sim_lane_fence(uint32_t block, uint32_t lane, int scope)
{
	struct gin_lane_id id = { .block = block, .lane = lane };

	gin_loads_do(id);
	gin_stores_lift(id, (enum gin_scope)scope);
}

void gin_sim_on_yield(void (*yield)(void))
{
	on_yield = yield;
}

void gin_sim_on_load(void (*loaded)(uint64_t lane, const void *p))
{
	on_load = loaded;
}

void gin_sim_on_acquire(void (*acquired)(uint64_t lane))
{
	on_acquire = acquired;
}

static uint64_t number_of(struct gin_lane_id id)
{
	return (uint64_t)id.block << 32 | id.lane;
}

/*
 * Let others run. False: the caller is no lane. *me is taken before, since
 * lanes that share a thread have changed self when this one goes on.
 */
static bool schedule_point(struct gin_lane_id *me)
{
	if (!self.is_lane)
		return false;
	*me = self.id;
	if (on_yield)
		on_yield();
	return true;
}

/* No fence here: it would order the last stores of a kernel that forgot to. */
void gin_sim_lane_end(void)
{
	struct gin_lane_id me = self.id;

	gin_loads_do(me);
	while (on_yield && gin_stores_pending_of(me))
		on_yield();
}

void gin_sim_store(void *p, const void *value, uint32_t size)
{
	struct gin_lane_id me;

	if (schedule_point(&me))
		gin_stores_put(me, p, value, size);
	else
		memcpy(p, value, size);
}

void gin_sim_load(const void *p, void *value, uint32_t size)
{
	struct gin_lane_id me;

	if (!schedule_point(&me)) {
		memcpy(value, p, size);
		return;
	}
	gin_stores_get(me, p, value, size);
	if (on_load)
		on_load(number_of(me), p);
}

void gin_sim_fence(int kind, int scope)
{
	struct gin_lane_id me;

	if (!schedule_point(&me))
		return;
	if (kind & GIN_FENCE_RELEASE) {
		gin_loads_do(me);
		gin_stores_lift(me, (enum gin_scope)scope);
	}
	/* Loads are never early here; what an acquire orders is what the NIC's adversary held back. */
	if ((kind & GIN_FENCE_ACQUIRE) && scope == GIN_SCOPE_SYS && on_acquire)
		on_acquire(number_of(me));
}

void gin_sim_load_late(const void *p, void *to, uint32_t size)
{
	struct gin_lane_id me;

	if (schedule_point(&me))
		gin_loads_put(me, p, to, size);
	else
		memcpy(to, p, size);
}

void gin_sim_load_use(void)
{
	struct gin_lane_id me;

	if (schedule_point(&me))
		gin_loads_do(me);
}

/* An atomic acts on memory itself, so what this lane sees at the address must be there first. */
static uint64_t atomic_begin(struct gin_lane_id me, uint64_t *p)
{
	gin_stores_settle(me, p, sizeof(*p));
	return *p;
}

uint64_t gin_sim_cas64(void *p, uint64_t expected, uint64_t value)
{
	struct gin_lane_id me;
	uint64_t old = schedule_point(&me) ? atomic_begin(me, p) : *(uint64_t *)p;

	if (old == expected)
		*(uint64_t *)p = value;
	return old;
}

uint64_t gin_sim_add64(void *p, uint64_t value)
{
	struct gin_lane_id me;
	uint64_t old = schedule_point(&me) ? atomic_begin(me, p) : *(uint64_t *)p;

	*(uint64_t *)p = old + value;
	return old;
}

uint64_t gin_sim_exch64(void *p, uint64_t value)
{
	struct gin_lane_id me;
	uint64_t old = *(uint64_t *)p;

	if (schedule_point(&me)) {
		gin_loads_do(me); /* a release also keeps earlier loads before it */
		gin_stores_lift(me, GIN_SCOPE_GPU);
		old = atomic_begin(me, p);
	}
	*(uint64_t *)p = value;
	return old;
}
