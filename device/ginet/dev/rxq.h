/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive, in kernels. One consumer per queue: a thread, a warp or a block
 * (of any size; its last warp may be a part of one), which then uses the
 * functions of that scope throughout. All lanes of the scope call together and get the same
 * answer.
 */
#ifndef GINET_DEV_RXQ_H
#define GINET_DEV_RXQ_H
#include <ginet/dev/pkt.h>
#include <ginet/dev/sq.h>
#include <ginet/dev/txq.h>

struct gin_run { uint64_t first; uint32_t n; }; /* packets first .. first + n - 1, always contiguous */

/*
 * The last dword of packet i's CQE as it lies in memory, 31:28 its opcode; all
 * ones before it is there. The owner bit flips each lap: an entry of the lap
 * before is not ours yet.
 */
GIN_FN uint32_t gin_rxq_tail(const struct gin_dev_rxq *q, uint64_t i)
{
	uint32_t tail = gin_load32((const uint8_t *)&q->cq[(uint32_t)i & q->mask] + GIN_CQE_TAIL);

	return (tail ^ (uint32_t)i << (24 - q->log_n)) & GIN_CQE_OWNER << 24 ? ~0u : tail;
}

/* Is the packet there? */
GIN_FN int gin_rxq_there(uint32_t tail)
{
	return tail < GIN_CQE_REQ_ERR << 28;
}

/* It is not: is that because of an error, which stays? */
GIN_FN int gin_rxq_failed(uint32_t tail)
{
	return tail < GIN_CQE_INVALID << 28;
}

GIN_FN int gin_rxq_cqe(const struct gin_dev_rxq *q, uint64_t i)
{
	uint32_t tail = gin_rxq_tail(q, i);

	return gin_rxq_there(tail) ? 1 : gin_rxq_failed(tail) ? -EIO : 0;
}

/* AddressSanitizer: who touches a slot after its release is told where. The NIC lifts it with the next packet. */
#if defined(GIN_SHIM_ASAN) && !defined(GINET_SIM)
GIN_FN void gin_rxq_poison(const struct gin_dev_rxq *q, uint64_t end)
{
	uint64_t i;

	for (i = gin_load64_field(q->state, struct gin_rxq_state, released); i != end; i++)
		__asan_poison_memory_region(q->slots + (uint64_t)((uint32_t)i & q->mask) * q->stride + q->headroom,
					    q->stride - q->headroom);
}
#else
#define gin_rxq_poison(q, end) ((void)0)
#endif

/* Slots below end are the NIC's again. */
GIN_FN void gin_rxq_give(const struct gin_dev_rxq *q, uint64_t end)
{
	gin_rxq_poison(q, end);
	gin_store64_field(q->state, struct gin_rxq_state, released, end);
	/* The NIC may overwrite a slot once it sees the record: our reads of it come first. */
	gin_fence_to_nic();
	gin_store32(&q->dbrec->rcv, gin_swap32((uint32_t)end + q->mask + 1));
}

/* Give back what waited for sends that are done by now, in order. 0, or -EIO: such a send queue failed. */
GIN_FN int gin_rxq_drain(const struct gin_dev_rxq *q)
{
	struct gin_rxq_state *state = q->state;
	uint64_t first = gin_load64_field(state, struct gin_rxq_state, deferred_first), upto = 0;
	uint32_t end = (uint32_t)gin_load64_field(state, struct gin_rxq_state, deferred_end), i, tail;
	const struct gin_rxq_deferred *d;
	int err = 0;

	i = (uint32_t)first;
	if (i == end)
		return 0;
	do {
		d = &state->deferred[i & q->mask];
		if (d->sq && gin_load64_gpu(&d->sq->completed) < d->ticket) {
			tail = gin_sq_tail(d->sq->cqe);
			if (gin_sq_failed(tail)) {
				err = -EIO;
				break;
			}
			if (gin_sq_open(tail, d->sq->mask, d->ticket))
				break;
		}
		upto = d->end;
		i = gin_opaque32(i + 1);
	} while (i != end);
	if (i != (uint32_t)first) {
		gin_store64_field(state, struct gin_rxq_state, deferred_first, first + (i - (uint32_t)first));
		gin_rxq_give(q, upto);
	}
	return err;
}

/* Wait for the packet at the head; the consumer's leader calls it. */
GIN_FN int gin_rxq_head(const struct gin_dev_rxq *q, uint64_t timeout_ns, uint64_t *first)
{
	uint64_t deadline = 0;
	uint64_t ci = gin_load64_gpu(&q->state->ci);
	int err;

	*first = ci;
	for (;;) {
		err = gin_rxq_drain(q);
		if (err)
			return err;
		err = gin_rxq_cqe(q, ci);
		if (err)
			return err < 0 ? err : 0;
		err = gin_wait_more(q->stop, timeout_ns, &deadline);
		if (err)
			return err;
	}
}

/*
 * Take up to max packets (max above n_slots reads as n_slots). 0: at least
 * one; -EAGAIN, -ECANCELED, -EIO, or -EINVAL (max 0): none, run->n is 0.
 * timeout_ns is relative. An error behind good packets is told next time.
 */
GIN_FN int gin_rxq_recv(const struct gin_dev_rxq *q, uint32_t max, uint64_t timeout_ns, struct gin_run *run)
{
	uint64_t deadline = 0, ci = gin_load64_gpu(&q->state->ci);
	uint32_t n = 0, tail;
	int err = -EINVAL;

	run->first = ci;
	while (max) {
		err = gin_rxq_drain(q);
		if (err)
			break;
		do {
			tail = gin_rxq_tail(q, ci + n);
		} while (gin_rxq_there(tail) && ++n < max);
		if (gin_opaque32(n)) {
			/* Payload and the rest of the CQE are no older than the owner bits just read. */
			gin_fence_from_nic();
			gin_store64_gpu(&q->state->ci, ci + n);
			break;
		}
		err = gin_rxq_failed(tail) ? -EIO : gin_wait_more(q->stop, timeout_ns, &deadline);
		if (err)
			break;
	}
	run->n = n;
	return err;
}

/* The same for a warp: at most 32 packets a call. */
GIN_FN int gin_rxq_recv_warp(const struct gin_dev_rxq *q, uint32_t max, uint64_t timeout_ns, struct gin_run *run)
{
	uint32_t lane = threadIdx.x & 31u, there, n;
	uint64_t first = 0;
	int err = 0;

	run->n = 0;
	if (!max)
		return -EINVAL;
	if (lane == 0)
		err = gin_rxq_head(q, timeout_ns, &first);
	err = __shfl_sync(0xffffffffu, err, 0);
	first = __shfl_sync(0xffffffffu, first, 0);
	run->first = first;
	if (err)
		return err;
	there = __ballot_sync(0xffffffffu, lane < max && gin_rxq_cqe(q, first + lane) > 0);
	/* The leader saw the head, so a lane that looked too early to see it does not make the run empty. */
	there |= 1u;
	n = there == 0xffffffffu ? 32u : (uint32_t)__ffs((int)~there) - 1u;
	/* Each lane: what it reads next is no older than the owner bit it saw. */
	gin_fence_from_nic();
	if (lane == 0)
		gin_store64_gpu(&q->state->ci, first + n);
	/* And no lane reads a packet that another lane saw before that lane's fence. */
	__syncwarp(0xffffffffu);
	run->n = n;
	return 0;
}

GIN_FN uint32_t gin_block_thread(void)
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

GIN_FN uint32_t gin_block_size(void)
{
	return blockDim.x * blockDim.y * blockDim.z;
}

/* The same for a block: at most one packet per thread a call. */
GIN_FN int gin_rxq_recv_block(const struct gin_dev_rxq *q, uint32_t max, uint64_t timeout_ns, struct gin_run *run)
{
	GIN_SHARED(uint64_t, head, 1);
	GIN_SHARED(int, result, 1);
	GIN_SHARED(uint32_t, there, 32);
	uint32_t thread = gin_block_thread(), warps = (gin_block_size() + 31) / 32, ballot, n = 0, i;

	run->n = 0;
	if (!max)
		return -EINVAL;
	if (thread == 0)
		result[0] = gin_rxq_head(q, timeout_ns, &head[0]);
	__syncthreads(); /* head and result are written */
	run->first = head[0];
	if (result[0]) {
		int err = result[0];

		__syncthreads(); /* all have read it before the next call writes it */
		return err;
	}
	ballot = __ballot_sync(0xffffffffu,
			       thread == 0 || (thread < max && gin_rxq_cqe(q, run->first + thread) > 0));
	/* Each thread: what it reads next is no older than the owner bit it saw. */
	gin_fence_from_nic();
	if ((thread & 31u) == 0)
		there[thread / 32] = ballot;
	/* there is complete; no thread reads a packet that another saw before that one's fence; all have read head, result. */
	__syncthreads();
	for (i = 0; i < warps && n == i * 32; i++)
		n += there[i] == 0xffffffffu ? 32u : (uint32_t)__ffs((int)~there[i]) - 1u;
	if (thread == 0)
		gin_store64_gpu(&q->state->ci, run->first + n);
	run->n = n; /* the next call writes there only behind its first barrier: all have read it by then */
	return 0;
}

/*
 * Packet i of a run. Its address and length are what the NIC says in the CQE.
 * Until its release the whole slot is yours, slot_bytes - headroom bytes from
 * data on, so a reply may be longer than its request.
 */
GIN_FN struct gin_pkt gin_rxq_pkt(const struct gin_dev_rxq *q, uint64_t i)
{
	const struct gin_cqe *cqe = &q->cq[(uint32_t)i & q->mask];
	const uint8_t *bytes = (const uint8_t *)cqe;
	uint32_t slot = gin_swap32(gin_read32(bytes + GIN_CQE_TAIL)) >> 16 & q->mask;
	struct gin_pkt p;

	p.data = q->slots + (uint64_t)slot * q->stride + q->headroom;
	p.rest = (uint8_t *)0;
	p.cqe = cqe;
	p.len = gin_swap32(gin_read32(bytes + offsetof(struct gin_cqe, byte_cnt)));
	p.lkey = q->lkey;
	return p;
}

/* Where the next release has to begin; check builds trap when a run is given back out of order, twice or before it was taken. */
#ifdef GINET_CHECK
GIN_FN void gin_rxq_check_order(const struct gin_dev_rxq *q, const struct gin_run *run)
{
	struct gin_rxq_state *state = q->state;
	uint64_t end = gin_load64_field(state, struct gin_rxq_state, deferred_end), next = gin_load64_field(state, struct gin_rxq_state, released);

	if (end != gin_load64_field(state, struct gin_rxq_state, deferred_first))
		next = state->deferred[(uint32_t)(end - 1) & q->mask].end;
	if (run->n && (run->first != next || run->first + run->n > gin_load64_gpu(&state->ci)))
		__trap();
}
#else
#define gin_rxq_check_order(q, run) ((void)0)
#endif

/* Put a run behind those that wait. There is room: each entry stands for at least one slot. */
GIN_FN void gin_rxq_defer(const struct gin_dev_rxq *q, uint64_t run_end, struct gin_sq_state *sq, uint64_t ticket)
{
	uint64_t end = gin_load64_field(q->state, struct gin_rxq_state, deferred_end);
	struct gin_rxq_deferred *d = &q->state->deferred[(uint32_t)end & q->mask];

	d->end = run_end;
	d->ticket = ticket;
	d->sq = sq;
	gin_store64_field(q->state, struct gin_rxq_state, deferred_end, end + 1);
}

/* Give the run's slots back to the NIC, in the order the runs were taken, once nobody reads them any more. */
GIN_FN void gin_rxq_release(const struct gin_dev_rxq *q, const struct gin_run *run)
{
	struct gin_rxq_state *state = q->state;

	if (!run->n)
		return;
	gin_rxq_check_order(q, run);
	if (gin_load64_field(state, struct gin_rxq_state, deferred_first) != gin_load64_field(state, struct gin_rxq_state, deferred_end))
		gin_rxq_defer(q, run->first + run->n, (struct gin_sq_state *)0, 0);
	else
		gin_rxq_give(q, run->first + run->n);
}

/* The same, all lanes of a warp. */
GIN_FN void gin_rxq_release_warp(const struct gin_dev_rxq *q, const struct gin_run *run)
{
	__syncwarp(0xffffffffu); /* every lane has read its packets */
	if ((threadIdx.x & 31u) == 0)
		gin_rxq_release(q, run);
}

/* The same, all threads of a block. */
GIN_FN void gin_rxq_release_block(const struct gin_dev_rxq *q, const struct gin_run *run)
{
	__syncthreads(); /* every thread has read its packets */
	if (gin_block_thread() == 0)
		gin_rxq_release(q, run);
}

/*
 * The same, but only once txq has completed ticket: packets that are sent out
 * of their slots. Never waits: a later recv does it. If that send queue fails,
 * recv returns -EIO.
 */
GIN_FN void gin_rxq_release_after(const struct gin_dev_rxq *q, const struct gin_run *run, const struct gin_dev_txq *txq,
				  uint64_t ticket)
{
	if (!run->n)
		return;
	gin_rxq_check_order(q, run);
	gin_rxq_defer(q, run->first + run->n, txq->sq.state, ticket);
}

GIN_FN void gin_rxq_release_after_warp(const struct gin_dev_rxq *q, const struct gin_run *run,
				       const struct gin_dev_txq *txq, uint64_t ticket)
{
	__syncwarp(0xffffffffu);
	if ((threadIdx.x & 31u) == 0)
		gin_rxq_release_after(q, run, txq, ticket);
}

GIN_FN void gin_rxq_release_after_block(const struct gin_dev_rxq *q, const struct gin_run *run,
					const struct gin_dev_txq *txq, uint64_t ticket)
{
	__syncthreads();
	if (gin_block_thread() == 0)
		gin_rxq_release_after(q, run, txq, ticket);
}

/* What the NIC says of a received packet. All are 0 for packets you built yourself. */

/* Arrival, nanoseconds of the NIC's clock (gin_nic_time()); 0 without has_time. */
GIN_FN uint64_t gin_pkt_time_ns(const struct gin_pkt *p)
{
	const uint8_t *at = (const uint8_t *)p->cqe + offsetof(struct gin_cqe, timestamp);

	return p->cqe ? (uint64_t)gin_swap32(gin_read32(at)) * 1000000000u + gin_swap32(gin_read32(at + 4)) : 0;
}

/* RSS hash; 0 when not hashed. */
GIN_FN uint32_t gin_pkt_hash(const struct gin_pkt *p)
{
	return p->cqe ? gin_swap32(gin_read32((const uint8_t *)p->cqe + offsetof(struct gin_cqe, rx_hash))) : 0;
}

/* The rule's tag. */
GIN_FN uint32_t gin_pkt_tag(const struct gin_pkt *p)
{
	return p->cqe ? gin_swap32(gin_read32((const uint8_t *)p->cqe + offsetof(struct gin_cqe, sop_drop_qpn))) & 0xffffffu
		      : 0;
}

/* Dword 0x1c: hds_ip_ext, l4_l3_hdr_type, vlan_info. */
GIN_FN uint32_t gin_pkt_verdict(const struct gin_pkt *p)
{
	return p->cqe ? gin_swap32(gin_read32((const uint8_t *)p->cqe + offsetof(struct gin_cqe, hds_ip_ext))) : 0;
}

/* 1: the NIC checked the IP header's checksum and it is right. */
GIN_FN int gin_pkt_l3_ok(const struct gin_pkt *p)
{
	return (gin_pkt_verdict(p) >> 24 & GIN_CQE_L3_OK) != 0;
}

/* 1: the NIC checked the TCP or UDP checksum and it is right. */
GIN_FN int gin_pkt_l4_ok(const struct gin_pkt *p)
{
	return (gin_pkt_verdict(p) >> 24 & GIN_CQE_L4_OK) != 0;
}

GIN_FN uint32_t gin_pkt_l3_type(const struct gin_pkt *p) /* GIN_CQE_L3_* */
{
	return gin_pkt_verdict(p) >> (16 + GIN_CQE_L3_SHIFT) & 3u;
}

GIN_FN uint32_t gin_pkt_l4_type(const struct gin_pkt *p) /* GIN_CQE_L4_* */
{
	return gin_pkt_verdict(p) >> (16 + GIN_CQE_L4_SHIFT) & 7u;
}
#endif
