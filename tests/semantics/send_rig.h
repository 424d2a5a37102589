/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A send property: a plan of calls drawn from a seed, run by the kernel of
 * send.cu in the simulation, and judged at the wire. The tickets that came back
 * say which call holds which part of the ring; so the exact order in which
 * packets must leave is known, whoever raced with whom.
 */
#ifndef TESTS_SEMANTICS_SEND_RIG_H
#define TESTS_SEMANTICS_SEND_RIG_H
#include "send.h"
#include "world.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEEDS(n) ((n) / 6 + 1)
#else
#define SEEDS(n) (n)
#endif

/* What a plan may hold. */
enum {
	RIG_REFUSED = 1u,   /* calls with too many packets, and with one that is too long */
	RIG_SEGS = 2u,      /* packets of several pieces (thread scope) */
	RIG_RAW = 4u,       /* own descriptors (thread scope) */
	RIG_WAIT = 8u,      /* some calls are waited for, and their memory written over */
	RIG_WAIT_ALL = 16u, /* all are */
	RIG_TIMED = 32u,    /* some calls look once or wait for a while */
	RIG_STOP = 64u,     /* gin_gpu_stop() at some step */
	RIG_BAD_KEY = 128u, /* one packet's lkey is wrong */
	RIG_CSUM = 256u,    /* IPv4 UDP and TCP, checksums by the NIC */
	RIG_CLOGGED = 512u, /* nobody takes frames from the wire until the kernels have ended */
	RIG_OTHERS = 2048u, /* threads wait for each other's tickets */
	RIG_DENSE = 1024u,  /* every lane has a packet where the ring takes that many */
};

struct rig_cfg {
	uint64_t seed;
	const char *options; /* of the NIC */
	uint32_t depth;
	enum send_scope scope;
	uint32_t own;
	uint32_t blocks, threads, n_calls;
	uint32_t flags;
	uint64_t max_steps;  /* 0: plenty */
	const struct gin_kernel *kernel; /* NULL: send_plan of send.cu */
};

/* NULL: all is as promised; else what is not (static storage). *hash: of the trace. */
const char *rig_run(const struct rig_cfg *cfg, uint64_t *hash);

/* Random choices of a test, from its seed. */
uint32_t rig_draw(uint64_t *rng, uint32_t below);

/* Geometry for scope and mode: one producer for own, several for shared. */
void rig_geometry(struct rig_cfg *cfg, uint64_t *rng);
#endif
