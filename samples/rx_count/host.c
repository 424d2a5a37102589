/* SPDX-License-Identifier: BSD-3-Clause */
/* rx_count thread|warp|block [NIC [GPU]]     e.g. rx_count warp soft:tap=gin0 cpu */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include "rx_count.h"

static struct gin_gpu *gpu;

static void on_signal(int sig)
{
	(void)sig;
	gin_gpu_stop(gpu);
}

int main(int argc, char **argv)
{
	static const char *const scopes[] = { "thread", "warp", "block" };
	static const struct gin_launch_config shapes[] = { { .block.x = 1 }, { .block.x = 32 }, { .block.x = 256 } };
	struct rx_count_args args = { 0 };
	struct rx_count_sums sums;
	struct gin_nic *nic = NULL;
	struct gin_mem mem;
	struct gin_rxq *rxq;
	struct gin_flow *flow;
	int err;

	for (args.scope = 0; args.scope < 3; args.scope++)
		if (argc > 1 && !strcmp(argv[1], scopes[args.scope]))
			break;
	if (argc < 2 || argc > 4 || args.scope == 3) {
		fprintf(stderr, "usage: rx_count thread|warp|block [NIC [GPU]]\n");
		return 2;
	}
	if ((err = gin_gpu_open(argc > 3 ? argv[3] : NULL, &gpu)) ||
	    (err = gin_nic_open(argc > 2 ? argv[2] : NULL, &nic)) ||
	    (err = gin_nic_promisc(nic, 1)) ||
	    (err = gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(sums), &mem)) ||
	    (err = gin_rxq_create(nic, gpu, NULL, &rxq)) ||
	    (err = gin_flow_all(nic, &rxq, 1, &flow)))
		goto out;

	args.rxq = gin_rxq_dev(rxq);
	args.sums = mem.gpu;
	err = gin_launch(gpu, &gin_kernel_rx_count, &shapes[args.scope], &args, sizeof(args));
	if (err)
		goto out;
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal); /* not before: a launch starts afresh, and would forget the stop */
	printf("counting by %s; Ctrl-C ends\n", scopes[args.scope]);
	fflush(stdout);
	err = gin_gpu_wait(gpu, GIN_UNTIL_STOP);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL); /* again: end at once */
	if (!gin_mem_copy(gpu, &sums, mem.gpu, sizeof(sums)))
		printf("%" PRIu64 " packets, %" PRIu64 " bytes\n", sums.packets, sums.bytes);
	gin_nic_print_stats(nic, stdout);
out:
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	return err ? 1 : 0;
}
