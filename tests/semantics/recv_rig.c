/* SPDX-License-Identifier: BSD-3-Clause */
#include "recv_rig.h"
#include <errno.h>
#include <string.h>
#include "sim/mix.h"

uint32_t recv_choose(struct recv *r, uint32_t below)
{
	return (uint32_t)gin_mix_below(gin_mix_next(&r->rng), below);
}

/* Just below the wraps of 16 and 24 bits; 0 is the usual start. */
static uint32_t first_index(struct recv *r)
{
	static const uint32_t wraps[] = { 0, 0x10000, 0x1000000 };
	uint32_t wrap = wraps[recv_choose(r, 3)];

	return wrap ? wrap - 1 - recv_choose(r, 80) : 0;
}

static void open_world(struct recv *r, uint64_t seed)
{
	char options[128];
	uint32_t first = first_index(r), l2 = recv_choose(r, 2), shared = recv_choose(r, 2);

	snprintf(options, sizeof(options), "first_index=%u,inline=%s,uar=%s", first, l2 ? "l2" : "none",
		 shared ? "shared" : "dedicated");
	world_open(&r->w, seed, options);
}

static void open_sized(struct recv *r, uint64_t seed, enum recv_scope scope, enum recv_back back, int all_64)
{
	static const uint32_t ring_sizes[] = { 1, 2, 8, 64 };
	struct gin_rxq_config rx = { 0 };
	struct gin_txq_config tx = { 0 };

	memset(r, 0, sizeof(*r));
	r->rng = gin_mix64(seed);
	open_world(r, seed);
	rx.n_slots = all_64 ? 64 : ring_sizes[recv_choose(r, 4)];
	rx.headroom = recv_choose(r, 2) * 64;
	/* A warp or block sends a run by one call: it must fit. A thread's ring may be of any size. */
	tx.n_wqes = scope == RECV_THREAD && !all_64 ? 1u << recv_choose(r, 7) : 64;
	world_eq(gin_rxq_create(r->w.nic, r->w.gpu, &rx, &r->rxq), 0);
	world_eq(gin_txq_create(r->w.nic, r->w.gpu, &tx, &r->txq), 0);
	world_eq(gin_mem_alloc(r->w.gpu, GIN_MEM_GPU, sizeof(struct recv_log), &r->log_mem), 0);
	r->log = r->log_mem.cpu;
	r->args.rxq = gin_rxq_dev(r->rxq);
	r->args.txq = gin_txq_dev(r->txq);
	r->args.log = r->log;
	r->args.first = r->args.rxq.state->ci;
	r->args.seed = gin_mix_next(&r->rng);
	r->args.scope = scope;
	r->args.back = back;
	r->args.hold = recv_choose(r, 2) ? recv_choose(r, 200) : 0;
	r->args.bad_key = RECV_NO_PKT;
}

void recv_open(struct recv *r, uint64_t seed, enum recv_scope scope, enum recv_back back)
{
	open_sized(r, seed, scope, back, 0);
}

void recv_open_64(struct recv *r, uint64_t seed, enum recv_scope scope, enum recv_back back)
{
	open_sized(r, seed, scope, back, 1);
}

void recv_launch(struct recv *r)
{
	struct gin_launch_config cfg = { .block = { 1, 1, 1 } };

	if (r->args.scope != RECV_THREAD)
		cfg.block.x = 32;
	if (r->args.scope == RECV_BLOCK)
		cfg.block.x = 64 + 32 * recv_choose(r, 2);
	world_eq(gin_launch(r->w.gpu, &gin_kernel_recv_all, &cfg, &r->args, sizeof(r->args)), 0);
}

int recv_all_taken(void *arg)
{
	struct recv *r = arg;
	struct gin_nic_stats s;

	if (r->w.put < r->w.n_frames)
		return 0;
	gin_nic_stats(r->w.nic, &s);
	return !s.rx_in_flight && r->log->taken == s.rx_delivered && !s.tx_in_flight && r->w.taken == r->log->sent;
}

void recv_stop(struct recv *r)
{
	gin_gpu_stop(r->w.gpu);
	world_run(&r->w);
}

void recv_check_runs(struct recv *r)
{
	const struct recv_log *log = r->log;
	uint64_t next = r->args.first;
	uint32_t i;

	world_eq(log->max_0, -EINVAL);
	world_eq(log->lanes_differ, 0);
	world_ok(log->n_runs <= RECV_RUNS && log->taken <= RECV_PKTS);
	for (i = 0; i < log->n_runs; i++) {
		world_eq(log->runs[i].first, next);
		world_ok(log->runs[i].n >= 1);
		world_ok(log->runs[i].n <= log->runs[i].max);
		world_ok(log->runs[i].n <= r->args.rxq.mask + 1);
		next += log->runs[i].n;
	}
	world_eq(next - r->args.first, log->taken);
}

uint32_t recv_seq(const struct recv_pkt *p, uint32_t seq_at)
{
	const uint8_t *b = p->head + seq_at;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

void recv_check_pkts(struct recv *r, uint32_t seq_at)
{
	const struct recv_pkt *p, *before = NULL;
	uint8_t frame[1518];
	uint32_t i, len, seq;

	for (i = 0; i < r->log->taken; i++, before = p) {
		p = &r->log->pkts[i];
		seq = recv_seq(p, seq_at);
		world_eq(p->times, 1);
		world_ok(seq < r->w.n_frames);
		len = r->w.make ? r->w.make(&r->w, seq, frame) : world_frame(&r->w, seq, frame);
		world_eq(p->len, len);
		world_eq(p->hash, recv_hash(frame, len));
		world_eq(p->hash_again, p->hash);
		if (!before)
			continue;
		world_ok(seq > recv_seq(before, seq_at));
		world_ok(p->time_ns > before->time_ns);
	}
}
