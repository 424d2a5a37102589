/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters add up in every snapshot, and agree with those who stand
 * outside: the test that puts frames on the wire and takes them from it, and the
 * kernel that receives and sends.
 *
 * The checks were checked: each of these increments was taken out of
 * host/softnic, one at a time, and each time a test here turned red. port.c:
 * rx_wire, rx_wire_bytes, rx_to_host, rx_drop_by_rule, rx_drop_link_down,
 * rx_drop_bad_frame, rx_drop_too_long, rx_drop_filter, tx_wire,
 * tx_drop_link_down; rq.c: rx_delivered, rx_drop_no_buffer, packets of the queue;
 * sq.c: tx_posted, posted of the queue, tx_drop_queue_error, and "done" in both
 * places, from which tx_in_flight is measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "recv_rig.h"
#include "sim/mix.h"

/* Frames of all fates, by number. */
enum fate { TO_QUEUE, TO_OTHERS, BY_RULE, TO_HOST, TOO_SHORT, TOO_LONG, FATES };
enum { ETHERTYPE_DROP = 0x88b6, ETHERTYPE_HOST = 0x1234, LONGEST = 1600 };

static enum fate fate_of(uint32_t seq)
{
	uint64_t h = gin_mix64(seq);

	return h & 1 ? TO_QUEUE : (enum fate)(h >> 8 & 0xff) % FATES;
}

/* Frames for the queue are those of world_frame(); all but the shortest say their number. */
static uint32_t make(const struct world *w, uint32_t seq, uint8_t *buf)
{
	uint32_t len = world_frame(w, seq, buf);

	switch (fate_of(seq)) {
	case TO_OTHERS:
		buf[5] ^= 1;
		break;
	case BY_RULE:
		buf[12] = ETHERTYPE_DROP >> 8;
		buf[13] = ETHERTYPE_DROP & 0xff;
		break;
	case TO_HOST:
		buf[12] = ETHERTYPE_HOST >> 8;
		buf[13] = ETHERTYPE_HOST & 0xff;
		break;
	case TOO_SHORT:
		return seq % 14;
	case TOO_LONG:
		memset(buf + len, 0, LONGEST - len);
		return LONGEST;
	default:
		break;
	}
	return len;
}

/* What disturbs: somebody pulls the cable and shuts the far end of the wire, now and then. */
struct trouble {
	struct recv r; /* first */
	struct gin_actor actor;
	uint32_t pulls_cable, shuts_wire;
	uint32_t link_up, over;
	uint32_t fated[FATES]; /* by the test: what was put while the link was up all the time */
};

static uint32_t trouble_ready(void *ctx)
{
	return !((const struct trouble *)ctx)->over;
}

static void trouble_step(void *ctx, uint32_t which)
{
	struct trouble *t = ctx;
	uint32_t dice = recv_choose(&t->r, 100);

	(void)which;
	if (t->pulls_cable && dice < 2) {
		t->link_up = !t->link_up;
		sn_port_set_link(t->r.w.device, (int)t->link_up);
	}
	if (t->shuts_wire && dice >= 98)
		t->r.w.sink_shut = !t->r.w.sink_shut;
}

static uint64_t never(void *ctx)
{
	(void)ctx;
	return GIN_SIM_NEVER;
}

static void no_more_trouble(struct trouble *t)
{
	t->over = 1;
	t->r.w.sink_shut = 0;
	sn_port_set_link(t->r.w.device, 1);
}

static void add_rules(struct trouble *t)
{
	struct gin_flow_config to_queue = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x88b5, .action = GIN_FLOW_QUEUES };
	struct gin_flow_config drop = { .match = GIN_MATCH_ETHERTYPE, .ethertype = ETHERTYPE_DROP, .action = GIN_FLOW_DROP };
	struct gin_flow *flow;

	to_queue.rxqs = &t->r.rxq;
	to_queue.n_rxqs = 1;
	world_eq(gin_flow_create(t->r.w.nic, &to_queue, &flow), 0);
	world_eq(gin_flow_create(t->r.w.nic, &drop, &flow), 0);
}

static void open_trouble(struct trouble *t, uint64_t seed, enum recv_back back)
{
	memset(t, 0, sizeof(*t));
	recv_open(&t->r, seed, (enum recv_scope)(seed % 3), back);
	add_rules(t);
	t->link_up = 1;
	t->r.w.make = make;
	t->r.w.n_frames = 60 + recv_choose(&t->r, 100);
	t->actor = (struct gin_actor){ "trouble", trouble_ready, trouble_step, never, t, NULL };
	gin_sim_add(t->r.w.sim, &t->actor);
}

static uint64_t close_trouble(struct trouble *t)
{
	gin_sim_remove(t->r.w.sim, &t->actor);
	return world_close(&t->r.w);
}

static int all_put(void *arg)
{
	const struct trouble *t = arg;

	return t->r.w.put == t->r.w.n_frames;
}

static int nothing_under_way(void *arg)
{
	struct trouble *t = arg;
	struct gin_nic_stats s;

	gin_nic_stats(t->r.w.nic, &s);
	return !s.rx_in_flight && !s.tx_in_flight && t->r.w.taken == s.tx_wire;
}

static int all_done(void *arg)
{
	struct trouble *t = arg;
	struct gin_nic_stats s;

	gin_nic_stats(t->r.w.nic, &s);
	return nothing_under_way(t) && t->r.log->taken == s.rx_delivered && t->r.log->sent == s.tx_wire + s.tx_drop_link_down;
}

static void count_fates(struct trouble *t)
{
	uint32_t seq;

	for (seq = 0; seq < t->r.w.n_frames; seq++)
		t->fated[fate_of(seq)]++;
}

static uint64_t bytes_put(struct trouble *t)
{
	uint8_t frame[LONGEST];
	uint64_t bytes = 0;
	uint32_t seq;

	for (seq = 0; seq < t->r.w.n_frames; seq++)
		bytes += make(&t->r.w, seq, frame);
	return bytes;
}

/* Those who stand outside have counted the same. */
static void check_outside(struct trouble *t)
{
	const struct recv_log *log = t->r.log;
	struct gin_nic_stats s;
	struct gin_rxq_stats rx;
	struct gin_txq_stats tx;
	uint64_t taken = log->taken + !log->again[0] + !log->again[1]; /* the last two calls may find one each */

	world_check_quiet(&t->r.w);
	world_eq(gin_nic_stats(t->r.w.nic, &s), 0);
	world_eq(gin_rxq_stats(t->r.rxq, &rx), 0);
	world_eq(gin_txq_stats(t->r.txq, &tx), 0);
	world_eq(s.rx_wire, t->r.w.put);
	world_eq(s.rx_wire_bytes, bytes_put(t));
	world_eq(s.tx_wire, t->r.w.taken);
	world_eq(s.rx_delivered, rx.packets);
	world_eq(rx.taken, taken);
	world_eq(rx.waiting, rx.packets - taken);
	world_eq(rx.drop_no_buffer, s.rx_drop_no_buffer);
	world_eq(tx.posted, s.tx_posted);
	world_eq(tx.wire, s.tx_wire);
	world_eq(s.rx_duplicated, 0);
	world_eq(s.refused, 0);
	count_fates(t);
	if (t->pulls_cable) {
		world_ok(s.rx_drop_filter <= t->fated[TO_OTHERS] && s.rx_to_host <= t->fated[TO_HOST]);
		return;
	}
	world_eq(s.rx_drop_filter, t->fated[TO_OTHERS]);
	world_eq(s.rx_drop_by_rule, t->fated[BY_RULE]);
	world_eq(s.rx_to_host, t->fated[TO_HOST]);
	world_eq(s.rx_drop_bad_frame, t->fated[TOO_SHORT]);
	world_eq(s.rx_drop_too_long, t->fated[TOO_LONG]);
	world_eq(s.rx_delivered + s.rx_drop_no_buffer, t->fated[TO_QUEUE]);
	world_eq(s.rx_drop_link_down + s.tx_drop_link_down, 0);
}

/* A slow consumer with a small ring, a wire that is full now and then, a cable that is pulled; all is taken in the end. */
static void quiet_end(uint64_t seed, uint64_t *hash)
{
	struct trouble t;

	open_trouble(&t, seed, seed & 1 ? RECV_AFTER : RECV_MIXED);
	t.shuts_wire = recv_choose(&t.r, 2);
	t.pulls_cable = recv_choose(&t.r, 2);
	recv_launch(&t.r);
	world_run_until(&t.r.w, all_put, &t);
	no_more_trouble(&t);
	world_run_until(&t.r.w, all_done, &t);
	recv_stop(&t.r);
	check_outside(&t);
	world_ok(t.r.w.snapshots > 0);
	*hash = close_trouble(&t);
}

START_TEST(sums_hold_and_outside_witnesses_agree)
{
	world_property(quiet_end, 1, RECV_SEEDS(60));
}
END_TEST

/* The kernel is stopped at any point; frames go on coming. */
static int some_steps(void *arg)
{
	struct trouble *t = arg;

	return t->r.w.snapshots >= t->r.w.n_frames;
}

static void stopped(uint64_t seed, uint64_t *hash)
{
	struct trouble t;
	uint32_t n_frames;

	open_trouble(&t, seed, RECV_MIXED);
	t.shuts_wire = 1;
	recv_launch(&t.r);
	n_frames = t.r.w.n_frames;
	t.r.w.n_frames = recv_choose(&t.r, 400); /* some_steps() waits for as many snapshots */
	world_run_until(&t.r.w, some_steps, &t);
	recv_stop(&t.r);
	t.r.w.n_frames = t.r.w.put > n_frames ? t.r.w.put : n_frames;
	no_more_trouble(&t);
	world_run_until(&t.r.w, all_put, &t);
	world_run_until(&t.r.w, nothing_under_way, &t);
	check_outside(&t);
	*hash = close_trouble(&t);
}

START_TEST(sums_hold_after_a_stop_at_any_point)
{
	world_property(stopped, 1000, RECV_SEEDS(40));
}
END_TEST

/* A send queue that fails: what was posted is dropped and counted, also when the doorbell came after the error. */
static int ended(void *arg)
{
	const struct trouble *t = arg;

	return t->r.log->last != 0;
}

static void failed(uint64_t seed, uint64_t *hash)
{
	struct gin_nic_stats s;
	struct trouble t;

	open_trouble(&t, seed, RECV_AFTER);
	t.r.args.bad_key = 0;
	t.r.w.n_frames = 400;
	recv_launch(&t.r);
	world_run_until(&t.r.w, ended, &t);
	recv_stop(&t.r);
	world_eq(t.r.log->last, -EIO);
	no_more_trouble(&t);
	world_run_until(&t.r.w, all_put, &t);
	world_run_until(&t.r.w, nothing_under_way, &t);
	world_check_quiet(&t.r.w);
	gin_nic_stats(t.r.w.nic, &s);
	world_eq(s.tx_wire, 0); /* the first packet was the bad one */
	world_eq(s.tx_drop_queue_error, s.tx_posted);
	world_ok(s.tx_posted >= 1);
	*hash = close_trouble(&t);
}

START_TEST(sums_hold_when_a_send_queue_fails)
{
	world_property(failed, 2000, RECV_SEEDS(24));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("counters");
	TCase *tcase = tcase_create("sums");
	SRunner *runner = srunner_create(suite);
	int failures;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, sums_hold_and_outside_witnesses_agree);
	tcase_add_test(tcase, sums_hold_after_a_stop_at_any_point);
	tcase_add_test(tcase, sums_hold_when_a_send_queue_fails);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failures = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
