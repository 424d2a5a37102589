/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet queues and rules: what they are made of. */
#ifndef HOST_ETH_ETH_PRIV_H
#define HOST_ETH_ETH_PRIV_H
#include "nic/nic_priv.h"

/* Goes with the queue or with the NIC, whichever is first. */
struct gin_rxq_share {
	struct gin_rxq *rxq;
	struct gin_nic *nic;
	struct gin_nic_mr mr;
	TAILQ_ENTRY(gin_rxq_share) in_rxq, in_nic;
};

struct gin_rxq {
	struct gin_nic_queue queue; /* first */
	struct gin_nic_mem rings;   /* CQ, RQ and both records */
	struct gin_mem state;       /* struct gin_rxq_state */
	struct gin_mem slots;       /* .gpu NULL: the user's buffer */
	struct gin_nic_mr mr;
	struct gin_nic_obj cq, tir; /* the RQ is queue.obj */
	uint32_t tirn, n_flows;     /* rules that lead here */
	uint64_t first;             /* index of the first packet */
	struct gin_dev_rxq dev;
	uint64_t idle_packets, idle_since_ns, looked_ns; /* idle.c */
	int warned_idle, warned_no_rule;
	TAILQ_HEAD(, gin_rxq_share) shares;
};

struct gin_txq {
	struct gin_nic_queue queue;
	struct gin_nic_mem rings;   /* SQ, its one CQE and both records */
	struct gin_mem state;       /* struct gin_sq_state and link[] */
	struct gin_nic_uar uar;
	struct gin_nic_obj cq;
	void *uar_page;             /* mapped into the GPU; NULL: not */
	uint64_t first;
	struct gin_dev_txq dev;
};

struct gin_flow {
	TAILQ_ENTRY(gin_flow) link;
	struct gin_nic *nic;
	struct gin_rxq *rxq;        /* NULL: drop or host */
	struct gin_nic_rule rule;
	char text[96];              /* for tables: "dmac 02:.. -> rxq0" */
};

struct gin_mr {
	TAILQ_ENTRY(gin_mr) link;
	struct gin_nic *nic;
	struct gin_nic_mr mr;
	uint64_t addr;
};

/* Round up to a power of two; 0 stays 0. */
uint32_t gin_pow2(uint32_t n);
uint32_t gin_log2(uint32_t pow2);
/* Where the NIC's counter of a fresh queue stands: 0 on cards. */
int gin_queue_first(struct gin_nic *nic, struct gin_nic_obj *obj, enum prm_opcode query, uint32_t number, uint64_t *first);
/* idle.c: warn once when frames are dropped while this queue has been idle for 3 s. */
void gin_rxq_look_idle(struct gin_nic_queue *queue);
void gin_rxq_unshare(struct gin_rxq_share *share);
/* Receive queues of other NICs that wait for sends of this queue wait for it no more: it is about to go. */
void gin_txq_forget(const struct gin_txq *txq);
#endif
