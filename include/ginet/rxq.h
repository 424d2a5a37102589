/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive queues: the host's side. The kernel's side is <ginet/dev/rxq.h>. */
#ifndef GINET_RXQ_H
#define GINET_RXQ_H
#include <ginet/gpu.h>
#include <ginet/hw/queue.h>
#include <ginet/nic.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_rxq;

struct gin_rxq_config {
	uint32_t n_slots;      /* packets the kernel may lag behind: packets/s x its longest pause.
				* 0: 1024; rounded up to a power of 2, at most 32768 */
	uint32_t slot_bytes;   /* 0: fits the MTU; less than a frame needs is -EMSGSIZE */
	uint32_t headroom;     /* free bytes before each packet, for pushing headers */
	uint32_t flags;        /* 0; bits are reserved */
	enum gin_mem_kind mem; /* 0: GPU memory; pinned host memory, with a line that says so, where the
				* NIC can't reach the GPU */
	void *buf;             /* your own memory, n_slots x slot_bytes, of this GPU or, with mem GIN_MEM_CPU_GPU,
				* pinned; yours again after destroy. NULL: the library's */
};

/**
 * Create a receive queue for kernels on gpu. NULL cfg: all zero.
 *
 * Returns 0 or -EINVAL (a value out of range), -EMSGSIZE (slot_bytes below
 * headroom + MTU + 18), -ENOMEM, -EREMOTEIO (the NIC refused; logged decoded).
 * Any thread.
 */
int gin_rxq_create(struct gin_nic *nic, struct gin_gpu *gpu, const struct gin_rxq_config *cfg, struct gin_rxq **out);
/** 0, or -EBUSY while rules lead to it. Its kernels must have ended. NULL: 0. Any thread. */
int gin_rxq_destroy(struct gin_rxq *rxq);
/** The handle for kernel arguments, by value. Valid until destroy. Any thread. */
struct gin_dev_rxq gin_rxq_dev(const struct gin_rxq *rxq);
/**
 * Let send queues of another NIC send out of this queue's slots: packets that
 * leave there carry *lkey instead of their own. Undone with the queue or with
 * other. Returns 0, -ENOTSUP (other cannot reach the slots) or -ENOMEM. Any
 * thread, but not two at once on one queue.
 */
int gin_rxq_share(struct gin_rxq *rxq, struct gin_nic *other, struct gin_be32 *lkey);

struct gin_rxq_stats {
	uint64_t packets, bytes;    /* delivered by the NIC */
	uint64_t taken, released;   /* by the kernel; packets */
	uint64_t drop_no_buffer;
	uint32_t waiting, n_slots;  /* delivered and not yet taken; slots */
	uint64_t last_ns;           /* NIC time of the last delivery, 0: none */
};
int gin_rxq_stats(struct gin_rxq *rxq, struct gin_rxq_stats *out); /* 0 or -EIO; any thread */

#ifdef __cplusplus
}
#endif
#endif
