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

/* The last dword of the queue's one CQE as it lies in memory: 31:28 opcode, 15:0 wqe_counter, swapped. */
GIN_FN uint32_t gin_sq_tail(const struct gin_cqe *cqe)
{
	return gin_load32((const uint8_t *)cqe + GIN_CQE_TAIL);
}

GIN_FN int gin_sq_failed(uint32_t tail)
{
	return tail >> 28 == GIN_CQE_REQ_ERR;
}

/*
 * Is ticket (index after a call's last WQE), which is above completed, still
 * open? The CQE names the WQEBB completed last, in 16 bits. A ticket above
 * completed is at most depth from that on either side, and depth is at most
 * 2^14: the 16-bit difference is exact.
 */
GIN_FN int gin_sq_open(uint32_t tail, uint32_t mask, uint64_t ticket)
{
	return (uint16_t)((uint32_t)ticket - 2 - gin_swap16_low(tail)) <= mask;
}

/*
 * Has ticket completed? 0, -EAGAIN or -EIO. Needs no handle, so that receive
 * queues can ask about another queue's send.
 */
GIN_FN int gin_sq_look(const struct gin_sq_state *state, const struct gin_cqe *cqe, uint32_t mask, uint64_t ticket)
{
	uint32_t tail;

	if (gin_load64_field(state, struct gin_sq_state, completed) < ticket) {
		tail = gin_sq_tail(cqe);
		if (gin_sq_failed(tail))
			return -EIO;
		if (gin_sq_open(tail, mask, ticket))
			return -EAGAIN;
	}
	/* The memory of that send is about to be written again: not before the CQE was seen. */
	gin_fence_from_nic();
	return 0;
}

/* Is there room for n behind r, by what is known to be completed? */
GIN_FN int gin_sq_room(const struct gin_dev_sq *sq, uint64_t r, uint32_t n)
{
	uint64_t done = gin_load64_field(sq->state, struct gin_sq_state, completed);

	/*
	 * 32 bits are exact while r is the reserved of now, and else it can't
	 * be taken. Signed: completed may have passed an old r.
	 */
	return (int32_t)((uint32_t)r + n - 1 - (uint32_t)done) <= (int32_t)sq->mask;
}

/* Take n behind r. 0: another producer was faster. */
GIN_FN int gin_sq_take(const struct gin_dev_sq *sq, int own, uint64_t r, uint32_t n)
{
	if (!own)
		return gin_cas64_gpu(&sq->state->reserved, r, r + n) == r;
	gin_store64_gpu(&sq->state->reserved, r + n);
	return 1;
}

/* Raise completed to what the CQE says. Is there room for n behind r then? */
GIN_FN int gin_sq_update(const struct gin_dev_sq *sq, struct gin_sq_state *state, int own, uint64_t r, uint32_t n,
			 uint32_t tail)
{
	/* r was read before the CQE: an old r can only make more look open than are, and r - open is never too much. */
	uint32_t open = (gin_opaque32((uint32_t)r - gin_swap16_low(tail)) - 1) & 0xffffu;

	gin_fence_from_nic();
	if (own)
		gin_store64_field(state, struct gin_sq_state, completed, r - open);
	else
		gin_max64_field(state, struct gin_sq_state, completed, r - open);
	return open + n - 1 <= sq->mask;
}

/* Once for each call that did not find room. */
GIN_FN void gin_sq_count_full(struct gin_sq_state *state, int own)
{
	if (own)
		gin_store64_field(state, struct gin_sq_state, full, gin_load64_field(state, struct gin_sq_state, full) + 1);
	else
		gin_add64_field(state, struct gin_sq_state, full, 1);
}

/*
 * No room for n to a producer that saw reserved = r. 0: look again; -EAGAIN
 * (full for timeout_ns), -ECANCELED or -EIO. *deadline is 0 the first time.
 */
GIN_FN int gin_sq_full(const struct gin_dev_sq *sq, int own, uint64_t r, uint32_t n, uint64_t timeout_ns,
		       uint64_t *deadline)
{
	struct gin_sq_state *state = sq->state;
	uint32_t tail = gin_sq_tail(sq->cqe);
	uint64_t now = 0;
	int err;

	if (gin_sq_failed(tail))
		return -EIO;
	/* + 0, what nvcc can't know: for a known address it adds up the warp's counts, in 12 instructions more. */
	if (!own)
		state = (struct gin_sq_state *)((uint8_t *)state + (r >> 63));
	if (gin_sq_update(sq, state, own, r, n, tail))
		return 0;
	if (gin_wait_ends(timeout_ns))
		now = gin_time_ns();
	if (!*deadline) {
		gin_sq_count_full(state, own);
		*deadline = now + timeout_ns;
	}
	err = timeout_ns == GIN_TRY || (gin_wait_ends(timeout_ns) && now >= *deadline) ? -EAGAIN : 0;
	if (gin_stopped(sq->stop))
		err = -ECANCELED;
	if (!err)
		gin_pause();
	return err;
}

/*
 * Reserve n WQEBBs, at most the depth: first .. first + n - 1. 0, -EAGAIN
 * (ring full for timeout_ns), -ECANCELED or -EIO. A full ring leaves no hole:
 * nothing is reserved unless all of it fits. One thread calls it.
 */
GIN_FN int gin_sq_reserve(const struct gin_dev_sq *sq, int own, uint32_t n, uint64_t timeout_ns, uint64_t *first)
{
	uint64_t deadline = 0, r;
	int err;

	for (;;) {
		r = gin_load64_gpu(&sq->state->reserved);
		if (!gin_sq_room(sq, r, n)) {
			err = gin_sq_full(sq, own, r, n, timeout_ns, &deadline);
			if (err)
				return err;
		} else if (gin_sq_take(sq, own, r, n)) {
			*first = r;
			return 0;
		}
	}
}

/* Hand everything below end to the NIC. Only one thread at a time, see gin_sq_submit(). */
GIN_FN void gin_sq_ring(const struct gin_dev_sq *sq, uint64_t end)
{
	/* The NIC may fetch a WQE as soon as it sees the new index. */
	gin_fence_to_nic();
	gin_store32(&sq->dbrec->snd, gin_swap16_high((uint32_t)end));
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
	uint64_t *link = sq->state->link, next = gin_opaque64(end) << 1, token = next - 2 * (uint32_t)(end - base) + 1, ahead;

	if (own) {
		gin_sq_ring(sq, end);
		return;
	}
	/* acq_rel: our WQEs are seen by whoever rings for us, and theirs by us if we ring for them. */
	if (gin_exchange64_gpu(&link[(uint32_t)base & sq->mask], next) != token)
		return;
	do {
		token = next | 1;
		gin_sq_ring(sq, token >> 1);
		next = gin_exchange64_gpu(&link[(uint32_t)(token >> 1) & sq->mask], token);
		/* The end of the next part is 1 to depth WQEBBs ahead of ours; what older laps left is behind. */
		ahead = next - token;
	} while (ahead <= 2 * sq->mask + 1);
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
