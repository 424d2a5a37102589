/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What send and wait answer, call by call: the device headers compiled as C,
 * called from the test's thread; the NIC takes its steps when the test says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ginet/dev/txq.h>
#include "world.h"

enum { DEPTH = 8, ROOM = 2048, N_FRAMES = 64 };

static struct world w;
static struct gin_txq *txq;
static struct gin_dev_txq q;
static struct gin_mem mem;
static struct gin_mr *mr;
static struct gin_be32 lkey;
static uint32_t n_sent, n_got, n_wrong;
static uint64_t first;

static void on_frame(struct world *world, const uint8_t *frame, uint32_t len)
{
	(void)world;
	n_wrong += !world_frame_ok(frame, len) || world_seq(frame) != n_got;
	n_got++;
}

/* No adversary: it holds back what only kernels of the simulation can ask for. */
static void open_with(uint32_t depth, const char *options)
{
	struct gin_txq_config cfg = {.n_wqes = depth};

	memset(&w, 0, sizeof(w));
	n_sent = n_got = n_wrong = 0;
	world_open(&w, 1, options);
	w.on_frame = on_frame;
	ck_assert_int_eq(gin_txq_create(w.nic, w.gpu, &cfg, &txq), 0);
	ck_assert_int_eq(gin_mem_alloc(w.gpu, GIN_MEM_GPU, ROOM * N_FRAMES, &mem), 0);
	ck_assert_int_eq(gin_mr_create(w.nic, w.gpu, mem.gpu, mem.size, 0, &mr), 0);
	lkey = gin_mr_local(mr).key;
	q = gin_txq_dev(txq);
	first = q.sq.state->reserved;
}

static void setup(void)
{
	open_with(DEPTH, "adversary=0");
}

static void teardown(void)
{
	ck_assert_uint_eq(n_wrong, 0);
	gin_mr_destroy(mr);
	gin_txq_destroy(txq);
	world_close(&w);
}

static int all_came(void *arg)
{
	struct gin_txq_stats s;

	(void)arg;
	return n_got == n_sent && !gin_txq_stats(txq, &s) && !s.in_flight; /* a NOP may be the last */
}

static int never(void *arg)
{
	(void)arg;
	return 0;
}

static void drain(void)
{
	world_run_until(&w, all_came, NULL);
	world_check_quiet(&w);
}

static struct gin_pkt frame(uint32_t seq)
{
	struct gin_pkt pkt = {.data = (uint8_t *)mem.gpu + seq % N_FRAMES * ROOM, .lkey = lkey};

	pkt.len = world_frame(&w, seq, pkt.data);
	return pkt;
}

static int send_next(uint64_t timeout_ns, uint64_t *ticket)
{
	struct gin_pkt pkt = frame(n_sent);
	int err = gin_txq_send(&q, &pkt, NULL, timeout_ns, ticket);

	n_sent += !err;
	return err;
}

/* Three WQEBBs and the NOP behind them. */
static int send_long(uint64_t timeout_ns, uint64_t *ticket)
{
	struct gin_pkt pkt = frame(n_sent);
	struct gin_seg segs[GIN_TXQ_SEGS_MAX];
	uint32_t i;
	int err;

	for (i = 0; i < GIN_TXQ_SEGS_MAX; i++) {
		segs[i].data = pkt.data + i * 5;
		segs[i].len = i + 1 < GIN_TXQ_SEGS_MAX ? 5 : pkt.len - i * 5;
		segs[i].lkey = lkey;
	}
	err = gin_txq_send_segs(&q, segs, GIN_TXQ_SEGS_MAX, NULL, timeout_ns, ticket);
	n_sent += !err;
	return err;
}

static void fill(void)
{
	uint64_t ticket;

	while (!send_next(GIN_TRY, &ticket))
		;
}

START_TEST(a_call_without_packets_gives_the_last_reservation)
{
	struct gin_pkt none = {.len = 0};
	uint64_t ticket = 0, last;

	ck_assert_int_eq(gin_txq_send(&q, &none, NULL, GIN_TRY, &ticket), 0);
	ck_assert_uint_eq(ticket, first);
	ck_assert_int_eq(gin_txq_test(&q, ticket), 0);
	ck_assert_int_eq(send_next(GIN_TRY, &last), 0);
	ck_assert_int_eq(gin_txq_send(&q, &none, NULL, GIN_TRY, &ticket), 0);
	ck_assert_uint_eq(ticket, last);
	ck_assert_int_eq(gin_txq_test(&q, ticket), -EAGAIN);
	fill(); /* also when the ring is full */
	ck_assert_int_eq(gin_txq_send(&q, &none, NULL, GIN_TRY, &ticket), 0);
	ck_assert_uint_eq(ticket, first + DEPTH);
	drain();
}
END_TEST

START_TEST(a_full_ring_says_so_and_leaves_no_hole)
{
	uint64_t ticket = 77, i, before;

	for (i = 0; i < DEPTH; i++) {
		ck_assert_int_eq(send_next(GIN_TRY, &ticket), 0);
		ck_assert_uint_eq(ticket, first + i + 1);
	}
	before = q.sq.state->full;
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(send_next(GIN_TRY, &ticket), -EAGAIN);
	ck_assert_uint_eq(ticket, first + DEPTH);
	ck_assert_uint_eq(q.sq.state->full, before + 3);
	ck_assert_uint_eq(q.sq.state->reserved, first + DEPTH);
	drain();
	ck_assert_int_eq(send_next(GIN_TRY, &ticket), 0);
	ck_assert_uint_eq(ticket, first + DEPTH + 1);
	drain();
}
END_TEST

START_TEST(what_never_fits_is_refused)
{
	struct gin_seg segs[GIN_TXQ_SEGS_MAX + 1];
	struct gin_pkt pkt = frame(0);
	uint64_t ticket, index;
	uint32_t i;

	for (i = 0; i <= GIN_TXQ_SEGS_MAX; i++) {
		segs[i].data = pkt.data;
		segs[i].len = 100;
		segs[i].lkey = lkey;
	}
	ck_assert_int_eq(gin_txq_reserve(&q, 0, GIN_TRY, &index), -EINVAL);
	ck_assert_int_eq(gin_txq_reserve(&q, DEPTH + 1, GIN_TRY, &index), -EINVAL);
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, 0, NULL, GIN_TRY, &ticket), -EINVAL);
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, GIN_TXQ_SEGS_MAX + 1, NULL, GIN_TRY, &ticket), -EINVAL);
	segs[1].len = 0;
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, 3, NULL, GIN_TRY, &ticket), -EINVAL);
	segs[1].len = 0xffffffffu; /* the sum must not come round to something small */
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, 3, NULL, GIN_TRY, &ticket), -EINVAL);
	segs[1].len = 1400;
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, 3, NULL, GIN_TRY, &ticket), -EMSGSIZE);
	pkt.len = 1519;
	ck_assert_int_eq(gin_txq_send(&q, &pkt, NULL, GIN_TRY, &ticket), -EMSGSIZE);
	pkt.len = 13; /* an Ethernet header has 14 */
	ck_assert_int_eq(gin_txq_send(&q, &pkt, NULL, GIN_TRY, &ticket), -EINVAL);
	segs[0].len = 6;
	segs[1].len = 7;
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, 2, NULL, GIN_TRY, &ticket), -EINVAL);
	ck_assert_uint_eq(q.sq.state->reserved, first);
	ck_assert_int_eq(gin_sim_run(w.sim, never, NULL, 500), -ETIME);
	ck_assert_uint_eq(n_got, 0);
}
END_TEST

START_TEST(pieces_must_fill_the_inline_header)
{
	struct gin_seg segs[2];
	struct gin_pkt pkt;
	uint64_t ticket;

	teardown();
	open_with(DEPTH, "adversary=0,inline=l2");
	pkt = frame(0);
	segs[0].data = pkt.data;
	segs[0].len = 17;
	segs[1].data = pkt.data + 17;
	segs[1].len = pkt.len - 17;
	segs[0].lkey = segs[1].lkey = lkey;
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, 2, NULL, GIN_TRY, &ticket), -EINVAL);
	segs[0].len = 18;
	segs[1].data = pkt.data + 18;
	segs[1].len = pkt.len - 18;
	ck_assert_int_eq(gin_txq_send_segs(&q, segs, 2, NULL, GIN_TRY, &ticket), 0);
	ck_assert_uint_eq(ticket, first + 1); /* the inlined piece needs no segment: one WQEBB */
	n_sent = 1;
	drain();
}
END_TEST

START_TEST(a_tiny_ring_takes_no_long_packet)
{
	uint64_t ticket;

	teardown();
	open_with(2, "adversary=0");
	ck_assert_int_eq(send_long(GIN_TRY, &ticket), -EINVAL);
	teardown();
	open_with(4, "adversary=0");
	ck_assert_int_eq(send_long(GIN_TRY, &ticket), 0);
	ck_assert_uint_eq(ticket, first + 4);
	ck_assert_int_eq(send_next(GIN_TRY, &ticket), -EAGAIN);
	drain();
	ck_assert_int_eq(gin_txq_test(&q, first + 4), 0);
}
END_TEST

/* From each place in the ring on: nothing in flight, then every WQEBB in use, with a long packet among them. */
START_TEST(a_drained_ring_is_filled_to_the_last_wqebb)
{
	uint32_t start, place;
	uint64_t ticket = 0, i;

	for (start = 0; start < 2 * DEPTH; start++) {
		for (place = 0; place <= DEPTH - 4; place++) {
			drain();
			for (i = 0; i < place; i++)
				ck_assert_int_eq(send_next(GIN_TRY, &ticket), 0);
			ck_assert_int_eq(send_long(GIN_TRY, &ticket), 0);
			for (i = place + 4; i < DEPTH; i++)
				ck_assert_int_eq(send_next(GIN_TRY, &ticket), 0);
			ck_assert_int_eq(send_next(GIN_TRY, &ticket), -EAGAIN);
			ck_assert_int_eq(send_long(GIN_TRY, &ticket), -EAGAIN);
			ck_assert_int_eq(gin_txq_test(&q, ticket), -EAGAIN);
		}
		drain();
		ck_assert_int_eq(gin_txq_test(&q, ticket), 0);
		ck_assert_int_eq(send_next(GIN_TRY, &ticket), 0); /* one place further */
	}
	drain();
}
END_TEST

START_TEST(a_stop_goes_before_a_timeout)
{
	uint64_t ticket;

	fill();
	ck_assert_int_eq(gin_txq_wait(&q, first + 1, GIN_TRY), -EAGAIN);
	gin_gpu_stop(w.gpu);
	ck_assert_int_eq(send_next(GIN_TRY, &ticket), -ECANCELED);
	ck_assert_int_eq(send_next(1, &ticket), -ECANCELED);
	ck_assert_int_eq(send_next(GIN_UNTIL_STOP, &ticket), -ECANCELED);
	ck_assert_int_eq(gin_txq_wait(&q, first + 1, GIN_TRY), -ECANCELED);
	ck_assert_int_eq(gin_txq_wait(&q, first + 1, GIN_UNTIL_STOP), -ECANCELED);
	ck_assert_int_eq(gin_txq_test(&q, first + 1), -EAGAIN); /* never waits, so nothing to stop */
	drain();
	/* What needs no wait is done. */
	ck_assert_int_eq(gin_txq_wait(&q, first + DEPTH, GIN_TRY), 0);
	ck_assert_int_eq(send_next(GIN_TRY, &ticket), 0);
	drain();
}
END_TEST

static int has_failed(void *arg)
{
	struct gin_failure *failure = arg;

	return gin_nic_failure(w.nic, failure) != 0;
}

START_TEST(an_error_goes_before_a_stop)
{
	struct gin_failure failure;
	struct gin_pkt bad;
	uint64_t ticket, bad_ticket;

	ck_assert_int_eq(send_next(GIN_TRY, &ticket), 0);
	drain();
	bad = frame(n_sent);
	bad.lkey.raw ^= gin_swap32(1);
	ck_assert_int_eq(gin_txq_send(&q, &bad, NULL, GIN_TRY, &bad_ticket), 0);
	ck_assert_uint_eq(bad_ticket, first + 2);
	world_run_until(&w, has_failed, &failure);
	ck_assert_uint_eq(failure.syndrome, 0x04);
	ck_assert_uint_eq(failure.index, first + 1);
	ck_assert_str_eq(failure.queue, "soft0/txq0");
	ck_assert_ptr_nonnull(strstr(failure.text, "local protection"));
	ck_assert_int_eq(gin_gpu_wait(w.gpu, GIN_TRY), -EIO);
	gin_gpu_stop(w.gpu);
	ck_assert_int_eq(gin_txq_test(&q, bad_ticket), -EIO);
	ck_assert_int_eq(gin_txq_wait(&q, bad_ticket, GIN_UNTIL_STOP), -EIO);
	ck_assert_int_eq(gin_txq_wait(&q, bad_ticket, GIN_TRY), -EIO);
	while (!gin_txq_send(&q, &bad, NULL, GIN_TRY, &ticket))
		ck_assert_uint_le(ticket, first + DEPTH + 1);
	ck_assert_int_eq(gin_txq_send(&q, &bad, NULL, GIN_TRY, &ticket), -EIO);
	ck_assert_int_eq(gin_txq_send(&q, &bad, NULL, GIN_UNTIL_STOP, &ticket), -EIO);
	ck_assert_int_eq(gin_sim_run(w.sim, never, NULL, 500), -ETIME);
	ck_assert_int_eq(gin_txq_test(&q, bad_ticket), -EIO); /* no later CQE covers the first error */
	world_check_sums(&w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("send_answers");
	TCase *tcase = tcase_create("answers");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_call_without_packets_gives_the_last_reservation);
	tcase_add_test(tcase, a_full_ring_says_so_and_leaves_no_hole);
	tcase_add_test(tcase, what_never_fits_is_refused);
	tcase_add_test(tcase, pieces_must_fill_the_inline_header);
	tcase_add_test(tcase, a_tiny_ring_takes_no_long_packet);
	tcase_add_test(tcase, a_drained_ring_is_filled_to_the_last_wqebb);
	tcase_add_test(tcase, a_stop_goes_before_a_timeout);
	tcase_add_test(tcase, an_error_goes_before_a_stop);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
