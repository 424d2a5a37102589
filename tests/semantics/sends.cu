/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of SENDS_THREADS. SENDS_NAME: of the kernel, see CMakeLists.txt. */
#include <ginet/device.h>
#include "sends.h"

GIN_FN int send_pieces(const struct sends_args *a, const struct gin_pkt *pkt, uint64_t *ticket)
{
	struct gin_seg segs[3];
	uint32_t i;

	for (i = 0; i < 3; i++) {
		segs[i].data = pkt->data + 20 * i;
		segs[i].len = 20;
		segs[i].lkey = a->lkey;
	}
	return gin_txq_send_segs(&a->q, segs, 3, NULL, GIN_UNTIL_STOP, ticket);
}

GIN_FN int send_raw(const struct sends_args *a, const struct gin_pkt *pkt, uint64_t *ticket)
{
	int err = gin_txq_reserve(&a->q, 1, GIN_UNTIL_STOP, ticket);

	if (err)
		return err;
	gin_txq_put_pkt(&a->q, *ticket, pkt, 0, GIN_CE_ALWAYS);
	gin_txq_submit(&a->q, (*ticket)++, 1);
	return 0;
}

GIN_FN int send_shared(const struct sends_args *a, const struct gin_pkt *pkt, uint64_t *ticket)
{
	int err = 0;

	if (threadIdx.x == 0)
		err = gin_txq_send(&a->q, pkt, NULL, GIN_UNTIL_STOP, ticket);
	if (threadIdx.x == 0 && !err)
		err = send_pieces(a, pkt, ticket);
	if (threadIdx.x == 0 && !err)
		err = send_raw(a, pkt, ticket);
	__syncthreads();
	if (threadIdx.x < 32)
		err |= gin_txq_send_warp(&a->q, pkt, NULL, GIN_UNTIL_STOP, ticket);
	__syncthreads();
	return err | gin_txq_send_block(&a->q, pkt, NULL, GIN_UNTIL_STOP, ticket);
}

GIN_FN int send_own(const struct sends_args *a, const struct gin_pkt *pkt, uint64_t *ticket)
{
	int err = 0;

	if (threadIdx.x == 0)
		err = gin_txq_send_own(&a->q, pkt, NULL, GIN_UNTIL_STOP, ticket);
	__syncthreads();
	if (threadIdx.x < 32)
		err |= gin_txq_send_own_warp(&a->q, pkt, NULL, GIN_UNTIL_STOP, ticket);
	__syncthreads();
	return err | gin_txq_send_own_block(&a->q, pkt, NULL, GIN_UNTIL_STOP, ticket);
}

/* SENDS_NAME is a macro: only an argument of a macro without # and ## reads what it stands for. */
#define SENDS_KERNEL(name) GIN_KERNEL(name, struct sends_args, a)

SENDS_KERNEL(SENDS_NAME)
{
	struct gin_pkt pkt;
	uint64_t ticket = 0;
	int err;

	pkt.data = a.frames + threadIdx.x * SENDS_ROOM;
	pkt.len = 60 + threadIdx.x;
	pkt.lkey = a.lkey;
	pkt.rest = NULL;
	pkt.cqe = NULL;
	err = a.own ? send_own(&a, &pkt, &ticket) : send_shared(&a, &pkt, &ticket);
	if (!err)
		err = gin_txq_wait(&a.q, ticket, GIN_UNTIL_STOP);
	if (err)
		atomicExch(a.err, err);
}
