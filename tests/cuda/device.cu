/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function of <ginet/device.h> once, for what the compilers make of it.
 * Kernels named one_* hold one-thread forms.
 */
#include <ginet/device.h>

struct queues {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct gin_pkt pkt;
	struct gin_run run;
	struct gin_tx_opts opts;
	uint64_t timeout_ns, ticket;
	uint8_t *bytes;
	uint64_t *out;
	int *err;
};

GIN_KERNEL(one_send, struct queues, a)
{
	*a.err = gin_txq_send(&a.txq, &a.pkt, 0, a.timeout_ns, a.out);
}

GIN_KERNEL(one_send_opts, struct queues, a)
{
	*a.err = gin_txq_send(&a.txq, &a.pkt, &a.opts, a.timeout_ns, a.out);
}

GIN_KERNEL(one_send_own, struct queues, a)
{
	*a.err = gin_txq_send_own(&a.txq, &a.pkt, 0, a.timeout_ns, a.out);
}

GIN_KERNEL(one_reserve_submit, struct queues, a)
{
	uint64_t first, i;

	*a.err = gin_txq_reserve(&a.txq, 2, a.timeout_ns, &first);
	if (*a.err)
		return;
	for (i = 0; i < 8; i++)
		((volatile uint64_t *)gin_txq_wqe(&a.txq, first))[i] = 0;
	gin_txq_submit(&a.txq, first, 2);
}

GIN_KERNEL(one_wait, struct queues, a)
{
	*a.err = gin_txq_wait(&a.txq, a.ticket, a.timeout_ns);
}

GIN_KERNEL(one_test, struct queues, a)
{
	*a.err = gin_txq_test(&a.txq, a.ticket);
}

GIN_KERNEL(one_recv, struct queues, a)
{
	struct gin_run run;

	*a.err = gin_rxq_recv(&a.rxq, 64, a.timeout_ns, &run);
	a.out[0] = run.first;
	a.out[1] = run.n;
}

GIN_KERNEL(one_release, struct queues, a)
{
	gin_rxq_release(&a.rxq, &a.run);
}

GIN_KERNEL(one_release_after, struct queues, a)
{
	gin_rxq_release_after(&a.rxq, &a.run, &a.txq, a.ticket);
}

GIN_KERNEL(one_pkt, struct queues, a)
{
	struct gin_pkt p = gin_rxq_pkt(&a.rxq, a.ticket);

	a.out[0] = (uint64_t)p.data;
	a.out[1] = p.len;
	a.out[2] = gin_pkt_time_ns(&p);
	a.out[3] = gin_pkt_hash(&p);
	a.out[4] = gin_pkt_tag(&p);
	a.out[5] = (uint64_t)(gin_pkt_l3_ok(&p) + gin_pkt_l4_ok(&p));
	a.out[6] = gin_pkt_l3_type(&p) + gin_pkt_l4_type(&p);
}

GIN_KERNEL(one_parse, struct queues, a)
{
	struct gin_headers h;

	gin_pkt_parse(&a.pkt, &h);
	a.out[0] = (uint64_t)h.eth + (uint64_t)h.arp + (uint64_t)h.ipv4 + (uint64_t)h.icmp + (uint64_t)h.udp;
	a.out[1] = (uint64_t)h.l4 + (uint64_t)h.payload + h.payload_len + h.ethertype + h.n_vlans + h.proto;
}

GIN_KERNEL(one_bytes, struct queues, a)
{
	uint8_t *b = a.bytes;

	gin_put16(b, gin_get16(b + 2));
	gin_put32(b, gin_get32(b + 4));
	gin_copy(b, b + 32, 6);
	gin_swap(b, b + 6, 6);
	*a.err = gin_same(b, b + 6, 6);
	gin_csum_edit(b + 8, gin_csum(b, 20), 7);
}

GIN_KERNEL(one_words, struct queues, a)
{
	gin_add64_gpu(a.out, 1);
	a.out[1] = gin_load64_gpu(a.out + 2);
	a.out[3] = gin_time_ns();
	*a.err = gin_stopped(a.rxq.stop);
	gin_pause();
}

GIN_KERNEL(one_atomics, struct queues, a)
{
	uint64_t *p = a.out;

	p[1] = gin_atomic_add64(p, 1) + gin_atomic_exchange64(p, 2) + gin_atomic_min64(p, 3) + gin_atomic_max64(p, 4);
	p[2] = gin_atomic_and64(p, 5) + gin_atomic_or64(p, 6) + gin_atomic_xor64(p, 7) + gin_atomic_cas64(p, 8, 9);
}

GIN_KERNEL(one_send_segs, struct queues, a)
{
	struct gin_seg segs[2];

	segs[0].data = a.bytes;
	segs[0].len = 64;
	segs[0].lkey = a.pkt.lkey;
	segs[1] = segs[0];
	*a.err = gin_txq_send_segs(&a.txq, segs, 2, 0, a.timeout_ns, a.out);
}

GIN_KERNEL(echo_warp, struct queues, a)
{
	struct gin_run run;
	uint64_t ticket;

	while (!gin_rxq_recv_warp(&a.rxq, 32, GIN_UNTIL_STOP, &run)) {
		struct gin_pkt pkt = { 0 };

		if (threadIdx.x < run.n)
			pkt = gin_rxq_pkt(&a.rxq, run.first + threadIdx.x);
		if (gin_txq_send_warp(&a.txq, &pkt, 0, a.timeout_ns, &ticket) ||
		    gin_txq_send_own_warp(&a.txq, &pkt, &a.opts, a.timeout_ns, &ticket))
			return;
		gin_rxq_release_after_warp(&a.rxq, &run, &a.txq, ticket);
		gin_rxq_release_warp(&a.rxq, &a.run);
	}
}

GIN_KERNEL(echo_block, struct queues, a)
{
	struct gin_run run;
	uint64_t ticket;

	while (!gin_rxq_recv_block(&a.rxq, 256, GIN_UNTIL_STOP, &run)) {
		struct gin_pkt pkt = { 0 };

		if (threadIdx.x < run.n)
			pkt = gin_rxq_pkt(&a.rxq, run.first + threadIdx.x);
		if (gin_txq_send_block(&a.txq, &pkt, 0, a.timeout_ns, &ticket) ||
		    gin_txq_send_own_block(&a.txq, &pkt, &a.opts, a.timeout_ns, &ticket))
			return;
		gin_rxq_release_after_block(&a.rxq, &run, &a.txq, ticket);
		gin_rxq_release_block(&a.rxq, &a.run);
	}
}

GIN_CONST uint32_t table[4] = { 1, 2, 3, 5 };

GIN_FN uint32_t first_of_more(void)
{
	GIN_DYN_SHARED(uint32_t, more); /* in a helper and in a kernel */

	return more[0];
}

GIN_KERNEL(shared_memory, struct queues, a)
{
	GIN_SHARED(uint32_t, one, 32);
	GIN_DYN_SHARED(uint32_t, more);

	one[threadIdx.x & 31] = table[threadIdx.x & 3];
	more[threadIdx.x] = one[threadIdx.x & 31];
	__syncthreads();
	a.out[threadIdx.x] = more[31 - threadIdx.x] + first_of_more();
}
