/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues without their protocol: reserve room, submit, ring, wait. All
 * indices and tickets count WQEBBs and never wrap (64 bit); the NIC sees the
 * low 16 bits. Knows no Ethernet; txq.h stands on it.
 */
#ifndef GINET_DEV_SQ_H
#define GINET_DEV_SQ_H
#include <ginet/dev/wait.h>
#include <ginet/hw/queue.h>
#include <ginet/hw/wqe.h>

/* Who uses a queue: GIN_SHARED_SQ any number of threads, GIN_OWN_SQ one thread, warp or block. */
#define GIN_SHARED_SQ 0
#define GIN_OWN_SQ 1

/* The last dword of the queue's one CQE, in host order: 31:16 wqe_counter, 7:0 op_own. */
GIN_FN uint32_t gin_sq_cqe_tail(const struct gin_cqe *cqe)
{
	return gin_swap32(gin_load32((const uint8_t *)cqe + GIN_CQE_TAIL));
}

GIN_FN int gin_sq_cqe_failed(uint32_t tail)
{
	return GIN_CQE_OPCODE(tail & 0xff) == GIN_CQE_REQ_ERR;
}

/*
 * Has ticket (index after a call's last WQE) completed? 0, -EAGAIN or -EIO.
 * Needs no handle, so that receive queues can ask about another queue's send.
 *
 * The CQE names the WQEBB completed last, in 16 bits. A ticket above completed
 * is at most depth from that on either side, and depth is at most 2^14: the
 * 16-bit difference is exact. Older tickets are below completed.
 */
GIN_FN int gin_sq_look(const struct gin_sq_state *state, const struct gin_cqe *cqe, uint32_t mask, uint64_t ticket)
{
	uint32_t tail;

	if (gin_load64_gpu(&state->completed) < ticket) {
		tail = gin_sq_cqe_tail(cqe);
		if (gin_sq_cqe_failed(tail))
			return -EIO;
		if ((uint16_t)((uint32_t)ticket - 2 - (tail >> 16)) <= mask)
			return -EAGAIN;
	}
	/* The memory of that send is about to be written again: not before the CQE was seen. */
	gin_fence_from_nic();
	return 0;
}

/* The ring looked full to a producer that saw reserved = r: ask the CQE. 0, with *done raised, or -EIO. */
GIN_FN int gin_sq_update(const struct gin_dev_sq *sq, int own, uint64_t r, uint64_t *done)
{
	uint32_t tail = gin_sq_cqe_tail(sq->cqe), open;

	if (gin_sq_cqe_failed(tail))
		return -EIO;
	/* r was read before the CQE: an old r can only make more WQEBBs look open than are. */
	open = ((uint32_t)r - 1 - (tail >> 16)) & 0xffffu;
	if (open > sq->mask + 1 || (int64_t)(r - open - *done) <= 0)
		return 0;
	*done = r - open;
	gin_fence_from_nic();
	if (own)
		gin_store64_gpu(&sq->state->completed, *done);
	else
		gin_max64_gpu(&sq->state->completed, *done);
	return 0;
}

/*
 * Reserve n WQEBBs, at most the depth: first .. first + n - 1. 0, -EAGAIN
 * (ring full for timeout_ns), -ECANCELED or -EIO. A full ring leaves no hole:
 * nothing is reserved unless all of it fits. One thread calls it.
 */
GIN_FN int gin_sq_reserve(const struct gin_dev_sq *sq, int own, uint32_t n, uint64_t timeout_ns, uint64_t *first)
{
	struct gin_sq_state *state = sq->state;
	uint64_t deadline = 0, r, seen, done;
	int err;

	for (;;) {
		r = gin_load64_gpu(&state->reserved);
		done = gin_load64_gpu(&state->completed);
		/* Signed: done may have passed an r read earlier. */
		if ((int64_t)(r + n - done) > (int64_t)sq->mask + 1) {
			err = gin_sq_update(sq, own, r, &done);
			if (err)
				return err;
		}
		if ((int64_t)(r + n - done) <= (int64_t)sq->mask + 1) {
			if (own) {
				gin_store64_gpu(&state->reserved, r + n);
				break;
			}
			seen = gin_cas64_gpu(&state->reserved, r, r + n);
			if (seen == r)
				break;
			continue;
		}
		if (!deadline)
			gin_add64_gpu(&state->full, 1);
		err = gin_wait_more(sq->stop, timeout_ns, &deadline);
		if (err)
			return err;
		if (!deadline)
			deadline = 1; /* UNTIL_STOP has none: count this call once */
	}
	*first = r;
	return 0;
}

/* Hand everything below end to the NIC. Only one thread at a time, see gin_sq_submit(). */
GIN_FN void gin_sq_ring(const struct gin_dev_sq *sq, uint64_t end)
{
	/* The NIC may fetch a WQE as soon as it sees the new index. */
	gin_fence_to_nic();
	gin_store32(&sq->dbrec->snd, gin_swap32((uint32_t)end & 0xffffu));
	/*
	 * The record must be in place when the register write arrives: on a
	 * shared register the NIC learns the index from it (the order of
	 * post_send_db() in rdma-core's qp.c).
	 */
	gin_fence_to_nic();
	gin_mmio_write64(sq->uar, gin_doorbell((uint32_t)end, sq->sqn));
}

/*
 * Submit WQEs base .. end - 1, written by this thread or before a barrier of
 * its warp or block. Never waits.
 *
 * Producers finish in any order, and the NIC must hear of them in order. At
 * link[base] two parties meet: the producer of base, who leaves "end", and
 * whoever rang everything below base, who leaves a token. The second to come
 * finds the other's word and rings. So at most one thread is between record
 * and doorbell, each part is rung exactly once, and nobody waits for anybody.
 * A word of an older lap is told by its distance.
 */
GIN_FN void gin_sq_submit(const struct gin_dev_sq *sq, int own, uint64_t base, uint64_t end)
{
	uint64_t *link = sq->state->link, next;

	if (own) {
		gin_sq_ring(sq, end);
		return;
	}
	/* acq_rel: our WQEs are seen by whoever rings for us, and theirs by us if we ring for them. */
	if (gin_exchange64_gpu(&link[base & sq->mask], end << 1) != (base << 1 | 1))
		return;
	for (;;) {
		gin_sq_ring(sq, end);
		next = gin_exchange64_gpu(&link[end & sq->mask], end << 1 | 1);
		if (next & 1 || (next >> 1) - end - 1 > sq->mask)
			return;
		end = next >> 1;
	}
}

/* 0: the NIC has read everything below ticket; -EAGAIN: not yet; -EIO. Never waits. Any thread, any age of ticket. */
GIN_FN int gin_sq_test(const struct gin_dev_sq *sq, uint64_t ticket)
{
	return gin_sq_look(sq->state, sq->cqe, sq->mask, ticket);
}

GIN_FN int gin_sq_wait(const struct gin_dev_sq *sq, uint64_t ticket, uint64_t timeout_ns)
{
	uint64_t deadline = 0;
	int err;

	for (;;) {
		err = gin_sq_test(sq, ticket);
		if (err != -EAGAIN)
			return err;
		err = gin_wait_more(sq->stop, timeout_ns, &deadline);
		if (err)
			return err;
	}
}
#endif
