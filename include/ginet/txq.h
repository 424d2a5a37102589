/* SPDX-License-Identifier: BSD-3-Clause */
/* Send queues: the host's side. The kernel's side is <ginet/dev/txq.h>. */
#ifndef GINET_TXQ_H
#define GINET_TXQ_H
#include <ginet/gpu.h>
#include <ginet/hw/queue.h>
#include <ginet/nic.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_txq;

struct gin_txq_config {
	uint32_t n_wqes; /* depth in WQEBBs (64 B; one per plain packet). 0: 1024; rounded up to a power of 2,
			  * at most 16384 */
	uint32_t flags;  /* 0; bits are reserved */
};

/**
 * Create a send queue for kernels on gpu. NULL cfg: all zero.
 *
 * Returns 0 or -EINVAL (a value out of range), -ENOMEM, -EREMOTEIO (the NIC
 * refused; logged decoded). Any thread.
 */
int gin_txq_create(struct gin_nic *nic, struct gin_gpu *gpu, const struct gin_txq_config *cfg, struct gin_txq **out);
/**
 * 0, or -EBUSY while a receive queue waits for one of its sends
 * (gin_rxq_release_after()). Its kernels must have ended. NULL: 0. Any thread.
 */
int gin_txq_destroy(struct gin_txq *txq);
/** The handle for kernel arguments, by value. Valid until destroy. Any thread. */
struct gin_dev_txq gin_txq_dev(const struct gin_txq *txq);

struct gin_txq_stats {
	uint64_t posted, bytes, wire, drop; /* packets; bytes that left */
	uint64_t completed;                 /* WQEBBs */
	uint64_t full;                      /* sends that found the ring full */
	uint32_t in_flight, n_wqes;         /* WQEBBs */
	uint64_t last_ns;                   /* NIC time of the last packet, 0: none */
};
int gin_txq_stats(struct gin_txq *txq, struct gin_txq_stats *out); /* 0 or -EIO; any thread */

#ifdef __cplusplus
}
#endif
#endif
