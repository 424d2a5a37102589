/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Store buffers of lanes: litmus tests. Each runs over many seeds; what a
 * missing or too narrow fence allows must show in some seed, what the right
 * fence forbids in none.
 */
#include "../../host/sim/lane.h"
#include "../../host/sim/sim.h"
#include "../../host/sim/stores.h"
#include "fiber.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 400
#define MAX_LANES 4
#define MAX_STEPS 20000

/* Memory that lanes and NIC share. */
static struct {
	_Alignas(16) uint8_t bytes[32];
	uint64_t data, flag, link, word;
} mem;

static struct test_lane {
	struct fiber *fiber;
	uint32_t block, lane;
	void (*fn)(void);
} lanes[MAX_LANES];
static uint32_t n_lanes;
static struct gin_sim *sim;
static void (*nic_look)(void);

static void nothing(void)
{
}

static void lane_entry(void *arg)
{
	const struct test_lane *l = arg;

	l->fn();
	gin_sim_lane_end();
}

static uint32_t lanes_ready(void *ctx)
{
	uint32_t n = 0;

	(void)ctx;
	for (uint32_t i = 0; i < n_lanes; i++)
		n += !fiber_ended(lanes[i].fiber);
	return n;
}

static void lanes_step(void *ctx, uint32_t which)
{
	struct test_lane *l = lanes;

	(void)ctx;
	for (;; l++) {
		if (!fiber_ended(l->fiber) && which-- == 0)
			break;
	}
	gin_sim_lane_enter(l->block, l->lane);
	fiber_resume(l->fiber);
	gin_sim_lane_leave();
}

static uint64_t never(void *ctx)
{
	(void)ctx;
	return GIN_SIM_NEVER;
}

static struct gin_actor lanes_actor = { "lanes", lanes_ready, lanes_step, never, NULL, NULL };

static int all_ended(void *arg)
{
	(void)arg;
	nic_look(); /* after every step: the NIC reads memory whenever it likes */
	return lanes_ready(NULL) == 0 && gin_stores_pending() == 0;
}

static void add_lane(uint32_t block, uint32_t lane, void (*fn)(void))
{
	struct test_lane *l = &lanes[n_lanes++];

	l->block = block;
	l->lane = lane;
	l->fn = fn;
	fiber_start(l->fiber, lane_entry, l);
}

static void begin(uint64_t seed, void (*look)(void))
{
	memset(&mem, 0, sizeof(mem));
	n_lanes = 0;
	nic_look = look;
	ck_assert_int_eq(gin_sim_create(seed, &sim), 0);
	gin_sim_add(sim, &lanes_actor);
	gin_sim_on_yield(fiber_yield);
}

/* Returns the trace. */
static uint64_t finish(void)
{
	uint64_t trace;

	ck_assert_int_eq(gin_sim_run(sim, all_ended, NULL, MAX_STEPS), 0);
	trace = gin_sim_trace(sim);
	gin_sim_on_yield(NULL);
	gin_sim_on_acquire(NULL);
	gin_sim_destroy(sim);
	return trace;
}

static void set_up(void)
{
	for (int i = 0; i < MAX_LANES; i++)
		lanes[i].fiber = fiber_create();
}

static void tear_down(void)
{
	for (int i = 0; i < MAX_LANES; i++)
		fiber_destroy(lanes[i].fiber);
}

static void store64(uint64_t *p, uint64_t v)
{
	gin_sim_store(p, &v, sizeof(v));
}

static uint64_t load64(const uint64_t *p)
{
	uint64_t v;

	gin_sim_load(p, &v, sizeof(v));
	return v;
}

/* ---- one lane to the NIC ---- */

static int fence_kind, fence_scope; /* kind 0: no fence */
static bool reordered;

static void look_for_reordering(void)
{
	if (mem.flag && !mem.data)
		reordered = true;
}

static void maybe_fence(void)
{
	if (fence_kind)
		gin_sim_fence(fence_kind, fence_scope);
}

static void data_then_flag(void)
{
	store64(&mem.data, 1);
	maybe_fence();
	store64(&mem.flag, 1);
}

/* In how many seeds the NIC saw the flag without the data. */
static int seeds_reordered(void (*a)(void), uint32_t block_b, uint32_t lane_b, void (*b)(void))
{
	int n = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin(seed, look_for_reordering);
		reordered = false;
		add_lane(0, 0, a);
		if (b)
			add_lane(block_b, lane_b, b);
		finish();
		ck_assert_uint_eq(mem.data, 1);
		ck_assert_uint_eq(mem.flag, 1);
		n += reordered;
	}
	return n;
}

static int seeds_reordered_with(int kind, int scope)
{
	fence_kind = kind;
	fence_scope = scope;
	return seeds_reordered(data_then_flag, 0, 0, NULL);
}

START_TEST(stores_without_a_fence_reach_the_nic_out_of_order)
{
	ck_assert_int_gt(seeds_reordered_with(0, 0), SEEDS / 20);
}
END_TEST

START_TEST(a_system_fence_between_them_keeps_their_order)
{
	ck_assert_int_eq(seeds_reordered_with(GIN_FENCE_ACQ_REL, GIN_SCOPE_SYS), 0);
	ck_assert_int_eq(seeds_reordered_with(GIN_FENCE_RELEASE, GIN_SCOPE_SYS), 0);
}
END_TEST

START_TEST(a_narrow_or_one_sided_fence_is_not_enough_for_the_nic)
{
	ck_assert_int_gt(seeds_reordered_with(GIN_FENCE_ACQ_REL, GIN_SCOPE_CTA), SEEDS / 20);
	ck_assert_int_gt(seeds_reordered_with(GIN_FENCE_ACQ_REL, GIN_SCOPE_GPU), SEEDS / 20);
	ck_assert_int_gt(seeds_reordered_with(GIN_FENCE_ACQUIRE, GIN_SCOPE_SYS), SEEDS / 20);
}
END_TEST

/* ---- from lane to lane to the NIC: cumulativity ---- */

static void data_then_exchange(void)
{
	store64(&mem.data, 1);
	gin_sim_exch64(&mem.link, 1);
}

/* The hand-over without its release. */
static void data_then_cas(void)
{
	store64(&mem.data, 1);
	gin_sim_cas64(&mem.link, 0, 1);
}

static void take_then_flag(void)
{
	while (gin_sim_exch64(&mem.link, 0) == 0)
		;
	maybe_fence();
	store64(&mem.flag, 1);
}

START_TEST(who_takes_over_may_publish_for_both)
{
	fence_kind = GIN_FENCE_ACQ_REL;
	fence_scope = GIN_SCOPE_SYS;
	ck_assert_int_eq(seeds_reordered(data_then_exchange, 1, 0, take_then_flag), 0);
	ck_assert_int_eq(seeds_reordered(data_then_exchange, 0, 1, take_then_flag), 0);
}
END_TEST

START_TEST(without_the_takers_fence_the_nic_sees_the_flag_first)
{
	fence_kind = 0;
	ck_assert_int_gt(seeds_reordered(data_then_exchange, 1, 0, take_then_flag), SEEDS / 100);
	fence_kind = GIN_FENCE_ACQ_REL;
	fence_scope = GIN_SCOPE_GPU;
	ck_assert_int_gt(seeds_reordered(data_then_exchange, 1, 0, take_then_flag), SEEDS / 100);
}
END_TEST

START_TEST(without_the_givers_release_the_takers_fence_is_in_vain)
{
	fence_kind = GIN_FENCE_ACQ_REL;
	fence_scope = GIN_SCOPE_SYS;
	ck_assert_int_gt(seeds_reordered(data_then_cas, 1, 0, take_then_flag), SEEDS / 100);
	ck_assert_int_gt(seeds_reordered(data_then_cas, 0, 1, take_then_flag), SEEDS / 100);
}
END_TEST

/* ---- a warp: lanes write, the leader publishes behind __syncwarp ---- */

static bool warp_synced, warp_sync_orders;

static void warp_member(void)
{
	store64(&mem.data, 1);
	if (warp_sync_orders)
		gin_sim_lane_fence(0, 0, GIN_SCOPE_CTA);
	warp_synced = true;
}

static void warp_leader(void)
{
	while (!warp_synced)
		fiber_yield();
	gin_sim_fence(GIN_FENCE_ACQ_REL, GIN_SCOPE_SYS);
	store64(&mem.flag, 1);
}

static int seeds_warp_reordered(bool orders)
{
	int n = 0;

	warp_sync_orders = orders;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin(seed, look_for_reordering);
		reordered = warp_synced = false;
		add_lane(0, 0, warp_member);
		add_lane(0, 1, warp_leader);
		finish();
		n += reordered;
	}
	return n;
}

START_TEST(the_leader_publishes_for_its_warp_behind_a_syncwarp)
{
	ck_assert_int_eq(seeds_warp_reordered(true), 0);
}
END_TEST

START_TEST(a_rendezvous_that_orders_nothing_is_seen)
{
	ck_assert_int_gt(seeds_warp_reordered(false), SEEDS / 20);
}
END_TEST

/* ---- coherence: one word has one history ---- */

#define VALUES 6
static struct history {
	uint64_t seen[2 * VALUES + 2];
	uint32_t n;
} histories[3];
static uint64_t writes;

static void remember(struct history *h, uint64_t v)
{
	if (h->n && h->seen[h->n - 1] == v)
		return;
	if (h->n == 2 * VALUES + 2)
		ck_abort_msg("more changes than writes: a value came back");
	h->seen[h->n++] = v;
}

static void nic_remembers(void)
{
	remember(&histories[2], mem.word);
}

/* Values of writer w: w * 100 + 1, ...; a fence now and then, of any scope. */
static void write_values(uint64_t w)
{
	for (uint64_t i = 1; i <= VALUES; i++) {
		store64(&mem.word, w * 100 + i);
		if (i % 3 == w)
			gin_sim_fence(GIN_FENCE_RELEASE, (int)(GIN_SCOPE_CTA + (i + w) % 3));
		if (i % 3 == 2)
			gin_sim_exch64(&mem.link, 1);
		writes++;
	}
}

static void writer_0(void)
{
	write_values(0);
}

static void writer_1(void)
{
	write_values(1);
}

static void read_into(struct history *h)
{
	while (writes < 2 * VALUES)
		remember(h, load64(&mem.word));
	remember(h, load64(&mem.word));
}

static void reader_0(void)
{
	read_into(&histories[0]);
}

static void reader_1(void)
{
	read_into(&histories[1]);
}

/* -1: not in it. */
static int place(const struct history *h, uint64_t v)
{
	for (uint32_t i = 0; i < h->n; i++) {
		if (h->seen[i] == v)
			return (int)i;
	}
	return -1;
}

/* No two observers may see two values in opposite orders, nor one value twice. */
static void check_one_order(const struct history *a, const struct history *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		if (place(a, a->seen[i]) != (int)i)
			ck_abort_msg("value %d came back", (int)a->seen[i]);
		for (uint32_t k = i + 1; k < a->n; k++) {
			int bi = place(b, a->seen[i]), bk = place(b, a->seen[k]);

			if (bi >= 0 && bk >= 0 && bi >= bk)
				ck_abort_msg("%d and %d in two orders", (int)a->seen[i], (int)a->seen[k]);
		}
	}
}

START_TEST(all_observers_agree_on_the_order_of_one_words_values)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		memset(histories, 0, sizeof(histories));
		writes = 0;
		begin(seed, nic_remembers);
		add_lane(0, 0, writer_0);
		add_lane(seed & 1, 1, writer_1); /* in the same block, or not */
		add_lane(0, 2, reader_0);
		add_lane(1, 3, reader_1);
		finish();
		nic_remembers();
		for (int a = 0; a < 3; a++)
			for (int b = 0; b < 3; b++)
				check_one_order(&histories[a], &histories[b]);
		/* And a writer's own values come in its order. */
		for (int h = 0; h < 3; h++)
			for (uint32_t i = 0; i + 1 < histories[h].n; i++)
				for (uint32_t k = i + 1; k < histories[h].n; k++)
					ck_assert(histories[h].seen[i] / 100 != histories[h].seen[k] / 100 ||
						  histories[h].seen[i] < histories[h].seen[k]);
	}
}
END_TEST

/* ---- who sees what: no chance in it, so no scheduler ---- */

static const struct gin_lane_id a0 = { 0, 0 }, a1 = { 0, 1 }, b0 = { 1, 0 };

static uint64_t seen_by(struct gin_lane_id who, const uint64_t *p)
{
	uint64_t v;

	gin_stores_get(who, p, &v, sizeof(v));
	return v;
}

static void put64(struct gin_lane_id who, uint64_t *p, uint64_t v)
{
	gin_stores_put(who, p, &v, sizeof(v));
}

START_TEST(a_store_is_seen_level_by_level)
{
	memset(&mem, 0, sizeof(mem));
	put64(a0, &mem.word, 5);
	ck_assert_uint_eq(seen_by(a0, &mem.word), 5);
	ck_assert_uint_eq(seen_by(a1, &mem.word), 0);
	gin_stores_lift(a0, GIN_SCOPE_CTA);
	ck_assert_uint_eq(seen_by(a1, &mem.word), 5);
	ck_assert_uint_eq(seen_by(b0, &mem.word), 0);
	gin_stores_lift(a1, GIN_SCOPE_GPU); /* a1 sees it, so its fence carries it */
	ck_assert_uint_eq(seen_by(b0, &mem.word), 5);
	ck_assert_uint_eq(mem.word, 0);
	gin_stores_lift(b0, GIN_SCOPE_SYS);
	ck_assert_uint_eq(mem.word, 5);
	ck_assert_uint_eq(gin_stores_pending(), 0);
}
END_TEST

START_TEST(a_fence_carries_nothing_that_its_lane_does_not_see)
{
	memset(&mem, 0, sizeof(mem));
	put64(a0, &mem.word, 5);
	gin_stores_lift(a1, GIN_SCOPE_SYS);
	ck_assert_uint_eq(mem.word, 0);
	gin_stores_lift(a0, GIN_SCOPE_CTA);
	gin_stores_lift(b0, GIN_SCOPE_SYS);
	ck_assert_uint_eq(mem.word, 0);
	gin_stores_lift(a0, GIN_SCOPE_SYS);
	ck_assert_uint_eq(mem.word, 5);
}
END_TEST

/* bytes 0..15 by a 16-byte store, 4..7 by a later 4-byte one; read 0..7 and 6..13 */
START_TEST(loads_put_overlapping_stores_together)
{
	uint8_t wide[16], got[8];
	const uint8_t first[8] = { 0x10, 0x11, 0x12, 0x13, 0xa0, 0xa1, 0xa2, 0xa3 };
	const uint8_t second[8] = { 0xa2, 0xa3, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d };
	const uint8_t narrow[4] = { 0xa0, 0xa1, 0xa2, 0xa3 };

	memset(&mem, 0, sizeof(mem));
	for (int i = 0; i < 16; i++)
		wide[i] = (uint8_t)(0x10 + i);
	gin_stores_put(a0, mem.bytes, wide, 16);
	gin_stores_put(a0, mem.bytes + 4, narrow, 4);
	gin_stores_get(a0, mem.bytes, got, 8);
	ck_assert_mem_eq(got, first, 8);
	gin_stores_get(a0, mem.bytes + 6, got, 8);
	ck_assert_mem_eq(got, second, 8);
	/* beyond the stores: memory */
	mem.bytes[16] = 0x77;
	gin_stores_get(a0, mem.bytes + 12, got, 8);
	ck_assert_uint_eq(got[3], 0x1f);
	ck_assert_uint_eq(got[4], 0x77);
	gin_stores_lift(a0, GIN_SCOPE_SYS);
	ck_assert_mem_eq(mem.bytes, first, 8);
	ck_assert_uint_eq(mem.bytes[8], 0x18);
	ck_assert_uint_eq(mem.bytes[16], 0x77);
}
END_TEST

/* The other way round: the wide store is the later one and covers the narrow one. */
START_TEST(a_later_wide_store_covers_a_narrow_one)
{
	const uint8_t narrow[4] = { 1, 2, 3, 4 };
	uint8_t wide[16], got[16];

	memset(&mem, 0, sizeof(mem));
	memset(wide, 9, sizeof(wide));
	gin_stores_put(a0, mem.bytes + 14, narrow, 4);
	gin_stores_put(a0, mem.bytes, wide, 16);
	gin_stores_get(a0, mem.bytes + 2, got, 16);
	for (int i = 0; i < 14; i++)
		ck_assert_uint_eq(got[i], 9);
	ck_assert_uint_eq(got[14], 3);
	ck_assert_uint_eq(got[15], 4);
	/* The second of two pending ones is drained: the first goes before it. */
	gin_stores_drain(1);
	ck_assert_uint_eq(gin_stores_pending(), 0);
	ck_assert_uint_eq(mem.bytes[15], 9);
	ck_assert_uint_eq(mem.bytes[16], 3);
}
END_TEST

/* x = [0,8), y = [4,12), z = [8,16): z waits for y, which waits for x, though x and z share no byte. */
START_TEST(a_chain_of_overlaps_drains_in_order)
{
	const uint8_t x[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, y[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	const uint8_t z[8] = { 3, 3, 3, 3, 3, 3, 3, 3 };
	const uint8_t want[16] = { 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3 };

	memset(&mem, 0, sizeof(mem));
	gin_stores_put(a0, mem.bytes, x, 8);
	gin_stores_put(a0, mem.bytes + 4, y, 8);
	gin_stores_put(a0, mem.bytes + 8, z, 8);
	put64(a0, &mem.word, 1); /* unrelated: stays */
	gin_stores_drain(2);
	ck_assert_uint_eq(gin_stores_pending(), 1);
	ck_assert_uint_eq(mem.word, 0);
	ck_assert_mem_eq(mem.bytes, want, 16);
	gin_stores_drain(0);
	ck_assert_uint_eq(mem.word, 1);
}
END_TEST

/* a0's newer store must not overtake the older one that its block already sees. */
START_TEST(a_narrow_store_waits_for_the_wide_one_that_its_lane_sees)
{
	memset(&mem, 0, sizeof(mem));
	put64(a1, &mem.word, 1);
	gin_stores_lift(a1, GIN_SCOPE_CTA);
	put64(a0, &mem.word, 2);
	ck_assert_uint_eq(seen_by(a0, &mem.word), 2);
	ck_assert_uint_eq(seen_by(a1, &mem.word), 1);
	gin_stores_drain(1);
	ck_assert_uint_eq(mem.word, 2);
	ck_assert_uint_eq(gin_stores_pending(), 0);
}
END_TEST

/* ---- atomics, hooks, callers that are no lane ---- */

static uint64_t got_cas, got_add, data_after, pending_after;

static void store_then_atomics(void)
{
	store64(&mem.data, 7);
	store64(&mem.word, 40);
	got_cas = gin_sim_cas64(&mem.word, 40, 41);
	got_add = gin_sim_add64(&mem.word, 2);
	pending_after = gin_stores_pending();
	data_after = mem.data;
}

/* An atomic finds the lane's own store to its word, and drags no other store along. */
START_TEST(a_relaxed_atomic_settles_its_own_word_only)
{
	int kept = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin(seed, nothing);
		add_lane(0, 0, store_then_atomics);
		finish();
		ck_assert_uint_eq(got_cas, 40);
		ck_assert_uint_eq(got_add, 41);
		ck_assert_uint_eq(mem.word, 43);
		ck_assert_uint_eq(pending_after, data_after == 0);
		kept += data_after == 0;
	}
	ck_assert_int_gt(kept, SEEDS / 20);
}
END_TEST

static void failing_cas(void)
{
	mem.word = 1;
	got_cas = gin_sim_cas64(&mem.word, 2, 3);
}

START_TEST(a_cas_that_fails_changes_nothing)
{
	begin(1, nothing);
	add_lane(0, 0, failing_cas);
	finish();
	ck_assert_uint_eq(got_cas, 1);
	ck_assert_uint_eq(mem.word, 1);
}
END_TEST

static int acquired;

static void on_acquire(uint64_t lane)
{
	ck_assert_uint_eq(lane, 0); /* block 0, lane 0 */
	acquired++;
}

static int acquires[6];

static void fences(void)
{
	gin_sim_fence(GIN_FENCE_ACQUIRE, GIN_SCOPE_GPU);
	acquires[0] = acquired;
	gin_sim_fence(GIN_FENCE_RELEASE, GIN_SCOPE_SYS);
	acquires[1] = acquired;
	gin_sim_fence(GIN_FENCE_ACQUIRE, GIN_SCOPE_SYS);
	acquires[2] = acquired;
	gin_sim_fence(GIN_FENCE_ACQ_REL, GIN_SCOPE_SYS);
	acquires[3] = acquired;
	gin_sim_exch64(&mem.link, 1);
	acquires[4] = acquired;
	load64(&mem.link);
	acquires[5] = acquired;
}

START_TEST(only_an_acquire_of_system_scope_calls_the_adversary)
{
	const int want[6] = { 0, 0, 1, 2, 2, 2 };

	acquired = 0;
	begin(1, nothing);
	gin_sim_on_acquire(on_acquire);
	add_lane(0, 0, fences);
	finish();
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(acquires[i], want[i]);
}
END_TEST

static int yields;

static void count_yield(void)
{
	yields++;
}

START_TEST(a_thread_that_is_no_lane_acts_on_memory)
{
	memset(&mem, 0, sizeof(mem));
	gin_sim_on_yield(count_yield);
	store64(&mem.word, 1);
	ck_assert_uint_eq(mem.word, 1);
	ck_assert_uint_eq(gin_sim_exch64(&mem.word, 2), 1);
	ck_assert_uint_eq(gin_sim_add64(&mem.word, 3), 2);
	ck_assert_uint_eq(gin_sim_cas64(&mem.word, 5, 6), 5);
	ck_assert_uint_eq(load64(&mem.word), 6);
	gin_sim_fence(GIN_FENCE_ACQ_REL, GIN_SCOPE_SYS);
	ck_assert_int_eq(yields, 0);
	gin_sim_on_yield(NULL);
}
END_TEST

/* Each access of a lane is one schedule point, and comes after it. */
START_TEST(each_access_of_a_lane_is_a_schedule_point)
{
	memset(&mem, 0, sizeof(mem));
	yields = 0;
	gin_sim_on_yield(count_yield);
	gin_sim_lane_enter(0, 0);
	store64(&mem.word, 1);
	ck_assert_int_eq(yields, 1);
	load64(&mem.word);
	ck_assert_int_eq(yields, 2);
	gin_sim_fence(GIN_FENCE_RELEASE, GIN_SCOPE_SYS);
	ck_assert_int_eq(yields, 3);
	ck_assert_uint_eq(mem.word, 1);
	gin_sim_cas64(&mem.word, 1, 2);
	gin_sim_add64(&mem.word, 1);
	gin_sim_exch64(&mem.word, 4);
	ck_assert_int_eq(yields, 6);
	gin_sim_lane_leave();
	gin_sim_on_yield(NULL);
}
END_TEST

static void spoil(void)
{
	mem.word = 2;
}

START_TEST(an_access_comes_behind_its_schedule_point)
{
	memset(&mem, 0, sizeof(mem));
	gin_sim_on_yield(spoil);
	gin_sim_lane_enter(0, 0);
	ck_assert_uint_eq(load64(&mem.word), 2);
	mem.word = 0;
	ck_assert_uint_eq(gin_sim_exch64(&mem.word, 4), 2);
	gin_sim_lane_leave();
	gin_sim_on_yield(NULL);
}
END_TEST

/* What is left when a simulation ends early is forgotten: its memory may be gone. */
START_TEST(the_next_simulation_starts_empty)
{
	begin(1, nothing);
	put64(a0, &mem.word, 9);
	gin_sim_destroy(sim);
	ck_assert_uint_eq(gin_stores_pending(), 0);
	ck_assert_uint_eq(mem.word, 0);
	begin(2, nothing);
	put64(a0, &mem.word, 9);
	add_lane(0, 0, nothing);
	finish();
	ck_assert_uint_eq(mem.word, 9);
}
END_TEST

/* ---- loads that are late ---- */

static enum { NO_ORDER, BY_FENCE, BY_EXCHANGE } load_order;
static uint64_t late, late_of_own;

static void load_then_release(void)
{
	gin_sim_load_late(&mem.word, &late, sizeof(late));
	if (load_order == BY_FENCE)
		gin_sim_fence(GIN_FENCE_RELEASE, GIN_SCOPE_SYS);
	else if (load_order == BY_EXCHANGE)
		gin_sim_exch64(&mem.link, 1);
	store64(&mem.flag, 1);
	gin_sim_load_use();
}

/* The NIC writes the word again as soon as it is told that it was read. */
static void write_when_released(void)
{
	if (mem.flag)
		mem.word = 9;
}

static int seeds_overtaken(int order)
{
	int n = 0;

	load_order = order;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin(seed, write_when_released);
		add_lane(0, 0, load_then_release);
		finish();
		n += late == 9;
	}
	return n;
}

START_TEST(a_load_passes_a_store_unless_a_release_is_between)
{
	ck_assert_int_gt(seeds_overtaken(NO_ORDER), SEEDS / 100);
	ck_assert_int_eq(seeds_overtaken(BY_FENCE), 0);
	ck_assert_int_eq(seeds_overtaken(BY_EXCHANGE), 0);
}
END_TEST

static void load_own_late(void)
{
	store64(&mem.word, 3);
	gin_sim_load_late(&mem.word, &late_of_own, sizeof(late_of_own));
	gin_sim_load_use();
}

START_TEST(a_late_load_sees_its_lanes_own_store)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin(seed, nothing);
		add_lane(0, 0, load_own_late);
		finish();
		ck_assert_uint_eq(late_of_own, 3);
	}
}
END_TEST

static bool stored_all;

static void store_twice(void)
{
	store64(&mem.data, 1);
	store64(&mem.word, 2);
	stored_all = true;
}

static void look_at_end(void)
{
	if (stored_all && fiber_ended(lanes[0].fiber))
		ck_assert(mem.data == 1 && mem.word == 2);
}

START_TEST(a_lane_ends_when_its_stores_are_in_memory)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin(seed, look_at_end);
		stored_all = false;
		add_lane(0, 0, store_twice);
		finish();
	}
}
END_TEST

static uint64_t trace_of(uint64_t seed)
{
	memset(histories, 0, sizeof(histories));
	writes = 0;
	begin(seed, nothing);
	add_lane(0, 0, writer_0);
	add_lane(1, 1, writer_1);
	add_lane(1, 2, reader_0);
	return finish();
}

START_TEST(a_seed_replays_with_lanes_and_stores)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		uint64_t trace = trace_of(seed);

		ck_assert_uint_eq(trace_of(seed), trace);
		ck_assert_uint_ne(trace_of(seed + 1), trace);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lane");
	TCase *tc = tcase_create("lane");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, stores_without_a_fence_reach_the_nic_out_of_order);
	tcase_add_test(tc, a_system_fence_between_them_keeps_their_order);
	tcase_add_test(tc, a_narrow_or_one_sided_fence_is_not_enough_for_the_nic);
	tcase_add_test(tc, who_takes_over_may_publish_for_both);
	tcase_add_test(tc, without_the_takers_fence_the_nic_sees_the_flag_first);
	tcase_add_test(tc, without_the_givers_release_the_takers_fence_is_in_vain);
	tcase_add_test(tc, the_leader_publishes_for_its_warp_behind_a_syncwarp);
	tcase_add_test(tc, a_rendezvous_that_orders_nothing_is_seen);
	tcase_add_test(tc, all_observers_agree_on_the_order_of_one_words_values);
	tcase_add_test(tc, a_store_is_seen_level_by_level);
	tcase_add_test(tc, a_fence_carries_nothing_that_its_lane_does_not_see);
	tcase_add_test(tc, loads_put_overlapping_stores_together);
	tcase_add_test(tc, a_later_wide_store_covers_a_narrow_one);
	tcase_add_test(tc, a_chain_of_overlaps_drains_in_order);
	tcase_add_test(tc, a_narrow_store_waits_for_the_wide_one_that_its_lane_sees);
	tcase_add_test(tc, a_relaxed_atomic_settles_its_own_word_only);
	tcase_add_test(tc, a_cas_that_fails_changes_nothing);
	tcase_add_test(tc, only_an_acquire_of_system_scope_calls_the_adversary);
	tcase_add_test(tc, a_thread_that_is_no_lane_acts_on_memory);
	tcase_add_test(tc, each_access_of_a_lane_is_a_schedule_point);
	tcase_add_test(tc, an_access_comes_behind_its_schedule_point);
	tcase_add_test(tc, a_load_passes_a_store_unless_a_release_is_between);
	tcase_add_test(tc, a_late_load_sees_its_lanes_own_store);
	tcase_add_test(tc, a_lane_ends_when_its_stores_are_in_memory);
	tcase_add_test(tc, the_next_simulation_starts_empty);
	tcase_add_test(tc, a_seed_replays_with_lanes_and_stores);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
