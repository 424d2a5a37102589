/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the receiving kernel, and what it writes down. */
#ifndef TESTS_SEMANTICS_RECV_H
#define TESTS_SEMANTICS_RECV_H
#include <ginet/hw/queue.h>
#include <ginet/launch.h>

enum recv_scope { RECV_THREAD, RECV_WARP, RECV_BLOCK };

/* How runs go back. */
enum recv_release { RECV_RELEASE, RECV_RELEASE_AFTER, RECV_RELEASE_MIXED };

enum { RECV_PKTS = 1024, RECV_RUNS = 2048 };

struct recv_pkt {
	uint64_t time_ns;
	uint32_t times;           /* taken */
	uint32_t seq, len, tag, verdict;
	uint32_t whole, still_whole; /* when taken; just before it was given back */
};

struct recv_run {
	uint64_t first;
	uint32_t n, max;
};

struct recv_log {
	uint32_t n_runs, lanes_differ, run_too_long;
	uint32_t not_there;       /* -EAGAIN */
	int last;                 /* the result that ended the kernel */
	int again[2];             /* of two more calls behind it */
	int send_err;
	uint64_t taken;           /* packets; moves while the kernel runs */
	struct recv_run runs[RECV_RUNS];
	struct recv_pkt pkts[RECV_PKTS]; /* by index */
};

struct recv_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;   /* RECV_RELEASE_AFTER, _MIXED: runs are sent out of their slots */
	struct recv_log *log;
	uint64_t first;           /* index of packet 0 */
	uint64_t seed;            /* of max, holding time, time-out and order of release */
	uint32_t scope, release;
	uint32_t max;             /* 0: drawn for each call */
	uint32_t hold;            /* most pauses before a run goes back */
};

GIN_KERNEL_DECLARE(recv_all);
#endif
