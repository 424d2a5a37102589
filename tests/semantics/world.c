/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "nic/inject.h"
#include "nic/nic_priv.h"
#include "nic/soft.h"

enum { HEADER = 14, SEQ_AT = 14, BODY_AT = 18, ETHERTYPE = 0x88b5 /* IEEE 802 local experimental 1 */ };

/* Different lengths, among them the shortest and the longest. */
uint32_t world_frame_len(uint32_t seq)
{
	uint32_t h = (seq + 1) * 2654435761u;

	if (seq % 7 == 0)
		return 60;
	if (seq % 7 == 1)
		return 1514;
	return 60 + (h >> 8) % (1514 - 60 + 1);
}

static uint8_t body_byte(uint32_t seq, uint32_t i)
{
	return (uint8_t)(seq * 31 + i * 7 + (i >> 8));
}

uint32_t world_frame(const struct world *w, uint32_t seq, uint8_t *buf)
{
	uint32_t len = world_frame_len(seq), i;

	memcpy(buf, w->info.mac, 6);
	memcpy(buf + 6, "\x02\xaa\xaa\xaa\xaa\x01", 6);
	buf[12] = ETHERTYPE >> 8;
	buf[13] = ETHERTYPE & 0xff;
	for (i = 0; i < 4; i++)
		buf[SEQ_AT + i] = (uint8_t)(seq >> (24 - 8 * i));
	for (i = BODY_AT; i < len; i++)
		buf[i] = body_byte(seq, i);
	return len;
}

uint32_t world_seq(const uint8_t *frame)
{
	const uint8_t *b = frame + SEQ_AT;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

int world_frame_ok(const uint8_t *frame, uint32_t len)
{
	uint32_t seq, i;

	if (len < BODY_AT)
		return 0;
	seq = world_seq(frame);
	if (len != world_frame_len(seq))
		return 0;
	for (i = BODY_AT; i < len; i++)
		if (frame[i] != body_byte(seq, i))
			return 0;
	return 1;
}

static uint32_t source_ready(void *ctx)
{
	struct world *w = ctx;

	return w->put < w->n_frames;
}

static void source_step(void *ctx, uint32_t which)
{
	struct world *w = ctx;
	uint8_t frame[2048];
	uint32_t len = w->make ? w->make(w, w->put, frame) : world_frame(w, w->put, frame);

	(void)which;
	if (sn_test_put(w->device, frame, len))
		w->refused_put++;
	else
		w->put++;
}

static uint32_t always_ready(void *ctx)
{
	(void)ctx;
	return 1;
}

static uint64_t never(void *ctx)
{
	(void)ctx;
	return GIN_SIM_NEVER;
}

static void sink_step(void *ctx, uint32_t which)
{
	struct world *w = ctx;
	uint8_t frame[10000];
	int len;

	(void)which;
	if (w->sink_shut)
		return;
	len = sn_test_take(w->device, frame, sizeof(frame));
	if (len < 0)
		return;
	w->taken++;
	if (w->on_frame)
		w->on_frame(w, frame, (uint32_t)len);
}

/* A ck_assert that holds costs a system call, and this runs thousands of times. */
void world_check_sums(struct world *w)
{
	struct gin_nic_stats s;
	uint64_t rx, tx;

	if (gin_nic_stats(w->nic, &s))
		ck_abort_msg("seed %" PRIu64 ": no counters", w->seed);
	rx = s.rx_delivered + s.rx_to_host + s.rx_in_flight + s.rx_drop_filter + s.rx_drop_by_rule + s.rx_drop_no_buffer +
	     s.rx_drop_too_long + s.rx_drop_bad_frame + s.rx_drop_queue_error + s.rx_drop_link_down;
	tx = s.tx_wire + s.tx_in_flight + s.tx_drop_too_long + s.tx_drop_link_down + s.tx_drop_queue_error;
	if (s.rx_wire + s.rx_duplicated != rx)
		ck_abort_msg("seed %" PRIu64 ": %" PRIu64 " frames came, the sum is %" PRIu64, w->seed,
			     s.rx_wire + s.rx_duplicated, rx);
	if (s.tx_posted != tx)
		ck_abort_msg("seed %" PRIu64 ": %" PRIu64 " packets posted, the sum is %" PRIu64, w->seed, s.tx_posted, tx);
}

void world_check_quiet(struct world *w)
{
	struct gin_nic_stats s;

	world_check_sums(w);
	ck_assert_int_eq(gin_nic_stats(w->nic, &s), 0);
	ck_assert_uint_eq(s.rx_in_flight, 0);
	ck_assert_uint_eq(s.tx_in_flight, 0);
}

static void witness_step(void *ctx, uint32_t which)
{
	struct world *w = ctx;

	(void)which;
	world_check_sums(w);
	w->snapshots++;
	if (w->on_witness)
		w->on_witness(w);
}

static void fail_says_seed(enum gin_log_level level, const char *line, void *arg)
{
	struct world *w = arg;

	if (level <= GIN_LOG_WARNING && getenv("GINET_SEED"))
		fprintf(stderr, "[step %" PRIu64 "] %s\n", w->sim ? gin_sim_steps(w->sim) : 0, line);
}

void world_open(struct world *w, uint64_t seed, const char *options)
{
	char name[256];

	w->seed = seed;
	gin_log_to(fail_says_seed, w);
	snprintf(name, sizeof(name), "cpu:sim,seed=%" PRIu64, seed);
	ck_assert_int_eq(gin_gpu_open(name, &w->gpu), 0);
	w->sim = gin_sim_current();
	ck_assert_ptr_nonnull(w->sim);
	snprintf(name, sizeof(name), "soft:test%s%s%s", strstr(options, "adversary=") ? "" : ",adversary=1", *options ? "," : "",
		 options);
	ck_assert_int_eq(gin_nic_open(name, &w->nic), 0);
	w->device = gin_nic_soft_device(gin_inject_inner(w->nic->dev));
	ck_assert_int_eq(gin_nic_info(w->nic, &w->info), 0);
	w->source = (struct gin_actor){ "source", source_ready, source_step, never, w, NULL };
	w->sink = (struct gin_actor){ "sink", always_ready, sink_step, never, w, NULL };
	w->witness = (struct gin_actor){ "witness", always_ready, witness_step, never, w, NULL };
	gin_sim_add(w->sim, &w->source);
	gin_sim_add(w->sim, &w->sink);
	gin_sim_add(w->sim, &w->witness);
}

uint64_t world_close(struct world *w)
{
	uint64_t hash = gin_sim_trace(w->sim);

	gin_sim_remove(w->sim, &w->witness);
	gin_sim_remove(w->sim, &w->sink);
	gin_sim_remove(w->sim, &w->source);
	gin_nic_close(w->nic);
	gin_gpu_close(w->gpu);
	gin_log_to(NULL, NULL);
	return hash;
}

void world_run_until(struct world *w, int (*done)(void *arg), void *arg)
{
	int err = gin_sim_run(w->sim, done, arg, 20000000);

	ck_assert_msg(!err, "seed %" PRIu64 ": %s after %" PRIu64 " steps", w->seed, strerror(-err), gin_sim_steps(w->sim));
}

static int kernels_ended(void *arg)
{
	struct world *w = arg;

	return w->gpu->ops->poll(w->gpu, NULL) != -EAGAIN;
}

void world_run(struct world *w)
{
	world_run_until(w, kernels_ended, w);
}

void world_property(void (*property)(uint64_t seed, uint64_t *hash), uint64_t first, uint32_t n)
{
	const char *one = getenv("GINET_SEED"), *count = getenv("GINET_SEEDS");
	uint64_t seed, hash[2];
	uint32_t i;

	if (count)
		n = (uint32_t)strtoul(count, NULL, 0);
	if (one) {
		first = strtoull(one, NULL, 0);
		n = 1;
	}
	for (i = 0; i < n; i++) {
		seed = first + i;
		fprintf(stderr, "\rseed %" PRIu64 " ", seed); /* the last line of a failure: GINET_SEED=that replays it */
		property(seed, &hash[0]);
		property(seed, &hash[1]);
		ck_assert_msg(hash[0] == hash[1], "seed %" PRIu64 ": two runs differ", seed);
	}
	fprintf(stderr, "\n");
}
