/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls in kernels answer: nothing there, no room, too late, stopped, broken. */
#include "rig.h"
#include <ginet/hw/cqe.h>
#include <string.h>

enum { DEPTH = 64, OUT = 0, SHORT_NS = 2000000 };

static int run_answers(struct rig *g, struct result *r, int64_t *out)
{
	struct chk_answers_args args = {
	    .depth = DEPTH, .short_ns = SHORT_NS, .frame = g->frames.gpu, .out = g->words.gpu};

	args.rxq = gin_rxq_dev(g->end[0].rxq);
	args.txq = gin_txq_dev(g->end[0].txq);
	args.lkey = rig_lkey(g);
	if (gin_launch(g->gpu, &gin_kernel_chk_answers, NULL, &args, sizeof(args)))
		return bad(r, "%s", last_error_line());
	return rig_wait(g->gpu, r, 10000) || rig_read(g, r, out, OUT, A_N * sizeof(*out)) ? -1 : 0;
}

/* A frame to ourselves: addresses, type 0x88b5, then a pattern. */
static uint64_t fill_frame(struct rig *g)
{
	uint8_t *frame = g->frames.cpu;
	uint64_t h = 0xcbf29ce484222325ull;
	int i;

	memcpy(frame, g->end[0].info.mac, 6);
	memcpy(frame + 6, g->end[0].info.mac, 6);
	frame[12] = 0x88;
	frame[13] = 0xb5;
	for (i = 14; i < CHK_PADDED; i++)
		frame[i] = (uint8_t)(200 - i);
	for (i = 0; i < CHK_PADDED; i++)
		h = (h ^ frame[i]) * 0x100000001b3ull;
	return h;
}

static int not_before(struct result *r, const char *what, int64_t ns)
{
	return ns >= SHORT_NS ? 0 : bad(r, "%s: came back after %lld ns, asked for %d", what, (long long)ns, SHORT_NS);
}

static int judge_waits(struct result *r, const int64_t *a)
{
	return want(r, "receive on an empty queue, at once", a[A_TRY], -EAGAIN) ||
	       want(r, "receive on an empty queue, 2 ms", a[A_SHORT], -EAGAIN) ||
	       not_before(r, "receive", a[A_SHORT_NS]) || want(r, "receive of at most 0", a[A_MAX_0], -EINVAL) ||
	       want(r, "reserving the whole ring", a[A_TAKE_ALL], 0) ||
	       want(r, "send into a full ring, at once", a[A_FULL_TRY], -EAGAIN) ||
	       want(r, "send into a full ring, 2 ms", a[A_FULL_SHORT], -EAGAIN) ||
	       not_before(r, "send", a[A_FULL_SHORT_NS]) ||
	       want(r, "reserving more than a ring", a[A_TOO_MANY], -EINVAL) ||
	       want(r, "test of what was not sent", a[A_UNSENT_TEST], -EAGAIN) ||
	       want(r, "wait for what was not sent, 2 ms", a[A_UNSENT_WAIT], -EAGAIN) ||
	       not_before(r, "wait", a[A_UNSENT_WAIT_NS]) || want(r, "wait for the ring's end", a[A_SENT_WAIT], 0) ||
	       want(r, "test of the ring's end", a[A_SENT_TEST], 0) ||
	       want(r, "frames of a full ring", a[A_GOT], DEPTH);
}

static int judge_frames(struct result *r, const int64_t *a, uint64_t hash)
{
	return want(r, "send of 13 bytes", a[A_SHORT_FRAME], -EINVAL) ||
	       want(r, "send of more than the MTU", a[A_LONG_FRAME], -EMSGSIZE) ||
	       want(r, "send of nothing", a[A_NO_FRAME], 0) || want(r, "its ticket", a[A_NO_FRAME_TICKET], 0) ||
	       want(r, "an old ticket", a[A_OLD_TICKET], 0) || want(r, "send of ten pieces", a[A_SEGS], 0) ||
	       want(r, "wait for ten pieces", a[A_SEGS_WAIT], 0) ||
	       want(r, "length of ten pieces", a[A_SEGS_LEN], CHK_PADDED) ||
	       want(r, "bytes of ten pieces", a[A_SEGS_HASH], (int64_t)hash) ||
	       want(r, "IP version that the NIC saw", a[A_L3_TYPE], GIN_CQE_L3_NONE) || want(r, "tag", a[A_TAG], 0);
}

/* The NIC stamped it after we read its clock, and before we read it again. */
static int judge_time(struct result *r, int64_t at, uint64_t before, uint64_t after)
{
	if ((uint64_t)at < before || (uint64_t)at > after)
		return bad(r, "arrival %lld ns is not within %llu and %llu", (long long)at, (unsigned long long)before,
			   (unsigned long long)after);
	return 0;
}

int row_answers(const struct setting *s, struct result *r, int arg)
{
	struct rig_config cfg = {.near = "soft:loop", .n_wqes = DEPTH, .frame_bytes = 4096};
	int64_t out[A_N];
	uint64_t hash, before = 0, after = 0;
	struct rig g;
	int err = rig_open(&g, s, r, &cfg);

	(void)arg;
	if (!err) {
		hash = fill_frame(&g);
		gin_nic_time(g.end[0].nic, &before);
		err = run_answers(&g, r, out);
		gin_nic_time(g.end[0].nic, &after);
		if (!err && (judge_waits(r, out) || judge_frames(r, out, hash) ||
			     judge_time(r, out[A_TIME], before, after) || rig_sums(&g.end[0], r, DEPTH + 1, DEPTH + 1)))
			err = -1;
	}
	rig_close(&g);
	return err;
}

static int open_waiters(struct rig *g, struct result *r, struct chk_stop_args *args)
{
	struct gin_rxq *rxq;
	int i;

	args->rxq[0] = gin_rxq_dev(g->end[0].rxq);
	for (i = 1; i < 3; i++) {
		if (gin_rxq_create(g->end[0].nic, g->gpu, NULL, &rxq))
			return bad(r, "%s", last_error_line());
		args->rxq[i] = gin_rxq_dev(rxq);
	}
	args->txq = gin_txq_dev(g->end[0].txq);
	args->depth = DEPTH;
	args->ready = g->words.gpu;
	args->out = (int32_t *)g->words.gpu + 16;
	args->again = (int32_t *)g->words.gpu + 32;
	return 0;
}

static int await_waiters(struct rig *g, struct result *r)
{
	uint64_t until = now_ns() + 10000000000ull;
	uint32_t ready = 0;

	while (ready < CHK_STOPPED) {
		if (now_ns() > until)
			return bad(r, "%u of %d blocks started in 10 s", ready, CHK_STOPPED);
		if (gin_gpu_wait(g->gpu, 1000000) != -EAGAIN)
			return bad(r, "the kernel ended before it was stopped: %s", last_error_line());
		if (rig_read(g, r, &ready, 0, sizeof(ready)))
			return -1;
	}
	return gin_gpu_wait(g->gpu, 5000000) == -EAGAIN ? 0 : bad(r, "the kernel ended before it was stopped");
}

int row_stop(const struct setting *s, struct result *r, int arg)
{
	static const char *const what[CHK_STOPPED] = {"receive by thread", "receive by warp", "receive by block",
						      "send into a full ring", "wait for what was not sent"};
	struct rig_config cfg = {.near = "soft:loop", .n_wqes = DEPTH, .frame_bytes = 4096};
	struct gin_launch_config blocks = {.grid.x = CHK_STOPPED, .block.x = CHK_LANES};
	struct chk_stop_args args;
	int32_t answers[48];
	struct rig g;
	int i, err = rig_open(&g, s, r, &cfg);

	(void)arg;
	if (!err)
		err = open_waiters(&g, r, &args);
	if (!err)
		err = gin_launch(s->gpu, &gin_kernel_chk_stop, &blocks, &args, sizeof(args))
			  ? bad(r, "%s", last_error_line())
			  : 0;
	if (!err)
		err = await_waiters(&g, r);
	gin_gpu_stop(s->gpu);
	if (!err && (rig_wait(s->gpu, r, 2000) || rig_read(&g, r, answers, 0, sizeof(answers))))
		err = -1;
	for (i = 0; !err && i < CHK_STOPPED; i++)
		if (want(r, what[i], answers[16 + i], -ECANCELED) || want(r, what[i], answers[32 + i], -ECANCELED))
			err = -1;
	rig_close(&g);
	return err;
}

static int judge_error(struct rig *g, struct result *r, const int64_t *e)
{
	struct gin_failure f;

	if (want(r, "receive before the error", e[E_GOOD], 0) || want(r, "send with a wrong key", e[E_BAD_SEND], 0) ||
	    want(r, "wait for it", e[E_BAD_WAIT], -EIO) || want(r, "test of it", e[E_BAD_TEST], -EIO) ||
	    want(r, "receive that holds one of its slots", e[E_RECV], -EIO) ||
	    want(r, "the same again", e[E_RECV_AGAIN], -EIO) ||
	    want(r, "sends until the ring is full", e[E_FULL], -EIO) ||
	    want(r, "gin_nic_failure()", gin_nic_failure(g->end[0].nic, &f), -EIO))
		return -1;
	if (!strstr(f.queue, "/txq0"))
		return bad(r, "the failure names queue '%s'", f.queue);
	return want(r, "syndrome", f.syndrome, GIN_SYND_LOCAL_PROT);
}

/* gin_gpu_wait() tells of the failed queue as soon as the library sees it, maybe before the kernel ends. */
static int await_error(struct rig *g, struct result *r)
{
	uint64_t until = now_ns() + 10000000000ull;
	int64_t done = 0;

	while (!done) {
		if (now_ns() > until)
			return bad(r, "the kernel had not ended after 10 s");
		gin_gpu_wait(g->gpu, 1000000);
		if (rig_read(g, r, &done, E_FULL * sizeof(done), sizeof(done)))
			return -1;
	}
	return want(r, "gin_gpu_wait()", gin_gpu_wait(g->gpu, 1000000000), -EIO);
}

int row_error(const struct setting *s, struct result *r, int arg)
{
	struct rig_config cfg = {.near = "soft:loop", .n_wqes = DEPTH, .frame_bytes = 4096};
	struct chk_error_args args;
	int64_t out[E_N];
	struct rig g;
	int err = rig_open(&g, s, r, &cfg);

	(void)arg;
	if (!err) {
		fill_frame(&g);
		args.rxq = gin_rxq_dev(g.end[0].rxq);
		args.txq = gin_txq_dev(g.end[0].txq);
		args.frame = g.frames.gpu;
		args.out = g.words.gpu;
		args.lkey = rig_lkey(&g);
		err = gin_launch(s->gpu, &gin_kernel_chk_error, NULL, &args, sizeof(args))
			  ? bad(r, "%s", last_error_line())
			  : 0;
	}
	if (!err && (await_error(&g, r) || rig_read(&g, r, out, OUT, sizeof(out)) || judge_error(&g, r, out)))
		err = -1;
	rig_close(&g);
	return err;
}
