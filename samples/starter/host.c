/* SPDX-License-Identifier: BSD-3-Clause */
/* starter     $GINET_NIC and $GINET_GPU say on what it runs. */
#include <string.h>
#include "starter.h"

int main(void)
{
	struct starter_args args = { 0 };
	struct gin_gpu *gpu = NULL;
	struct gin_nic *nic = NULL;
	struct gin_mem frame, count;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;
	struct gin_mr *mr;
	int err;

	if ((err = gin_gpu_open(NULL, &gpu)) || (err = gin_nic_open(NULL, &nic)) ||
	    (err = gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, 64, &frame)) ||
	    (err = gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, sizeof(*args.packets), &count)) ||
	    (err = gin_mr_create(nic, gpu, frame.gpu, frame.size, 0, &mr)) ||
	    (err = gin_rxq_create(nic, gpu, NULL, &rxq)) || (err = gin_txq_create(nic, gpu, NULL, &txq)) ||
	    (err = gin_flow_all(nic, &rxq, 1, &flow)))
		goto out;
	memset(frame.cpu, 0xff, 6); /* to all: a broadcast */
	args.rxq = gin_rxq_dev(rxq);
	args.txq = gin_txq_dev(txq);
	args.frame = gin_mr_local(mr);
	args.packets = count.gpu;
	if ((err = gin_launch(gpu, &gin_kernel_starter, NULL, &args, sizeof(args))) ||
	    (err = gin_gpu_wait(gpu, GIN_UNTIL_STOP)))
		goto out;
	printf("%u packets\n", *(uint32_t *)count.cpu);
out:
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	return err ? 1 : 0;
}
