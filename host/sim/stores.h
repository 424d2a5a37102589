/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores of lanes that are not in memory yet. See lane.h for the levels that a
 * store rises through. Inside of host/sim.
 *
 * Order of two stores to the same byte: a store at a narrower level comes
 * after every wider one that its lane can see; within a level the one that
 * reached it later comes after. Loads, lifts and memory all follow this one
 * order, so each byte has one history, whoever looks (coherence).
 */
#ifndef HOST_SIM_STORES_H
#define HOST_SIM_STORES_H
#include "sim.h"
#include <ginet/cpu.h>

#define GIN_STORE_MAX 16 /* bytes of one store: gin_store128() */

struct gin_lane_id { uint32_t block, lane; };

/*
 * The pending stores of a simulation are one of its actors. Detach forgets what
 * is left: a kernel that ended has written all (see lane.h), and memory of one
 * that did not may be gone.
 */
void gin_stores_attach(struct gin_sim *sim);
void gin_stores_detach(struct gin_sim *sim);

/* size: at most GIN_STORE_MAX. */
void gin_stores_put(struct gin_lane_id by, void *p, const void *value, uint32_t size);
/* What the lane sees at p. */
void gin_stores_get(struct gin_lane_id by, const void *p, void *value, uint32_t size);
/* Lift all that the lane can see to scope. */
void gin_stores_lift(struct gin_lane_id by, enum gin_scope scope);
/* Write to memory what the lane sees in these bytes, and what must come before it; nothing else. */
void gin_stores_settle(struct gin_lane_id by, const void *p, uint32_t size);

uint32_t gin_stores_pending(void);
uint32_t gin_stores_pending_of(struct gin_lane_id by);
/* Write the which-th to memory, and what must come before it. */
void gin_stores_drain(uint32_t which);
#endif
