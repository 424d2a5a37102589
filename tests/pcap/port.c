/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"
#include <string.h>
#include "nic/soft.h"

struct gin_gpu *gpu;
struct gin_mem sums_mem;

void open_gpu(void)
{
	ck_assert_int_eq(gin_gpu_open("cpu", &gpu), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(struct input_sums), &sums_mem), 0);
}

void set_up_port(struct port *p, uint32_t n_slots)
{
	struct gin_rxq_config cfg = { .n_slots = n_slots };
	struct gin_nic_info info;
	struct gin_flow *flow;

	memset(&p->answer, 0, sizeof(p->answer));
	ck_assert_int_eq(gin_nic_info(p->nic, &info), 0);
	memcpy(p->mac, info.mac, 6);
	p->dev = gin_nic_soft_device(p->nic->dev);
	ck_assert_int_eq(gin_rxq_create(p->nic, gpu, &cfg, &p->rxq), 0);
	ck_assert_int_eq(gin_txq_create(p->nic, gpu, NULL, &p->txq), 0);
	ck_assert_int_eq(gin_flow_all(p->nic, &p->rxq, 1, &flow), 0);
}

void open_port(struct port *p, const char *name, uint32_t n_slots)
{
	ck_assert_int_eq(gin_nic_open(name, &p->nic), 0);
	set_up_port(p, n_slots);
}

void fill_frame(const struct port *p, uint8_t *frame, uint32_t len, uint32_t seed)
{
	uint32_t i;

	for (i = 14; i < len; i++)
		frame[i] = (uint8_t)(seed * 31 + i);
	memcpy(frame, p->mac, 6);
	memcpy(frame + 6, "\x02\0\0\0\0\x99", 6);
	frame[12] = 0x88;
	frame[13] = 0xb5; /* for local experiments, IEEE 802 */
}

void make_answer(struct port *p)
{
	uint8_t frame[60];
	struct gin_mem mem;
	struct gin_mr *mr;

	fill_frame(p, frame, sizeof(frame), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(frame), &mem), 0);
	ck_assert_int_eq(gin_mem_copy(gpu, mem.gpu, frame, sizeof(frame)), 0);
	ck_assert_int_eq(gin_mr_create(p->nic, gpu, mem.gpu, sizeof(frame), 0, &mr), 0);
	p->answer = gin_mr_local(mr);
}

void launch(struct port *p, enum input_what what)
{
	struct input_args args = {
		.rxq = gin_rxq_dev(p->rxq), .txq = gin_txq_dev(p->txq), .answer = p->answer, .what = what,
	};

	args.sums = sums_mem.gpu;
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_input, NULL, &args, sizeof(args)), 0);
}

struct input_sums sums(void)
{
	struct input_sums s;

	ck_assert_int_eq(gin_mem_copy(gpu, &s, sums_mem.gpu, sizeof(s)), 0);
	return s;
}

struct gin_nic_stats stats(const struct port *p)
{
	struct gin_nic_stats s;

	ck_assert_int_eq(gin_nic_stats(p->nic, &s), 0);
	return s;
}
