/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sending kernel is told to do, call by call, and what it writes down. */
#ifndef TESTS_SEMANTICS_SEND_H
#define TESTS_SEMANTICS_SEND_H
#include <ginet/hw/queue.h>
#include <ginet/launch.h>

enum send_scope { SEND_THREAD, SEND_WARP, SEND_BLOCK };

enum send_kind {
	SEND_PLAIN,   /* gin_txq_send*() in the kernel's scope and mode */
	SEND_SEGS,    /* gin_txq_send_segs(), by each thread that has a packet; thread scope only */
	SEND_RAW,     /* reserve, fill, submit: a run of packets by one thread; thread scope only */
};

enum { SEND_SEGS_MAX = 10, SEND_RAW_MAX = 4 };

/* One packet of one thread in one call. */
struct send_pkt {
	uint8_t *data;
	uint32_t len;       /* 0: none */
	struct gin_be32 lkey;
};

/* One call of one thread; all threads of a warp or block stand in the same call. */
struct send_call {
	struct send_pkt pkt[SEND_RAW_MAX]; /* SEND_RAW: n_pkts of them, else the first */
	uint64_t timeout_ns;
	uint32_t kind, n_pkts;
	uint32_t n_segs, segs[SEND_SEGS_MAX]; /* SEND_SEGS: bytes of each piece */
	uint32_t csum;      /* GIN_TX_* */
	uint32_t wait;      /* 1: wait for the ticket, then write over the packets; 2: the same by test() in a loop */
	uint32_t pauses;    /* before the call */
	int err, wait_err;  /* what came back */
	uint64_t ticket;
	uint32_t posted;    /* moves last: the other threads may wait for it too */
	int other_err;      /* what such a wait gave, when not 0 */
	uint64_t began_ns, ended_ns;
};

struct send_args {
	struct gin_dev_txq q;
	struct send_call *calls; /* [thread of the grid][n_calls] */
	uint32_t n_calls;
	uint32_t scope, own;
	uint32_t others;         /* calls of all threads, drawn at random, that each thread waits for at its end */
	uint64_t seed;           /* of that */
};

GIN_KERNEL_DECLARE(send_plan);
#endif
