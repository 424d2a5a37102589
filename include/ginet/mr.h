/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory regions: memory of yours that a NIC may send from. */
#ifndef GINET_MR_H
#define GINET_MR_H
#include <ginet/gpu.h>
#include <ginet/hw/be.h>
#include <ginet/nic.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_mr;

/** What a kernel needs to name memory to the NIC. The key is opaque: it stands as the NIC reads it. */
struct gin_addr {
	uint64_t addr;
	struct gin_be32 key;
	uint32_t pad;
};

/**
 * Register memory with a NIC.
 *
 * gpu     the GPU it belongs to; NULL: plain host memory
 * addr    first byte, any alignment
 * len     bytes, more than 0
 * access  0; bits are reserved
 *
 * Returns 0, -EINVAL (len 0, unknown access bit), -EFAULT (not all of it is
 * mapped memory), -ENOTSUP (the NIC cannot reach it) or -ENOMEM. The memory
 * stays yours; free it only after gin_mr_destroy(). Any thread.
 */
int gin_mr_create(struct gin_nic *nic, struct gin_gpu *gpu, void *addr, size_t len, uint32_t access,
		  struct gin_mr **out);
void gin_mr_destroy(struct gin_mr *mr); /* no send may be under way out of it; NULL does nothing; any thread */
struct gin_addr gin_mr_local(const struct gin_mr *mr); /* addr + lkey, for this side's kernels; any thread */

#ifdef __cplusplus
}
#endif
#endif
