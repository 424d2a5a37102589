/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doorbell record and doorbell register.
 * Record: 8 bytes, 8-byte aligned; ginet gives it a 64-byte line of its own.
 * Register: rdma-core providers/mlx5/qp.c, post_send_db(); DPDK mlx5_common.h.
 */
#ifndef GINET_HW_DBREC_H
#define GINET_HW_DBREC_H
#include <ginet/hw/be.h>

struct gin_dbrec {
	struct gin_be32 rcv; /* 0x00  RQ: WQEs posted; CQ: consumer index */
	struct gin_be32 snd; /* 0x04  SQ: index of the next free WQEBB, 15:0; CQ: arm word */
};
GIN_STATIC_ASSERT(sizeof(struct gin_dbrec) == 8, "two dwords");

#define GIN_UAR_PAGE 4096u
#define GIN_UAR_CQ_DOORBELL 0x20u
#define GIN_UAR_SQ_DOORBELL 0x800u

/*
 * The 64-bit doorbell, as it lies in memory: dword 0 = index << 8 (the new
 * producer index, ds 0) and dword 1 = SQ number << 8, both big-endian.
 */
GIN_HW_FN uint64_t gin_doorbell(uint32_t producer, struct gin_be32 sqn_ds)
{
	return (uint64_t)sqn_ds.raw << 32 | gin_swap16_high(producer) >> 8;
}
#endif
