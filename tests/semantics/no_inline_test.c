/* SPDX-License-Identifier: BSD-3-Clause */
/* GIN_NO_INLINE: the same WQEs where the NIC wants no header in them, and no launch where it does. */
#include "sends.h"
#include <check.h>
#include <errno.h>
#include <ginet/ginet.h>
#include <ginet/hw/wqe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH = 128, /* at least what one kernel posts: 1 + 3 + 1 + 32 + 64 WQEBBs, those of the pieces with their NOP */
	N_SHARED = 1 + 1 + 1 + 32 + 64,
	N_OWN = 1 + 32 + 64,
};
static const uint64_t limit_ns = 60000000000;

struct ring { uint8_t wqe[DEPTH][GIN_WQEBB]; };

static struct gin_gpu *gpu;
static struct gin_mem frames, err;
static char line[1024];
static int n_lines;

static void keep_line(enum gin_log_level level, const char *text, void *arg)
{
	(void)arg;
	if (level > GIN_LOG_WARNING)
		return;
	n_lines++;
	snprintf(line, sizeof(line), "%s", text);
}

static void set_up(void)
{
	uint32_t i;

	n_lines = 0;
	gin_log_to(keep_line, NULL);
	ck_assert_int_eq(gin_gpu_open("cpu", &gpu), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU_CPU, (size_t)SENDS_THREADS * SENDS_ROOM, &frames), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU_CPU, sizeof(int), &err), 0);
	for (i = 0; i < SENDS_THREADS * SENDS_ROOM; i++)
		((uint8_t *)frames.cpu)[i] = (uint8_t)(i * 7 + i / SENDS_ROOM);
	*(int *)err.cpu = 0;
}

static void tear_down(void)
{
	gin_gpu_close(gpu);
	gin_log_to(NULL, NULL);
}

/* A NIC that knows the frames, and one queue of it at a time. */
struct port {
	struct gin_nic *nic;
	struct gin_txq *txq;
	struct gin_mr *mr;
	struct sends_args args;
};

static void queue_open(struct port *p)
{
	struct gin_txq_config cfg = { .n_wqes = DEPTH };

	ck_assert_int_eq(gin_txq_create(p->nic, gpu, &cfg, &p->txq), 0);
	p->args.q = gin_txq_dev(p->txq);
}

static void port_open(struct port *p, const char *name)
{
	memset(p, 0, sizeof(*p));
	ck_assert_int_eq(gin_nic_open(name, &p->nic), 0);
	ck_assert_int_eq(gin_mr_create(p->nic, gpu, frames.gpu, frames.size, 0, &p->mr), 0);
	p->args.frames = frames.gpu;
	p->args.lkey = gin_mr_local(p->mr).key;
	p->args.err = err.gpu;
	queue_open(p);
}

static void port_close(struct port *p)
{
	gin_mr_destroy(p->mr);
	gin_nic_close(p->nic);
}

static int launch(const struct gin_kernel *kernel, const struct sends_args *args)
{
	struct gin_launch_config cfg = { .block = { .x = SENDS_THREADS } };

	return gin_launch(gpu, kernel, &cfg, args, sizeof(*args));
}

/* Takes the queue's number out of all WQEs: it is the one thing that differs from queue to queue. */
static uint32_t take_numbers_out(struct ring *ring, struct gin_be32 sqn)
{
	uint32_t n = 0;
	int i;

	for (i = 0; i < DEPTH; i++) {
		uint8_t *number = ring->wqe[i] + offsetof(struct gin_wqe_ctrl, qpn_ds);

		if (memcmp(number, &sqn, 3))
			continue;
		memset(number, 0, 3);
		n++;
	}
	return n;
}

/* What the kernel leaves in the ring of a queue. */
static void run(const struct gin_kernel *kernel, struct port *p, struct ring *ring)
{
	uint32_t n = p->args.own ? N_OWN : N_SHARED;
	struct gin_txq_stats stats;

	ck_assert_int_eq(launch(kernel, &p->args), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, limit_ns), 0);
	ck_assert_int_eq(*(int *)err.cpu, 0);
	ck_assert_int_eq(gin_txq_stats(p->txq, &stats), 0);
	ck_assert_uint_eq(stats.posted, n);
	ck_assert_uint_eq(stats.drop, 0);
	ck_assert_int_eq(gin_mem_copy(gpu, ring, p->args.q.sq.wqe, sizeof(*ring)), 0);
	ck_assert_uint_eq(take_numbers_out(ring, p->args.q.sq.sqn), n + !p->args.own); /* and the NOP */
	ck_assert_int_eq(gin_txq_destroy(p->txq), 0);
}

/* The same, of both: from one NIC, so that the frames have one key. */
static void run_both(const char *name, int own, const struct gin_kernel *kernel, struct ring *portable, struct ring *ring)
{
	struct port p;

	port_open(&p, name);
	p.args.own = (uint32_t)own;
	run(&gin_kernel_sends_portable, &p, portable);
	queue_open(&p);
	run(kernel, &p, ring);
	port_close(&p);
	ck_assert_int_eq(n_lines, 0);
}

static void same(const struct ring *a, const struct ring *b)
{
	int i;

	for (i = 0; i < DEPTH; i++)
		ck_assert_mem_eq(a->wqe[i], b->wqe[i], GIN_WQEBB);
}

/* Of WQEBB i: how long the header in it is, and how long the WQE, in 16 bytes. */
static uint32_t inline_of(const struct ring *r, int i)
{
	return r->wqe[i][GIN_DS + offsetof(struct gin_wqe_eth, inline_hdr_sz) + 1];
}

static uint32_t ds_of(const struct ring *r, int i)
{
	return r->wqe[i][offsetof(struct gin_wqe_ctrl, qpn_ds) + 3];
}

START_TEST(the_same_wqes_without_the_header)
{
	static struct ring portable, no_inline;

	run_both("soft:loop,inline=none", _i, &gin_kernel_sends_no_inline, &portable, &no_inline);
	same(&portable, &no_inline);
	ck_assert_uint_eq(inline_of(&no_inline, 0), 0);
	ck_assert_uint_eq(ds_of(&no_inline, 0), 3); /* control, Ethernet, data */
}
END_TEST

/* Defined behind a header of ginet it does nothing: neither to the sends nor to what the kernel says of itself. */
START_TEST(defined_too_late_it_changes_nothing)
{
	static struct ring portable, too_late;

	ck_assert_uint_eq(gin_kernel_sends_too_late.flags, 0);
	run_both("soft:loop,inline=l2", _i, &gin_kernel_sends_too_late, &portable, &too_late);
	same(&portable, &too_late);
	ck_assert_uint_eq(inline_of(&too_late, 0), 18); /* two MAC addresses, a VLAN tag, a type */
	ck_assert_uint_eq(ds_of(&too_late, 0), 4);
}
END_TEST

static void expect_part(const char *part)
{
	ck_assert_msg(strstr(line, part) != NULL, "\"%s\" lacks \"%s\"", line, part);
}

START_TEST(a_nic_that_wants_headers_refuses_the_kernel)
{
	struct gin_nic_info info;
	struct gin_nic_stats stats;
	struct port p;
	char part[128];

	port_open(&p, _i ? "soft:loop,model=cx4lx" : "soft:loop,inline=l2");
	ck_assert_int_eq(launch(&gin_kernel_sends_no_inline, &p.args), -ENOTSUP);
	ck_assert_int_eq(n_lines, 1);
	ck_assert_int_eq(gin_nic_info(p.nic, &info), 0);
	expect_part("kernel sends_no_inline was built with GIN_NO_INLINE");
	snprintf(part, sizeof(part), "NIC %s wants 18 header bytes in each WQE of %s/txq0", info.name, info.name);
	expect_part(part);
	expect_part("build the kernel without GIN_NO_INLINE, or use another NIC");
	ck_assert_int_eq(gin_gpu_wait(gpu, limit_ns), 0); /* nothing runs */
	ck_assert_int_eq(gin_nic_stats(p.nic, &stats), 0);
	ck_assert_uint_eq(stats.tx_posted, 0);
	ck_assert_int_eq(launch(&gin_kernel_sends_portable, &p.args), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, limit_ns), 0);
	port_close(&p);
	ck_assert_int_eq(n_lines, 1);
}
END_TEST

/* By a queue on that GPU, whichever of its NICs the kernel sends with; when that queue is gone it is fine. */
START_TEST(one_such_queue_is_enough_and_only_on_that_gpu)
{
	struct gin_gpu *other;
	struct gin_txq *txq;
	struct gin_nic *nic;
	struct port p;

	port_open(&p, "soft:loop,inline=none");
	ck_assert_int_eq(gin_nic_open("soft:loop,inline=l2", &nic), 0);
	ck_assert_int_eq(gin_gpu_open("cpu", &other), 0);
	ck_assert_int_eq(gin_txq_create(nic, gpu, NULL, &txq), 0);
	ck_assert_int_eq(launch(&gin_kernel_sends_no_inline, &p.args), -ENOTSUP);
	ck_assert_int_eq(gin_txq_destroy(txq), 0);
	ck_assert_int_eq(gin_txq_create(nic, other, NULL, &txq), 0);
	ck_assert_int_eq(launch(&gin_kernel_sends_no_inline, &p.args), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, limit_ns), 0);
	ck_assert_int_eq(*(int *)err.cpu, 0);
	gin_nic_close(nic);
	gin_gpu_close(other);
	port_close(&p);
	ck_assert_int_eq(n_lines, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("no_inline");
	TCase *tcase = tcase_create("no_inline");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, the_same_wqes_without_the_header, 0, 2);
	tcase_add_loop_test(tcase, defined_too_late_it_changes_nothing, 0, 2);
	tcase_add_loop_test(tcase, a_nic_that_wants_headers_refuses_the_kernel, 0, 2);
	tcase_add_test(tcase, one_such_queue_is_enough_and_only_on_that_gpu);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
