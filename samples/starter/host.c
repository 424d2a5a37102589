/* SPDX-License-Identifier: BSD-3-Clause */
/* starter [NIC]     e.g. starter soft:net_pcap0,rx_pcap=ten.pcap; $GINET_GPU says on what the kernel runs. */
#include "starter.h"

int main(int argc, char **argv)
{
	struct starter_args args = { 0 };
	struct gin_gpu *gpu = NULL;
	struct gin_nic *nic = NULL;
	struct gin_mem count;
	struct gin_rxq *rxq;
	struct gin_flow *flow;
	int err;

	err = gin_gpu_open(NULL, &gpu) || gin_nic_open(argc > 1 ? argv[1] : NULL, &nic) || gin_nic_promisc(nic, 1) ||
	      gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, sizeof(*args.packets), &count) ||
	      gin_rxq_create(nic, gpu, NULL, &rxq) || gin_flow_all(nic, &rxq, 1, &flow);
	if (err)
		goto out; /* a line on stderr says why */
	args.rxq = gin_rxq_dev(rxq);
	args.packets = count.gpu;
	err = gin_launch(gpu, &gin_kernel_starter, NULL, &args, sizeof(args)) || gin_gpu_wait(gpu, GIN_UNTIL_STOP);
	if (!err)
		printf("%u packets\n", *(uint32_t *)count.cpu);
out:
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	return err;
}
