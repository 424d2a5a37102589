/* SPDX-License-Identifier: BSD-3-Clause */
/* icmp_echo IP [NIC [GPU]]     e.g. icmp_echo 10.0.0.2 soft:tap=gin0 cpu */
#include <arpa/inet.h>
#include <signal.h>
#include <string.h>
#include "icmp_echo.h"

static struct gin_gpu *gpu;

static void on_signal(int sig)
{
	(void)sig;
	gin_gpu_stop(gpu);
}

int main(int argc, char **argv)
{
	struct icmp_echo_args args = { 0 };
	struct gin_launch_config one_warp = { .block.x = 32 };
	struct gin_nic *nic = NULL;
	struct gin_nic_info info;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;
	int err;

	if (argc < 2 || argc > 4 || inet_pton(AF_INET, argv[1], args.ip) != 1) {
		fprintf(stderr, "usage: icmp_echo IP [NIC [GPU]]\n");
		return 2;
	}
	if ((err = gin_gpu_open(argc > 3 ? argv[3] : NULL, &gpu)) ||
	    (err = gin_nic_open(argc > 2 ? argv[2] : NULL, &nic)) ||
	    (err = gin_nic_info(nic, &info)) ||
	    (err = gin_rxq_create(nic, gpu, NULL, &rxq)) ||
	    (err = gin_txq_create(nic, gpu, NULL, &txq)) ||
	    (err = gin_flow_all(nic, &rxq, 1, &flow)))
		goto out;

	args.rxq = gin_rxq_dev(rxq);
	args.txq = gin_txq_dev(txq);
	memcpy(args.mac, info.mac, 6);
	err = gin_launch(gpu, &gin_kernel_icmp_echo, &one_warp, &args, sizeof(args));
	if (err)
		goto out;
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal); /* not before: a launch starts afresh, and would forget the stop */
	printf("%s answers ping at %s; Ctrl-C ends\n", info.name, argv[1]);
	fflush(stdout);
	err = gin_gpu_wait(gpu, GIN_UNTIL_STOP);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL); /* again: end at once */
	gin_nic_print_stats(nic, stdout);
out:
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	return err ? 1 : 0;
}
