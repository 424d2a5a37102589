/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered frames from kernel to kernel: every one arrives, once, in order, whole. */
#include "rig.h"
#include <stdlib.h>
#include <string.h>

/* Offsets in the rig's words. */
enum { SEND_SUMS = 0, RECV_SUMS = 128, GOT = 256, WORD = 384 };

static const uint32_t threads[] = {[CHK_THREAD] = 1, [CHK_WARP] = 32, [CHK_BLOCK] = CHK_LANES};

struct plan {
	enum chk_scope scope;
	struct rig_config rig;
};
static const struct plan plans[] = {
    {CHK_THREAD, {.near = "soft:loop"}},
    {CHK_WARP, {.near = "soft:loop"}},
    {CHK_BLOCK, {.near = "soft:loop"}},
    {CHK_THREAD, {.near = "soft:cable=check", .far = "soft:cable=check"}},
    {CHK_WARP, {.near = "soft:cable=check", .far = "soft:cable=check"}},
    {CHK_BLOCK, {.near = "soft:cable=check", .far = "soft:cable=check"}},
    {CHK_WARP, {.near = "soft:loop", .n_wqes = 64, .n_slots = CHK_WINDOW}},
    {CHK_WARP, {.near = "soft:loop,first_index=65000", .n_slots = CHK_WINDOW}},
    {CHK_BLOCK, {.near = "soft:loop,first_index=16776700"}},
    {CHK_WARP, {.near = "soft:loop,inline=l2"}},
    {CHK_BLOCK, {.near = "soft:loop,uar=shared"}},
};

static void *word_at(const struct rig *g, size_t offset)
{
	return (uint8_t *)g->words.gpu + offset;
}

static int launch(struct rig *g, struct result *r, const struct gin_kernel *k, uint32_t n_threads, const void *args,
		  size_t size)
{
	struct gin_launch_config cfg = {.block.x = n_threads};

	return gin_launch(g->gpu, k, &cfg, args, size) ? bad(r, "%s", last_error_line()) : 0;
}

static int launch_recv(struct rig *g, struct end *e, struct result *r, enum chk_scope scope, uint32_t n,
		       struct chk_packet *log)
{
	struct chk_recv_args args = {.sums = word_at(g, RECV_SUMS),
				     .log = log,
				     .got = word_at(g, GOT),
				     .n = n,
				     .scope = scope,
				     .len = CHK_PADDED};

	args.rxq = gin_rxq_dev(e->rxq);
	return launch(g, r, &gin_kernel_chk_recv, threads[scope], &args, sizeof(args));
}

static int launch_send(struct rig *g, struct result *r, const struct chk_send_args *plan)
{
	struct chk_send_args args = *plan;

	args.txq = gin_txq_dev(g->end[0].txq);
	args.frames = g->frames.gpu;
	args.got = word_at(g, GOT);
	args.sums = word_at(g, SEND_SUMS);
	args.lkey = rig_lkey(g);
	memcpy(args.head, rig_far(g)->info.mac, 6);
	memcpy(args.head + 6, g->end[0].info.mac, 6);
	return launch(g, r, &gin_kernel_chk_send, threads[args.scope], &args, sizeof(args));
}

/* All sums begin at 0 again. */
static int clear_sums(struct rig *g, struct result *r)
{
	static const uint8_t zeros[WORD];

	return gin_mem_copy(g->gpu, g->words.gpu, zeros, sizeof(zeros)) ? bad(r, "%s", last_error_line()) : 0;
}

static int judge_sums(struct rig *g, struct result *r, uint32_t n)
{
	struct chk_sums sent, got;

	if (rig_read(g, r, &sent, SEND_SUMS, sizeof(sent)) || rig_read(g, r, &got, RECV_SUMS, sizeof(got)))
		return -1;
	if (got.bad)
		return bad(r, "%llu frames are wrong, the first is number %llu", (unsigned long long)got.bad,
			   (unsigned long long)got.first_bad - 1);
	return want(r, "sender's error", sent.err, 0) || want(r, "receiver's error", got.err, 0) ||
		       want(r, "frames received", (int64_t)got.seen, n)
		   ? -1
		   : 0;
}

/* What frame "number" must be when it arrives: bytes, padded as an Ethernet port does. Returns its length. */
static uint32_t expected_frame(uint8_t *frame, const uint8_t *dst, const uint8_t *src, uint32_t number, uint32_t len)
{
	uint32_t i;

	memset(frame, 0, CHK_SLOT);
	memcpy(frame, dst, 6);
	memcpy(frame + 6, src, 6);
	frame[12] = 0x88;
	frame[13] = 0xb5;
	for (i = 14; i < 18; i++)
		frame[i] = (uint8_t)(number >> (24 - 8 * (i - 14)));
	for (; i < len; i++)
		frame[i] = (uint8_t)(number * 31 + i * 7);
	memset(frame + len, 0, CHK_SLOT - len);
	return len < CHK_PADDED ? CHK_PADDED : len;
}

static uint64_t hash_of(const uint8_t *bytes, uint32_t len)
{
	uint64_t h = 0xcbf29ce484222325ull;

	while (len--)
		h = (h ^ *bytes++) * 0x100000001b3ull;
	return h;
}

static int judge_log(struct result *r, const struct chk_packet *log, uint32_t n, uint32_t min_len, const uint8_t *dst,
		     const uint8_t *src)
{
	uint8_t frame[CHK_SLOT];
	uint32_t i, len;

	for (i = 0; i < n; i++) {
		len = expected_frame(frame, dst, src, i, min_len + i * 7 % (CHK_MAX + 1 - min_len));
		if (log[i].len != len)
			return bad(r, "frame %u: %u bytes, expected %u (its number reads %u)", i, log[i].len, len,
				   log[i].from);
		if (log[i].hash != hash_of(frame, len))
			return bad(r, "frame %u of %u bytes: its bytes are wrong (its number reads %u)", i, len,
				   log[i].from);
	}
	return 0;
}

static int one_direction(struct rig *g, struct result *r, enum chk_scope scope, int own, struct gin_mem *log_mem,
			 struct chk_packet *log, uint32_t n)
{
	struct chk_send_args send = {
	    .n = n, .scope = scope, .own = (uint32_t)own, .min_len = CHK_MIN, .span = CHK_MAX + 1 - CHK_MIN};

	if (clear_sums(g, r) || launch_recv(g, rig_far(g), r, scope, n, log_mem->gpu) || launch_send(g, r, &send) ||
	    rig_wait(g->gpu, r, 15000) || judge_sums(g, r, n))
		return -1;
	if (gin_mem_copy(g->gpu, log, log_mem->gpu, n * sizeof(*log)))
		return bad(r, "cannot read GPU memory: %s", last_error_line());
	return judge_log(r, log, n, CHK_MIN, rig_far(g)->info.mac, g->end[0].info.mac);
}

/* Every size from 14 to 1,514 bytes; by calls for many, then, on new queues, by those for one owner. */
int row_traffic(const struct setting *s, struct result *r, int arg)
{
	const struct plan *p = &plans[arg];
	struct rig_config cfg = p->rig;
	uint32_t n = CHK_MAX + 1 - CHK_MIN;
	struct gin_mem log_mem = {0};
	struct chk_packet *log = malloc(n * sizeof(*log));
	struct rig g = {.gpu = s->gpu};
	int own, err = 0;

	cfg.frame_bytes = CHK_WINDOW * CHK_SLOT;
	if (!log || gin_mem_alloc(s->gpu, GIN_MEM_GPU, n * sizeof(*log), &log_mem))
		err = bad(r, "no memory: %s", last_error_line());
	for (own = 0; !err && own < 2; own++) {
		err = rig_open(&g, s, r, &cfg);
		if (!err)
			err = one_direction(&g, r, p->scope, own, &log_mem, log, n);
		if (!err && g.end[1].nic)
			err = rig_sums(&g.end[0], r, 0, n) || rig_sums(&g.end[1], r, n, 0);
		else if (!err)
			err = rig_sums(&g.end[0], r, n, n);
		rig_close(&g);
	}
	gin_mem_free(s->gpu, &log_mem);
	free(log);
	if (!err)
		note(r, "2 x %u frames, 14 to 1514 B, every byte", n);
	return err ? -1 : 0;
}

/* Until the frames have come back, the kernels at both ends run; then the far one is stopped. */
static int await_frames(struct rig *g, struct result *r, uint32_t n)
{
	uint64_t until = now_ns() + 15000000000ull, got = 0;
	int err;

	while (got < n) {
		if (now_ns() > until) {
			gin_gpu_stop(g->gpu);
			gin_gpu_wait(g->gpu, 2000000000);
			return bad(r, "%llu of %u frames came back in 15 s", (unsigned long long)got, n);
		}
		err = gin_gpu_wait(g->gpu, 1000000);
		if (err != -EAGAIN)
			return bad(r, "kernels ended: %s: %s", gin_strerror(err), last_error_line());
		if (rig_read(g, r, &got, GOT, sizeof(got)))
			return -1;
	}
	gin_gpu_stop(g->gpu);
	return rig_wait(g->gpu, r, 2000);
}

static int there_and_back(struct rig *g, struct result *r, enum chk_scope scope, struct gin_mem *log_mem,
			  struct chk_packet *log, uint32_t n)
{
	struct chk_echo_args echo = {.scope = scope};
	struct chk_send_args send = {
	    .n = n, .scope = scope, .own = 1, .min_len = CHK_PADDED, .span = CHK_MAX + 1 - CHK_PADDED};

	echo.rxq = gin_rxq_dev(g->end[1].rxq);
	echo.txq = gin_txq_dev(g->end[1].txq);
	if (clear_sums(g, r) || launch(g, r, &gin_kernel_chk_echo, threads[scope], &echo, sizeof(echo)) ||
	    launch_recv(g, &g->end[0], r, scope, n, log_mem->gpu) || launch_send(g, r, &send) ||
	    await_frames(g, r, n) || judge_sums(g, r, n))
		return -1;
	if (gin_mem_copy(g->gpu, log, log_mem->gpu, n * sizeof(*log)))
		return bad(r, "cannot read GPU memory: %s", last_error_line());
	return judge_log(r, log, n, CHK_PADDED, g->end[0].info.mac, g->end[1].info.mac);
}

int row_echo(const struct setting *s, struct result *r, int scope)
{
	struct rig_config cfg = {
	    .near = "soft:cable=check", .far = "soft:cable=check", .frame_bytes = CHK_WINDOW * CHK_SLOT};
	uint32_t n = CHK_MAX + 1 - CHK_PADDED;
	struct gin_mem log_mem = {0};
	struct chk_packet *log = malloc(n * sizeof(*log));
	struct rig g = {.gpu = s->gpu};
	int err = 0;

	if (!log || gin_mem_alloc(s->gpu, GIN_MEM_GPU, n * sizeof(*log), &log_mem))
		err = bad(r, "no memory: %s", last_error_line());
	if (!err)
		err = rig_open(&g, s, r, &cfg);
	if (!err)
		err = there_and_back(&g, r, (enum chk_scope)scope, &log_mem, log, n);
	if (!err && (rig_sums(&g.end[0], r, n, n) || rig_sums(&g.end[1], r, n, n)))
		err = -1;
	rig_close(&g);
	gin_mem_free(s->gpu, &log_mem);
	free(log);
	if (!err)
		note(r, "%u frames there and back out of their slots, every byte", n);
	return err;
}

/* Each of n_threads sent n_each frames: each came once, and those of one thread in order. */
static int judge_crowd(struct result *r, const struct chk_packet *log, uint32_t n_threads, uint32_t n_each)
{
	uint8_t *next = calloc(n_threads, 1);
	uint32_t i, from;
	int err = next ? 0 : bad(r, "no memory");

	for (i = 0; !err && i < n_threads * n_each; i++) {
		from = log[i].from >> 8;
		if (from >= n_threads)
			err = bad(r, "packet %u names thread %u, there are %u", i, from, n_threads);
		else
			err = want(r, "count of a thread's frame", log[i].from & 0xff, next[from]++);
	}
	free(next);
	return err;
}

static int crowd(struct rig *g, struct result *r, uint32_t blocks, uint32_t n_each, struct gin_mem *log_mem,
		 struct chk_packet *log)
{
	struct gin_launch_config cfg = {.grid.x = blocks, .block.x = CHK_LANES};
	struct chk_crowd_args args = {.n_each = n_each, .frames = g->frames.gpu, .err = word_at(g, WORD)};
	uint32_t n = blocks * CHK_LANES * n_each;
	int32_t send_err = 0;

	args.txq = gin_txq_dev(g->end[0].txq);
	args.lkey = rig_lkey(g);
	memcpy(args.head, g->end[0].info.mac, 6);
	memcpy(args.head + 6, g->end[0].info.mac, 6);
	if (launch_recv(g, &g->end[0], r, CHK_WARP, n, log_mem->gpu))
		return -1;
	if (gin_launch(g->gpu, &gin_kernel_chk_crowd, &cfg, &args, sizeof(args)))
		return bad(r, "%s", last_error_line());
	if (rig_wait(g->gpu, r, 15000) || rig_read(g, r, &send_err, WORD, sizeof(send_err)) ||
	    want(r, "error of a sender", send_err, 0) || judge_sums(g, r, n))
		return -1;
	if (gin_mem_copy(g->gpu, log, log_mem->gpu, n * sizeof(*log)))
		return bad(r, "cannot read GPU memory: %s", last_error_line());
	return judge_crowd(r, log, blocks * CHK_LANES, n_each);
}

int row_crowd(const struct setting *s, struct result *r, int arg)
{
	enum { BLOCKS = 12, EACH = 5 };
	struct rig_config cfg = {
	    .near = "soft:loop", .n_wqes = 256, .n_slots = 4096, .frame_bytes = BLOCKS * CHK_LANES * CHK_PADDED};
	uint32_t n = BLOCKS * CHK_LANES * EACH;
	struct gin_mem log_mem = {0};
	struct chk_packet *log = malloc(n * sizeof(*log));
	struct rig g = {.gpu = s->gpu};
	int err = 0;

	(void)arg;
	if (!log || gin_mem_alloc(s->gpu, GIN_MEM_GPU, n * sizeof(*log), &log_mem))
		err = bad(r, "no memory: %s", last_error_line());
	if (!err)
		err = rig_open(&g, s, r, &cfg);
	if (!err)
		err = crowd(&g, r, BLOCKS, EACH, &log_mem, log);
	if (!err)
		err = rig_sums(&g.end[0], r, n, n);
	rig_close(&g);
	gin_mem_free(s->gpu, &log_mem);
	free(log);
	if (!err)
		note(r, "%u frames of %d blocks by thread, warp and block", n, BLOCKS);
	return err;
}

/* Packets a second, from the sender's first look at its clock to the receiver's last. */
static int one_rate(struct rig *g, struct result *r, enum chk_scope scope, uint32_t n, double *rate)
{
	struct chk_send_args send = {.n = n, .scope = scope, .own = 1, .min_len = CHK_PADDED, .span = 1, .fast = 1};
	struct chk_sums sent, got;

	if (clear_sums(g, r) || launch_recv(g, &g->end[1], r, scope, n, NULL) || launch_send(g, r, &send) ||
	    rig_wait(g->gpu, r, 15000) || judge_sums(g, r, n) || rig_read(g, r, &sent, SEND_SUMS, sizeof(sent)) ||
	    rig_read(g, r, &got, RECV_SUMS, sizeof(got)))
		return -1;
	if (got.end_ns <= sent.start_ns)
		return bad(r, "the GPU's clock stands still");
	*rate = (double)n * 1e9 / (double)(got.end_ns - sent.start_ns);
	return 0;
}

int row_rate(const struct setting *s, struct result *r, int scope)
{
	struct rig_config cfg = {
	    .near = "soft:cable=check", .far = "soft:cable=check", .frame_bytes = CHK_WINDOW * CHK_SLOT};
	uint32_t n = s->quick ? 4096 : 32768, rounds = s->quick ? 3 : 7, i;
	double rates[7], middle;
	struct rig g = {.gpu = s->gpu};
	int err = rig_open(&g, s, r, &cfg);

	for (i = 0; !err && i < rounds; i++)
		err = one_rate(&g, r, (enum chk_scope)scope, n, &rates[i]);
	if (!err)
		err = rig_sums(&g.end[1], r, (uint64_t)n * rounds, 0);
	rig_close(&g);
	if (err)
		return -1;
	middle = median(rates, (int)rounds);
	note(r, "%.3f M packets/s (%.3f to %.3f), %u x %u", middle / 1e6, rates[0] / 1e6, rates[rounds - 1] / 1e6,
	     rounds, n);
	add_metric(r, "packets_per_s", middle);
	add_metric(r, "packets_per_s_min", rates[0]);
	add_metric(r, "packets_per_s_max", rates[rounds - 1]);
	return 0;
}
