/* SPDX-License-Identifier: BSD-3-Clause */
/* planted KERNEL [THREADS]     Runs one kernel of planted.cu on a software ConnectX whose wire leads back. */
#include <stdlib.h>
#include <string.h>
#include "planted.h"

static const struct {
	const char *name;
	const struct gin_kernel *kernel;
} kernels[] = {
	{ "good", &gin_kernel_good },
	{ "slot_overrun", &gin_kernel_slot_overrun },
	{ "slot_after_release", &gin_kernel_slot_after_release },
	{ "slot_too_early", &gin_kernel_slot_too_early },
	{ "sent_after_release", &gin_kernel_sent_after_release },
	{ "no_release", &gin_kernel_no_release },
	{ "shared_overrun", &gin_kernel_shared_overrun },
	{ "race", &gin_kernel_race },
	{ "look_inside", &gin_kernel_look_inside },
};

static const struct gin_kernel *find(const char *name)
{
	size_t i;

	for (i = 0; name && i < sizeof(kernels) / sizeof(*kernels); i++)
		if (!strcmp(kernels[i].name, name))
			return kernels[i].kernel;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct gin_kernel *kernel = find(argv[1]);
	struct gin_launch_config threads = { .block.x = argc > 2 ? (uint32_t)atoi(argv[2]) : 1 };
	struct gin_rxq_config two_slots = { .n_slots = 2, .slot_bytes = 2000 };
	struct planted_args args = { .slot_bytes = 2000, .eight = 8 };
	struct gin_gpu *gpu = NULL;
	struct gin_nic *nic = NULL;
	struct gin_flow *flow;
	struct gin_mem frame, out;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_mr *mr;
	int err;

	if (!kernel)
		return 2;
	if ((err = gin_gpu_open("cpu", &gpu)) || (err = gin_nic_open("soft:loop", &nic)) ||
	    (err = gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, 100, &frame)) ||
	    (err = gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, sizeof(*args.out), &out)) ||
	    (err = gin_mr_create(nic, gpu, frame.gpu, frame.size, 0, &mr)) ||
	    (err = gin_rxq_create(nic, gpu, &two_slots, &rxq)) || (err = gin_txq_create(nic, gpu, NULL, &txq)) ||
	    (err = gin_flow_all(nic, &rxq, 1, &flow)))
		goto out;
	memset(frame.cpu, 0xff, 6); /* to all */
	args.rxq = gin_rxq_dev(rxq);
	args.txq = gin_txq_dev(txq);
	args.frame = gin_mr_local(mr);
	args.out = out.gpu;
	if ((err = gin_launch(gpu, kernel, &threads, &args, sizeof(args))) || (err = gin_gpu_wait(gpu, GIN_UNTIL_STOP)))
		goto out;
	printf("%s ended, out %u\n", kernel->name, *args.out);
out:
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	return err ? 1 : 0;
}
