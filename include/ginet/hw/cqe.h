/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion queue entries, 64 bytes, as the NIC writes them.
 * Layout: rdma-core mlx5dv.h, struct mlx5_cqe64; bit meanings as in the mlx5
 * kernel driver's device.h and DPDK's mlx5_prm.h.
 */
#ifndef GINET_HW_CQE_H
#define GINET_HW_CQE_H
#include <ginet/hw/be.h>
#include <stddef.h>

struct gin_cqe {
	uint8_t pkt_info;             /* 0x00  bit 1: outer L3 is IPv6 */
	uint8_t rsvd01[11];           /* 0x01 */
	struct gin_be32 rx_hash;      /* 0x0c  0 when not hashed */
	uint8_t rx_hash_type;         /* 0x10  3:2 IP, 7:6 L4 */
	uint8_t rsvd11[3];            /* 0x11 */
	struct gin_be16 check_sum;    /* 0x14  ones-complement sum over the packet behind L2 */
	uint8_t rsvd16[6];            /* 0x16 */
	uint8_t hds_ip_ext;           /* 0x1c  GIN_CQE_*_OK */
	uint8_t l4_l3_hdr_type;       /* 0x1d  GIN_CQE_L3_*, GIN_CQE_L4_* and flags */
	struct gin_be16 vlan_info;    /* 0x1e  TCI of the stripped tag */
	struct gin_be32 user_index;   /* 0x20  23:0 of the RQ or SQ */
	uint8_t rsvd24[8];            /* 0x24 */
	struct gin_be32 byte_cnt;     /* 0x2c  received bytes */
	struct gin_be64 timestamp;    /* 0x30  in the queue's ts_format */
	struct gin_be32 sop_drop_qpn; /* 0x38  SQ: 31:24 opcode, 23:0 number; raw receive: 23:0 flow tag */
	struct gin_be16 wqe_counter;  /* 0x3c  index of the completed WQE (its first WQEBB) */
	uint8_t signature;            /* 0x3e */
	uint8_t op_own;               /* 0x3f  7:4 opcode, 3:2 format, 0 owner; written last */
};
GIN_STATIC_ASSERT(sizeof(struct gin_cqe) == 64, "the NIC writes 64 bytes");
GIN_STATIC_ASSERT(offsetof(struct gin_cqe, rx_hash) == 0x0c, "mlx5_cqe64");
GIN_STATIC_ASSERT(offsetof(struct gin_cqe, hds_ip_ext) == 0x1c, "mlx5_cqe64");
GIN_STATIC_ASSERT(offsetof(struct gin_cqe, byte_cnt) == 0x2c, "mlx5_cqe64");
GIN_STATIC_ASSERT(offsetof(struct gin_cqe, sop_drop_qpn) == 0x38, "mlx5_cqe64");
GIN_STATIC_ASSERT(offsetof(struct gin_cqe, op_own) == 0x3f, "mlx5_cqe64");

/* The same 64 bytes when opcode is GIN_CQE_REQ_ERR or GIN_CQE_RESP_ERR. */
struct gin_err_cqe {
	uint8_t rsvd00[32];             /* 0x00 */
	struct gin_be32 user_index;     /* 0x20 */
	uint8_t rsvd24[18];             /* 0x24 */
	uint8_t vendor_syndrome;        /* 0x36 */
	uint8_t syndrome;               /* 0x37  GIN_SYND_* */
	struct gin_be32 wqe_opcode_qpn; /* 0x38  31:24 opcode, 23:0 queue number */
	struct gin_be16 wqe_counter;    /* 0x3c */
	uint8_t signature;              /* 0x3e */
	uint8_t op_own;                 /* 0x3f */
};
GIN_STATIC_ASSERT(sizeof(struct gin_err_cqe) == 64, "the NIC writes 64 bytes");
GIN_STATIC_ASSERT(offsetof(struct gin_err_cqe, syndrome) == 0x37, "mlx5_err_cqe");

/* The last dword of a CQE in host order: 31:16 wqe_counter, 15:8 signature, 7:0 op_own. */
#define GIN_CQE_TAIL 0x3cu

#define GIN_CQE_OWNER 0x01u
#define GIN_CQE_OPCODE(op_own) ((uint32_t)(op_own) >> 4 & 0xfu)
#define GIN_CQE_REQ 0u
#define GIN_CQE_RESP_SEND 2u
#define GIN_CQE_REQ_ERR 13u
#define GIN_CQE_RESP_ERR 14u
#define GIN_CQE_INVALID 15u
#define GIN_CQE_INIT 0xf1u /* op_own of an entry that was never written: invalid, owner 1 */

#define GIN_CQE_L2_OK 0x01u /* hds_ip_ext */
#define GIN_CQE_L3_OK 0x02u
#define GIN_CQE_L4_OK 0x04u

#define GIN_CQE_VLAN_STRIPPED 0x01u /* l4_l3_hdr_type */
#define GIN_CQE_IP_EXT 0x02u        /* IPv4 options or IPv6 extension headers */
#define GIN_CQE_L3_SHIFT 2u
#define GIN_CQE_L3_NONE 0u
#define GIN_CQE_L3_IPV6 1u
#define GIN_CQE_L3_IPV4 2u
#define GIN_CQE_L4_SHIFT 4u
#define GIN_CQE_L4_NONE 0u
#define GIN_CQE_L4_TCP 1u
#define GIN_CQE_L4_UDP 2u
#define GIN_CQE_L4_TCP_ACK 3u
#define GIN_CQE_L4_TCP_ACK_DATA 4u
#define GIN_CQE_FRAGMENT 0x80u

/* Error CQE syndromes; names from rdma-core's cq.c, mlx5_handle_error_cqe(). */
#define GIN_SYND_LOCAL_LENGTH 0x01u
#define GIN_SYND_LOCAL_QP_OP 0x02u
#define GIN_SYND_LOCAL_PROT 0x04u
#define GIN_SYND_FLUSHED 0x05u
#define GIN_SYND_MW_BIND 0x06u
#define GIN_SYND_BAD_RESP 0x10u
#define GIN_SYND_LOCAL_ACCESS 0x11u
#define GIN_SYND_REMOTE_INVAL_REQ 0x12u
#define GIN_SYND_REMOTE_ACCESS 0x13u
#define GIN_SYND_REMOTE_OP 0x14u
#define GIN_SYND_RETRY_EXC 0x15u
#define GIN_SYND_RNR_RETRY_EXC 0x16u
#define GIN_SYND_REMOTE_ABORTED 0x22u
#endif
