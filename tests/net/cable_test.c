/* SPDX-License-Identifier: BSD-3-Clause */
/* Two NICs on a cable, a kernel behind each: every frame arrives there and back, whole and in order. */
#include "cable.h"
#include "rig.h"
#include <string.h>

#if defined(__SANITIZE_THREAD__)
enum { FRAMES = 1000 };
#elif defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 5000 };
#else
enum { FRAMES = 20000 };
#endif

struct end {
	struct gin_nic *nic;
	struct gin_nic_info info;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;
	struct gin_mem sums;
};

static struct gin_gpu *gpu;
static struct end near, far;

static void end_open(struct end *e, const char *name)
{
	ck_assert_int_eq(gin_nic_open(name, &e->nic), 0);
	ck_assert_int_eq(gin_nic_info(e->nic, &e->info), 0);
	ck_assert_int_eq(gin_rxq_create(e->nic, gpu, NULL, &e->rxq), 0);
	ck_assert_int_eq(gin_txq_create(e->nic, gpu, NULL, &e->txq), 0);
	ck_assert_int_eq(gin_flow_all(e->nic, &e->rxq, 1, &e->flow), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(struct cable_sums), &e->sums), 0);
}

static void launch_echo(uint32_t scope)
{
	static const uint32_t threads[] = { 1, 32, 128 };
	struct gin_launch_config cfg = { .block.x = threads[scope] };
	struct cable_echo_args args = { .sums = far.sums.gpu, .scope = scope };

	args.rxq = gin_rxq_dev(far.rxq);
	args.txq = gin_txq_dev(far.txq);
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_cable_echo, &cfg, &args, sizeof(args)), 0);
}

static void launch_source(const struct gin_mem *frames, const struct gin_mr *mr)
{
	struct gin_launch_config warp = { .block.x = 32 };
	struct cable_source_args args = { .frames = frames->gpu, .sums = near.sums.gpu, .n = FRAMES };

	args.rxq = gin_rxq_dev(near.rxq);
	args.txq = gin_txq_dev(near.txq);
	args.lkey = gin_mr_local(mr).key;
	memcpy(args.mac, near.info.mac, 6);
	memcpy(args.peer, far.info.mac, 6);
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_cable_source, &warp, &args, sizeof(args)), 0);
}

static void ck_end(struct end *e)
{
	struct gin_nic_stats s;
	struct cable_sums sums;

	ck_assert_int_eq(gin_mem_copy(gpu, &sums, e->sums.gpu, sizeof(sums)), 0);
	ck_assert_uint_eq(sums.bad, 0);
	ck_assert_uint_eq(sums.seen, FRAMES);
	ck_quiet_sums(e->nic);
	ck_assert_int_eq(gin_nic_stats(e->nic, &s), 0);
	ck_assert_uint_eq(s.rx_delivered, FRAMES);
	ck_assert_uint_eq(s.tx_wire, FRAMES);
}

/* _i: scope, and whether kernels help the NIC. */
START_TEST(there_and_back)
{
	struct gin_mem frames;
	struct gin_mr *mr;

	ck_assert_int_eq(gin_gpu_open(_i < 3 ? "cpu" : "cpu:help=0", &gpu), 0);
	end_open(&near, "soft:cable=a");
	end_open(&far, _i & 1 ? "soft:cable=a,inline=l2" : "soft:cable=a");
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, CABLE_WINDOW * CABLE_SLOT, &frames), 0);
	ck_assert_int_eq(gin_mr_create(near.nic, gpu, frames.cpu, frames.size, 0, &mr), 0);
	launch_echo((uint32_t)_i % 3);
	launch_source(&frames, mr);
	await_counter(gpu, &((struct cable_sums *)near.sums.gpu)->seen, FRAMES);
	gin_gpu_stop(gpu);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_end(&near);
	ck_end(&far);
	gin_nic_close(near.nic);
	gin_nic_close(far.nic);
	gin_gpu_close(gpu);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cable");
	TCase *tc = tcase_create("cable");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, there_and_back, 0, 6);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
