/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues, rules, memory and launches that cannot be: one line each, with the numbers that clash. */
#include "kernel.h"
#include "lines.h"
#include <errno.h>
#include <stdlib.h>

static struct gin_gpu *gpu;
static struct gin_nic *nic;
static struct gin_rxq *rxq;

/* MTU 1500, as NICs come. */
static void setup(void)
{
	lines_keep();
	ck_assert_int_eq(gin_gpu_open("cpu:lanes=2048", &gpu), 0);
	ck_assert_int_eq(gin_nic_open("soft:loop", &nic), 0);
	ck_assert_int_eq(gin_rxq_create(nic, gpu, NULL, &rxq), 0);
	ck_no_error();
}

static void teardown(void)
{
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	ck_no_error();
}

static const struct { struct gin_rxq_config cfg; int err; const char *words; } bad_rxqs[] = {
	{ { .n_slots = 32769 }, -EINVAL, "32769 slots is not possible, at most 32768" },
	{ { .n_slots = UINT32_MAX }, -EINVAL, "4294967295 slots is not possible, at most 32768" },
	{ { .flags = 4 }, -EINVAL, "flags 0x4 are not known" },
	/* 1500 + 14 + 4 for a VLAN tag */
	{ { .slot_bytes = 1517 }, -EMSGSIZE, "slots of 1517 bytes are too small, a frame at MTU 1500 needs 1518" },
	{ { .slot_bytes = 2048, .headroom = 600 }, -EMSGSIZE, "slots of 2048 bytes are too small, a frame at MTU 1500 needs 2118" },
	{ { .slot_bytes = 1 << 21 }, -EINVAL, "slot_bytes 2097152: at most 1048576" },
	{ { .headroom = UINT32_MAX }, -EINVAL, "headroom 4294967295" },
	{ { .mem = (enum gin_mem_kind)7 }, -EINVAL, "memory kind 7" },
};

START_TEST(receive_queue_says_what_is_possible)
{
	struct gin_rxq *none = NULL;

	ck_assert_int_eq(gin_rxq_create(nic, gpu, &bad_rxqs[_i].cfg, &none), bad_rxqs[_i].err);
	ck_one_error(bad_rxqs[_i].words);
	ck_assert_ptr_null(none);
}
END_TEST

START_TEST(mtu_too_large_for_slots)
{
	struct gin_rxq_config cfg = { .slot_bytes = 2048 };
	struct gin_rxq *none = NULL;
	struct gin_nic *jumbo;

	ck_assert_int_eq(gin_nic_open("soft:loop,mtu=9000", &jumbo), 0);
	ck_assert_int_eq(gin_rxq_create(jumbo, gpu, &cfg, &none), -EMSGSIZE);
	ck_one_error("slots of 2048 bytes are too small, a frame at MTU 9000 needs 9018");
	cfg.slot_bytes = 9018;
	ck_assert_int_eq(gin_rxq_create(jumbo, gpu, &cfg, &none), 0);
	gin_nic_close(jumbo);
}
END_TEST

static const struct { struct gin_txq_config cfg; const char *words; } bad_txqs[] = {
	{ { .n_wqes = 16385 }, "16385 WQEBBs is not possible, at most 16384" },
	{ { .n_wqes = UINT32_MAX }, "4294967295 WQEBBs is not possible, at most 16384" },
	{ { .flags = 1 }, "flags 0x1 are not known" },
};

START_TEST(send_queue_says_what_is_possible)
{
	struct gin_txq *none = NULL;

	ck_assert_int_eq(gin_txq_create(nic, gpu, &bad_txqs[_i].cfg, &none), -EINVAL);
	ck_one_error(bad_txqs[_i].words);
	ck_assert_ptr_null(none);
}
END_TEST

START_TEST(ring_sizes_round_up_from_one)
{
	static const uint32_t asked[] = { 1, 2, 3, 1000, 16384 }, got[] = { 1, 2, 4, 1024, 16384 };
	struct gin_rxq_stats rx;
	struct gin_txq_stats tx;
	struct gin_rxq *r;
	struct gin_txq *t;
	int i;

	for (i = 0; i < 5; i++) {
		struct gin_rxq_config rc = { .n_slots = asked[i] };
		struct gin_txq_config tc = { .n_wqes = asked[i] };

		ck_assert_int_eq(gin_rxq_create(nic, gpu, &rc, &r), 0);
		ck_assert_int_eq(gin_rxq_stats(r, &rx), 0);
		ck_assert_uint_eq(rx.n_slots, got[i]);
		ck_assert_int_eq(gin_rxq_destroy(r), 0);
		ck_assert_int_eq(gin_txq_create(nic, gpu, &tc, &t), 0);
		ck_assert_int_eq(gin_txq_stats(t, &tx), 0);
		ck_assert_uint_eq(tx.n_wqes, got[i]);
		ck_assert_int_eq(gin_txq_destroy(t), 0);
	}
	ck_no_error();
}
END_TEST

START_TEST(rule_says_what_is_wrong)
{
	static const struct { struct gin_flow_config cfg; int err; const char *words; } bad[] = {
		{ { .match = 2, .action = GIN_FLOW_DROP }, -EINVAL, "unknown fields 0x2" },
		{ { .match = 0x80000001, .action = GIN_FLOW_DROP }, -EINVAL, "unknown fields 0x80000000" },
		{ { .match = GIN_MATCH_DPORT, .dport = 7, .action = GIN_FLOW_DROP }, -EINVAL, "needs GIN_MATCH_PROTO" },
		{ { .match = GIN_MATCH_DPORT | GIN_MATCH_PROTO, .proto = 1, .action = GIN_FLOW_DROP }, -EINVAL, "needs GIN_MATCH_PROTO" },
		{ { .match = GIN_MATCH_PROTO | GIN_MATCH_ETHERTYPE, .proto = 6, .ethertype = 0x0806, .action = GIN_FLOW_DROP },
		  -EINVAL, "EtherType 0x0806" },
		{ { .tag = 0x1000000, .action = GIN_FLOW_DROP }, -EINVAL, "0x1000000 is above 24 bits" },
		{ { .match = 0 }, -EINVAL, "set action" },
		{ { .action = (enum gin_flow_action)9 }, -EINVAL, "set action" },
		{ { .action = GIN_FLOW_QUEUES }, -EINVAL, "names none" },
		{ { .action = GIN_FLOW_QUEUES, .n_rxqs = 1 }, -EINVAL, "names none" },
		{ { .action = GIN_FLOW_QUEUES, .rxqs = &rxq }, -EINVAL, "names none" },
		{ { .action = GIN_FLOW_QUEUES, .rxqs = &rxq, .n_rxqs = 2 }, -ENOTSUP, "2 queues" },
	};
	struct gin_flow *none = NULL;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(gin_flow_create(nic, &bad[i].cfg, &none), bad[i].err);
		ck_one_error(bad[i].words);
	}
	ck_assert_ptr_null(none);
}
END_TEST

START_TEST(rule_with_a_foreign_queue)
{
	struct gin_rxq *const null_rxq = NULL;
	struct gin_flow *none = NULL;
	struct gin_nic *other;

	ck_assert_int_eq(gin_nic_open("soft:loop", &other), 0);
	ck_assert_int_eq(gin_flow_all(other, &rxq, 1, &none), -EINVAL);
	ck_one_error("queue of another NIC");
	ck_assert_int_eq(gin_flow_all(nic, &null_rxq, 1, &none), -EINVAL);
	ck_one_error("queue");
	gin_nic_close(other);
	ck_assert_ptr_null(none);
}
END_TEST

START_TEST(rule_twice)
{
	struct gin_flow_config drop = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x0806, .action = GIN_FLOW_DROP };
	struct gin_flow *one, *none = NULL, *again;

	ck_assert_int_eq(gin_flow_create(nic, &drop, &one), 0);
	ck_assert_int_eq(gin_flow_create(nic, &drop, &none), -EEXIST);
	ck_one_error("type 0806");
	ck_assert_ptr_null(none);
	gin_flow_destroy(one);
	ck_assert_int_eq(gin_flow_create(nic, &drop, &again), 0);
	ck_no_error();
}
END_TEST

START_TEST(queues_in_use_stay)
{
	struct gin_flow *flow;

	ck_assert_int_eq(gin_flow_all(nic, &rxq, 1, &flow), 0);
	ck_assert_int_eq(gin_rxq_destroy(rxq), -EBUSY);
	ck_one_error("1 rules lead to it");
	gin_flow_destroy(flow);
	ck_assert_int_eq(gin_rxq_destroy(rxq), 0);
	ck_no_error();
}
END_TEST

START_TEST(memory_says_what_is_wrong)
{
	struct gin_mr *none = NULL;
	struct gin_mem mem = { .size = 1 };
	struct gin_mem twice;
	char buf[64];

	ck_assert_int_eq(gin_mr_create(nic, NULL, buf, 0, 0, &none), -EINVAL);
	ck_one_error("len must be above 0");
	ck_assert_int_eq(gin_mr_create(nic, NULL, buf, sizeof(buf), 2, &none), -EINVAL);
	ck_one_error("access 0x2");
	ck_assert_int_eq(gin_mr_create(nic, NULL, NULL, 64, 0, &none), -ENOTSUP);
	ck_one_error("no CPU address");
	/* The last byte would lie behind the address space. */
	ck_assert_int_eq(gin_mr_create(nic, NULL, buf, SIZE_MAX, 0, &none), -EINVAL);
	ck_one_error("cannot register 18446744073709551615 bytes");
	/* Nothing is mapped without a gap for 32 TiB. */
	ck_assert_int_eq(gin_mr_create(nic, NULL, buf, 1ull << 45, 0, &none), -EFAULT);
	ck_one_error("35184372088832 bytes at");
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, 0, &mem), -EINVAL);
	ck_one_error("0 bytes");
	ck_assert_int_eq(gin_mem_alloc(gpu, (enum gin_mem_kind)3, 1, &mem), -EINVAL);
	ck_one_error("memory kind 3");
	ck_assert_uint_eq(mem.size, 1);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, 1, &mem), 0);
	twice = mem;
	gin_mem_free(gpu, &mem);
	gin_mem_free(gpu, &mem);
	ck_no_error();
	gin_mem_free(gpu, &twice);
	ck_one_error("was freed before");
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they end the program on such a size */
START_TEST(too_much_memory)
{
	struct gin_mem mem;

	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, SIZE_MAX / 2, &mem), -ENOMEM);
	ck_one_error("9223372036854775807 bytes");
}
END_TEST
#endif

static int launch(struct gin_launch_config cfg, const void *args, size_t size)
{
	return gin_launch(gpu, &gin_kernel_wait_for_packet, &cfg, args, size);
}

START_TEST(launch_says_what_is_wrong)
{
	struct wait_args args = { .rxq = gin_rxq_dev(rxq) };
	struct gin_launch_config cfg = { .block.x = 32 };
	struct gin_flow *flow;
	struct gin_gpu *other;

	ck_assert_int_eq(gin_flow_all(nic, &rxq, 1, &flow), 0);
	ck_assert_int_eq(launch(cfg, &args, 60), -EINVAL);
	ck_one_error("takes 64 bytes of arguments, 60 were given");
	ck_assert_int_eq(launch(cfg, &args, 0), -EINVAL);
	ck_one_error("takes 64 bytes of arguments, 0 were given");
	ck_assert_int_eq(launch(cfg, NULL, 64), -EINVAL);
	ck_one_error("NULL pointer");
	cfg.block.x = 1025;
	ck_assert_int_eq(launch(cfg, &args, 64), -EINVAL);
	ck_one_error("1025 x 1 x 1 threads; at most 1024");
	cfg.block.x = cfg.block.y = 64;
	ck_assert_int_eq(launch(cfg, &args, 64), -EINVAL);
	ck_one_error("64 x 64 x 1 threads; at most 1024");
	cfg.block.y = 1;
	cfg.grid.x = 33; /* x 64 = 2,112 threads; the GPU was opened with 2,048 */
	ck_assert_int_eq(launch(cfg, &args, 64), -E2BIG);
	ck_assert_ptr_nonnull(strstr(lines_text(GIN_LOG_ERROR), "2048"));
	ck_one_error("2112 threads");
	cfg.grid.x = cfg.grid.y = cfg.grid.z = UINT32_MAX;
	ck_assert_int_eq(launch(cfg, &args, 64), -E2BIG);
	ck_one_error("4294967295 x 4294967295 x 4294967295 blocks; at most 2147483647");
	cfg.grid.x = cfg.grid.y = cfg.grid.z = 0;
	cfg.shared_bytes = 232449; /* 227 KiB and a byte */
	ck_assert_int_eq(launch(cfg, &args, 64), -E2BIG);
	ck_one_error("232449 bytes of shared memory a block, at most 232448");
	cfg.shared_bytes = 0;
	ck_assert_int_eq(gin_gpu_open("cpu", &other), 0);
	ck_assert_int_eq(gin_stream_create(other, &cfg.stream), 0);
	ck_assert_int_eq(launch(cfg, &args, 64), -EINVAL);
	ck_one_error("stream is of another GPU");
	gin_stream_destroy(cfg.stream);
	gin_gpu_close(other);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_TRY), 0); /* nothing runs */
}
END_TEST

START_TEST(kernel_of_another_version)
{
	struct gin_kernel old = gin_kernel_wait_for_packet;
	struct wait_args args = { .rxq = gin_rxq_dev(rxq) };

	old.version = 203;
	ck_assert_int_eq(gin_launch(gpu, &old, NULL, &args, sizeof(args)), -ESTALE);
	ck_one_error("built with ginet 0.2.3");
	old = gin_kernel_wait_for_packet;
	old.rxq_size = 48;
	ck_assert_int_eq(gin_launch(gpu, &old, NULL, &args, sizeof(args)), -ESTALE);
	ck_one_error("48");
	old = gin_kernel_wait_for_packet;
	old.cpu = NULL;
	ck_assert_int_eq(gin_launch(gpu, &old, NULL, &args, sizeof(args)), -ENOEXEC);
	ck_one_error("not compiled for CPU threads");
}
END_TEST

START_TEST(no_rule_is_said_at_launch)
{
	struct wait_args args = { .rxq = gin_rxq_dev(rxq) };
	struct gin_launch_config cfg = { .block.x = 32 };

	ck_assert_int_eq(launch(cfg, &args, sizeof(args)), 0);
	ck_assert_int_eq(lines_count(GIN_LOG_WARNING), 1);
	ck_assert_msg(strstr(lines_text(GIN_LOG_WARNING), "no rule leads to soft0/rxq0"), "%s", lines_text(GIN_LOG_WARNING));
	gin_gpu_stop(gpu);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	/* Said once is enough. */
	ck_assert_int_eq(launch(cfg, &args, sizeof(args)), 0);
	ck_assert_int_eq(lines_count(GIN_LOG_WARNING), 1);
	gin_gpu_stop(gpu);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
}
END_TEST

#define N(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *s = suite_create("set-up");
	TCase *tc = tcase_create("set-up");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, receive_queue_says_what_is_possible, 0, N(bad_rxqs));
	tcase_add_test(tc, mtu_too_large_for_slots);
	tcase_add_loop_test(tc, send_queue_says_what_is_possible, 0, N(bad_txqs));
	tcase_add_test(tc, ring_sizes_round_up_from_one);
	tcase_add_test(tc, rule_says_what_is_wrong);
	tcase_add_test(tc, rule_with_a_foreign_queue);
	tcase_add_test(tc, rule_twice);
	tcase_add_test(tc, queues_in_use_stay);
	tcase_add_test(tc, memory_says_what_is_wrong);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(tc, too_much_memory);
#endif
	tcase_add_test(tc, launch_says_what_is_wrong);
	tcase_add_test(tc, kernel_of_another_version);
	tcase_add_test(tc, no_rule_is_said_at_launch);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
