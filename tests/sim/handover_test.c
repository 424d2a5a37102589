/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Submit's hand-over from producer to producer, exhaustively: the code of
 * <ginet/dev/sq.h> itself, two and three producers on rings so small that they
 * wrap at once, and a NIC that completes whenever it likes. Every order of
 * accesses is tried.
 *
 * How: producers are fibers that stop before each access to shared memory. A
 * depth-first search picks who goes next; to try another choice it starts over
 * and replays the choices up to there. A state seen before is not entered
 * again. What a producer will do depends only on what its accesses returned
 * since its current part began, so a hash of that stands for its stack. States
 * are kept as 64-bit hashes: with 10^6 of them the odds that two collide, and
 * one stays unseen, are below 10^-7.
 *
 * Memory here is sequentially consistent; what the fences are for is not seen
 * in this test but with store buffers.
 *
 * Its teeth: the wrong ways to submit further below run under the same checks,
 * and each must be caught.
 */
#include "fiber.h"
#include <ginet/dev/sq.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../host/sim/mix.h"

#define MAX_DEPTH 4
#define MAX_PRODUCERS 3
#define MAX_PARTS 3
#define MAX_WQES 32  /* WQEBBs of a run */
#define MAX_CHOICES 512
#define NIC MAX_PRODUCERS /* as a choice */
#define NOBODY (-1)
#define SQN 0x123456u

typedef void submit_fn(const struct gin_dev_sq *sq, uint64_t base, uint64_t end);

struct plan {
	uint32_t depth, n_producers;
	uint64_t start;                        /* first index */
	uint32_t parts[MAX_PRODUCERS][MAX_PARTS]; /* WQEBBs each, ended by 0 */
	int old_ends;                          /* what older laps left in link: ends of parts, else tokens */
	submit_fn *submit;
};

enum violation {
	NONE,
	RECORD_BACKWARD,  /* or not moved */
	TWO_RINGERS,      /* a record or doorbell while another thread is between the two */
	UNWRITTEN,        /* the record covers a WQE that is not there */
	OTHER_DOORBELL,   /* the doorbell does not name the record's index */
	NOT_ONE_PART,     /* a doorbell for more or less than the next part */
	OVERWRITTEN,      /* a WQE in flight was changed */
	OVERSTATED,       /* "completed" is ahead of the NIC */
	STUCK,            /* nobody can go on, yet somebody waits */
	UNRUNG,           /* all returned, and a part was left behind */
};

static const struct plan *plan;
static enum violation violation;

/* What producers and NIC share. */
static struct {
	_Alignas(128) uint8_t state[512 + MAX_DEPTH * sizeof(uint64_t) + 128];
	_Alignas(64) struct gin_u128 wqe[MAX_DEPTH * GIN_WQEBB / sizeof(struct gin_u128)];
	struct gin_cqe cqe;
	struct gin_dbrec dbrec;
	uint64_t uar;
	uint64_t frontier; /* a wrong variant's */
	uint32_t stop;
} mem;
static struct gin_dev_sq sq;

/* What the checks know. */
static struct {
	uint64_t record, rung, completed;        /* record: index it stands for; rung: by doorbell; completed: by the NIC */
	int32_t ringer;                          /* who is between record and doorbell */
	uint8_t part_len[MAX_WQES];              /* by index - start of the first WQEBB */
} checks;

static struct producer {
	struct fiber *fiber;
	struct { void *to; struct gin_u128 value; } late[MAX_DEPTH]; /* WQE stores, see shared_access() */
	uint32_t n_late;
	uint64_t history; /* of what it saw in this part */
	uint64_t waits;   /* ring full: goes on when the NIC has completed more than this; else GOES */
	uint32_t part;
} producers[MAX_PRODUCERS];
static int32_t self = NOBODY;
#define GOES (~0ull)

/* Plain code in what follows: each ck_assert() tells its parent process where it is. */
static void violated(enum violation v)
{
	if (!violation)
		violation = v;
}

/* ---- accesses of <ginet/dev/mem.h> ---- */

static void remember(uint64_t v)
{
	producers[self].history = gin_mix64(producers[self].history + GIN_MIX_STEP + v);
}

/* At places where the code holds on to nothing that it read: fewer states are told apart in vain. */
static void forget_history(struct producer *p)
{
	p->history = gin_mix64(p->part + 1);
}

static uint64_t wqe_index(uint64_t i)
{
	const struct gin_u128 *first = &mem.wqe[(i & sq.mask) * (GIN_WQEBB / sizeof(struct gin_u128))];

	return (uint64_t)first->y << 32 | first->x;
}

static void check_written(uint64_t from, uint64_t to, enum violation v)
{
	for (uint64_t i = from; i < to; i++) {
		if (wqe_index(i) != i)
			violated(v);
	}
}

static void check_record(uint32_t raw)
{
	uint64_t moved = (gin_swap32(raw) - (uint32_t)checks.record) & 0xffffu;

	if (moved == 0 || moved > plan->depth) {
		violated(RECORD_BACKWARD);
		return;
	}
	if (checks.ringer != NOBODY)
		violated(TWO_RINGERS);
	checks.ringer = self;
	checks.record += moved;
	/* By the record: on a shared register, or when it recovers, the NIC takes the index from there. */
	check_written(checks.rung, checks.record, UNWRITTEN);
}

static void check_doorbell(uint64_t raw)
{
	if (checks.ringer != self)
		violated(TWO_RINGERS);
	checks.ringer = NOBODY;
	if ((gin_swap32((uint32_t)raw) >> 8 & 0xffffu) != (checks.record & 0xffffu) ||
	    gin_swap32((uint32_t)(raw >> 32)) >> 8 != SQN)
		violated(OTHER_DOORBELL);
	if (checks.rung + checks.part_len[checks.rung - plan->start] != checks.record)
		violated(NOT_ONE_PART);
	checks.rung = checks.record;
}

static bool is_wqe(const void *p)
{
	return (uintptr_t)p - (uintptr_t)mem.wqe < sizeof(mem.wqe);
}

/* Nobody looks at these, or only the host writes them: no order to try. */
static bool is_shared(const void *p)
{
	return p != &mem.stop && p != &sq.state->full;
}

/*
 * Before each access: others may go first. WQEs are written only now, together
 * with the access that follows them: later than by any real thread, which is
 * the worst for who rings too early.
 */
static void shared_access(const void *p)
{
	struct producer *me = &producers[self];

	if (!is_shared(p))
		return;
	fiber_yield();
	for (uint32_t i = 0; i < me->n_late; i++)
		memcpy(me->late[i].to, &me->late[i].value, sizeof(me->late[i].value));
	me->n_late = 0;
}

static void write_late(void *to, const void *value)
{
	struct producer *me = &producers[self];

	if (me->n_late == MAX_DEPTH)
		ck_abort_msg("a part of more than %d WQEs", MAX_DEPTH);
	me->late[me->n_late].to = to;
	memcpy(&me->late[me->n_late++].value, value, sizeof(struct gin_u128));
}

void gin_sim_load(const void *p, void *value, uint32_t size)
{
	uint64_t v = 0;

	shared_access(p);
	if (p == &sq.state->reserved)
		forget_history(&producers[self]); /* reserve starts over from here */
	memcpy(value, p, size);
	memcpy(&v, p, size);
	remember(v);
}

void gin_sim_store(void *p, const void *value, uint32_t size)
{
	uint64_t v = 0;

	if (is_wqe(p)) {
		write_late(p, value);
		return;
	}
	shared_access(p);
	memcpy(p, value, size);
	memcpy(&v, value, size < sizeof(v) ? size : sizeof(v));
	if (p == &mem.dbrec.snd)
		check_record((uint32_t)v);
	else if (p == &mem.uar)
		check_doorbell(v);
	remember(0);
}

void gin_sim_fence(int kind, int scope)
{
	(void)kind;
	(void)scope;
}

static uint64_t read_modify_write(uint64_t *p)
{
	shared_access(p);
	remember(*p);
	return *p;
}

uint64_t gin_sim_cas64(void *p, uint64_t expected, uint64_t value)
{
	uint64_t old = read_modify_write(p);

	if (old == expected)
		*(uint64_t *)p = value;
	return old;
}

uint64_t gin_sim_add64(void *p, uint64_t value)
{
	uint64_t old = read_modify_write(p);

	*(uint64_t *)p = old + value;
	return old;
}

uint64_t gin_sim_exch64(void *p, uint64_t value)
{
	uint64_t old = read_modify_write(p);

	*(uint64_t *)p = value;
	return old;
}

/* Producers here only look once (GIN_TRY). */
void gin_cpu_pause(const char *where)
{
	ck_abort_msg("%s waits", where);
}

uint64_t gin_cpu_time_ns(void)
{
	return 0;
}

/* ---- producers and NIC ---- */

static uint64_t reserve(struct producer *p, uint32_t n)
{
	uint64_t first;
	int err;

	for (;;) {
		uint64_t completed = checks.completed; /* taken before the look, so that none is missed */

		forget_history(p);
		err = gin_sq_reserve(&sq, GIN_SHARED_SQ, n, GIN_TRY, &first);
		if (err == 0)
			break;
		if (err != -EAGAIN)
			ck_abort_msg("reserve says %d", err);
		forget_history(p);
		p->waits = completed;
		fiber_yield();
		p->waits = GOES;
	}
	forget_history(p);
	remember(first);
	return first;
}

static void write_wqes(uint64_t base, uint64_t end)
{
	for (uint64_t i = base; i < end; i++) {
		struct gin_u128 v = { (uint32_t)i, (uint32_t)(i >> 32), 0, 0 };

		gin_store128(sq.wqe + (i & sq.mask) * GIN_WQEBB, v);
	}
}

static void producer_main(void *arg)
{
	struct producer *p = arg;
	const uint32_t *parts = plan->parts[p - producers];

	for (p->part = 0; p->part < MAX_PARTS && parts[p->part]; p->part++) {
		uint32_t n = parts[p->part];
		uint64_t base = reserve(p, n);

		checks.part_len[base - plan->start] = (uint8_t)n;
		write_wqes(base, base + n);
		plan->submit(&sq, base, base + n);
	}
}

static void write_cqe(uint64_t completed, uint8_t op_own)
{
	/* wqe_counter names the last WQEBB: a call ends with a WQE of one. */
	uint32_t tail = gin_swap32((uint32_t)(completed - 1) << 16 | op_own);

	memcpy((uint8_t *)&mem.cqe + GIN_CQE_TAIL, &tail, sizeof(tail));
}

/* One part; that a NIC completes several at once is two steps with no look in between. */
static void nic_step(void)
{
	uint64_t end = checks.completed + checks.part_len[checks.completed - plan->start];

	check_written(checks.completed, end, OVERWRITTEN);
	checks.completed = end;
	write_cqe(end, GIN_CQE_REQ << 4);
}

/* ---- the search ---- */

static struct {
	uint64_t *slots; /* 0: free */
	uint64_t n, mask;
} seen;

static bool put(uint64_t *slots, uint64_t mask, uint64_t hash)
{
	uint64_t i = hash & mask;

	while (slots[i] && slots[i] != hash)
		i = (i + 1) & mask;
	bool is_new = !slots[i];

	slots[i] = hash;
	return is_new;
}

static void seen_resize(uint64_t size)
{
	uint64_t *slots = calloc(size, sizeof(*slots));

	ck_assert_ptr_nonnull(slots);
	for (uint64_t i = 0; seen.slots && i <= seen.mask; i++) {
		if (seen.slots[i])
			put(slots, size - 1, seen.slots[i]);
	}
	free(seen.slots);
	seen.slots = slots;
	seen.mask = size - 1;
}

static bool seen_add(uint64_t hash)
{
	if (2 * seen.n > seen.mask)
		seen_resize(2 * (seen.mask + 1));
	if (!put(seen.slots, seen.mask, hash ? hash : 1))
		return false;
	seen.n++;
	return true;
}

static uint64_t hash_bytes(uint64_t h, const void *p, size_t size)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t v = 0;

		memcpy(&v, b + i, size - i < sizeof(v) ? size - i : sizeof(v));
		h = gin_mix64(h + GIN_MIX_STEP + v);
	}
	return h;
}

static uint64_t state_hash(void)
{
	uint64_t h = 0;

	h = hash_bytes(h, &sq.state->reserved, sizeof(uint64_t));
	h = hash_bytes(h, &sq.state->completed, sizeof(uint64_t));
	h = hash_bytes(h, sq.state->link, plan->depth * sizeof(uint64_t));
	h = hash_bytes(h, &mem.frontier, sizeof(mem.frontier));
	for (uint64_t i = 0; i < plan->depth; i++)
		h = gin_mix64(h + GIN_MIX_STEP + wqe_index(i));
	/* CQE, record and register follow from these. */
	h = hash_bytes(h, &checks, sizeof(checks));
	for (uint32_t i = 0; i < plan->n_producers; i++) {
		h = hash_bytes(h, &producers[i].history, sizeof(uint64_t));
		h = hash_bytes(h, &producers[i].waits, sizeof(uint64_t));
		h = gin_mix64(h + producers[i].part + fiber_ended(producers[i].fiber));
	}
	return h;
}

/* As a quiet queue at plan->start looks, whose older laps had parts of one WQEBB. */
static void reset_memory(void)
{
	memset(&mem, 0, sizeof(mem));
	memset(&checks, 0, sizeof(checks));
	sq = (struct gin_dev_sq){
		.wqe = (uint8_t *)mem.wqe,
		.dbrec = &mem.dbrec,
		.uar = &mem.uar,
		.cqe = &mem.cqe,
		.state = (struct gin_sq_state *)mem.state,
		.stop = &mem.stop,
		.mask = plan->depth - 1,
		.sqn = gin_to_be32(SQN << 8),
	};
	checks.record = checks.rung = checks.completed = plan->start;
	checks.ringer = NOBODY;
	sq.state->reserved = sq.state->completed = plan->start;
	mem.frontier = plan->start;
	mem.dbrec.snd = gin_to_be32((uint32_t)plan->start & 0xffffu);
	write_cqe(plan->start, plan->start ? GIN_CQE_REQ << 4 : GIN_CQE_INIT);

	uint64_t *link = sq.state->link;

	for (uint64_t i = plan->start - 1; plan->start && i > plan->start - plan->depth; i--)
		link[i & sq.mask] = plan->old_ends ? (i + 1) << 1 : i << 1 | 1;
	link[plan->start & sq.mask] = plan->start << 1 | 1;
	memset(mem.wqe, 0xff, sizeof(mem.wqe));
}

static void resume(uint32_t i)
{
	self = (int32_t)i;
	fiber_resume(producers[i].fiber);
	self = NOBODY;
}

static void reset(void)
{
	reset_memory();
	for (uint32_t i = 0; i < plan->n_producers; i++) {
		producers[i].part = 0;
		producers[i].n_late = 0;
		producers[i].waits = GOES;
		fiber_start(producers[i].fiber, producer_main, &producers[i]);
		resume(i); /* up to its first access */
	}
}

static bool all_ended(void)
{
	for (uint32_t i = 0; i < plan->n_producers; i++) {
		if (!fiber_ended(producers[i].fiber))
			return false;
	}
	return true;
}

/* Bit i: producer i can go on; bit NIC: it can complete something. */
static uint32_t choices(void)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < plan->n_producers; i++) {
		const struct producer *p = &producers[i];

		if (!fiber_ended(p->fiber) && (p->waits == GOES || checks.completed > p->waits))
			mask |= 1u << i;
	}
	if (checks.completed < checks.rung)
		mask |= 1u << NIC;
	return mask;
}

static void take(uint32_t choice)
{
	uint64_t completed = sq.state->completed;

	if (choice == NIC)
		nic_step();
	else
		resume(choice);
	if (sq.state->completed > checks.completed || sq.state->completed < completed)
		violated(OVERSTATED);
	if (choices() == 0 && !all_ended())
		violated(STUCK);
	if (all_ended() && checks.rung != sq.state->reserved)
		violated(UNRUNG);
}

struct node {
	uint32_t left;  /* choices not tried yet */
	uint32_t taken; /* the one that leads to the next node */
};
static struct node path[MAX_CHOICES];
static uint64_t n_replays;

static uint32_t take_first(uint32_t *mask)
{
	uint32_t first = (uint32_t)__builtin_ctz(*mask);

	*mask &= *mask - 1;
	return first;
}

/* Returns the first violation found; its choices are in path. */
static enum violation explore(const struct plan *p)
{
	uint32_t depth = 0; /* of the node to choose at */
	bool there;         /* the world is at that node */

	plan = p;
	violation = NONE;
	n_replays = 0;
	free(seen.slots);
	seen.slots = NULL;
	seen.n = 0;
	seen_resize(1 << 12);
	reset();
	there = true;
	path[0].left = choices();
	for (;;) {
		while (!path[depth].left) {
			if (depth == 0)
				return NONE;
			depth--;
			there = false;
		}
		if (!there) {
			n_replays++;
			reset();
			for (uint32_t i = 0; i < depth; i++)
				take(path[i].taken);
		}
		path[depth].taken = take_first(&path[depth].left);
		take(path[depth].taken);
		if (violation)
			return violation;
		there = seen_add(state_hash());
		if (there) {
			depth++;
			if (depth == MAX_CHOICES)
				ck_abort_msg("a run of more than %d choices", MAX_CHOICES);
			path[depth].left = choices();
		}
	}
}

static void submit(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	gin_sq_submit(q, GIN_SHARED_SQ, base, end);
}

static void holds_from(struct plan p, uint64_t start, int old_ends)
{
	p.start = start;
	p.old_ends = old_ends;
	p.submit = submit;
	ck_assert_int_eq(explore(&p), NONE);
	fprintf(stdout, "%u producers, ring of %u, from %#llx: %llu states\n", p.n_producers, p.depth,
		(unsigned long long)start, (unsigned long long)seen.n);
}

/* From a fresh queue, and where 16 and 32 bit wrap, over words that older laps left. */
static void holds(struct plan p)
{
	holds_from(p, 0xffff, 1);
#if !defined(__SANITIZE_ADDRESS__)
	holds_from(p, 0, 0);
	holds_from(p, 0x1fffffffe, 0);
#endif
}

static void set_up(void)
{
	for (int i = 0; i < MAX_PRODUCERS; i++)
		producers[i].fiber = fiber_create();
}

static void tear_down(void)
{
	for (int i = 0; i < MAX_PRODUCERS; i++)
		fiber_destroy(producers[i].fiber);
	free(seen.slots);
	seen.slots = NULL;
}

START_TEST(two_producers_on_a_ring_of_two)
{
	holds((struct plan){ .depth = 2, .n_producers = 2, .parts = { { 1, 1 }, { 1, 1 } } });
}
END_TEST

START_TEST(two_producers_with_parts_of_two_on_a_ring_of_four)
{
	holds((struct plan){ .depth = 4, .n_producers = 2, .parts = { { 2, 1, 2 }, { 1, 2, 1 } } });
}
END_TEST

START_TEST(parts_as_long_as_the_ring)
{
	holds((struct plan){ .depth = 2, .n_producers = 2, .parts = { { 2, 1 }, { 1, 2 } } });
}
END_TEST

START_TEST(three_producers_on_a_ring_of_two)
{
	holds((struct plan){ .depth = 2, .n_producers = 3, .parts = { { 1, 1 }, { 1 }, { 1 } } });
}
END_TEST

START_TEST(three_producers_on_a_ring_of_four)
{
	holds((struct plan){ .depth = 4, .n_producers = 3, .parts = { { 1, 1 }, { 2 }, { 1 } } });
}
END_TEST

/* The largest; minutes with AddressSanitizer, for the same code as in the smaller ones. */
#if !defined(__SANITIZE_ADDRESS__)
START_TEST(three_producers_around_a_ring_of_two)
{
	holds_from((struct plan){ .depth = 2, .n_producers = 3, .parts = { { 1, 1 }, { 1, 1 }, { 1 } } }, 0xffff, 1);
}
END_TEST

START_TEST(three_producers_around_a_ring_of_four)
{
	holds_from((struct plan){ .depth = 4, .n_producers = 3, .parts = { { 2, 1 }, { 2 }, { 1, 1 } } }, 0xfffe, 0);
}
END_TEST
#endif

/* ---- wrong ways to submit, which the same checks must catch ---- */

static const struct plan crowded = { .depth = 2, .n_producers = 3, .start = 0xffff, .parts = { { 1, 1 }, { 1, 1 }, { 1 } } };

static enum violation found_in(submit_fn *wrong, const struct plan *base)
{
	struct plan p = *base;

	p.submit = wrong;
	return explore(&p);
}

/* No hand-over at all: whoever is done rings. */
static void submit_at_once(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	(void)base;
	gin_sq_ring(q, end);
}

START_TEST(ringing_at_once_is_caught)
{
	ck_assert_int_ne(found_in(submit_at_once, &crowded), NONE);
}
END_TEST

/*
 * A lock-free maximum: leave the end, then move a shared frontier over all
 * that is there, and ring what it was moved to. Two threads that moved it one
 * after the other ring in either order.
 */
static void submit_max(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	uint64_t *link = q->state->link, from, to, x;

	gin_exchange64_gpu(&link[base & q->mask], end << 1);
	for (;;) {
		from = to = gin_load64_gpu(&mem.frontier);
		while ((x = gin_load64_gpu(&link[to & q->mask]) >> 1) - to - 1 <= q->mask)
			to = x;
		if (to == from)
			return;
		if (gin_cas64_gpu(&mem.frontier, from, to) == from)
			gin_sq_ring(q, to);
	}
}

START_TEST(a_lock_free_maximum_is_caught)
{
	const struct plan two = { .depth = 4, .n_producers = 2, .parts = { { 1 }, { 1 } } };

	ck_assert_int_eq(found_in(submit_max, &two), TWO_RINGERS);
}
END_TEST

/* Offers the token before it rings, not behind: two threads ring at a time. */
static void submit_token_first(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	uint64_t *link = q->state->link, next, ring;

	if (gin_exchange64_gpu(&link[base & q->mask], end << 1) != (base << 1 | 1))
		return;
	for (;;) {
		next = gin_exchange64_gpu(&link[end & q->mask], end << 1 | 1);
		ring = end;
		gin_sq_ring(q, ring);
		if (next & 1 || (next >> 1) - end - 1 > q->mask)
			return;
		end = next >> 1;
	}
}

START_TEST(the_token_before_the_doorbell_is_caught)
{
	ck_assert_int_ne(found_in(submit_token_first, &crowded), NONE);
}
END_TEST

/* Takes any end it finds for one of this lap. */
static void submit_lapped(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	uint64_t *link = q->state->link, next;

	if (gin_exchange64_gpu(&link[base & q->mask], end << 1) != (base << 1 | 1))
		return;
	for (;;) {
		gin_sq_ring(q, end);
		next = gin_exchange64_gpu(&link[end & q->mask], end << 1 | 1);
		if (next & 1 || next == 0)
			return;
		end = next >> 1;
	}
}

START_TEST(an_end_of_an_older_lap_is_caught)
{
	const struct plan alone = { .depth = 2, .n_producers = 1, .parts = { { 1, 1, 1 } } };
	struct plan old = crowded;

	old.old_ends = 1;
	ck_assert_int_eq(found_in(submit_lapped, &old), RECORD_BACKWARD);
	ck_assert_int_eq(found_in(submit_lapped, &alone), RECORD_BACKWARD); /* its own end, one lap ago */
}
END_TEST

/* Takes any token: the last lap's will do. */
static void submit_any_token(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	uint64_t *link = q->state->link, next;

	if (!(gin_exchange64_gpu(&link[base & q->mask], end << 1) & 1))
		return;
	for (;;) {
		gin_sq_ring(q, end);
		next = gin_exchange64_gpu(&link[end & q->mask], end << 1 | 1);
		if (next & 1 || (next >> 1) - end - 1 > q->mask)
			return;
		end = next >> 1;
	}
}

START_TEST(a_token_of_an_older_lap_is_caught)
{
	ck_assert_int_ne(found_in(submit_any_token, &crowded), NONE);
}
END_TEST

/* Looks and then leaves its end, in two accesses: a token that comes between the two is lost. */
static void submit_two_accesses(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	uint64_t *link = q->state->link, next;

	next = gin_load64_gpu(&link[base & q->mask]);
	gin_store64_gpu(&link[base & q->mask], end << 1);
	if (next != (base << 1 | 1))
		return;
	for (;;) {
		gin_sq_ring(q, end);
		next = gin_exchange64_gpu(&link[end & q->mask], end << 1 | 1);
		if (next & 1 || (next >> 1) - end - 1 > q->mask)
			return;
		end = next >> 1;
	}
}

START_TEST(a_lost_token_is_caught)
{
	const struct plan two = { .depth = 4, .n_producers = 2, .parts = { { 1 }, { 1 } } };

	ck_assert_int_eq(found_in(submit_two_accesses, &two), UNRUNG);
	ck_assert_int_ne(found_in(submit_two_accesses, &crowded), NONE);
}
END_TEST

/* Rings once and does not look for who came meanwhile. */
static void submit_rings_once(const struct gin_dev_sq *q, uint64_t base, uint64_t end)
{
	uint64_t *link = q->state->link;

	if (gin_exchange64_gpu(&link[base & q->mask], end << 1) != (base << 1 | 1))
		return;
	gin_sq_ring(q, end);
	gin_exchange64_gpu(&link[end & q->mask], end << 1 | 1);
}

START_TEST(a_part_left_behind_is_caught)
{
	const struct plan two = { .depth = 4, .n_producers = 2, .parts = { { 1 }, { 1 } } };

	ck_assert_int_eq(found_in(submit_rings_once, &two), UNRUNG);
	ck_assert_int_ne(found_in(submit_rings_once, &crowded), NONE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("handover");
	TCase *tc = tcase_create("handover");
	SRunner *runner = srunner_create(suite);

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, two_producers_on_a_ring_of_two);
	tcase_add_test(tc, two_producers_with_parts_of_two_on_a_ring_of_four);
	tcase_add_test(tc, parts_as_long_as_the_ring);
	tcase_add_test(tc, three_producers_on_a_ring_of_two);
	tcase_add_test(tc, three_producers_on_a_ring_of_four);
#if !defined(__SANITIZE_ADDRESS__)
	tcase_add_test(tc, three_producers_around_a_ring_of_two);
	tcase_add_test(tc, three_producers_around_a_ring_of_four);
#endif
	tcase_add_test(tc, ringing_at_once_is_caught);
	tcase_add_test(tc, a_lock_free_maximum_is_caught);
	tcase_add_test(tc, the_token_before_the_doorbell_is_caught);
	tcase_add_test(tc, an_end_of_an_older_lap_is_caught);
	tcase_add_test(tc, a_token_of_an_older_lap_is_caught);
	tcase_add_test(tc, a_lost_token_is_caught);
	tcase_add_test(tc, a_part_left_behind_is_caught);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
