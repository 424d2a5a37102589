/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send, in kernels. gin_txq_send(), _warp and _block are safe for any number
 * of threads, warps and blocks on one queue; gin_txq_send_own(), _warp and
 * _block do the same without atomics for a queue that one thread, warp or
 * block uses alone; on one queue never mix the two: own calls leave no word for
 * the shared ones to find. In the warp and block forms all lanes call together,
 * each with its own packet (len 0: none), and get the same answer.
 *
 * GIN_NO_INLINE, defined before the first header of ginet or by the compiler's
 * command line, takes the way for NICs that want header bytes in the WQE out
 * of every send, a good eighth of gin_txq_send(). ConnectX-4 Lx wants them,
 * later cards do not (mlx5 driver: wqe_inline_mode). gin_launch() refuses such a
 * kernel, -ENOTSUP, while a NIC that wants them has a send queue on that GPU.
 */
#ifndef GINET_DEV_TXQ_H
#define GINET_DEV_TXQ_H
#include <ginet/dev/pkt.h>
#include <ginet/dev/sq.h>

#define GIN_TX_L3_CSUM 1u /* the NIC fills the IPv4 header checksum */
#define GIN_TX_L4_CSUM 2u /* and the TCP or UDP checksum */
struct gin_tx_opts {      /* NULL: none of it; give a constant and the compiler drops the rest */
	uint32_t flags;   /* GIN_TX_* */
};

struct gin_seg { const void *data; uint32_t len; struct gin_be32 lkey; };
#define GIN_TXQ_SEGS_MAX 10u /* pieces of one packet: 3 WQEBBs, 4 with an inline header */

GIN_FN uint32_t gin_tx_cs_flags(const struct gin_tx_opts *opts)
{
	uint32_t flags = opts ? opts->flags : 0;

	return (flags & GIN_TX_L3_CSUM ? GIN_ETH_L3_CSUM : 0) | (flags & GIN_TX_L4_CSUM ? GIN_ETH_L4_CSUM : 0);
}

/* Header bytes that the NIC wants in the WQE: 0 or 18. */
GIN_FN uint32_t gin_txq_inline(const struct gin_dev_txq *q)
{
	return GIN_MAY_INLINE ? q->min_inline : 0;
}

/* 64 bytes of WQEBB i; layout in <ginet/hw/wqe.h>. */
GIN_FN uint8_t *gin_txq_wqe(const struct gin_dev_txq *q, uint64_t i)
{
	return q->sq.wqe + (uint64_t)((uint32_t)i & q->sq.mask) * GIN_WQEBB;
}

/* Segment s of the WQE that starts at WQEBB i: it may lie behind the ring's end, that is at its start. */
GIN_FN uint8_t *gin_txq_seg(const struct gin_dev_txq *q, uint64_t i, uint32_t s)
{
	return gin_txq_wqe(q, i + s / 4) + (s & 3u) * GIN_DS;
}

GIN_FN void gin_txq_put_ctrl(const struct gin_dev_txq *q, uint8_t *wqe, uint64_t i, uint32_t opcode, uint32_t ds,
			     uint32_t ce)
{
	struct gin_u128 w;

	w.x = gin_swap16_high((uint32_t)i) >> 8 | opcode << 24;
	w.y = q->sq.sqn.raw | ds << 24;
	w.z = ce << 24;
	w.w = 0;
	gin_store128(wqe, w);
}

GIN_FN void gin_txq_put_data(uint8_t *at, const void *data, uint32_t len, struct gin_be32 lkey)
{
	uint64_t addr = (uint64_t)data;
	struct gin_u128 w;

	w.x = gin_swap32(len);
	w.y = lkey.raw;
	w.z = gin_swap32((uint32_t)(addr >> 32));
	w.w = gin_swap32((uint32_t)addr);
	gin_store128(at, w);
}

/* Ethernet segment without an inline header. */
GIN_FN void gin_txq_put_eth(uint8_t *wqe, uint32_t cs_flags)
{
	struct gin_u128 w;

	w.x = 0;
	w.y = cs_flags;
	w.z = 0;
	w.w = 0;
	gin_store128(wqe + GIN_DS, w);
}

/*
 * For NICs that want 18 header bytes in the WQE: 2 end the Ethernet segment, 16
 * follow it; 0 behind the end of a shorter packet (the NIC pads it anyway).
 * Byte by byte: in the way of nobody else, since a loop is small. Returns how
 * many bytes of the packet these are.
 */
GIN_FN uint32_t gin_txq_put_head(uint8_t *wqe, const uint8_t *data, uint32_t len)
{
	uint32_t n = 0, end = len < GIN_ETH_L2_INLINE ? len : GIN_ETH_L2_INLINE;
	struct gin_u128 w;

	w.x = w.y = w.z = w.w = 0;
	gin_store8(wqe + GIN_DS + offsetof(struct gin_wqe_eth, inline_hdr_sz) + 1, GIN_ETH_L2_INLINE);
	gin_store128(wqe + 2 * GIN_DS, w);
	GIN_NO_UNROLL
	do {
		gin_store8(wqe + GIN_DS + offsetof(struct gin_wqe_eth, inline_hdr) + n, data[n]);
		n = gin_opaque32(n + 1);
	} while (n < end);
	return n;
}

/* One packet in one WQEBB at index i. */
GIN_FN void gin_txq_put_pkt(const struct gin_dev_txq *q, uint64_t i, const struct gin_pkt *p, uint32_t cs_flags,
			    uint32_t ce)
{
	uint8_t *wqe = gin_opaque_ptr(gin_txq_wqe(q, i));
	const uint8_t *data = p->data;
	uint32_t len = p->len, n;

	gin_txq_put_ctrl(q, wqe, i, GIN_OP_SEND, 3, ce);
	gin_txq_put_eth(wqe, cs_flags);
	if (gin_txq_inline(q)) {
		n = gin_txq_put_head(wqe, data, len);
		if (len > n)
			gin_store8(wqe + offsetof(struct gin_wqe_ctrl, qpn_ds) + 3, 4);
		/* The data comes one segment later; of a packet without more bytes it is behind the WQE's end. */
		wqe = gin_opaque_ptr(wqe) + GIN_DS;
		data += n;
		len -= n;
	}
	gin_txq_put_data(wqe + 2 * GIN_DS, data, len, p->lkey);
}

/* Own descriptors: reserve n WQEBBs, fill each WQE, submit them; between the two no other wait. One thread. */
GIN_FN int gin_txq_reserve(const struct gin_dev_txq *q, uint32_t n, uint64_t timeout_ns, uint64_t *first)
{
	if (!n || n > q->sq.mask + 1)
		return -EINVAL;
	return gin_sq_reserve(&q->sq, GIN_SHARED_SQ, n, timeout_ns, first);
}

GIN_FN void gin_txq_submit(const struct gin_dev_txq *q, uint64_t first, uint32_t n)
{
	gin_sq_submit(&q->sq, GIN_SHARED_SQ, first, first + n);
}

/* 0: nothing to send, or a length that a frame can have; else -EMSGSIZE or, below an Ethernet header, -EINVAL. */
GIN_FN int gin_txq_len_error(const struct gin_dev_txq *q, uint32_t len)
{
	if (len > q->max_frame)
		return -EMSGSIZE;
	return len && len < sizeof(struct gin_eth) ? -EINVAL : 0;
}

GIN_FN int gin_txq_send_one(const struct gin_dev_txq *q, int own, const struct gin_pkt *p, const struct gin_tx_opts *opts,
			    uint64_t timeout_ns, uint64_t *ticket)
{
	uint64_t deadline = 0, i = gin_load64_gpu(&q->sq.state->reserved);
	int err;

	if (p->len < sizeof(struct gin_eth) || p->len > q->max_frame) {
		*ticket = i;
		return gin_txq_len_error(q, p->len);
	}
	/* As gin_sq_reserve(), and the rest inside of the loop: so nothing asks again whether it went well. */
	for (;; i = gin_load64_gpu(&q->sq.state->reserved)) {
		if (!gin_sq_room(&q->sq, i, 1)) {
			err = gin_sq_full(&q->sq, own, i, 1, timeout_ns, &deadline);
			if (err)
				return err;
		} else if (gin_sq_take(&q->sq, own, i, 1)) {
			gin_txq_put_pkt(q, i, p, gin_tx_cs_flags(opts), GIN_CE_ALWAYS);
			gin_sq_submit(&q->sq, own, i, i + 1);
			*ticket = i + 1;
			return 0;
		}
	}
}

GIN_FN int gin_txq_send_one_warp(const struct gin_dev_txq *q, int own, const struct gin_pkt *p,
				 const struct gin_tx_opts *opts, uint64_t timeout_ns, uint64_t *ticket)
{
	uint32_t lane = threadIdx.x & 31u, senders = __ballot_sync(0xffffffffu, p->len != 0), n, mine;
	uint64_t base = 0;
	int err = gin_txq_len_error(q, p->len);

	n = (uint32_t)__popc(senders);
	mine = (uint32_t)__popc(senders & ((1u << lane) - 1u));
	if (__any_sync(0xffffffffu, err))
		return __any_sync(0xffffffffu, err == -EMSGSIZE) ? -EMSGSIZE : -EINVAL;
	if (n > q->sq.mask + 1)
		return -EINVAL;
	if (lane == 0) {
		if (n)
			err = gin_sq_reserve(&q->sq, own, n, timeout_ns, &base);
		else
			base = gin_load64_gpu(&q->sq.state->reserved);
	}
	err = __shfl_sync(0xffffffffu, err, 0);
	base = __shfl_sync(0xffffffffu, base, 0);
	if (err)
		return err;
	if (p->len)
		gin_txq_put_pkt(q, base + mine, p, gin_tx_cs_flags(opts), mine == n - 1 ? GIN_CE_ALWAYS : 0);
	/* Every lane's WQE is written before the leader hands them over. */
	__syncwarp(0xffffffffu);
	if (lane == 0 && n)
		gin_sq_submit(&q->sq, own, base, base + n);
	*ticket = base + n;
	return 0;
}

GIN_FN int gin_txq_send_one_block(const struct gin_dev_txq *q, int own, const struct gin_pkt *p,
				  const struct gin_tx_opts *opts, uint64_t timeout_ns, uint64_t *ticket)
{
	GIN_SHARED(uint32_t, senders, 32);
	GIN_SHARED(uint64_t, first, 1);
	GIN_SHARED(int, result, 1);
	uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	uint32_t warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32, ballot, n = 0, mine = 0, i;
	int err = gin_txq_len_error(q, p->len);
	uint64_t base;

	ballot = __ballot_sync(0xffffffffu, p->len != 0);
	if ((thread & 31u) == 0)
		senders[thread / 32] = ballot;
	if (__syncthreads_or(err))
		return __syncthreads_or(err == -EMSGSIZE) ? -EMSGSIZE : -EINVAL;
	for (i = 0; i < warps; i++) {
		if (i < thread / 32)
			mine += (uint32_t)__popc(senders[i]);
		n += (uint32_t)__popc(senders[i]);
	}
	mine += (uint32_t)__popc(ballot & ((1u << (thread & 31u)) - 1u));
	if (n > q->sq.mask + 1) {
		__syncthreads(); /* all have read senders before the next call writes it */
		return -EINVAL;
	}
	if (thread == 0) {
		result[0] = 0;
		if (n)
			result[0] = gin_sq_reserve(&q->sq, own, n, timeout_ns, &first[0]);
		else
			first[0] = gin_load64_gpu(&q->sq.state->reserved);
	}
	__syncthreads();
	err = result[0];
	base = first[0];
	if (!err && p->len)
		gin_txq_put_pkt(q, base + mine, p, gin_tx_cs_flags(opts), mine == n - 1 ? GIN_CE_ALWAYS : 0);
	/* Every thread's WQE is written before the leader hands them over; and all have read result. */
	__syncthreads();
	if (err)
		return err;
	if (thread == 0 && n)
		gin_sq_submit(&q->sq, own, base, base + n);
	*ticket = base + n;
	return 0;
}

/*
 * Send. 0: posted, and *ticket covers all packets of the call (without any:
 * what was reserved before). All or nothing, the same answer in every lane:
 * -EMSGSIZE: a packet is longer than MTU + 18 bytes (of those longer than
 * MTU + 14, the NIC drops and counts the ones without a VLAN tag); -EINVAL: one
 * is shorter than an Ethernet header (14), or there are more packets than the
 * ring has entries; -EAGAIN: the ring stayed full for timeout_ns;
 * -ECANCELED; -EIO. A send that finds room does not look for errors: on a
 * queue in error its ticket's wait says -EIO, and so does a send once the ring
 * is full. One compare-and-swap, at most two exchanges and on
 * average one doorbell per call; the own forms have no atomics.
 */
GIN_FN int gin_txq_send(const struct gin_dev_txq *q, const struct gin_pkt *p, const struct gin_tx_opts *opts,
			uint64_t timeout_ns, uint64_t *ticket)
{
	return gin_txq_send_one(q, GIN_SHARED_SQ, p, opts, timeout_ns, ticket);
}

GIN_FN int gin_txq_send_warp(const struct gin_dev_txq *q, const struct gin_pkt *p, const struct gin_tx_opts *opts,
			     uint64_t timeout_ns, uint64_t *ticket)
{
	return gin_txq_send_one_warp(q, GIN_SHARED_SQ, p, opts, timeout_ns, ticket);
}

GIN_FN int gin_txq_send_block(const struct gin_dev_txq *q, const struct gin_pkt *p, const struct gin_tx_opts *opts,
			      uint64_t timeout_ns, uint64_t *ticket)
{
	return gin_txq_send_one_block(q, GIN_SHARED_SQ, p, opts, timeout_ns, ticket);
}

GIN_FN int gin_txq_send_own(const struct gin_dev_txq *q, const struct gin_pkt *p, const struct gin_tx_opts *opts,
			    uint64_t timeout_ns, uint64_t *ticket)
{
	return gin_txq_send_one(q, GIN_OWN_SQ, p, opts, timeout_ns, ticket);
}

GIN_FN int gin_txq_send_own_warp(const struct gin_dev_txq *q, const struct gin_pkt *p, const struct gin_tx_opts *opts,
				 uint64_t timeout_ns, uint64_t *ticket)
{
	return gin_txq_send_one_warp(q, GIN_OWN_SQ, p, opts, timeout_ns, ticket);
}

GIN_FN int gin_txq_send_own_block(const struct gin_dev_txq *q, const struct gin_pkt *p, const struct gin_tx_opts *opts,
				  uint64_t timeout_ns, uint64_t *ticket)
{
	return gin_txq_send_one_block(q, GIN_OWN_SQ, p, opts, timeout_ns, ticket);
}

/* Bytes of all pieces; 0 when one is empty or there are too many. */
GIN_FN uint32_t gin_segs_len(const struct gin_seg *segs, uint32_t n)
{
	uint32_t len = 0, i;

	if (!n || n > GIN_TXQ_SEGS_MAX)
		return 0;
	for (i = 0; i < n; i++) {
		if (!segs[i].len || segs[i].len > 0xffffu)
			return 0;
		len += segs[i].len;
	}
	return len;
}

/*
 * One packet out of n pieces, 1 to GIN_TXQ_SEGS_MAX; any number of threads. As
 * gin_txq_send(); -EINVAL also for an empty piece, or when the NIC wants
 * headers inline and the first piece is shorter than that.
 *
 * A CQE names the first WQEBB of its WQE: behind a longer one a NOP of one
 * WQEBB carries it, so that a ticket is always one above what the CQE says.
 */
GIN_FN int gin_txq_send_segs(const struct gin_dev_txq *q, const struct gin_seg *segs, uint32_t n,
			     const struct gin_tx_opts *opts, uint64_t timeout_ns, uint64_t *ticket)
{
	uint32_t len = gin_segs_len(segs, n), skip = gin_txq_inline(q), ds = 2, wqebbs, nop, s;
	uint64_t first;
	int err;

	if (!len || segs[0].len < skip)
		return -EINVAL;
	err = gin_txq_len_error(q, len);
	if (err)
		return err;
	ds += (skip ? 1 : 0) + n - (segs[0].len == skip ? 1 : 0);
	wqebbs = (ds + 3) / 4;
	nop = wqebbs > 1 ? 1 : 0;
	if (wqebbs + nop > q->sq.mask + 1)
		return -EINVAL;
	err = gin_sq_reserve(&q->sq, GIN_SHARED_SQ, wqebbs + nop, timeout_ns, &first);
	if (err)
		return err;

	gin_txq_put_eth(gin_txq_wqe(q, first), gin_tx_cs_flags(opts));
	ds = 2;
	if (skip) {
		gin_txq_put_head(gin_txq_wqe(q, first), (const uint8_t *)segs[0].data, segs[0].len);
		ds++;
	}
	for (s = 0; s < n; s++) {
		if (s == 0 && segs[0].len == skip)
			continue;
		gin_txq_put_data(gin_txq_seg(q, first, ds++), (const uint8_t *)segs[s].data + (s ? 0 : skip),
				 segs[s].len - (s ? 0 : skip), segs[s].lkey);
	}
	gin_txq_put_ctrl(q, gin_txq_wqe(q, first), first, GIN_OP_SEND, ds, nop ? 0 : GIN_CE_ALWAYS);
	if (nop)
		gin_txq_put_ctrl(q, gin_txq_wqe(q, first + wqebbs), first + wqebbs, GIN_OP_NOP, 1, GIN_CE_ALWAYS);
	gin_sq_submit(&q->sq, GIN_SHARED_SQ, first, first + wqebbs + nop);
	*ticket = first + wqebbs + nop;
	return 0;
}

/* 0: the NIC has read every packet up to ticket, their memory is yours again (says nothing of the peer). Any age. */
GIN_FN int gin_txq_wait(const struct gin_dev_txq *q, uint64_t ticket, uint64_t timeout_ns)
{
	return gin_sq_wait(&q->sq, ticket, timeout_ns);
}

/* The same without waiting: -EAGAIN: not yet. */
GIN_FN int gin_txq_test(const struct gin_dev_txq *q, uint64_t ticket)
{
	return gin_sq_test(&q->sq, ticket);
}
#endif
