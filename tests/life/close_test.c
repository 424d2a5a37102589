/* SPDX-License-Identifier: BSD-3-Clause */
/* Stopping, failing and closing while kernels run, in and out of order. */
#include "input/lines.h"
#include "kernels.h"
#include "left.h"
#include <errno.h>
#include <signal.h>
#include <time.h>

enum { FRAME_LEN = 100 };

static struct gin_gpu *gpu;
static struct left before;

static void setup(void)
{
	left_prepare();
	lines_keep();
	before = left_now();
	ck_assert_int_eq(gin_gpu_open("cpu", &gpu), 0);
}

static void teardown(void)
{
	gin_gpu_close(gpu);
	ck_no_error();
	ck_assert_int_eq(before.fds, left_now().fds);
	ck_assert_int_eq(before.threads, left_now().threads);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A NIC whose frames come back, with a queue of each kind. */
struct port {
	struct gin_nic *nic;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;
	struct gin_mem frame, bounced;
	struct bounce_args args;
};

static void port_open(struct port *p)
{
	struct gin_nic_info info;
	struct gin_mr *mr;

	memset(p, 0, sizeof(*p));
	ck_assert_int_eq(gin_nic_open("soft:loop", &p->nic), 0);
	ck_assert_int_eq(gin_nic_info(p->nic, &info), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, FRAME_LEN, &p->frame), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(uint64_t), &p->bounced), 0);
	ck_assert_int_eq(gin_mr_create(p->nic, gpu, p->frame.cpu, FRAME_LEN, 0, &mr), 0);
	ck_assert_int_eq(gin_rxq_create(p->nic, gpu, NULL, &p->rxq), 0);
	ck_assert_int_eq(gin_txq_create(p->nic, gpu, NULL, &p->txq), 0);
	ck_assert_int_eq(gin_flow_all(p->nic, &p->rxq, 1, &p->flow), 0);
	memcpy(p->frame.cpu, info.mac, 6);
	p->args.rxq = gin_rxq_dev(p->rxq);
	p->args.txq = gin_txq_dev(p->txq);
	p->args.frame = p->frame.gpu;
	p->args.lkey = gin_mr_local(mr).key;
	p->args.len = FRAME_LEN;
	p->args.bounced = p->bounced.gpu;
}

static int port_launch(struct port *p, uint32_t n)
{
	struct gin_launch_config one = { .block.x = 1 };

	p->args.n = n;
	return gin_launch(gpu, &gin_kernel_bounce, &one, &p->args, sizeof(p->args));
}

/* Until the kernel counted that many frames; fails when it ends before. */
static void port_await(struct port *p, uint64_t n)
{
	uint64_t now = 0;

	while (now < n) {
		ck_assert_int_eq(gin_gpu_wait(gpu, 100000), -EAGAIN);
		ck_assert_int_eq(gin_mem_copy(gpu, &now, p->bounced.gpu, sizeof(now)), 0);
	}
}

START_TEST(closing_a_nic_stops_its_kernel)
{
	struct port p;

	port_open(&p);
	ck_assert_int_eq(port_launch(&p, 3), 0);
	port_await(&p, 3);
	gin_nic_close(p.nic);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_TRY), 0);
}
END_TEST

START_TEST(stop_and_launch_again)
{
	struct port p;
	uint32_t i;

	port_open(&p);
	for (i = 1; i <= 20; i++) {
		ck_assert_int_eq(port_launch(&p, 2), 0);
		port_await(&p, 2 * i); /* it takes and gives frames: the old stop is forgotten */
		gin_gpu_stop(gpu);
		ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	}
	gin_nic_close(p.nic);
}
END_TEST

static void stop_it(int sig)
{
	(void)sig;
	gin_gpu_stop(gpu);
}

START_TEST(stop_in_a_signal_handler)
{
	struct port p;

	port_open(&p);
	ck_assert_int_eq(port_launch(&p, 1), 0);
	port_await(&p, 1);
	signal(SIGUSR1, stop_it);
	ck_assert_int_eq(raise(SIGUSR1), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	gin_nic_close(p.nic);
}
END_TEST

static int launch_stubborn(struct gin_mem *go)
{
	struct stubborn_args args;

	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, sizeof(uint32_t), go), 0);
	args.go = go->gpu;
	return gin_launch(gpu, &gin_kernel_stubborn, NULL, &args, sizeof(args));
}

static void let_go(const struct gin_mem *go)
{
	__atomic_store_n((uint32_t *)go->cpu, 1, __ATOMIC_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
}

START_TEST(kernel_that_ignores_the_stop_keeps_its_memory)
{
	struct gin_nic_stats stats;
	struct gin_mem go;
	struct port p;
	uint64_t t;

	port_open(&p);
	ck_assert_int_eq(launch_stubborn(&go), 0);
	t = now_ns();
	gin_nic_close(p.nic);
	t = now_ns() - t;
	ck_assert_msg(t >= 2000000000u, "given up after %llu ns", (unsigned long long)t);
	ck_one_error("stubborn did not end within 2 s");
	/* All is there: the NIC answers, and its memory can be used. */
	ck_assert_int_eq(gin_nic_stats(p.nic, &stats), 0);
	memset(p.frame.cpu, 0xff, FRAME_LEN);
	/* So is the GPU. */
	gin_gpu_close(gpu);
	ck_one_error("stubborn");
	let_go(&go);
	gin_nic_close(p.nic); /* now it goes */
}
END_TEST

START_TEST(gpu_before_its_nic)
{
	struct port p;

	port_open(&p);
	ck_assert_int_eq(port_launch(&p, 1), 0);
	port_await(&p, 1);
	gin_gpu_close(gpu);
	ck_one_error("close the NIC first");
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(failed_queue_ends_the_wait_while_others_run)
{
	struct listen_args listen;
	struct gin_launch_config warp = { .block.x = 32 };
	struct gin_failure failure;
	struct gin_rxq *second;
	struct gin_flow_config arp = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x0806, .action = GIN_FLOW_QUEUES,
				       .rxqs = &second, .n_rxqs = 1 };
	struct gin_flow *flow;
	struct port p;

	port_open(&p);
	ck_assert_int_eq(gin_rxq_create(p.nic, gpu, NULL, &second), 0);
	ck_assert_int_eq(gin_flow_create(p.nic, &arp, &flow), 0);
	listen.rxq = gin_rxq_dev(second);
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_listen_only, &warp, &listen, sizeof(listen)), 0);
	ck_assert_int_eq(gin_nic_failure(p.nic, &failure), 0);
	p.args.lkey = gin_to_be32(0xdead00); /* no such key */
	ck_assert_int_eq(port_launch(&p, 1), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), -EIO);
	ck_one_error("soft0/txq0: local protection error");
	ck_assert_int_eq(gin_nic_failure(p.nic, &failure), -EIO);
	ck_assert_str_eq(failure.queue, "soft0/txq0");
	ck_assert_uint_eq(failure.syndrome, 4); /* IBV_WC_LOC_PROT_ERR on the wire */
	ck_assert_uint_eq(failure.index, 0);
	/* The other kernel goes on, and the stop reaches it. */
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_TRY), -EIO);
	gin_nic_close(p.nic);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_TRY), 0);
}
END_TEST

START_TEST(two_nics_one_gpu)
{
	struct port a, b;

	port_open(&a);
	port_open(&b);
	ck_assert_int_eq(port_launch(&a, 2), 0);
	ck_assert_int_eq(port_launch(&b, 2), 0);
	port_await(&a, 2);
	port_await(&b, 2);
	gin_nic_close(a.nic); /* stops the GPU, so b's kernel too */
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_TRY), 0);
	/* b is as good as before. */
	ck_assert_int_eq(port_launch(&b, 3), 0);
	port_await(&b, 5);
	gin_nic_close(b.nic);
}
END_TEST

START_TEST(shared_slots_outlive_the_other_nic)
{
	struct gin_be32 lkey;
	struct gin_nic *other;
	struct port p;

	port_open(&p);
	ck_assert_int_eq(gin_nic_open("soft:loop", &other), 0);
	ck_assert_int_eq(gin_rxq_share(p.rxq, other, &lkey), 0);
	gin_nic_close(other); /* takes its key along */
	ck_assert_int_eq(port_launch(&p, 1), 0);
	port_await(&p, 1);
	gin_nic_close(p.nic);
}
END_TEST

/* A receive queue waits for a send of another NIC: that queue is busy, and when its NIC closes the wait is over. */
START_TEST(slots_wait_for_a_send_of_another_nic)
{
	struct gin_rxq_stats stats;
	struct defer_args args;
	struct port p, other;

	memset(&args, 0, sizeof(args));
	port_open(&p);
	port_open(&other);
	args.first = p.args;
	args.txq = other.args.txq;
	ck_assert_int_eq(gin_rxq_share(p.rxq, other.nic, &args.lkey), 0);
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_defer_one, NULL, &args, sizeof(args)), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_int_eq(gin_txq_destroy(other.txq), -EBUSY);
	ck_one_error("a receive queue waits for its sends");
	gin_nic_close(other.nic);
	/* The slot comes back, and nobody looks into what is gone. */
	ck_assert_int_eq(port_launch(&p, 1), 0);
	port_await(&p, 1);
	ck_assert_int_eq(gin_rxq_stats(p.rxq, &stats), 0);
	ck_assert_uint_ge(stats.released, 1);
	gin_nic_close(p.nic);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("closing");
	TCase *tc = tcase_create("close");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, closing_a_nic_stops_its_kernel);
	tcase_add_test(tc, stop_and_launch_again);
	tcase_add_test(tc, stop_in_a_signal_handler);
	tcase_add_test(tc, kernel_that_ignores_the_stop_keeps_its_memory);
	tcase_add_test(tc, gpu_before_its_nic);
	tcase_add_test(tc, failed_queue_ends_the_wait_while_others_run);
	tcase_add_test(tc, two_nics_one_gpu);
	tcase_add_test(tc, shared_slots_outlive_the_other_nic);
	tcase_add_test(tc, slots_wait_for_a_send_of_another_nic);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
