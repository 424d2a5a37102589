/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A whole ginet in the deterministic simulation: a GPU of lanes, a strict NIC
 * under an adversary, a wire whose other end the test holds. A property runs
 * over many seeds; each seed runs twice and must leave the same trace.
 */
#ifndef TESTS_SEMANTICS_WORLD_H
#define TESTS_SEMANTICS_WORLD_H
#include <check.h>
#include <ginet/ginet.h>
#include "sim/sim.h"
#include "softnic/softnic.h"

struct world {
	uint64_t seed;
	struct gin_gpu *gpu;
	struct gin_nic *nic;
	struct sn_device *device;
	struct gin_sim *sim;
	struct gin_nic_info info;
	struct gin_actor source, sink, witness;
	/* source: frames put on the wire; set n_frames before running; make: up to 2048 bytes, NULL is world_frame() */
	uint32_t n_frames, put;
	uint32_t (*make)(const struct world *w, uint32_t seq, uint8_t *buf);
	uint32_t refused_put;          /* times the wire was full */
	/* sink: frames taken from the wire, handed to on_frame; shut: none are taken, the wire fills up */
	uint32_t taken, sink_shut;
	void (*on_frame)(struct world *w, const uint8_t *frame, uint32_t len);
	/* witness: snapshots in which the identities held, and what else on_witness looks at */
	uint32_t snapshots;
	void (*on_witness)(struct world *w);
	void *arg;
};

/* As ck_assert(), but one that holds costs no system call. */
#define world_ok(cond)                                                                                                 \
	do {                                                                                                           \
		if (!(cond))                                                                                           \
			ck_abort_msg("%s", #cond);                                                                     \
	} while (0)
#define world_eq(a, b)                                                                                                 \
	do {                                                                                                           \
		uint64_t world_a = (uint64_t)(a), world_b = (uint64_t)(b);                                             \
		if (world_a != world_b)                                                                                \
			ck_abort_msg("%s is %lld, %s is %lld", #a, (long long)world_a, #b, (long long)world_b);        \
	} while (0)

/* options: more keys for the NIC, e.g. "first_index=65530,inline=l2", or "". */
void world_open(struct world *w, uint64_t seed, const char *options);
/* The trace hash; everything is closed. */
uint64_t world_close(struct world *w);
/* Drive the simulation until all kernels ended, or ck_abort with seed and step. */
void world_run(struct world *w);
/* Drive it until done says so. */
void world_run_until(struct world *w, int (*done)(void *arg), void *arg);
/* The identities of gin_nic_stats, now. */
void world_check_sums(struct world *w);
/* No frame is under way any more. */
void world_check_quiet(struct world *w);

/* Frame number seq: its length and bytes follow from seq alone. buf: 1518 bytes. Returns the length. */
uint32_t world_frame(const struct world *w, uint32_t seq, uint8_t *buf);
uint32_t world_frame_len(uint32_t seq);
uint32_t world_seq(const uint8_t *frame); /* of a frame made by world_frame() */
/* 1: these are exactly the bytes of a frame, behind the addresses. */
int world_frame_ok(const uint8_t *frame, uint32_t len);

/*
 * Run property(w) for seeds first .. first + n - 1, each twice: hashes equal.
 * $GINET_SEED replays one seed; $GINET_SEEDS sets n. A failure names the seed.
 */
void world_property(void (*property)(uint64_t seed, uint64_t *hash), uint64_t first, uint32_t n);
#endif
