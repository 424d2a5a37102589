/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the receiving kernel, and what it writes down. */
#ifndef TESTS_SEMANTICS_RECV_H
#define TESTS_SEMANTICS_RECV_H
#include <ginet/hw/queue.h>
#include <ginet/launch.h>

enum recv_scope { RECV_THREAD, RECV_WARP, RECV_BLOCK };

/* How runs go back: at once, after they were sent out of their slots, or one or the other by chance. */
enum recv_back { RECV_RELEASE, RECV_AFTER, RECV_MIXED };

enum { RECV_PKTS = 1024, RECV_RUNS = 1024, RECV_HEAD = 64, RECV_NO_PKT = 0xffffffffu };

struct recv_pkt {
	uint64_t time_ns, hash, hash_again; /* of all bytes: when taken, and just before it was given back */
	uint32_t times;                     /* taken */
	uint32_t len, tag, verdict;
	uint8_t head[RECV_HEAD];
};

struct recv_run {
	uint64_t first;
	uint32_t n, max;
	uint32_t after; /* 1: goes back when it was sent */
};

struct recv_log {
	uint32_t n_runs, lanes_differ;
	uint32_t misses;      /* -EAGAIN */
	int max_0;            /* result of max 0 */
	int last;             /* the result that ended the kernel */
	int send_failed;      /* 1: it was that of a send */
	int again[2];         /* of two more calls behind it */
	uint64_t taken, sent; /* packets; move while the kernel runs */
	struct recv_run runs[RECV_RUNS];
	struct recv_pkt pkts[RECV_PKTS]; /* by index */
};

struct recv_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct recv_log *log;
	uint64_t first;       /* index of packet 0 */
	uint64_t seed;        /* of max, holding time, time-out and way back */
	uint32_t scope, back;
	uint32_t hold;        /* most pauses before a run goes back */
	uint32_t bad_key;     /* packet that is sent with a key that the NIC does not know, or RECV_NO_PKT */
};

/* FNV-1a; in kernels and on the host. */
static inline uint64_t recv_hash(const uint8_t *data, uint32_t len)
{
	uint64_t h = 0xcbf29ce484222325ull;
	uint32_t i;

	for (i = 0; i < len; i++)
		h = (h ^ data[i]) * 0x100000001b3ull;
	return h;
}

GIN_KERNEL_DECLARE(recv_all);
#endif
