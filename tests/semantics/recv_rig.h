/* SPDX-License-Identifier: BSD-3-Clause */
/* A world with a receiving kernel: one receive queue, one send queue, and what the kernel wrote down. */
#ifndef TESTS_SEMANTICS_RECV_RIG_H
#define TESTS_SEMANTICS_RECV_RIG_H
#include "recv.h"
#include "world.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RECV_SEEDS(n) ((n) / 6 + 1)
#else
#define RECV_SEEDS(n) (n)
#endif

struct recv {
	struct world w; /* first: the world's callbacks get it */
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_mem log_mem;
	struct recv_log *log;
	struct recv_args args;
	uint64_t rng;   /* of this seed's choices */
};

uint32_t recv_choose(struct recv *r, uint32_t below);
/* World and queues, all chosen by the seed: ring sizes from 1 slot, headroom, first indices, NIC options. */
void recv_open(struct recv *r, uint64_t seed, enum recv_scope scope, enum recv_back back);
/* The same with rings of 64. */
void recv_open_64(struct recv *r, uint64_t seed, enum recv_scope scope, enum recv_back back);
void recv_launch(struct recv *r);
/* For world_run_until(): every frame is put, delivered and taken, everything posted is sent. */
int recv_all_taken(void *r);
/* Stop, and run until the kernel has ended. */
void recv_stop(struct recv *r);

/* What the kernel wrote down: runs contiguous and never too long, lanes of one mind. */
void recv_check_runs(struct recv *r);
/* Each packet taken once, whole, in order, and not touched before it went back. seq_at: where a frame says its number. */
void recv_check_pkts(struct recv *r, uint32_t seq_at);
uint32_t recv_seq(const struct recv_pkt *p, uint32_t seq_at);
#endif
