/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that uses DPDK itself: before ginet does, after, and at the same time. */
#include <errno.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_mbuf.h>
#include <softnic/fixture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int start_eal(void)
{
	static char prefix[40];
	char *args[] = { "app", "--no-huge", "-m", "128", "--no-shconf", "--no-pci", "--no-telemetry", "--log-level=4", prefix, NULL };

	snprintf(prefix, sizeof(prefix), "--file-prefix=app-%d", (int)getpid());
	return rte_eal_init(9, args);
}

static void one_frame_round(struct bench *b)
{
	make_frame(tx_frame(b, 0), b->profile.mac, 200, 7);
	post_send(b, (uintptr_t)tx_frame(b, 0), 200, 0);
	post_recv(b, 1);
	ring(b);
	run_idle();
	ck_assert(cqe_valid(b, 0, 0));
	ck_assert_uint_eq(gin_from_be32(cqe_at(b, 0, 0)->byte_cnt), 200);
	ck_assert_int_eq(memcmp(b->buf, tx_frame(b, 0), 200), 0);
}

static const struct bench_config ring0 = { .name = "net_ring0", .scq_oi = 1, .rcq_oi = 1, .self_lb_block = 3 };

START_TEST(a_running_dpdk_is_joined_and_left_as_it_was)
{
	struct rte_mempool *pool;
	struct sn_device *dev;
	struct sn_profile p;
	struct bench b;
	unsigned int lcores;
	uint16_t port;
	FILE *log;

	ck_assert_int_ge(start_eal(), 0);
	rmdir(rte_eal_get_runtime_dir()); /* the program's own affair */
	ck_assert_int_eq(rte_eal_hotplug_add("vdev", "net_ring7", ""), 0);
	lcores = rte_lcore_count();
	log = rte_log_get_stream();
	bench_open(&b, &ring0);
	one_frame_round(&b);

	log_clear(); /* the program's own port is not ours to take */
	ck_assert_int_eq(sn_profile_parse("net_ring7", gin_env_real(), &p), 0);
	ck_assert_int_eq(sn_device_create(&p, gin_env_real(), &dev), -EBUSY);
	ck_assert(log_has("has a net_ring7 already"));
	bench_close(&b);

	ck_assert_uint_eq(rte_lcore_count(), lcores);
	ck_assert_ptr_eq(rte_log_get_stream(), log);
	ck_assert_int_eq(rte_eth_dev_get_port_by_name("net_ring7", &port), 0);
	ck_assert_uint_eq(rte_eth_dev_count_avail(), 1);
	pool = rte_pktmbuf_pool_create("app", 63, 0, 0, 2176, SOCKET_ID_ANY);
	ck_assert_ptr_nonnull(pool);
	rte_mempool_free(pool);
}
END_TEST

START_TEST(a_program_that_comes_later_is_told_and_may_use_it)
{
	struct rte_mempool *pool;
	struct bench b;

	bench_open(&b, &ring0);
	ck_assert_int_lt(start_eal(), 0);
	ck_assert_int_eq(rte_errno, EALREADY);
	pool = rte_pktmbuf_pool_create("app", 63, 0, 0, 2176, SOCKET_ID_ANY);
	ck_assert_ptr_nonnull(pool);
	one_frame_round(&b);
	rte_mempool_free(pool);
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_running_dpdk_is_joined_and_left_as_it_was);
	tcase_add_test(tc, a_program_that_comes_later_is_told_and_may_use_it);
}

int main(void)
{
	return run_suite("dpdk_own_eal", add);
}
