/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work queue entries: what software writes into send and receive rings.
 * Layouts: rdma-core mlx5dv.h (struct mlx5_wqe_ctrl_seg, _eth_seg, _data_seg);
 * field meanings as in the mlx5 kernel driver's qp.h and DPDK's mlx5_prm.h.
 */
#ifndef GINET_HW_WQE_H
#define GINET_HW_WQE_H
#include <ginet/hw/be.h>
#include <stddef.h>

#define GIN_WQEBB 64u /* bytes in one send queue entry; a WQE takes one or more */
#define GIN_DS 16u    /* bytes in one segment; WQE lengths count these */
#define GIN_DS_MAX 63u /* 6-bit field in the control segment */

/* Send opcodes, byte 3 of a WQE. Those not listed here are not used by ginet. */
#define GIN_OP_NOP 0x00u
#define GIN_OP_SEND 0x0au
#define GIN_OP_TSO 0x0eu

/* Control segment, the first 16 bytes of every send WQE. */
struct gin_wqe_ctrl {
	struct gin_be32 opmod_idx_opcode; /* 0x00  31:24 opmod, 23:8 index of the first WQEBB, 7:0 opcode */
	struct gin_be32 qpn_ds;           /* 0x04  31:8 SQ or QP number, 5:0 WQE size in segments */
	uint8_t signature;                /* 0x08  0: unused */
	uint8_t rsvd09[2];                /* 0x09 */
	uint8_t fm_ce_se;                 /* 0x0b  7:5 fence, 3:2 completion, 1 solicited */
	struct gin_be32 imm;              /* 0x0c  immediate data */
};
GIN_STATIC_ASSERT(sizeof(struct gin_wqe_ctrl) == 16, "the NIC reads 16 bytes");
GIN_STATIC_ASSERT(offsetof(struct gin_wqe_ctrl, fm_ce_se) == 0x0b, "mlx5dv.h: byte 0x0b");

#define GIN_CE_ALWAYS 0x08u /* fm_ce_se: completion mode 2, write a CQE */
#define GIN_CE_MASK 0x0cu

/* Ethernet segment, at 0x10 of a WQE on an Ethernet SQ. */
struct gin_wqe_eth {
	struct gin_be32 swp;           /* 0x00  software parser offsets, unused */
	uint8_t cs_flags;              /* 0x04  GIN_ETH_* */
	uint8_t swp_flags;             /* 0x05 */
	struct gin_be16 mss;           /* 0x06  TSO only, else 0 */
	struct gin_be32 metadata;      /* 0x08  for NIC-TX steering */
	struct gin_be16 inline_hdr_sz; /* 0x0c  bytes of header from 0x0e on; or 0x8000: insert VLAN */
	uint8_t inline_hdr[2];         /* 0x0e  its first 2 bytes; the rest continues behind this segment */
};
GIN_STATIC_ASSERT(sizeof(struct gin_wqe_eth) == 16, "the NIC reads 16 bytes");
GIN_STATIC_ASSERT(offsetof(struct gin_wqe_eth, inline_hdr) == 0x0e, "mlx5dv.h: byte 0x0e");

#define GIN_ETH_L3_CSUM 0x40u          /* cs_flags: fill the IPv4 header checksum */
#define GIN_ETH_L4_CSUM 0x80u          /* cs_flags: fill the TCP or UDP checksum */
#define GIN_ETH_INSERT_VLAN 0x8000u    /* inline_hdr_sz: dword 0x0c is 0x80000000 | TCI */
#define GIN_ETH_L2_INLINE 18u          /* header bytes that fill the segment up to 0x20 */

/* Data segment: a piece of memory to send from, or to receive into. */
struct gin_wqe_data {
	struct gin_be32 byte_count; /* 0x00  bit 31: inline data */
	struct gin_be32 lkey;       /* 0x04 */
	struct gin_be64 addr;       /* 0x08  virtual address under lkey */
};
GIN_STATIC_ASSERT(sizeof(struct gin_wqe_data) == 16, "the NIC reads 16 bytes");

#define GIN_INLINE_DATA 0x80000000u /* byte_count: the data follows at once */
#define GIN_LKEY_INVALID 0x100u     /* ends the segment list of a receive WQE (with byte_count 0) */
#endif
