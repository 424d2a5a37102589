/* SPDX-License-Identifier: BSD-3-Clause */
#include "send_rig.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ginet/dev/txq.h>
#include "gpu/gpu_priv.h"
#include "ip_frame.h"
#include "sim/mix.h"

enum {
	FRAME_ROOM = 2048,
	MAX_FRAME = 1518, /* MTU 1500, Ethernet header, a VLAN tag */
	MAX_LANES = 256,
	SEQ_PRODUCER = 1 << 16, /* a frame's number: producer * this + its place */
	PLENTY = 1000000,	/* steps; a plan needs a few 10,000 */
};
#define L2_INLINE 18u
#define ANY_ERROR 1 /* no errno: a call that may come back with one of several results */

/* A frame that came. sums: those that are right. */
struct got {
	uint32_t seq, sums;
};

struct rig {
	struct world w;
	const struct rig_cfg *cfg;
	uint64_t rng;
	struct gin_txq *txq;
	struct gin_mem calls_mem, frames_mem;
	struct gin_mr *mr;
	struct send_args args;
	uint32_t n_threads, per_producer, n_producers, n_inline;
	struct send_call *calls;
	int *expect;		    /* [producer][call]: 0, an errno or ANY_ERROR */
	uint32_t *next;		    /* [producer]: its next frame number */
	const struct send_pkt *bad; /* the packet with the wrong key */
	struct got *got; /* at the wire */
	uint32_t n_got, max_got;
	uint32_t n_packets; /* of all calls that succeeded */
	char *why;
};

static char why_not[256];

static void wrong(struct rig *r, const char *fmt, ...)
{
	va_list ap;

	if (r->why)
		return;
	va_start(ap, fmt);
	vsnprintf(why_not, sizeof(why_not), fmt, ap);
	va_end(ap);
	r->why = why_not;
}

uint32_t rig_draw(uint64_t *rng, uint32_t below)
{
	return (uint32_t)gin_mix_below(gin_mix_next(rng), below);
}

static uint32_t draw(struct rig *r, uint32_t below)
{
	return rig_draw(&r->rng, below);
}

static int may(const struct rig *r, uint32_t flag)
{
	return (r->cfg->flags & flag) != 0;
}

static int one_in(struct rig *r, uint32_t flag, uint32_t n)
{
	return may(r, flag) && draw(r, n) == 0;
}

void rig_geometry(struct rig_cfg *cfg, uint64_t *rng)
{
	cfg->blocks = cfg->own ? 1 : 1 + rig_draw(rng, 2);
	if (cfg->scope == SEND_THREAD)
		cfg->threads = cfg->own ? 1 : 1 + rig_draw(rng, 6);
	else if (cfg->scope == SEND_WARP)
		cfg->threads = cfg->own ? 32 : 32 * (1 + rig_draw(rng, 2));
	else
		cfg->threads = 64;
}

static struct send_call *call_of(const struct rig *r, uint32_t thread, uint32_t i)
{
	return &r->calls[thread * r->cfg->n_calls + i];
}

/* The plan */

static void put_frame(struct rig *r, struct send_pkt *pkt, uint32_t thread, uint32_t i, uint32_t k, uint32_t seq)
{
	size_t slot = ((size_t)thread * r->cfg->n_calls + i) * SEND_RAW_MAX + k;
	struct gin_addr mem = gin_mr_local(r->mr);

	pkt->data = (uint8_t *)r->frames_mem.gpu + slot * FRAME_ROOM + draw(r, 4);
	pkt->lkey = mem.key;
	pkt->len = may(r, RIG_CSUM) ? ip_frame(r->w.info.mac, seq, pkt->data) : world_frame(&r->w, seq, pkt->data);
}

/* WQEBBs of a packet of several pieces, with the NOP that carries the CQE of longer ones. */
static uint32_t segs_wqebbs(const struct rig *r, const struct send_call *c)
{
	uint32_t parts = 2 + c->n_segs, wqebbs;

	if (r->n_inline && c->segs[0] > r->n_inline)
		parts++;
	wqebbs = parts / 4 + (parts % 4 != 0);
	return wqebbs == 1 ? 1 : wqebbs + 1;
}

static void cut_in_pieces(struct rig *r, struct send_call *c)
{
	uint32_t left = c->pkt[0].len, s, least, most;

	c->n_segs = 1 + draw(r, SEND_SEGS_MAX);
	for (s = 0; s + 1 < c->n_segs; s++) {
		least = s == 0 && r->n_inline ? r->n_inline : 1;
		most = (left - (c->n_segs - s)) / 4 + 1; /* something is left for each of the others */
		c->segs[s] = least + (most > least ? draw(r, most - least) : 0);
		left -= c->segs[s];
	}
	c->segs[s] = left;
}

/* A length that no frame can have, and what send says of it. */
static int spoil(struct rig *r, struct send_pkt *pkt)
{
	if (draw(r, 2)) {
		pkt->len = 1 + draw(r, 13); /* less than an Ethernet header */
		return -EINVAL;
	}
	pkt->len = MAX_FRAME + 1 + draw(r, 400);
	return -EMSGSIZE;
}

/* Packets of one thread in a call of its own. */
static int plan_thread(struct rig *r, uint32_t thread, uint32_t i)
{
	struct send_call *c = call_of(r, thread, i);
	uint32_t k;

	c->kind = one_in(r, RIG_SEGS, 2) ? SEND_SEGS : one_in(r, RIG_RAW, 3) ? SEND_RAW : SEND_PLAIN;
	c->n_pkts = 1;
	if (c->kind == SEND_PLAIN && !may(r, RIG_DENSE) && draw(r, 8) == 0)
		return 0; /* a call without a packet */
	if (c->kind == SEND_RAW)
		c->n_pkts = 1 + draw(r, r->cfg->depth < SEND_RAW_MAX ? r->cfg->depth : SEND_RAW_MAX);
	for (k = 0; k < c->n_pkts; k++)
		put_frame(r, &c->pkt[k], thread, i, k, thread * SEQ_PRODUCER + r->next[thread] + k);
	if (c->kind == SEND_SEGS) {
		cut_in_pieces(r, c);
		if (segs_wqebbs(r, c) > r->cfg->depth)
			return -EINVAL;
	}
	if (c->kind == SEND_PLAIN && one_in(r, RIG_REFUSED, 6))
		return spoil(r, &c->pkt[0]);
	r->next[thread] += c->n_pkts;
	return 0;
}

/* Packets of a warp's or block's lanes. */
static int plan_lanes(struct rig *r, uint32_t p, uint32_t i)
{
	static const uint32_t percents[] = {0, 4, 25, 60, 100};
	uint32_t first = p * r->per_producer, percent = may(r, RIG_DENSE) ? 100 : percents[draw(r, 5)], n = 0, lane,
		 seq;
	uint32_t most = one_in(r, RIG_REFUSED, 5) ? r->per_producer : r->cfg->depth;
	uint32_t skip = draw(r, r->per_producer); /* small rings: not always the first lanes */
	int expect = 0;

	for (lane = 0; lane < r->per_producer; lane++) {
		struct send_call *c = call_of(r, first + lane, i);

		c->n_pkts = 1;
		if (n >= most || draw(r, 100) >= percent)
			continue;
		if (most < r->per_producer && lane < skip && r->per_producer - lane > most)
			continue;
		seq = p * SEQ_PRODUCER + r->next[p] + n++;
		put_frame(r, &c->pkt[0], first + lane, i, 0, seq);
	}
	if (n > r->cfg->depth)
		expect = -EINVAL;
	if (one_in(r, RIG_REFUSED, 6)) {
		struct send_call *c = call_of(r, first + draw(r, r->per_producer), i);

		if (!c->pkt[0].len)
			put_frame(r, &c->pkt[0], first, i, 0, 0);
		expect = spoil(r, &c->pkt[0]);
	}
	if (!expect)
		r->next[p] += n;
	return expect;
}

static void plan_times(struct rig *r, uint32_t p, uint32_t i, int expect)
{
	uint64_t timeout_ns = GIN_UNTIL_STOP;
	uint32_t wait = may(r, RIG_WAIT_ALL) || one_in(r, RIG_WAIT, 3) ? 1 + draw(r, 2) : 0, lane;
	uint32_t csum = may(r, RIG_CSUM) ? draw(r, 4) : 0;

	if (one_in(r, RIG_TIMED, 2) || (may(r, RIG_CLOGGED) && !may(r, RIG_STOP)))
		timeout_ns = draw(r, 2) ? GIN_TRY : 1 + draw(r, 50000);
	if (!expect && (timeout_ns != GIN_UNTIL_STOP || may(r, RIG_STOP) || may(r, RIG_BAD_KEY)))
		expect = ANY_ERROR;
	r->expect[p * r->cfg->n_calls + i] = expect;
	for (lane = 0; lane < r->per_producer; lane++) {
		struct send_call *c = call_of(r, p * r->per_producer + lane, i);

		c->timeout_ns = timeout_ns;
		c->wait = wait;
		c->csum = csum;
		c->pauses = draw(r, 4) ? 0 : draw(r, 20);
	}
}

static void plan_all(struct rig *r)
{
	uint32_t p, i;

	for (i = 0; i < r->cfg->n_calls; i++)
		for (p = 0; p < r->n_producers; p++)
			plan_times(r, p, i, r->cfg->scope == SEND_THREAD ? plan_thread(r, p, i) : plan_lanes(r, p, i));
}

/* The first packet from a random place on gets a key that is none. */
static void spoil_key(struct rig *r)
{
	uint32_t n = r->n_threads * r->cfg->n_calls, at = draw(r, n), i;

	for (i = 0; i < n; i++) {
		struct send_call *c = &r->calls[(at + i) % n];
		uint32_t p = (at + i) % n / r->cfg->n_calls / r->per_producer;

		if (!c->pkt[0].len || r->expect[p * r->cfg->n_calls + (at + i) % n % r->cfg->n_calls] != ANY_ERROR)
			continue;
		c->pkt[0].lkey.raw ^= gin_swap32(0x1f); /* the variant */
		r->bad = &c->pkt[0];
		return;
	}
}

static void on_frame(struct world *w, const uint8_t *frame, uint32_t len)
{
	struct rig *r = w->arg;
	const char *bad = NULL;
	uint32_t seq;

	if (may(r, RIG_CSUM)) {
		bad = ip_frame_check(frame, len, &seq);
	} else {
		seq = len >= 18 ? world_seq(frame) : 0;
		if (!world_frame_ok(frame, len))
			bad = "not whole";
	}
	if (bad)
		wrong(r, "frame %u at the wire, number %u of producer %u: %s", r->n_got, seq % SEQ_PRODUCER,
		      seq / SEQ_PRODUCER, bad);
	if (r->n_got < r->max_got && !bad) {
		r->got[r->n_got].seq = seq;
		r->got[r->n_got].sums = may(r, RIG_CSUM) ? ip_frame_sums(frame) : 0;
	}
	r->n_got++;
}

static void open_rig(struct rig *r)
{
	const struct rig_cfg *cfg = r->cfg;
	struct gin_txq_config txq = {.n_wqes = cfg->depth};
	size_t n;

	r->rng = cfg->seed;
	world_open(&r->w, cfg->seed, cfg->options);
	r->w.arg = r;
	r->w.on_frame = on_frame;
	ck_assert_int_eq(gin_txq_create(r->w.nic, r->w.gpu, &txq, &r->txq), 0);
	r->args.q = gin_txq_dev(r->txq);
	r->args.n_calls = cfg->n_calls;
	r->args.scope = cfg->scope;
	r->args.own = cfg->own;
	r->args.others = may(r, RIG_OTHERS) ? 6 : 0;
	r->args.seed = cfg->seed;
	r->n_inline = strstr(cfg->options, "inline=l2") ? L2_INLINE : 0;
	r->n_threads = cfg->blocks * cfg->threads;
	ck_assert_uint_le(r->n_threads, MAX_LANES);
	r->per_producer = cfg->scope == SEND_THREAD ? 1 : cfg->scope == SEND_WARP ? 32 : cfg->threads;
	r->n_producers = r->n_threads / r->per_producer;
	n = (size_t)r->n_threads * cfg->n_calls;
	r->max_got = (uint32_t)n * SEND_RAW_MAX;
	ck_assert_int_eq(gin_mem_alloc(r->w.gpu, GIN_MEM_GPU, n * sizeof(struct send_call), &r->calls_mem), 0);
	ck_assert_int_eq(gin_mem_alloc(r->w.gpu, GIN_MEM_GPU, n * SEND_RAW_MAX * FRAME_ROOM, &r->frames_mem), 0);
	ck_assert_int_eq(gin_mr_create(r->w.nic, r->w.gpu, r->frames_mem.gpu, r->frames_mem.size, 0, &r->mr), 0);
	r->calls = r->args.calls = r->calls_mem.gpu;
	r->expect = calloc(r->n_producers * cfg->n_calls, sizeof(*r->expect));
	r->next = calloc(r->n_producers, sizeof(*r->next));
	r->got = calloc(r->max_got, sizeof(*r->got));
	ck_assert(r->expect && r->next && r->got);
	plan_all(r);
	if (may(r, RIG_BAD_KEY))
		spoil_key(r);
}

/* Running */

static int ended(void *arg)
{
	struct rig *r = arg;

	return r->w.gpu->ops->poll(r->w.gpu, NULL) != -EAGAIN;
}

static int never(void *arg)
{
	(void)arg;
	return 0;
}

static uint32_t packets_of(const struct rig *r, uint32_t p, uint32_t i)
{
	uint32_t lane, n = 0;

	if (r->cfg->scope == SEND_THREAD) {
		const struct send_call *c = call_of(r, p, i);

		return c->pkt[0].len ? c->n_pkts : 0;
	}
	for (lane = 0; lane < r->per_producer; lane++)
		n += call_of(r, p * r->per_producer + lane, i)->pkt[0].len != 0;
	return n;
}

static uint32_t packets_of_all(const struct rig *r)
{
	uint32_t p, i, n = 0;

	for (p = 0; p < r->n_producers; p++)
		for (i = 0; i < r->cfg->n_calls; i++)
			if (!call_of(r, p * r->per_producer, i)->err)
				n += packets_of(r, p, i);
	return n;
}

/* The NIC has heard of all packets, or the queue is dead, and none is under way. */
static int quiet(void *arg)
{
	struct rig *r = arg;
	struct gin_failure failure;
	struct gin_nic_stats s;

	if (gin_nic_stats(r->w.nic, &s) || s.tx_in_flight || s.tx_wire != r->w.taken)
		return 0;
	return s.tx_posted >= r->n_packets || gin_nic_failure(r->w.nic, &failure);
}

static void launch_and_end(struct rig *r)
{
	struct gin_launch_config cfg = {.grid = {r->cfg->blocks, 1, 1}, .block = {r->cfg->threads, 1, 1}};
	const struct gin_kernel *kernel = r->cfg->kernel ? r->cfg->kernel : &gin_kernel_send_plan;
	uint64_t max = r->cfg->max_steps ? r->cfg->max_steps : PLENTY;

	ck_assert_int_eq(gin_launch(r->w.gpu, kernel, &cfg, &r->args, sizeof(r->args)), 0);
	if (may(r, RIG_CLOGGED))
		gin_sim_remove(r->w.sim, &r->w.sink);
	if (may(r, RIG_STOP)) {
		gin_sim_run(r->w.sim, ended, r, draw(r, 2000u << draw(r, 5)));
		gin_gpu_stop(r->w.gpu);
	}
	if (gin_sim_run(r->w.sim, ended, r, max)) {
		wrong(r, "the kernel has not ended after %" PRIu64 " steps", gin_sim_steps(r->w.sim));
		gin_gpu_stop(r->w.gpu);
		world_run(&r->w);
	}
	if (r->w.gpu->ops->poll(r->w.gpu, NULL))
		wrong(r, "the kernel crashed");
	if (may(r, RIG_CLOGGED))
		gin_sim_add(r->w.sim, &r->w.sink);
	r->n_packets = packets_of_all(r);
	if (gin_sim_run(r->w.sim, quiet, r, max))
		wrong(r, "packets are under way for ever");
	gin_sim_run(r->w.sim, never, r, 300); /* would there be more? */
}

/* The verdict */

/* A call as the ring has it. */
struct part {
	uint64_t end;
	uint32_t n, producer, call;
};

static uint32_t wqebbs_of(const struct rig *r, uint32_t p, uint32_t i)
{
	const struct send_call *c = call_of(r, p * r->per_producer, i);

	return c->kind == SEND_SEGS ? segs_wqebbs(r, c) : packets_of(r, p, i);
}

static int is_possible(const struct rig *r, const struct send_call *c, int err)
{
	if (err == 0)
		return 1;
	if (err == -EAGAIN)
		return c->timeout_ns != GIN_UNTIL_STOP;
	if (err == -ECANCELED)
		return may(r, RIG_STOP);
	return err == -EIO && may(r, RIG_BAD_KEY);
}

static void check_answer(struct rig *r, uint32_t p, uint32_t i)
{
	const struct send_call *c = call_of(r, p * r->per_producer, i), *other;
	int expect = r->expect[p * r->cfg->n_calls + i];
	uint32_t lane;

	if (expect == ANY_ERROR ? !is_possible(r, c, c->err) : c->err != expect)
		wrong(r, "producer %u, call %u: %d instead of %d", p, i, c->err, expect);
	if (c->err == -EAGAIN && c->timeout_ns != GIN_TRY && c->ended_ns - c->began_ns < c->timeout_ns)
		wrong(r, "producer %u, call %u: -EAGAIN after %" PRIu64 " of %" PRIu64 " ns", p, i,
		      c->ended_ns - c->began_ns, c->timeout_ns);
	for (lane = 0; lane < r->per_producer; lane++) {
		other = call_of(r, p * r->per_producer + lane, i);
		if (other->err != c->err || (!c->err && other->ticket != c->ticket))
			wrong(r, "producer %u, call %u: lane %u has %d and ticket %" PRIu64 ", lane 0 %d and %" PRIu64,
			      p, i, lane, other->err, other->ticket, c->err, c->ticket);
		if (!c->err && (other->wait_err || other->other_err) && !may(r, RIG_STOP) && !may(r, RIG_BAD_KEY))
			wrong(r, "producer %u, call %u: wait gives %d, another thread's %d", p, i, other->wait_err,
			      other->other_err);
	}
}

static int by_end(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->end < y->end ? -1 : x->end > y->end;
}

/* Calls that took a part of the ring, in the ring's order. */
static struct part *sort_parts(struct rig *r, uint32_t *n_parts)
{
	struct part *parts = calloc(r->n_producers * r->cfg->n_calls + 1, sizeof(*parts));
	uint32_t p, i, n = 0;

	ck_assert_ptr_nonnull(parts);
	for (p = 0; p < r->n_producers; p++) {
		for (i = 0; i < r->cfg->n_calls; i++) {
			const struct send_call *c = call_of(r, p * r->per_producer, i);
			struct part part = {c->ticket, wqebbs_of(r, p, i), p, i};

			if (!c->err && part.n)
				parts[n++] = part;
		}
	}
	qsort(parts, n, sizeof(*parts), by_end);
	*n_parts = n;
	return parts;
}

/* No hole, nothing given twice. */
static void check_parts(struct rig *r, const struct part *parts, uint32_t n, uint64_t first)
{
	uint64_t next = first;
	uint32_t i;

	for (i = 0; i < n; i++) {
		next += parts[i].n;
		if (parts[i].end != next)
			wrong(r, "producer %u, call %u: ticket %" PRIu64 ", but the ring's parts reach up to %" PRIu64,
			      parts[i].producer, parts[i].call, parts[i].end, next);
	}
	if (r->args.q.sq.state->reserved != next)
		wrong(r, "reserved is %" PRIu64 ", calls took the ring up to %" PRIu64, r->args.q.sq.state->reserved,
		      next);
}

/* A call without a packet: its ticket is where some call's part ends, and never before the producer's own last. */
static void check_empty_calls(struct rig *r, const struct part *parts, uint32_t n, uint64_t first)
{
	uint32_t p, i, k;

	for (p = 0; p < r->n_producers; p++) {
		uint64_t last = first;

		for (i = 0; i < r->cfg->n_calls; i++) {
			const struct send_call *c = call_of(r, p * r->per_producer, i);
			int found = c->ticket == first;

			if (c->err)
				continue;
			if (c->ticket < last)
				wrong(r, "producer %u, call %u: ticket goes back", p, i);
			if (r->cfg->own && !packets_of(r, p, i) && c->ticket != last)
				wrong(r, "producer %u, call %u: not the last ticket", p, i);
			last = c->ticket;
			for (k = 0; k < n && !found; k++)
				found = parts[k].end == c->ticket;
			if (!found)
				wrong(r, "producer %u, call %u: ticket %" PRIu64 " is no call's end", p, i, c->ticket);
		}
	}
}

/* seq of the packets of a call, in order. In each producer's plan the numbers of calls that expect 0 run on. */
static uint32_t first_seq(const struct rig *r, uint32_t p, uint32_t call)
{
	uint32_t i, k = 0;

	for (i = 0; i < call; i++) {
		int expect = r->expect[p * r->cfg->n_calls + i];

		if (expect == 0 || expect == ANY_ERROR)
			k += packets_of(r, p, i);
	}
	return p * SEQ_PRODUCER + k;
}

static int is_bad(const struct rig *r, const struct part *part, uint32_t k)
{
	uint32_t lane, n = 0;

	if (r->cfg->scope == SEND_THREAD)
		return &call_of(r, part->producer, part->call)->pkt[k] == r->bad;
	for (lane = 0; lane < r->per_producer; lane++) {
		const struct send_call *c = call_of(r, part->producer * r->per_producer + lane, part->call);

		if (c->pkt[0].len && n++ == k)
			return &c->pkt[0] == r->bad;
	}
	return 0;
}

static void check_failure(struct rig *r, uint64_t index)
{
	struct gin_failure failure;
	struct gin_nic_stats s;
	struct gin_pkt pkt = {.data = r->frames_mem.cpu, .len = 60};
	uint64_t ticket;
	int i;

	if (gin_nic_failure(r->w.nic, &failure) != -EIO) {
		wrong(r, "gin_nic_failure() knows of none");
		return;
	}
	if (failure.syndrome != 0x04 || failure.index != index || failure.wqe_counter != (uint16_t)index)
		wrong(r, "failure at %" PRIu64 " (%u) with syndrome 0x%02x, not at %" PRIu64 " with 0x04",
		      failure.index, failure.wqe_counter, failure.syndrome, index);
	if (!strstr(failure.text, "lkey"))
		wrong(r, "the failure's text does not name the lkey: %s", failure.text);
	for (i = 0; i < 2; i++)
		if (gin_txq_test(&r->args.q, index + 1) != -EIO ||
		    gin_txq_wait(&r->args.q, index + 1, GIN_UNTIL_STOP) != -EIO)
			wrong(r, "the error has gone");
	/* A queue that is dead takes what fits into the ring, no more. */
	for (i = 0; i <= (int)r->cfg->depth; i++)
		if (gin_txq_send(&r->args.q, &pkt, NULL, GIN_UNTIL_STOP, &ticket) == -EIO)
			break;
	if (i > (int)r->cfg->depth)
		wrong(r, "a dead queue takes packets for ever");
	if (gin_txq_send(&r->args.q, &pkt, NULL, GIN_TRY, &ticket) != -EIO)
		wrong(r, "the send after -EIO does not see it");
	gin_nic_stats(r->w.nic, &s);
	if (!s.tx_drop_queue_error)
		wrong(r, "no packet counts as lost to the error");
}

static void check_frame(struct rig *r, uint32_t at, uint32_t seq, uint32_t csum)
{
	const struct got *got = &r->got[at];

	if (got->seq != seq)
		wrong(r, "frame %u at the wire is packet %u of producer %u, not %u of %u", at, got->seq % SEQ_PRODUCER,
		      got->seq / SEQ_PRODUCER, seq % SEQ_PRODUCER, seq / SEQ_PRODUCER);
	/* GIN_TX_L3_CSUM and IP_FRAME_L3 are both 1, those of L4 both 2. What was not asked for stays wrong. */
	if (may(r, RIG_CSUM) && got->sums != csum)
		wrong(r, "frame %u at the wire: right sums are 0x%x, asked for were 0x%x", at, got->sums, csum);
}

/* What left is what the ring says, in its order, up to the bad packet. */
static void check_wire(struct rig *r, const struct part *parts, uint32_t n)
{
	uint32_t at = 0, i, k;
	struct gin_nic_stats s;

	for (i = 0; i < n; i++) {
		const struct part *part = &parts[i];
		uint32_t seq = first_seq(r, part->producer, part->call),
			 n_pkts = packets_of(r, part->producer, part->call);

		for (k = 0; k < n_pkts; k++, at++) {
			if (is_bad(r, part, k)) {
				check_failure(r, part->end - part->n + k);
				goto out;
			}
			if (at >= r->n_got) {
				wrong(r, "packet %u of producer %u never left", (seq + k) % SEQ_PRODUCER,
				      part->producer);
				return;
			}
			check_frame(r, at, seq + k, call_of(r, part->producer * r->per_producer, part->call)->csum);
		}
	}
	gin_nic_stats(r->w.nic, &s);
	if (s.tx_posted != at || s.refused)
		wrong(r, "%u packets, %" PRIu64 " posted, %" PRIu64 " doorbells refused", at, s.tx_posted, s.refused);
out:
	if (at != r->n_got)
		wrong(r, "%u packets were sent, %u frames came", at, r->n_got);
}

static void judge(struct rig *r)
{
	uint64_t first = (uint64_t)r->args.q.sq.state->reserved; /* so far only an upper bound */
	uint32_t p, i, n;
	struct part *parts;

	for (p = 0; p < r->n_producers; p++)
		for (i = 0; i < r->cfg->n_calls; i++)
			check_answer(r, p, i);
	parts = sort_parts(r, &n);
	for (i = 0; i < n; i++)
		first -= parts[i].n;
	check_parts(r, parts, n, first);
	check_empty_calls(r, parts, n, first);
	check_wire(r, parts, n);
	free(parts);
	if (!r->why)
		world_check_quiet(&r->w);
}

const char *rig_run(const struct rig_cfg *cfg, uint64_t *hash)
{
	struct rig r;

	memset(&r, 0, sizeof(r));
	r.cfg = cfg;
	open_rig(&r);
	launch_and_end(&r);
	if (!r.why)
		judge(&r);
	gin_mr_destroy(r.mr);
	gin_txq_destroy(r.txq);
	*hash = world_close(&r.w);
	free(r.expect);
	free(r.next);
	free(r.got);
	return r.why;
}
