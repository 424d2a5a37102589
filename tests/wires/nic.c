/* SPDX-License-Identifier: BSD-3-Clause */
/* nic NAME     Holds a NIC open, without a kernel, until SIGINT; then its counters. Its host end is of use. */
#include <ginet/ginet.h>
#include <signal.h>

int main(int argc, char **argv)
{
	struct gin_nic_info info;
	struct gin_nic *nic;
	sigset_t end;
	int sig;

	sigemptyset(&end);
	sigaddset(&end, SIGINT);
	sigprocmask(SIG_BLOCK, &end, NULL); /* the NIC's thread too: sigwait() gets it */
	if (argc != 2 || gin_nic_open(argv[1], &nic))
		return 1;
	gin_nic_info(nic, &info);
	printf("%s is there\n", info.name);
	fflush(stdout);
	sigwait(&end, &sig);
	gin_nic_print_stats(nic, stdout);
	gin_nic_close(nic);
	return 0;
}
