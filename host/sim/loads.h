/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads of lanes that were issued and not performed yet, see gin_sim_load_late(). Inside of host/sim. */
#ifndef HOST_SIM_LOADS_H
#define HOST_SIM_LOADS_H
#include "sim.h"
#include "stores.h"

/* Like the pending stores, they are one of a simulation's actors. */
void gin_loads_attach(struct gin_sim *sim);
void gin_loads_detach(struct gin_sim *sim);

void gin_loads_put(struct gin_lane_id by, const void *p, void *to, uint32_t size);
void gin_loads_do(struct gin_lane_id by); /* all of this lane's, now */
#endif
