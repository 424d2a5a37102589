/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels whose time is taken: by themselves, with the GPU's clock. */
#include <ginet/device.h>
#include "kernels.h"

#define LOOKS 256u /* between two looks at whether the host has given up */

/* 0: the word has the value; 1: the host gave up. No pause between looks: nothing can be faster than this. */
GIN_FN int await_word(const uint32_t *word, uint32_t value, const uint32_t *give_up)
{
	uint32_t i = 0;

	while (gin_load32(word) != value) {
		if (++i % LOOKS)
			continue;
		if (gin_load32(give_up))
			return 1;
		gin_pause();
	}
	return 0;
}

GIN_KERNEL(chk_flag, struct chk_flag_args, a)
{
	uint64_t start = gin_time_ns();
	uint32_t i;

	for (i = 1; i <= a.n && (i % 8 || gin_time_ns() - start < a.max_ns); i++) {
		gin_store32(a.to_host, i);
		if (await_word(a.to_gpu, i, a.give_up))
			return;
	}
	a.ns[0] = gin_time_ns() - start;
	a.ns[1] = i - 1;
}

GIN_KERNEL(chk_trip, struct chk_trip_args, a)
{
	struct gin_pkt pkt = { 0 }, back;
	uint64_t ticket, start;
	struct gin_run run;
	uint32_t i;
	int err = 0;

	pkt.data = a.frame;
	pkt.len = CHK_PADDED;
	pkt.lkey = a.lkey;
	start = gin_time_ns();
	for (i = 1; i <= a.n && (i % 8 || gin_time_ns() - start < a.max_ns); i++) {
		gin_put32(pkt.data + 14, i);
		err = gin_txq_send_own(&a.txq, &pkt, NULL, GIN_UNTIL_STOP, &ticket);
		if (!err)
			err = gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run);
		if (err)
			break;
		back = gin_rxq_pkt(&a.rxq, run.first);
		if (back.len != CHK_PADDED || gin_get32(back.data + 14) != i)
			err = -EBADMSG;
		gin_rxq_release(&a.rxq, &run);
		if (err)
			break;
	}
	a.ns[0] = gin_time_ns() - start;
	a.ns[1] = i - 1;
	*a.err = err;
}

GIN_KERNEL(chk_idle, struct chk_idle_args, a)
{
	struct gin_run run;
	int err = -EAGAIN;

	if (threadIdx.x == 0)
		gin_store32(a.ready, 1);
	while (err == -EAGAIN) {
		if (threadIdx.x == 0)
			atomicAdd(a.beats, 1u);
		err = gin_rxq_recv_warp(&a.rxq, 32, 20000, &run);
	}
}
