/* SPDX-License-Identifier: BSD-3-Clause */
/* Steering: which packets go to which queue. Without a rule a packet goes to the host. */
#ifndef GINET_FLOW_H
#define GINET_FLOW_H
#include <ginet/rxq.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_flow;

/* Bits of .match: which fields count. None: every packet. Numbers in host byte order, addresses as on the wire. */
#define GIN_MATCH_DMAC 0x0001u
#define GIN_MATCH_ETHERTYPE 0x0004u
#define GIN_MATCH_PROTO 0x0040u  /* of IPv4 */
#define GIN_MATCH_DPORT 0x0100u  /* needs GIN_MATCH_PROTO with TCP (6) or UDP (17) */

enum gin_flow_action { GIN_FLOW_UNSET, GIN_FLOW_QUEUES, GIN_FLOW_DROP, GIN_FLOW_HOST };

struct gin_flow_config {
	uint32_t match; /* GIN_MATCH_* */
	uint8_t dmac[6];
	uint16_t ethertype; /* behind VLAN tags */
	uint8_t proto;
	uint16_t dport;
	uint32_t tag; /* seen by the kernel as gin_pkt_tag(), 24 bits */
	enum gin_flow_action action; /* must be set: GIN_FLOW_UNSET is -EINVAL */
	struct gin_rxq *const *rxqs; /* GIN_FLOW_QUEUES: exactly 1 */
	uint32_t n_rxqs;
};

/**
 * Add a rule. The queues must be of this NIC.
 *
 * Returns 0 or -EINVAL (unknown match bit, action unset, port without
 * protocol, tag above 24 bits, no queue), -ENOTSUP (more than one queue),
 * -EEXIST (a rule with the same match is there), -EPERM, -ENOMEM. Any thread.
 */
int gin_flow_create(struct gin_nic *nic, const struct gin_flow_config *cfg, struct gin_flow **out);
void gin_flow_destroy(struct gin_flow *flow); /* packets already delivered stay; NULL does nothing; any thread */
int gin_flow_count(struct gin_flow *flow, uint64_t *packets, uint64_t *bytes); /* 0 or -EIO; any thread */

/** The most common case: everything that this NIC takes goes to this queue; n_rxqs 1. Results as gin_flow_create(). */
int gin_flow_all(struct gin_nic *nic, struct gin_rxq *const *rxqs, uint32_t n_rxqs, struct gin_flow **out);

#ifdef __cplusplus
}
#endif
#endif
