/* SPDX-License-Identifier: BSD-3-Clause */
/* How a receive that finds nothing ends: by time-out, by stop, by an error; and which of them goes first. */
#include <errno.h>
#include <ginet/cpu.h>
#include <stdlib.h>
#include <string.h>
#include "recv_rig.h"
#include "recv_wait.h"

/*
 * The kernel's clock, read by way of the linker (--wrap): every look of a lane
 * is written down, so that "two clock steps" has a measure.
 */
enum { LOOKS = 1 << 16 };
static struct { uint32_t n, by_others; uint64_t at[LOOKS]; } looks;

uint64_t __real_gin_cpu_time_ns(void);
uint64_t __wrap_gin_cpu_time_ns(void);

uint64_t __wrap_gin_cpu_time_ns(void)
{
	uint64_t now = __real_gin_cpu_time_ns();

	if (!gin_cpu_self)
		return now;
	if (gin_cpu_self->thread.x)
		looks.by_others++;
	else if (looks.n < LOOKS)
		looks.at[looks.n++] = now;
	return now;
}

uint32_t wait_looks(void)
{
	return looks.n;
}

struct wait {
	struct recv r;
	struct gin_mem log_mem;
	struct wait_log *log;
	struct gin_actor stopper;
	uint32_t stop_in, stopped; /* steps of the stopper */
};

static uint32_t threads_of(uint32_t scope)
{
	return scope == RECV_THREAD ? 1 : scope == RECV_WARP ? 32 : 96;
}

static void open_wait(struct wait *t, uint64_t seed, uint32_t n_calls, uint32_t until_stop)
{
	struct gin_flow *flow;
	struct wait_args args;
	struct gin_launch_config cfg = { .block = { 1, 1, 1 } };

	memset(t, 0, sizeof(*t));
	memset(&looks, 0, sizeof(looks));
	recv_open(&t->r, seed, (enum recv_scope)(seed % 3), RECV_RELEASE);
	world_eq(gin_flow_all(t->r.w.nic, &t->r.rxq, 1, &flow), 0);
	world_eq(gin_mem_alloc(t->r.w.gpu, GIN_MEM_GPU, sizeof(*t->log), &t->log_mem), 0);
	t->log = t->log_mem.cpu;
	memset(&args, 0, sizeof(args));
	args.rxq = gin_rxq_dev(t->r.rxq);
	args.log = t->log;
	args.seed = seed;
	args.scope = (uint32_t)(seed % 3);
	args.n_calls = n_calls;
	args.until_stop = until_stop;
	cfg.block.x = threads_of(args.scope);
	world_eq(gin_launch(t->r.w.gpu, &gin_kernel_recv_waits, &cfg, &args, sizeof(args)), 0);
}

static void check_time_out(const struct wait_call *call)
{
	const uint64_t *at = &looks.at[call->look];
	uint32_t n = call->look_end - call->look;

	world_eq(call->result, -EAGAIN);
	world_eq(call->n, 0);
	world_ok(call->after - call->before >= call->timeout_ns);
	if (call->timeout_ns == GIN_TRY) {
		world_eq(n, 0); /* one look at the queue, none at the clock */
		return;
	}
	/* The first look starts the time, the last is the first at or behind its end: not one too early, not one too many. */
	world_ok(n >= 2);
	world_ok(at[n - 1] >= at[0] + call->timeout_ns);
	world_ok(n == 2 || at[n - 2] < at[0] + call->timeout_ns);
}

static void time_outs(uint64_t seed, uint64_t *hash)
{
	struct wait t;
	uint32_t i;

	open_wait(&t, seed, 12, 0);
	world_run(&t.r.w);
	world_eq(t.log->n_calls, 12);
	for (i = 0; i < 12; i++)
		check_time_out(&t.log->calls[i]);
	world_eq(looks.by_others, 0); /* only the leader looks at the clock */
	*hash = world_close(&t.r.w);
}

START_TEST(a_wait_is_never_shorter_and_two_looks_longer)
{
	world_property(time_outs, 1, RECV_SEEDS(60));
}
END_TEST

static uint32_t stopper_ready(void *ctx)
{
	return !((const struct wait *)ctx)->stopped;
}

static void stopper_step(void *ctx, uint32_t which)
{
	struct wait *t = ctx;

	(void)which;
	if (t->stop_in--)
		return;
	gin_gpu_stop(t->r.w.gpu);
	t->stopped = 1;
}

static uint64_t never(void *ctx)
{
	(void)ctx;
	return GIN_SIM_NEVER;
}

/* Calls before the stop are as ever, the one that it met and all behind it are -ECANCELED; packets go first. */
static void random_stop(uint64_t seed, uint64_t *hash)
{
	struct wait t;
	uint32_t i, canceled = 0;

	open_wait(&t, seed, 10, 1);
	t.r.w.n_frames = recv_choose(&t.r, 6);
	t.stop_in = recv_choose(&t.r, 1u << recv_choose(&t.r, 14));
	t.stopper = (struct gin_actor){ "stopper", stopper_ready, stopper_step, never, &t, NULL };
	gin_sim_add(t.r.w.sim, &t.stopper);
	world_run(&t.r.w);
	world_ok(t.stopped || t.log->calls[10].n); /* the last call ends by the stop, or by a packet */
	world_eq(t.log->n_calls, 11);
	for (i = 0; i < 11; i++) {
		const struct wait_call *call = &t.log->calls[i];

		if (call->n) {
			world_eq(call->result, 0);
			continue;
		}
		if (call->result == -EAGAIN)
			world_ok(!canceled);
		else
			world_eq(call->result, -ECANCELED);
		canceled |= call->result == -ECANCELED;
	}
	gin_sim_remove(t.r.w.sim, &t.stopper);
	*hash = world_close(&t.r.w);
}

START_TEST(a_stop_ends_every_wait)
{
	world_property(random_stop, 1000, RECV_SEEDS(90));
}
END_TEST

/* Errors. Slots always fit the MTU, so a slot that is too short is made by hand: the data segment of its WQE. */

static void shorten(struct recv *r, uint64_t index, uint32_t bytes)
{
	uint32_t n = r->args.rxq.mask + 1, cq_bytes = (n * 64 + 4095) / 4096 * 4096;
	uint8_t *wqe = (uint8_t *)r->args.rxq.cq + cq_bytes + (index & r->args.rxq.mask) * 16;

	/* By mlx5dv.h: bytes 0 to 3 of a data segment are its byte_count. */
	world_eq((uint32_t)wqe[2] << 8 | wqe[3], r->args.rxq.stride - r->args.rxq.headroom);
	wqe[2] = (uint8_t)(bytes >> 8);
	wqe[3] = (uint8_t)bytes;
}

static int has_failed(void *arg)
{
	struct recv *r = arg;
	struct gin_failure failure;

	return gin_nic_failure(r->w.nic, &failure) == -EIO;
}

static void check_failed(struct recv *r, uint64_t index, uint8_t syndrome, const char *queue)
{
	struct gin_failure failure;

	world_eq(gin_nic_failure(r->w.nic, &failure), -EIO);
	world_eq(failure.syndrome, syndrome);
	world_eq(failure.index, index);
	world_eq(failure.wqe_counter, index & 0xffff);
	ck_assert_ptr_nonnull(strstr(failure.queue, queue));
	world_eq(gin_gpu_wait(r->w.gpu, GIN_TRY), -EIO);
}

/* The good run is delivered first; then every call says -EIO, also behind a stop. */
static void too_long(uint64_t seed, uint64_t *hash)
{
	struct gin_nic_stats s;
	struct gin_flow *flow;
	struct recv r;
	uint32_t k;

	recv_open(&r, seed, (enum recv_scope)(seed % 3), RECV_RELEASE);
	world_eq(gin_flow_all(r.w.nic, &r.rxq, 1, &flow), 0);
	k = recv_choose(&r, r.args.rxq.mask + 1);
	shorten(&r, r.args.first + k, 59); /* no frame is shorter than 60 */
	r.w.n_frames = UINT32_MAX; /* they come until it is over */
	recv_launch(&r);
	world_run_until(&r.w, has_failed, &r);
	if (recv_choose(&r, 2))
		gin_gpu_stop(r.w.gpu);
	world_run(&r.w);
	world_eq(r.log->last, -EIO);
	world_eq(r.log->again[0], -EIO);
	world_eq(r.log->again[1], -EIO);
	world_eq(r.log->taken, k);
	recv_check_runs(&r);
	recv_check_pkts(&r, 14);
	check_failed(&r, r.args.first + k, 0x01, "rxq0");
	gin_nic_stats(r.w.nic, &s);
	world_eq(s.rx_drop_too_long, 1);
	world_eq(s.rx_delivered, k);
	*hash = world_close(&r.w);
}

START_TEST(an_error_comes_behind_the_good_run_and_stays)
{
	world_property(too_long, 2000, RECV_SEEDS(40));
}
END_TEST

/* Packet 0 goes back without being sent: the bad one it should have been. */
static int first_is_not_sent(const struct recv *r)
{
	return r->args.bad_key == 0 && r->log->n_runs && !r->log->runs[0].after;
}

static int ended_or_not_sent(void *arg)
{
	struct recv *r = arg;

	return r->log->last || first_is_not_sent(r);
}

/* A packet is sent out of its slot with a key that the NIC does not know: its slot never goes back. */
static void send_fails(uint64_t seed, uint64_t *hash)
{
	struct gin_failure failure;
	struct gin_flow *flow;
	struct recv r;

	recv_open(&r, seed, (enum recv_scope)(seed % 3), seed & 8 ? RECV_AFTER : RECV_MIXED);
	world_eq(gin_flow_all(r.w.nic, &r.rxq, 1, &flow), 0);
	r.args.bad_key = recv_choose(&r, 12);
	if (r.args.back == RECV_MIXED) /* chance decides which packets are sent: let there be one by then */
		r.args.bad_key = 0;
	r.w.n_frames = UINT32_MAX;
	recv_launch(&r);
	world_run_until(&r.w, ended_or_not_sent, &r);
	if (first_is_not_sent(&r)) { /* chance of RECV_MIXED: then nothing fails */
		recv_stop(&r);
		world_eq(r.log->last, -ECANCELED);
		*hash = world_close(&r.w);
		return;
	}
	world_run(&r.w);
	world_eq(r.log->last, -EIO);
	if (!r.log->send_failed) { /* recv awaits the bad packet, and goes on saying so */
		world_eq(r.log->again[0], -EIO);
		world_eq(r.log->again[1], -EIO);
	}
	world_eq(gin_nic_failure(r.w.nic, &failure), -EIO);
	world_eq(failure.syndrome, 0x04);
	ck_assert_ptr_nonnull(strstr(failure.queue, "txq0"));
	*hash = world_close(&r.w);
}

START_TEST(a_failed_send_queue_ends_recv)
{
	world_property(send_fails, 3000, RECV_SEEDS(30));
}
END_TEST

/* The wire is shut: sends wait, and so do the slots. */
static int some_taken(void *arg)
{
	struct recv *r = arg;

	return r->w.put == r->w.n_frames && r->log->taken >= 1 && r->args.rxq.state->deferred_end != r->args.rxq.state->deferred_first;
}

static void destroy_while_awaited(uint64_t seed, uint64_t *hash)
{
	struct gin_flow *flow;
	struct recv r;

	recv_open(&r, seed, RECV_THREAD, RECV_AFTER);
	world_eq(gin_flow_all(r.w.nic, &r.rxq, 1, &flow), 0);
	r.w.n_frames = 100;
	r.w.sink_shut = 1;
	recv_launch(&r);
	world_run_until(&r.w, some_taken, &r);
	recv_stop(&r);
	if (r.args.rxq.state->deferred_end != r.args.rxq.state->deferred_first) {
		world_eq(gin_txq_destroy(r.txq), -EBUSY);
		world_eq(gin_rxq_destroy(r.rxq), -EBUSY); /* a rule leads to it */
		gin_flow_destroy(flow);
		world_eq(gin_rxq_destroy(r.rxq), 0);
	}
	world_eq(gin_txq_destroy(r.txq), 0);
	*hash = world_close(&r.w);
}

START_TEST(a_send_queue_that_is_awaited_is_busy)
{
	world_property(destroy_while_awaited, 4000, RECV_SEEDS(20));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("recv_wait");
	TCase *tcase = tcase_create("how a receive ends");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, a_wait_is_never_shorter_and_two_looks_longer);
	tcase_add_test(tcase, a_stop_ends_every_wait);
	tcase_add_test(tcase, an_error_comes_behind_the_good_run_and_stays);
	tcase_add_test(tcase, a_failed_send_queue_ends_recv);
	tcase_add_test(tcase, a_send_queue_that_is_awaited_is_busy);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
