/* SPDX-License-Identifier: BSD-3-Clause */
/* What most rows set up: one NIC or two, each with queues and a rule; buffers; small results. */
#ifndef GPUCHECK_RIG_H
#define GPUCHECK_RIG_H
#include "check.h"

struct end {
	struct gin_nic *nic;
	struct gin_nic_info info;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;
};

struct rig {
	struct gin_gpu *gpu;
	struct end end[2];     /* near and far; on a loop both are the near one */
	struct gin_mem frames; /* pinned */
	struct gin_mr *mr;     /* of frames, on the near NIC */
	struct gin_mem words;  /* GPU memory, 64 KiB: sums and the like */
	struct gin_mem host;   /* pinned, 4 KiB */
};

struct rig_config {
	const char *near, *far; /* NIC names; far NULL: there is one NIC */
	uint32_t n_wqes, n_slots;
	size_t frame_bytes;
};

/* 0, or -1 with the row's note. Either way rig_close() frees what is there. */
int rig_open(struct rig *g, const struct setting *s, struct result *r, const struct rig_config *cfg);
void rig_close(struct rig *g);
struct end *rig_far(struct rig *g); /* the other end of the wire, or the near one */
struct gin_be32 rig_lkey(const struct rig *g);
int rig_read(struct rig *g, struct result *r, void *to, size_t offset, size_t size); /* of words */

/* Wait until all kernels have ended, at most ms; then they are stopped, and the row has failed. */
int rig_wait(struct gin_gpu *gpu, struct result *r, uint32_t ms);

/* All that was sent and received is accounted for, and nothing was dropped. */
int rig_sums(struct end *e, struct result *r, uint64_t delivered, uint64_t wire);
#endif
