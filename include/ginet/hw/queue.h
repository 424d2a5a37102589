/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues as a kernel sees them: read-only handles that stand by value in the
 * kernel's argument struct, and the words that change, in GPU memory. Made by
 * the library, used by the device headers; programs only pass them on.
 *
 * Indices are 64 bit and run freely; only slots are masked. All indices of a
 * send queue count WQEBBs (64 bytes).
 */
#ifndef GINET_HW_QUEUE_H
#define GINET_HW_QUEUE_H
#include <ginet/hw/be.h>
#include <ginet/hw/cqe.h>
#include <ginet/hw/dbrec.h>

#define GIN_LINE 128 /* bytes; one writer per line, so that writers do not disturb each other */

#ifdef __CUDACC__
#define GIN_ALIGN(n) __align__(n)
#else
#define GIN_ALIGN(n) __attribute__((aligned(n)))
#endif

/* What producers on a send queue share. Followed in memory by link[depth]. */
struct gin_sq_state {
	GIN_ALIGN(128) uint64_t reserved;  /* WQEBBs handed out; moved by compare-and-swap */
	GIN_ALIGN(128) uint64_t completed; /* WQEBBs known to be done; only grows */
	GIN_ALIGN(128) uint64_t full;      /* sends refused or delayed since the ring was full */
	GIN_ALIGN(128) struct gin_cqe *cqe; /* read only from here on: a ticket can be tested with this struct alone */
	uint32_t mask;
	uint32_t rsvd;
	GIN_ALIGN(128) uint64_t link[1];   /* [depth]; hand-over from producer to producer, see dev/sq.h */
};
GIN_STATIC_ASSERT(offsetof(struct gin_sq_state, link) == 512, "one line per writer");

/* The part of a send queue that knows no Ethernet. */
struct gin_dev_sq {
	uint8_t *wqe;                /* ring of WQEBBs, GPU address */
	struct gin_dbrec *dbrec;
	uint64_t *uar;               /* doorbell register */
	struct gin_cqe *cqe;         /* the one entry of the collapsed CQ */
	struct gin_sq_state *state;
	const uint32_t *stop;        /* non-zero: gin_gpu_stop() was called */
	uint32_t mask;               /* depth - 1; depth is at most GIN_SQ_DEPTH_MAX */
	struct gin_be32 sqn;         /* SQ number << 8 */
};
#define GIN_SQ_DEPTH_MAX 16384u

struct gin_dev_txq {
	struct gin_dev_sq sq;
	uint32_t max_frame;  /* bytes, without FCS */
	uint32_t min_inline; /* header bytes that the NIC wants in the WQE: 0 or 18 */
};
GIN_STATIC_ASSERT(sizeof(struct gin_dev_txq) == 64, "one line of the constant bank");

/* A run whose slots go back once a send is done. */
struct gin_rxq_deferred {
	uint64_t end;                  /* slots below this index go back */
	uint64_t ticket;               /* when this send is done; 0 with sq NULL: at once */
	struct gin_sq_state *sq;
	uint64_t rsvd;
};

/* What the one consumer of a receive queue changes. Followed by deferred[n_slots]. */
struct gin_rxq_state {
	GIN_ALIGN(128) uint64_t ci; /* next packet to look at */
	uint64_t released;          /* slots below are the NIC's again */
	uint64_t deferred_first;    /* deferred[first .. end), freely running */
	uint64_t deferred_end;
	GIN_ALIGN(128) struct gin_rxq_deferred deferred[1]; /* [n_slots] */
};
GIN_STATIC_ASSERT(offsetof(struct gin_rxq_state, deferred) == 128, "own line");

struct gin_dev_rxq {
	struct gin_cqe *cq;          /* as many entries as slots */
	struct gin_dbrec *dbrec;
	uint8_t *slots;              /* first byte of slot 0, GPU address */
	struct gin_rxq_state *state;
	const uint32_t *stop;
	uint32_t mask;               /* n_slots - 1 */
	uint32_t log_n;
	uint32_t stride;             /* bytes from slot to slot */
	uint32_t headroom;           /* bytes before the packet in its slot */
	struct gin_be32 lkey;        /* of the slots */
	uint32_t shape;              /* 0: one WQE per packet, whole in its slot; others are reserved */
};
GIN_STATIC_ASSERT(sizeof(struct gin_dev_rxq) == 64, "one line of the constant bank");
#endif
