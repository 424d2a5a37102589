/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of a warp and of a block. A lane that arrives joins the group of
 * its (kind, mask); the one that completes the group works out the results of
 * all and makes them ready. Lanes that have ended are not waited for.
 *
 * As PTX has it (shfl.sync, vote.sync, bar.warp.sync): the lanes of a mask
 * meet in the same instruction with the same mask, the line need not be the
 * same. barrier.sync.aligned, which __syncthreads() is, must be one line for
 * a whole warp.
 *
 * Not instrumented by ThreadSanitizer, like fiber.c.
 */
#include "block.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
	[GIN_CPU_SYNCWARP] = "__syncwarp",           [GIN_CPU_SHFL] = "__shfl_sync",
	[GIN_CPU_SHFL_UP] = "__shfl_up_sync",        [GIN_CPU_SHFL_DOWN] = "__shfl_down_sync",
	[GIN_CPU_SHFL_XOR] = "__shfl_xor_sync",      [GIN_CPU_BALLOT] = "__ballot_sync",
	[GIN_CPU_ANY] = "__any_sync",                [GIN_CPU_ALL] = "__all_sync",
	[GIN_CPU_MATCH_ANY] = "__match_any_sync",    [GIN_CPU_REDUCE_ADD] = "__reduce_add_sync",
	[GIN_CPU_REDUCE_MIN] = "__reduce_min_sync",  [GIN_CPU_REDUCE_MAX] = "__reduce_max_sync",
};
static const char *const barrier_names[] = { "__syncthreads", "__syncthreads_count", "__syncthreads_and",
					     "__syncthreads_or" };

static struct gin_lane *warp_lanes(struct gin_lane *lane)
{
	return &lane->block->lanes[lane->index / GIN_WARP * GIN_WARP];
}

/* The next lane of a set, which must not be empty; takes it out. */
static uint32_t take(uint32_t *set)
{
	uint32_t i = (uint32_t)__builtin_ctz(*set);

	*set &= *set - 1;
	return i;
}

static bool is_shuffle(enum gin_cpu_collective kind)
{
	return kind >= GIN_CPU_SHFL && kind <= GIN_CPU_SHFL_XOR;
}

/*
 * The lane whose value a shuffle gives to lane i. Beyond its segment a lane
 * gets its own; an xor may reach into segments below.
 */
static uint32_t source(enum gin_cpu_collective kind, const struct gin_lane *lane)
{
	uint32_t i = lane->self.lane, arg = lane->arg % GIN_WARP;
	uint32_t first = i & ~(lane->width - 1), last = i | (lane->width - 1);

	switch (kind) {
	case GIN_CPU_SHFL:
		return first | (arg & (lane->width - 1));
	case GIN_CPU_SHFL_UP:
		return i >= first + arg ? i - arg : i;
	case GIN_CPU_SHFL_DOWN:
		return i + arg <= last ? i + arg : i;
	default:
		return (i ^ arg) <= last ? i ^ arg : i;
	}
}

static void report_ended_source(struct gin_lane *lane, enum gin_cpu_collective kind, uint32_t from)
{
	gin_lane_report(lane, "calls %s from lane %u, which has ended", kind_names[kind], from);
}

static void finish_shuffle(struct gin_lane *lanes, const struct gin_group *group)
{
	uint64_t values[GIN_WARP];
	uint32_t set, i, from;

	for (set = group->arrived; set;) {
		i = take(&set);
		values[i] = lanes[i].value;
	}
	for (set = group->arrived; set;) {
		i = take(&set);
		from = source(group->kind, &lanes[i]);
		if (group->arrived >> from & 1)
			lanes[i].value = values[from];
		else
			report_ended_source(&lanes[i], group->kind, from);
	}
}

static void finish_match(struct gin_lane *lanes, const struct gin_group *group)
{
	uint64_t result[GIN_WARP];
	uint32_t set, others, i, k;

	for (set = group->arrived; set;) {
		i = take(&set);
		result[i] = 0;
		for (others = group->arrived; others;) {
			k = take(&others);
			result[i] |= (uint64_t)(lanes[k].value == lanes[i].value) << k;
		}
	}
	for (set = group->arrived; set;) {
		i = take(&set);
		lanes[i].value = result[i];
	}
}

static uint32_t fold(enum gin_cpu_collective kind, uint32_t all, uint32_t v)
{
	switch (kind) {
	case GIN_CPU_REDUCE_ADD:
		return all + v;
	case GIN_CPU_REDUCE_MIN:
		return v < all ? v : all;
	default:
		return v > all ? v : all;
	}
}

/* Those that give all lanes one answer. */
static void finish_common(struct gin_lane *lanes, const struct gin_group *group)
{
	uint32_t set = group->arrived, first = take(&set), ballot, sum = (uint32_t)lanes[first].value, i;
	uint64_t result;

	ballot = (uint32_t)(lanes[first].value & 1) << first;
	while (set) {
		i = take(&set);
		ballot |= (uint32_t)(lanes[i].value & 1) << i;
		sum = fold(group->kind, sum, (uint32_t)lanes[i].value);
	}
	switch (group->kind) {
	case GIN_CPU_BALLOT:
		result = ballot;
		break;
	case GIN_CPU_ANY:
		result = ballot != 0;
		break;
	case GIN_CPU_ALL:
		result = ballot == group->arrived;
		break;
	default:
		result = sum;
	}
	for (set = group->arrived; set;)
		lanes[take(&set)].value = result;
}

/* Everyone is there: results, and all may go on. */
static void complete(struct gin_block *block, struct gin_warp *warp, struct gin_lane *lanes, struct gin_group *group)
{
	if (is_shuffle(group->kind))
		finish_shuffle(lanes, group);
	else if (group->kind == GIN_CPU_MATCH_ANY)
		finish_match(lanes, group);
	else if (group->kind != GIN_CPU_SYNCWARP)
		finish_common(lanes, group);
	else
		gin_block_synced(block, (uint32_t)(warp - block->warps), group->arrived);
	warp->ready |= group->arrived;
	group->arrived = 0;
	group->generation++;
	warp->groups_used &= ~(1u << (group - warp->groups));
	block->collectives++;
}

static bool is_complete(const struct gin_warp *warp, const struct gin_group *group)
{
	return group->arrived == (group->mask & ~warp->ended);
}

static uint32_t find_group(const struct gin_warp *warp, enum gin_cpu_collective kind, uint32_t mask)
{
	uint32_t set = warp->groups_used, i;

	while (set) {
		i = take(&set);
		if (warp->groups[i].kind == kind && warp->groups[i].mask == mask)
			return i;
	}
	/* One is free: each that is used has a lane of its own, and the caller is in none. */
	return (uint32_t)__builtin_ctz(~warp->groups_used);
}

/*
 * Lane meets the others of mask, or all of its block (mask all, no group). Is
 * there one it needs that waits elsewhere for it? Then neither ever goes on.
 */
static void check_crossed(struct gin_lane *lane, const char *what, uint32_t mask, const struct gin_group *mine)
{
	struct gin_warp *warp = gin_lane_warp(lane);
	struct gin_lane *lanes = warp_lanes(lane), *other;
	uint32_t set = warp->groups_used;

	while (set) {
		const struct gin_group *group = &warp->groups[take(&set)];
		uint32_t met = group->arrived & mask;

		if (group == mine || !met || !(group->mask >> lane->self.lane & 1))
			continue;
		other = &lanes[take(&met)];
		gin_lane_fail(lane, "waits in %s for lane %u, which waits at %s in %s (mask 0x%08x) for this one", what,
			      other->self.lane, other->where, kind_names[group->kind], group->mask);
	}
	if (mine && (warp->at_barrier & mask)) {
		uint32_t met = warp->at_barrier & mask;

		other = &lanes[take(&met)];
		gin_lane_fail(lane, "waits in %s for lane %u, which waits at %s in %s for this one", what,
			      other->self.lane, other->where, barrier_names[lane->block->barrier.kind]);
	}
}

static void check_arguments(struct gin_lane *lane, enum gin_cpu_collective kind, uint32_t mask)
{
	uint32_t width = lane->width, from;

	if (!(mask >> lane->self.lane & 1))
		gin_lane_fail(lane, "calls %s with mask 0x%08x, which does not name it", kind_names[kind], mask);
	if (!is_shuffle(kind))
		return;
	if (!width || width > GIN_WARP || (width & (width - 1)))
		gin_lane_fail(lane, "calls %s with width %u; it must be 1, 2, 4, 8, 16 or 32", kind_names[kind], width);
	from = source(kind, lane);
	if (!(mask >> from & 1))
		gin_lane_fail(lane, "calls %s from lane %u, which is outside of its mask 0x%08x", kind_names[kind], from, mask);
}

uint64_t gin_cpu_collective(enum gin_cpu_collective kind, uint32_t mask, uint64_t value, uint32_t arg, uint32_t width,
			    const char *where)
{
	struct gin_lane *lane = gin_lane_self();
	struct gin_warp *warp = gin_lane_warp(lane);
	struct gin_group *group;
	char *order;
	bool done;

	lane->where = where;
	lane->value = value;
	lane->arg = arg;
	lane->width = width;
	check_arguments(lane, kind, mask);
	lane->group = find_group(warp, kind, mask);
	warp->groups_used |= 1u << lane->group;
	group = &warp->groups[lane->group];
	check_crossed(lane, kind_names[kind], mask, group);
	group->kind = kind;
	group->mask = mask;
	group->arrived |= 1u << lane->self.lane;
	order = &group->order[group->generation & 1];
	if (kind == GIN_CPU_SYNCWARP)
		gin_order_release(order);
	done = is_complete(warp, group);
	if (done)
		complete(lane->block, warp, warp_lanes(lane), group);
	/* The last one goes on; but not when it met only itself, or a loop of that would starve the others. */
	if (!done || lane->block->stepped || mask == 1u << lane->self.lane)
		gin_lane_yield(lane);
	else
		warp->ready &= ~(1u << lane->self.lane);
	if (kind == GIN_CPU_SYNCWARP)
		gin_order_acquire(order);
	return lane->value;
}

static int barrier_result(const struct gin_barrier *barrier)
{
	switch (barrier->kind) {
	case 1:
		return (int)barrier->n_true;
	case 2:
		return barrier->n_true == barrier->arrived;
	case 3:
		return barrier->n_true != 0;
	default:
		return 0;
	}
}

static void complete_barrier(struct gin_block *block)
{
	struct gin_barrier *barrier = &block->barrier;
	uint64_t result = (uint64_t)barrier_result(barrier);
	uint32_t w, set;

	for (w = 0; w < block->n_warps; w++) {
		struct gin_warp *warp = &block->warps[w];

		gin_block_synced(block, w, warp->at_barrier);
		for (set = warp->at_barrier; set;)
			block->lanes[w * GIN_WARP + take(&set)].value = result;
		warp->ready |= warp->at_barrier;
		warp->at_barrier = 0;
	}
	barrier->arrived = 0;
	barrier->n_true = 0;
	barrier->generation++;
	block->collectives++;
}

static void check_barrier(struct gin_lane *lane, int kind)
{
	struct gin_barrier *barrier = &lane->block->barrier;
	struct gin_warp *warp = gin_lane_warp(lane);
	uint32_t set = warp->at_barrier;
	struct gin_lane *other;

	if (barrier->arrived && barrier->kind != kind)
		gin_lane_fail(lane, "is in %s while others of its block are in %s", barrier_names[kind],
			      barrier_names[barrier->kind]);
	if (set) {
		other = &warp_lanes(lane)[take(&set)];
		if (strcmp(other->where, lane->where))
			gin_lane_fail(lane, "is in %s while lane %u of its warp is in the one at %s",
				      barrier_names[kind], other->self.lane, other->where);
	}
	check_crossed(lane, barrier_names[kind], ~0u, NULL);
}

int gin_cpu_syncthreads(int kind, int predicate, const char *where)
{
	struct gin_lane *lane = gin_lane_self();
	struct gin_block *block = lane->block;
	struct gin_barrier *barrier = &block->barrier;
	char *order = &barrier->order[barrier->generation & 1];

	lane->where = where;
	check_barrier(lane, kind);
	barrier->kind = kind;
	barrier->arrived++;
	barrier->n_true += predicate != 0;
	gin_lane_warp(lane)->at_barrier |= 1u << lane->self.lane;
	gin_order_release(order);
	if (barrier->arrived == block->n_live)
		complete_barrier(block);
	gin_lane_yield(lane);
	gin_order_acquire(order);
	return (int)lane->value;
}

void gin_collective_lane_ended(struct gin_lane *lane)
{
	struct gin_block *block = lane->block;
	struct gin_warp *warp = gin_lane_warp(lane);
	uint32_t set = warp->groups_used, i;

	while (set) {
		i = take(&set);
		if (is_complete(warp, &warp->groups[i]))
			complete(block, warp, warp_lanes(lane), &warp->groups[i]);
	}
	if (block->n_live && block->barrier.arrived == block->n_live)
		complete_barrier(block);
}

/* The parked lanes of warp w that stand where lane first does. */
static uint32_t same_place(const struct gin_block *block, uint32_t w, uint32_t parked, uint32_t first)
{
	const struct gin_lane *lanes = &block->lanes[w * GIN_WARP];
	uint32_t set = parked, same = 0, i;

	while (set) {
		i = take(&set);
		if (!strcmp(lanes[i].where, lanes[first].where))
			same |= 1u << i;
	}
	return same;
}

void gin_collective_describe(const struct gin_block *block, char *buf, size_t size)
{
	size_t used = 0;
	uint32_t w;

	for (w = 0; w < block->n_warps; w++) {
		const struct gin_warp *warp = &block->warps[w];
		uint32_t parked = ~(warp->ended | warp->ready | warp->paused);

		while (parked && used < size) {
			uint32_t first = (uint32_t)__builtin_ctz(parked);
			uint32_t same = same_place(block, w, parked, first);
			const struct gin_lane *lane = &block->lanes[w * GIN_WARP + first];
			bool barrier = warp->at_barrier >> first & 1;

			used += (size_t)snprintf(buf + used, size - used, "%swarp %u lanes 0x%08x at %s in %s",
						 used ? "; " : "", w, same, lane->where,
						 barrier ? barrier_names[block->barrier.kind] :
							   kind_names[warp->groups[lane->group].kind]);
			if (!barrier && used < size)
				used += (size_t)snprintf(buf + used, size - used, " (mask 0x%08x)",
							 warp->groups[lane->group].mask);
			parked &= ~same;
		}
	}
}

void gin_cpu_threadfence(int scope)
{
	static char order; /* ThreadSanitizer knows no fences: each is ordered behind those before it */

	(void)scope;
#ifdef GINET_SIM
	gin_sim_fence(GIN_FENCE_ACQ_REL, scope);
#endif
	gin_order_acquire(&order);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	gin_order_release(&order);
}
