/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tickets of any age: a tiny ring goes round until its first ticket is 200,000
 * sends old, past three wraps of the NIC's 16-bit indices. What test() says is
 * compared with what came out of the wire, all the way.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <ginet/dev/txq.h>
#include "sim/mix.h"
#include "world.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SENDS = 70000 }; /* past one wrap */
#else
enum { SENDS = 200100 };
#endif
enum { DEPTH = 4 };

struct run {
	struct world w;
	struct gin_txq *txq;
	struct gin_mr *mr;
	struct gin_dev_txq q;
	struct gin_pkt pkt;
	uint64_t rng, first, sent;
};

static uint32_t draw(struct run *r, uint32_t below)
{
	return (uint32_t)gin_mix_below(gin_mix_next(&r->rng), below);
}

static int never(void *arg)
{
	(void)arg;
	return 0;
}

static void open_run(struct run *r, uint64_t seed, const char *options)
{
	static uint8_t frame[60];
	struct gin_txq_config cfg = {.n_wqes = DEPTH};

	memset(r, 0, sizeof(*r));
	r->rng = seed;
	world_open(&r->w, seed, options);
	gin_sim_remove(r->w.sim, &r->w.witness); /* a look at all counters in each step is for shorter runs */
	ck_assert_int_eq(gin_txq_create(r->w.nic, r->w.gpu, &cfg, &r->txq), 0);
	ck_assert_int_eq(gin_mr_create(r->w.nic, r->w.gpu, frame, sizeof(frame), 0, &r->mr), 0);
	r->q = gin_txq_dev(r->txq);
	r->first = r->q.sq.state->reserved;
	frame[0] = 0x02;
	r->pkt.data = frame;
	r->pkt.len = sizeof(frame);
	r->pkt.lkey = gin_mr_local(r->mr).key;
}

/* What left the NIC is done, no more and no less: each packet asks for its CQE. */
static void check_ticket(struct run *r, uint64_t ticket)
{
	struct gin_nic_stats s;
	int is, should;

	gin_nic_stats(r->w.nic, &s);
	should = ticket <= r->first + s.tx_wire ? 0 : -EAGAIN;
	is = gin_txq_test(&r->q, ticket);
	if (is != should)
		ck_abort_msg("ticket %" PRIu64 " of %" PRIu64 ", %" PRIu64 " left: %d", ticket - r->first, r->sent,
			     s.tx_wire, is);
}

/* Young, old, and where 16-bit arithmetic could go wrong. */
static void check_some(struct run *r)
{
	static const uint32_t ages[] = {0,     1,     2,     DEPTH, DEPTH + 1, 32767, 32768,
					65534, 65535, 65536, 65537, 65540,     131072};
	uint32_t i = draw(r, 2 * sizeof(ages) / sizeof(ages[0])), age;

	age = i < sizeof(ages) / sizeof(ages[0]) ? ages[i] : draw(r, (uint32_t)r->sent + 1);
	if (age <= r->sent)
		check_ticket(r, r->first + r->sent - age);
}

static void send_some(struct run *r)
{
	uint64_t ticket;
	int err = gin_txq_send(&r->q, &r->pkt, NULL, GIN_TRY, &ticket);

	if (err && err != -EAGAIN)
		ck_abort_msg("send %" PRIu64 ": %d", r->sent, err);
	if (err)
		return;
	r->sent++;
	if (ticket != r->first + r->sent)
		ck_abort_msg("ticket %" PRIu64 " of send %" PRIu64, ticket, r->sent);
}

static void grow_old(uint64_t seed, const char *options, uint64_t *hash)
{
	struct run r;
	uint64_t i;

	open_run(&r, seed, options);
	while (r.sent < SENDS) {
		send_some(&r);
		gin_sim_run(r.w.sim, never, &r, draw(&r, 12));
		check_some(&r);
	}
	while (r.w.taken < SENDS)
		gin_sim_run(r.w.sim, never, &r, 10);
	for (i = 0; i <= r.sent; i++)
		if (gin_txq_test(&r.q, r.first + i))
			ck_abort_msg("ticket %" PRIu64 " is not done", i);
	ck_assert_int_eq(gin_txq_test(&r.q, r.first + r.sent + 1), -EAGAIN);
	gin_sim_add(r.w.sim, &r.w.witness);
	world_check_quiet(&r.w);
	gin_mr_destroy(r.mr);
	gin_txq_destroy(r.txq);
	*hash = world_close(&r.w);
}

static void from_the_start(uint64_t seed, uint64_t *hash)
{
	grow_old(seed, "adversary=0", hash);
}

static void before_a_wrap(uint64_t seed, uint64_t *hash)
{
	grow_old(seed, "adversary=0,first_index=16777210", hash);
}

START_TEST(tickets_of_any_age_are_right)
{
	world_property(from_the_start, 1, 1);
}
END_TEST

START_TEST(tickets_of_any_age_are_right_across_24_bits)
{
	world_property(before_a_wrap, 2, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("send_ticket");
	TCase *tcase = tcase_create("age");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, tickets_of_any_age_are_right);
	tcase_add_test(tcase, tickets_of_any_age_are_right_across_24_bits);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
