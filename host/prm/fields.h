/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fields of PRM mailboxes, once for all: those who build mailboxes, the
 * software NIC that reads them, and the masks of reserved bits come from here.
 *
 * A layout is a list of X(name, place). Offsets are bytes from the layout's
 * start; bits are those of a big-endian dword, 31 the most significant. What a
 * layout does not list is reserved: written 0, ignored when read. Page lists
 * and other arrays that trail a mailbox are no fields.
 *
 * Sources, by letter at each layout:
 *   R rdma-core, providers/mlx5/mlx5_ifc.h   K mlx5 kernel driver, mlx5_ifc.h
 *   D DPDK, drivers/common/mlx5/mlx5_prm.h   G N U the PRM headers of DOCA
 *   GPUNetIO, NVSHMEM and UCX
 */
#ifndef HOST_PRM_FIELDS_H
#define HOST_PRM_FIELDS_H
#include <stdint.h>

/*
 * Where a field lies: 31:16 byte offset, then for a number 13:8 its first and
 * 5:0 its last bit, or for an array of bytes bit 15 and 14:0 its length.
 * Bit 63 as the first makes it a 64-bit number. prm_get() and prm_set() take
 * numbers; an array of bytes is copied at PRM_FIELD_OFF().
 */
typedef uint32_t prm_field_t;
#define PRM_BITS(off, hi, lo) ((off) << 16 | (hi) << 8 | (lo))
#define PRM_U64(off) PRM_BITS(off, 63, 0)
#define PRM_BYTES(off, len) ((off) << 16 | 0x8000 | (len))

#define PRM_FIELD_OFF(field) ((uint32_t)(field) >> 16)
#define PRM_FIELD_IS_BYTES(field) (((uint32_t)(field) & 0x8000u) != 0)
#define PRM_FIELD_LEN(field) ((uint32_t)(field) & 0x7fffu) /* of an array of bytes */
#define PRM_FIELD_HI(field) ((uint32_t)(field) >> 8 & 0x3fu)
#define PRM_FIELD_LO(field) ((uint32_t)(field) & 0x3fu)

/* Where contexts stand, from the start of the mailbox. */
#define PRM_AT_CQC 0x10        /* create, modify and query of a CQ */
#define PRM_AT_CTX 0x20        /* SQ, RQ, TIR: create, modify, query; TIS: create, modify */
#define PRM_AT_WQ 0x50         /* the ring inside an SQ's or RQ's context, which is at 0x20 */
#define PRM_AT_QUERY_TISC 0x10
#define PRM_AT_CAP 0x10        /* QUERY_HCA_CAP, out */
#define PRM_AT_VPORT_CTX 0x10  /* QUERY_NIC_VPORT_CONTEXT, out */

/* Every command, in. R K D G N U. */
#define PRM_IN_SIZE 0x10
#define PRM_IN_FIELDS(X) \
	X(PRM_IN_OPCODE, PRM_BITS(0x00, 31, 16)) \
	X(PRM_IN_UID, PRM_BITS(0x00, 15, 0)) /* the kernel overwrites it */ \
	X(PRM_IN_OP_MOD, PRM_BITS(0x04, 15, 0))

/* Every command, out. R K D G N U. */
#define PRM_OUT_SIZE 0x10
#define PRM_OUT_FIELDS(X) \
	X(PRM_OUT_STATUS, PRM_BITS(0x00, 31, 24)) /* enum prm_status */ \
	X(PRM_OUT_SYNDROME, PRM_BITS(0x04, 31, 0)) /* private to the firmware */ \
	X(PRM_OUT_NUMBER, PRM_BITS(0x08, 23, 0)) /* create, alloc: the new object */

/* Destroy, dealloc and query of an object, in, behind the header. R K D. */
#define PRM_OBJ_SIZE 0x10
#define PRM_OBJ_FIELDS(X) \
	X(PRM_OBJ_NUMBER, PRM_BITS(0x08, 23, 0))

/* QUERY_VPORT_STATE, in. K. */
#define PRM_QUERY_VPORT_STATE_SIZE 0x10
#define PRM_QUERY_VPORT_STATE_FIELDS(X) \
	X(PRM_QUERY_VPORT_STATE_OTHER_VPORT, PRM_BITS(0x08, 31, 31)) \
	X(PRM_QUERY_VPORT_STATE_VPORT_NUMBER, PRM_BITS(0x08, 15, 0)) /* 0: own */

/* QUERY_VPORT_STATE, out. K. */
#define PRM_VPORT_STATE_SIZE 0x10
#define PRM_VPORT_STATE_FIELDS(X) \
	X(PRM_VPORT_STATE_ADMIN_STATE, PRM_BITS(0x0c, 7, 4)) /* 0 down, 1 up, 2 follow the port */ \
	X(PRM_VPORT_STATE_STATE, PRM_BITS(0x0c, 3, 0)) /* 0 down, 1 up */

/* QUERY_NIC_VPORT_CONTEXT, in. K D. */
#define PRM_QUERY_VPORT_CTX_SIZE 0x10
#define PRM_QUERY_VPORT_CTX_FIELDS(X) \
	X(PRM_QUERY_VPORT_CTX_OTHER_VPORT, PRM_BITS(0x08, 31, 31)) /* 0 = own vport */ \
	X(PRM_QUERY_VPORT_CTX_VPORT_NUMBER, PRM_BITS(0x08, 15, 0)) /* 0 = own */ \
	X(PRM_QUERY_VPORT_CTX_ALLOWED_LIST_TYPE, PRM_BITS(0x0c, 26, 24))

/* NIC vport context. K D; roce_en also R G N. */
#define PRM_VPORT_CTX_SIZE 0x100
#define PRM_VPORT_CTX_FIELDS(X) \
	X(PRM_VPORT_CTX_MIN_WQE_INLINE_MODE, PRM_BITS(0x00, 26, 24)) /* 0 none, 1 L2, 2 IP, 3 TCP/UDP */ \
	X(PRM_VPORT_CTX_DISABLE_MC_LOCAL_LB, PRM_BITS(0x00, 2, 2)) \
	X(PRM_VPORT_CTX_DISABLE_UC_LOCAL_LB, PRM_BITS(0x00, 1, 1)) \
	X(PRM_VPORT_CTX_ROCE_EN, PRM_BITS(0x00, 0, 0)) \
	X(PRM_VPORT_CTX_MTU, PRM_BITS(0x24, 15, 0)) /* vport MTU in bytes */ \
	X(PRM_VPORT_CTX_SYSTEM_IMAGE_GUID, PRM_U64(0x28)) \
	X(PRM_VPORT_CTX_PORT_GUID, PRM_U64(0x30)) \
	X(PRM_VPORT_CTX_NODE_GUID, PRM_U64(0x38)) \
	X(PRM_VPORT_CTX_PROMISC_UC, PRM_BITS(0xf0, 31, 31)) \
	X(PRM_VPORT_CTX_PROMISC_MC, PRM_BITS(0xf0, 30, 30)) \
	X(PRM_VPORT_CTX_PROMISC_ALL, PRM_BITS(0xf0, 29, 29)) \
	X(PRM_VPORT_CTX_ALLOWED_LIST_TYPE, PRM_BITS(0xf0, 26, 24)) /* 0 UC MAC, 1 MC MAC, 2 VLAN */ \
	X(PRM_VPORT_CTX_ALLOWED_LIST_SIZE, PRM_BITS(0xf0, 11, 0)) \
	X(PRM_VPORT_CTX_PERMANENT_ADDRESS, PRM_U64(0xf4)) /* MAC in 47:0 */

/* CREATE_CQ, in, around the CQ context. K D G N U; umem offset and id not in K. */
#define PRM_CREATE_CQ_SIZE 0x110
#define PRM_CREATE_CQ_FIELDS(X) \
	X(PRM_CREATE_CQ_UMEM_OFFSET, PRM_U64(0x50)) /* byte offset of the CQE ring */ \
	X(PRM_CREATE_CQ_UMEM_ID, PRM_BITS(0x58, 31, 0)) \
	X(PRM_CREATE_CQ_UMEM_VALID, PRM_BITS(0x5c, 31, 31))

/* MODIFY_CQ, in, around the CQ context. K. */
#define PRM_MODIFY_CQ_SIZE 0x110
#define PRM_MODIFY_CQ_FIELDS(X) \
	X(PRM_MODIFY_CQ_CQN, PRM_BITS(0x08, 23, 0)) \
	X(PRM_MODIFY_CQ_FIELD_SELECT, PRM_BITS(0x0c, 31, 0)) /* 0 period, 1 max_count, 2 oi, 3 c_eqn, 4 period_mode */ \
	X(PRM_MODIFY_CQ_UMEM_VALID, PRM_BITS(0x5c, 31, 31))

/*
 * CQ context. K D G N U; fields of the umem and c_eqn's width not in K.
 * cqe_comp_layout is 2 bits wide in K and D, 7 in G, N and U: the two names overlap.
 */
#define PRM_CQC_SIZE 0x40
#define PRM_CQC_FIELDS(X) \
	X(PRM_CQC_STATUS, PRM_BITS(0x00, 31, 28)) /* 0 ok, 9 overflow, 0xa write fail (read side) */ \
	X(PRM_CQC_DBR_UMEM_VALID, PRM_BITS(0x00, 25, 25)) /* dbr_addr is an offset in dbr_umem_id */ \
	X(PRM_CQC_CQE_SZ, PRM_BITS(0x00, 23, 21)) /* 0: 64 B, 1: 128 B, CQE in the upper half, 2: 128 B padded */ \
	X(PRM_CQC_CC, PRM_BITS(0x00, 20, 20)) /* collapsed: every CQE overwrites entry 0 */ \
	X(PRM_CQC_SCQE_BREAK_MODERATION_EN, PRM_BITS(0x00, 18, 18)) \
	X(PRM_CQC_OI, PRM_BITS(0x00, 17, 17)) /* overrun ignore */ \
	X(PRM_CQC_CQ_PERIOD_MODE, PRM_BITS(0x00, 16, 15)) /* 0 from EQE, 1 from CQE (moderation) */ \
	X(PRM_CQC_CQE_COMP_EN, PRM_BITS(0x00, 14, 14)) /* CQE compression on */ \
	X(PRM_CQC_MINI_CQE_RES_FORMAT, PRM_BITS(0x00, 13, 12)) \
	X(PRM_CQC_ST, PRM_BITS(0x00, 11, 8)) /* 6 solicited armed, 9 armed, 0xa fired (read side) */ \
	X(PRM_CQC_CQE_COMP_LAYOUT_7B, PRM_BITS(0x00, 6, 0)) \
	X(PRM_CQC_CQE_COMP_LAYOUT, PRM_BITS(0x00, 1, 0)) \
	X(PRM_CQC_DBR_UMEM_ID, PRM_BITS(0x04, 31, 0)) \
	X(PRM_CQC_PAGE_OFFSET, PRM_BITS(0x08, 11, 6)) /* units of page_size/64; 0 with umem */ \
	X(PRM_CQC_MINI_CQE_RES_FORMAT_EXT, PRM_BITS(0x08, 3, 2)) \
	X(PRM_CQC_CQ_TIMESTAMP_FORMAT, PRM_BITS(0x08, 1, 0)) \
	X(PRM_CQC_LOG_CQ_SIZE, PRM_BITS(0x0c, 28, 24)) /* log2 number of CQEs */ \
	X(PRM_CQC_UAR_PAGE, PRM_BITS(0x0c, 23, 0)) /* UAR page id */ \
	X(PRM_CQC_CQ_PERIOD, PRM_BITS(0x10, 27, 16)) /* moderation time */ \
	X(PRM_CQC_CQ_MAX_COUNT, PRM_BITS(0x10, 15, 0)) /* moderation count */ \
	X(PRM_CQC_C_EQN, PRM_BITS(0x14, 7, 0)) /* EQ number */ \
	X(PRM_CQC_LOG_PAGE_SIZE, PRM_BITS(0x18, 28, 24)) /* log2(page)-12; ignored when umem valid */ \
	X(PRM_CQC_LAST_NOTIFIED_INDEX, PRM_BITS(0x20, 23, 0)) /* read side */ \
	X(PRM_CQC_LAST_SOLICIT_INDEX, PRM_BITS(0x24, 23, 0)) /* read side */ \
	X(PRM_CQC_CONSUMER_COUNTER, PRM_BITS(0x28, 23, 0)) /* read side */ \
	X(PRM_CQC_PRODUCER_COUNTER, PRM_BITS(0x2c, 23, 0)) /* read side */ \
	X(PRM_CQC_DBR_ADDR, PRM_U64(0x38)) /* DBR address or umem byte offset, 8 B aligned */

/* TIS context. R K D G N; tls_en and pd not in D. */
#define PRM_TISC_SIZE 0xa0
#define PRM_TISC_FIELDS(X) \
	X(PRM_TISC_STRICT_LAG_TX_PORT_AFFINITY, PRM_BITS(0x00, 31, 31)) \
	X(PRM_TISC_TLS_EN, PRM_BITS(0x00, 30, 30)) \
	X(PRM_TISC_LAG_TX_PORT_AFFINITY, PRM_BITS(0x00, 27, 24)) /* 0 = any */ \
	X(PRM_TISC_PRIO, PRM_BITS(0x00, 19, 16)) /* Tx priority: (eth_prio & 7) << 1 (K); 0 default */ \
	X(PRM_TISC_TRANSPORT_DOMAIN, PRM_BITS(0x24, 23, 0)) \
	X(PRM_TISC_UNDERLAY_QPN, PRM_BITS(0x28, 23, 0)) /* IPoIB only */ \
	X(PRM_TISC_PD, PRM_BITS(0x2c, 23, 0)) /* only with tls_en */

/* MODIFY_TIS, in, around the TIS context. R K. */
#define PRM_MODIFY_TIS_SIZE 0x20
#define PRM_MODIFY_TIS_FIELDS(X) \
	X(PRM_MODIFY_TIS_TISN, PRM_BITS(0x08, 23, 0)) \
	X(PRM_MODIFY_TIS_MODIFY_BITMASK, PRM_U64(0x10)) /* bit 0 prio, 1 strict affinity, 2 LAG affinity */

/*
 * SQ context; its ring (WQ) stands at 0x30. K D; state and qos_queue_group_id R K D G N,
 * static_sq_wq and hairpin_wq_buffer_type D, ts_cqe_to_dest_cqn K.
 */
#define PRM_SQC_SIZE 0xf0
#define PRM_SQC_FIELDS(X) \
	X(PRM_SQC_RLKY, PRM_BITS(0x00, 31, 31)) /* 1 = allow reserved lkey */ \
	X(PRM_SQC_CD_MASTER, PRM_BITS(0x00, 30, 30)) /* may issue WAIT, SEND_EN */ \
	X(PRM_SQC_FRE, PRM_BITS(0x00, 29, 29)) /* fast re-registration */ \
	X(PRM_SQC_FLUSH_IN_ERROR_EN, PRM_BITS(0x00, 28, 28)) /* error CQEs for what is pending */ \
	X(PRM_SQC_ALLOW_MULTI_PKT_SEND_WQE, PRM_BITS(0x00, 27, 27)) /* enable MPW/eMPW */ \
	X(PRM_SQC_MIN_WQE_INLINE_MODE, PRM_BITS(0x00, 26, 24)) /* 0 none, 1 L2, 2 IP, 3 TCP/UDP */ \
	X(PRM_SQC_STATE, PRM_BITS(0x00, 23, 20)) /* 0 RST, 1 RDY, 3 ERR */ \
	X(PRM_SQC_REG_UMR, PRM_BITS(0x00, 19, 19)) /* UMR allowed */ \
	X(PRM_SQC_ALLOW_SWP, PRM_BITS(0x00, 18, 18)) /* software parser fields honoured */ \
	X(PRM_SQC_HAIRPIN, PRM_BITS(0x00, 17, 17)) \
	X(PRM_SQC_NON_WIRE, PRM_BITS(0x00, 16, 16)) /* SQ not bound to a port */ \
	X(PRM_SQC_STATIC_SQ_WQ, PRM_BITS(0x00, 15, 15)) \
	X(PRM_SQC_HAIRPIN_WQ_BUFFER_TYPE, PRM_BITS(0x00, 10, 8)) \
	X(PRM_SQC_TS_FORMAT, PRM_BITS(0x00, 5, 4)) /* 0 free running, 1 default, 2 real time */ \
	X(PRM_SQC_USER_INDEX, PRM_BITS(0x04, 23, 0)) /* returned in CQE (cqe_version 1) */ \
	X(PRM_SQC_CQN, PRM_BITS(0x08, 23, 0)) \
	X(PRM_SQC_HAIRPIN_PEER_RQ, PRM_BITS(0x0c, 23, 0)) \
	X(PRM_SQC_HAIRPIN_PEER_VHCA, PRM_BITS(0x10, 15, 0)) \
	X(PRM_SQC_TS_CQE_TO_DEST_CQN, PRM_BITS(0x18, 23, 0)) \
	X(PRM_SQC_PACKET_PACING_RATE_LIMIT_INDEX, PRM_BITS(0x1c, 15, 0)) /* 0 none */ \
	X(PRM_SQC_TIS_LST_SZ, PRM_BITS(0x20, 31, 16)) /* 1 */ \
	X(PRM_SQC_QOS_QUEUE_GROUP_ID, PRM_BITS(0x20, 15, 0)) \
	X(PRM_SQC_TIS_NUM_0, PRM_BITS(0x2c, 23, 0)) /* TIS number */

/* MODIFY_SQ, in, around the SQ context. R K D G N. */
#define PRM_MODIFY_SQ_SIZE 0x20
#define PRM_MODIFY_SQ_FIELDS(X) \
	X(PRM_MODIFY_SQ_SQ_STATE, PRM_BITS(0x08, 31, 28)) /* current state */ \
	X(PRM_MODIFY_SQ_SQN, PRM_BITS(0x08, 23, 0)) \
	X(PRM_MODIFY_SQ_MODIFY_BITMASK, PRM_U64(0x10)) /* bit0 rate limit index; 0 for pure state change */

/* RQ context; its ring (WQ) stands at 0x30. K D. */
#define PRM_RQC_SIZE 0xf0
#define PRM_RQC_FIELDS(X) \
	X(PRM_RQC_RLKY, PRM_BITS(0x00, 31, 31)) \
	X(PRM_RQC_DELAY_DROP_EN, PRM_BITS(0x00, 30, 30)) /* hold instead of drop when empty */ \
	X(PRM_RQC_SCATTER_FCS, PRM_BITS(0x00, 29, 29)) /* deliver 4 B FCS */ \
	X(PRM_RQC_VSD, PRM_BITS(0x00, 28, 28)) /* VLAN strip disable (1 = keep tag) */ \
	X(PRM_RQC_MEM_RQ_TYPE, PRM_BITS(0x00, 27, 24)) /* 0 inline WQ, 1 RMP */ \
	X(PRM_RQC_STATE, PRM_BITS(0x00, 23, 20)) /* 0 RST, 1 RDY, 3 ERR */ \
	X(PRM_RQC_FLUSH_IN_ERROR_EN, PRM_BITS(0x00, 18, 18)) \
	X(PRM_RQC_HAIRPIN, PRM_BITS(0x00, 17, 17)) \
	X(PRM_RQC_TS_FORMAT, PRM_BITS(0x00, 5, 4)) /* as sqc */ \
	X(PRM_RQC_USER_INDEX, PRM_BITS(0x04, 23, 0)) \
	X(PRM_RQC_CQN, PRM_BITS(0x08, 23, 0)) \
	X(PRM_RQC_COUNTER_SET_ID, PRM_BITS(0x0c, 31, 24)) /* Q counter, 0 none */ \
	X(PRM_RQC_RMPN, PRM_BITS(0x10, 23, 0)) /* when mem_rq_type=1 */ \
	X(PRM_RQC_HAIRPIN_PEER_SQ, PRM_BITS(0x14, 23, 0)) \
	X(PRM_RQC_HAIRPIN_PEER_VHCA, PRM_BITS(0x18, 15, 0))

/* MODIFY_RQ, in, around the RQ context. K D. */
#define PRM_MODIFY_RQ_SIZE 0x20
#define PRM_MODIFY_RQ_FIELDS(X) \
	X(PRM_MODIFY_RQ_RQ_STATE, PRM_BITS(0x08, 31, 28)) /* current state */ \
	X(PRM_MODIFY_RQ_RQN, PRM_BITS(0x08, 23, 0)) \
	X(PRM_MODIFY_RQ_MODIFY_BITMASK, PRM_U64(0x10)) /* bit0 lwm, 1 vsd, 2 scatter_fcs, 3 counter_set_id */

/* Ring of an SQ or RQ. K D U, most of it G; wq_umem_offset K D G. */
#define PRM_WQ_SIZE 0xc0
#define PRM_WQ_FIELDS(X) \
	X(PRM_WQ_TYPE, PRM_BITS(0x00, 31, 28)) /* 1 cyclic; 0, 2, 3 list and striding kinds */ \
	X(PRM_WQ_SIGNATURE, PRM_BITS(0x00, 27, 27)) /* check WQE signature */ \
	X(PRM_WQ_END_PADDING_MODE, PRM_BITS(0x00, 26, 25)) /* 0 none, 1 pad scatter end to cache line */ \
	X(PRM_WQ_CD_SLAVE, PRM_BITS(0x00, 24, 24)) /* needs SEND_EN, RECV_EN */ \
	X(PRM_WQ_HDS_SKIP_FIRST_SGE, PRM_BITS(0x04, 31, 31)) /* keep 0 */ \
	X(PRM_WQ_LOG2_HDS_BUF_SIZE, PRM_BITS(0x04, 30, 28)) /* keep 0 */ \
	X(PRM_WQ_PAGE_OFFSET, PRM_BITS(0x04, 20, 16)) /* 0 with umem */ \
	X(PRM_WQ_LWM, PRM_BITS(0x04, 15, 0)) /* limit watermark (RQ) */ \
	X(PRM_WQ_PD, PRM_BITS(0x08, 23, 0)) /* PD number */ \
	X(PRM_WQ_UAR_PAGE, PRM_BITS(0x0c, 23, 0)) /* SQ only */ \
	X(PRM_WQ_DBR_ADDR, PRM_U64(0x10)) /* DBR address or umem byte offset */ \
	X(PRM_WQ_HW_COUNTER, PRM_BITS(0x18, 31, 0)) /* read side */ \
	X(PRM_WQ_SW_COUNTER, PRM_BITS(0x1c, 31, 0)) /* read side */ \
	X(PRM_WQ_LOG_WQ_STRIDE, PRM_BITS(0x20, 19, 16)) /* log2 bytes: SQ 6, RQ 4 + log2(sges) */ \
	X(PRM_WQ_LOG_WQ_PG_SZ, PRM_BITS(0x20, 12, 8)) /* log2(page)-12; ignored with umem */ \
	X(PRM_WQ_LOG_WQ_SZ, PRM_BITS(0x20, 4, 0)) /* log2 entries (SQ: WQEBBs) */ \
	X(PRM_WQ_DBR_UMEM_VALID, PRM_BITS(0x24, 31, 31)) \
	X(PRM_WQ_UMEM_VALID, PRM_BITS(0x24, 30, 30)) \
	X(PRM_WQ_SINGLE_WQE_LOG_NUM_OF_STRIDES, PRM_BITS(0x24, 11, 8)) /* striding RQ */ \
	X(PRM_WQ_TWO_BYTE_SHIFT_EN, PRM_BITS(0x24, 7, 7)) /* 2 B pad before each packet */ \
	X(PRM_WQ_SINGLE_STRIDE_LOG_NUM_OF_BYTES, PRM_BITS(0x24, 2, 0)) /* striding RQ */ \
	X(PRM_WQ_DBR_UMEM_ID, PRM_BITS(0x28, 31, 0)) \
	X(PRM_WQ_UMEM_ID, PRM_BITS(0x2c, 31, 0)) \
	X(PRM_WQ_UMEM_OFFSET, PRM_U64(0x30)) /* byte offset of ring in umem */

/* TIR context. K D; tls_en K. */
#define PRM_TIRC_SIZE 0xf0
#define PRM_TIRC_FIELDS(X) \
	X(PRM_TIRC_DISP_TYPE, PRM_BITS(0x04, 31, 28)) /* 0 direct (inline_rqn), 1 indirect (indirect_table) */ \
	X(PRM_TIRC_TLS_EN, PRM_BITS(0x04, 27, 27)) \
	X(PRM_TIRC_LRO_TIMEOUT_PERIOD_USECS, PRM_BITS(0x10, 27, 12)) /* 0 off */ \
	X(PRM_TIRC_LRO_ENABLE_MASK, PRM_BITS(0x10, 11, 8)) /* bit0 IPv4, bit1 IPv6 */ \
	X(PRM_TIRC_LRO_MAX_MSG_SZ, PRM_BITS(0x10, 7, 0)) /* 256 B units */ \
	X(PRM_TIRC_INLINE_RQN, PRM_BITS(0x1c, 23, 0)) /* direct RQ */ \
	X(PRM_TIRC_RX_HASH_SYMMETRIC, PRM_BITS(0x20, 31, 31)) \
	X(PRM_TIRC_TUNNELED_OFFLOAD_EN, PRM_BITS(0x20, 29, 29)) \
	X(PRM_TIRC_INDIRECT_TABLE, PRM_BITS(0x20, 23, 0)) /* RQT number */ \
	X(PRM_TIRC_RX_HASH_FN, PRM_BITS(0x24, 31, 28)) /* 0 none, 1 inverted XOR8, 2 Toeplitz */ \
	X(PRM_TIRC_SELF_LB_BLOCK, PRM_BITS(0x24, 25, 24)) /* bit0 unicast, bit1 multicast */ \
	X(PRM_TIRC_TRANSPORT_DOMAIN, PRM_BITS(0x24, 23, 0)) /* TD number */ \
	X(PRM_TIRC_RX_HASH_TOEPLITZ_KEY, PRM_BYTES(0x28, 40)) /* 40 key bytes in wire order */ \
	X(PRM_TIRC_RX_HASH_FIELD_SELECTOR_OUTER, PRM_BITS(0x50, 31, 0)) /* 31 IPv6, 30 UDP, 29:0 fields */ \
	X(PRM_TIRC_RX_HASH_FIELD_SELECTOR_INNER, PRM_BITS(0x54, 31, 0)) /* same for tunnelled */

/* MODIFY_TIR, in, around the TIR context. R K. */
#define PRM_MODIFY_TIR_SIZE 0x20
#define PRM_MODIFY_TIR_FIELDS(X) \
	X(PRM_MODIFY_TIR_TIRN, PRM_BITS(0x08, 23, 0)) \
	X(PRM_MODIFY_TIR_MODIFY_BITMASK, PRM_U64(0x10)) /* bit 0 LRO, 1 indirect table, 2 hash, 4 self_lb_block */

/*
 * General capabilities, category 0: cmd_hca_cap. R K D G N U; time formats R K D,
 * uctx, umem and uctx_cap K, wait_on_* D.
 */
#define PRM_HCA_CAP_SIZE 0x100
#define PRM_HCA_CAP_FIELDS(X) \
	X(PRM_HCA_CAP_2, PRM_BITS(0x04, 31, 31)) /* category 0x20 exists */ \
	X(PRM_HCA_CAP_VHCA_ID, PRM_BITS(0x04, 15, 0)) \
	X(PRM_HCA_CAP_LOG_MAX_SRQ_SZ, PRM_BITS(0x10, 31, 24)) \
	X(PRM_HCA_CAP_LOG_MAX_QP_SZ, PRM_BITS(0x10, 23, 16)) /* log2 max WQEBBs */ \
	X(PRM_HCA_CAP_LOG_MAX_QP, PRM_BITS(0x10, 4, 0)) \
	X(PRM_HCA_CAP_LOG_MAX_CQ_SZ, PRM_BITS(0x18, 23, 16)) \
	X(PRM_HCA_CAP_LOG_MAX_CQ, PRM_BITS(0x18, 4, 0)) \
	X(PRM_HCA_CAP_LOG_MAX_EQ_SZ, PRM_BITS(0x1c, 31, 24)) \
	X(PRM_HCA_CAP_RELAXED_ORDERING_WRITE, PRM_BITS(0x1c, 23, 23)) \
	X(PRM_HCA_CAP_LOG_MAX_MKEY, PRM_BITS(0x1c, 21, 16)) \
	X(PRM_HCA_CAP_TERMINATE_SCATTER_LIST_MKEY, PRM_BITS(0x1c, 9, 9)) \
	X(PRM_HCA_CAP_DUMP_FILL_MKEY, PRM_BITS(0x1c, 7, 7)) /* special lkey exists */ \
	X(PRM_HCA_CAP_LOG_MAX_MRW_SZ, PRM_BITS(0x20, 22, 16)) \
	X(PRM_HCA_CAP_NULL_MKEY, PRM_BITS(0x20, 6, 6)) \
	X(PRM_HCA_CAP_LOG_MAX_KLM_LIST_SIZE, PRM_BITS(0x20, 5, 0)) \
	X(PRM_HCA_CAP_LOG_MAX_RA_REQ_QP, PRM_BITS(0x28, 21, 16)) \
	X(PRM_HCA_CAP_LOG_MAX_RA_RES_QP, PRM_BITS(0x28, 5, 0)) \
	X(PRM_HCA_CAP_END_PAD, PRM_BITS(0x2c, 31, 31)) \
	X(PRM_HCA_CAP_START_PAD, PRM_BITS(0x2c, 28, 28)) \
	X(PRM_HCA_CAP_CACHE_LINE_128BYTE, PRM_BITS(0x2c, 27, 27)) \
	X(PRM_HCA_CAP_GID_TABLE_SIZE, PRM_BITS(0x2c, 15, 0)) /* 8 << code */ \
	X(PRM_HCA_CAP_PKEY_TABLE_SIZE, PRM_BITS(0x30, 15, 0)) \
	X(PRM_HCA_CAP_NIC_FLOW_TABLE, PRM_BITS(0x34, 25, 25)) \
	X(PRM_HCA_CAP_ESWITCH_MANAGER, PRM_BITS(0x34, 24, 24)) \
	X(PRM_HCA_CAP_PORT_TYPE, PRM_BITS(0x34, 9, 8)) /* 0 IB, 1 Ethernet */ \
	X(PRM_HCA_CAP_NUM_PORTS, PRM_BITS(0x34, 7, 0)) \
	X(PRM_HCA_CAP_LOG_MAX_MSG, PRM_BITS(0x38, 28, 24)) \
	X(PRM_HCA_CAP_MAX_TC, PRM_BITS(0x38, 19, 16)) \
	X(PRM_HCA_CAP_CQE_VERSION, PRM_BITS(0x3c, 3, 0)) /* 1: user_index in the CQE */ \
	X(PRM_HCA_CAP_COMPACT_ADDRESS_VECTOR, PRM_BITS(0x40, 31, 31)) \
	X(PRM_HCA_CAP_STRIDING_RQ, PRM_BITS(0x40, 30, 30)) /* Ethernet striding RQ */ \
	X(PRM_HCA_CAP_IB_STRIDING_WQ, PRM_BITS(0x40, 26, 26)) \
	X(PRM_HCA_CAP_UMR_FENCE, PRM_BITS(0x40, 21, 20)) \
	X(PRM_HCA_CAP_WQ_SIGNATURE, PRM_BITS(0x40, 11, 11)) \
	X(PRM_HCA_CAP_SCTR_DATA_CQE, PRM_BITS(0x40, 10, 10)) \
	X(PRM_HCA_CAP_QOS, PRM_BITS(0x40, 4, 4)) \
	X(PRM_HCA_CAP_ETH_NET_OFFLOADS, PRM_BITS(0x40, 3, 3)) /* category 1 exists */ \
	X(PRM_HCA_CAP_ROCE, PRM_BITS(0x40, 2, 2)) /* category 4 exists */ \
	X(PRM_HCA_CAP_ATOMIC, PRM_BITS(0x40, 1, 1)) \
	X(PRM_HCA_CAP_CQ_OI, PRM_BITS(0x44, 31, 31)) /* overrun ignore supported */ \
	X(PRM_HCA_CAP_CQ_RESIZE, PRM_BITS(0x44, 30, 30)) \
	X(PRM_HCA_CAP_CQ_MODERATION, PRM_BITS(0x44, 29, 29)) \
	X(PRM_HCA_CAP_CQ_INVALIDATE, PRM_BITS(0x44, 27, 27)) \
	X(PRM_HCA_CAP_CQ_EQ_REMAP, PRM_BITS(0x44, 25, 25)) \
	X(PRM_HCA_CAP_CD, PRM_BITS(0x44, 19, 19)) /* cross-channel (WAIT/SEND_EN) */ \
	X(PRM_HCA_CAP_VECTOR_CALC, PRM_BITS(0x44, 16, 16)) \
	X(PRM_HCA_CAP_IMAICL, PRM_BITS(0x44, 14, 14)) \
	X(PRM_HCA_CAP_UD, PRM_BITS(0x44, 2, 2)) \
	X(PRM_HCA_CAP_UC, PRM_BITS(0x44, 1, 1)) \
	X(PRM_HCA_CAP_RC, PRM_BITS(0x44, 0, 0)) \
	X(PRM_HCA_CAP_UAR_4K, PRM_BITS(0x48, 31, 31)) \
	X(PRM_HCA_CAP_UAR_SZ, PRM_BITS(0x48, 21, 16)) \
	X(PRM_HCA_CAP_UMEM_UID_0, PRM_BITS(0x48, 13, 13)) \
	X(PRM_HCA_CAP_LOG_PG_SZ, PRM_BITS(0x48, 7, 0)) \
	X(PRM_HCA_CAP_BF, PRM_BITS(0x4c, 31, 31)) \
	X(PRM_HCA_CAP_LOG_BF_REG_SIZE, PRM_BITS(0x4c, 20, 16)) /* log2 of BF register incl. both halves */ \
	X(PRM_HCA_CAP_MAX_WQE_SZ_SQ, PRM_BITS(0x50, 15, 0)) /* bytes */ \
	X(PRM_HCA_CAP_MAX_WQE_SZ_RQ, PRM_BITS(0x54, 15, 0)) /* bytes */ \
	X(PRM_HCA_CAP_MAX_WQE_SZ_SQ_DC, PRM_BITS(0x58, 15, 0)) \
	X(PRM_HCA_CAP_LOG_MAX_TRANSPORT_DOMAIN, PRM_BITS(0x64, 28, 24)) \
	X(PRM_HCA_CAP_LOG_MAX_PD, PRM_BITS(0x64, 20, 16)) \
	X(PRM_HCA_CAP_LOG_MAX_RQ, PRM_BITS(0x6c, 28, 24)) \
	X(PRM_HCA_CAP_LOG_MAX_SQ, PRM_BITS(0x6c, 20, 16)) \
	X(PRM_HCA_CAP_LOG_MAX_TIR, PRM_BITS(0x6c, 12, 8)) \
	X(PRM_HCA_CAP_LOG_MAX_TIS, PRM_BITS(0x6c, 4, 0)) \
	X(PRM_HCA_CAP_BASIC_CYCLIC_RCV_WQE, PRM_BITS(0x70, 31, 31)) \
	X(PRM_HCA_CAP_LOG_MAX_RMP, PRM_BITS(0x70, 28, 24)) \
	X(PRM_HCA_CAP_LOG_MAX_RQT, PRM_BITS(0x70, 20, 16)) \
	X(PRM_HCA_CAP_LOG_MAX_RQT_SIZE, PRM_BITS(0x70, 12, 8)) \
	X(PRM_HCA_CAP_LOG_MAX_TIS_PER_SQ, PRM_BITS(0x70, 4, 0)) \
	X(PRM_HCA_CAP_EXT_STRIDE_NUM_RANGE, PRM_BITS(0x74, 31, 31)) \
	X(PRM_HCA_CAP_LOG_MAX_STRIDE_SZ_RQ, PRM_BITS(0x74, 28, 24)) \
	X(PRM_HCA_CAP_LOG_MIN_STRIDE_SZ_RQ, PRM_BITS(0x74, 20, 16)) \
	X(PRM_HCA_CAP_LOG_MAX_STRIDE_SZ_SQ, PRM_BITS(0x74, 12, 8)) \
	X(PRM_HCA_CAP_LOG_MIN_STRIDE_SZ_SQ, PRM_BITS(0x74, 4, 0)) \
	X(PRM_HCA_CAP_LOG_MAX_WQ_SZ, PRM_BITS(0x78, 4, 0)) /* log2 max RQ/SQ entries */ \
	X(PRM_HCA_CAP_SQ_TS_FORMAT, PRM_BITS(0x88, 31, 30)) /* 0 free, 1 real time, 2 both */ \
	X(PRM_HCA_CAP_RQ_TS_FORMAT, PRM_BITS(0x88, 29, 28)) /* 0 free, 1 real time, 2 both */ \
	X(PRM_HCA_CAP_STEERING_FORMAT_VERSION, PRM_BITS(0x88, 27, 24)) /* 0 CX5, 1 CX6Dx, 2 CX7, 3 CX8 */ \
	X(PRM_HCA_CAP_LOG_MAX_UCTX, PRM_BITS(0x8c, 28, 24)) /* 0 = DEVX unsupported */ \
	X(PRM_HCA_CAP_LOG_MAX_UMEM, PRM_BITS(0x8c, 20, 16)) \
	X(PRM_HCA_CAP_LOG_UAR_PAGE_SZ, PRM_BITS(0x90, 15, 0)) \
	X(PRM_HCA_CAP_DEVICE_FREQUENCY_MHZ, PRM_BITS(0x98, 31, 0)) \
	X(PRM_HCA_CAP_DEVICE_FREQUENCY_KHZ, PRM_BITS(0x9c, 31, 0)) \
	X(PRM_HCA_CAP_NUM_OF_UARS_PER_PAGE, PRM_BITS(0xa4, 31, 0)) \
	X(PRM_HCA_CAP_ENHANCED_CQE_COMPRESSION, PRM_BITS(0xb4, 15, 15)) \
	X(PRM_HCA_CAP_MINI_CQE_RESP_STRIDE_INDEX, PRM_BITS(0xb4, 3, 3)) \
	X(PRM_HCA_CAP_CQE_128_ALWAYS, PRM_BITS(0xb4, 2, 2)) \
	X(PRM_HCA_CAP_CQE_COMPRESSION_128, PRM_BITS(0xb4, 1, 1)) \
	X(PRM_HCA_CAP_CQE_COMPRESSION, PRM_BITS(0xb4, 0, 0)) \
	X(PRM_HCA_CAP_CQE_COMPRESSION_TIMEOUT, PRM_BITS(0xb8, 31, 16)) \
	X(PRM_HCA_CAP_CQE_COMPRESSION_MAX_NUM, PRM_BITS(0xb8, 15, 0)) \
	X(PRM_HCA_CAP_WAIT_ON_DATA, PRM_BITS(0xd0, 20, 20)) /* WAIT opmod 1 */ \
	X(PRM_HCA_CAP_WAIT_ON_TIME, PRM_BITS(0xd0, 19, 19)) /* WAIT opmod 2 */ \
	X(PRM_HCA_CAP_UCTX_CAP, PRM_BITS(0xd4, 31, 0))

/* Ethernet offloads, category 1: per_protocol_networking_offload_caps. K D; cqe_checksum_full K. */
#define PRM_ETH_CAP_SIZE 0x100
#define PRM_ETH_CAP_FIELDS(X) \
	X(PRM_ETH_CAP_CSUM_CAP, PRM_BITS(0x00, 31, 31)) \
	X(PRM_ETH_CAP_VLAN_CAP, PRM_BITS(0x00, 30, 30)) \
	X(PRM_ETH_CAP_LRO_CAP, PRM_BITS(0x00, 29, 29)) \
	X(PRM_ETH_CAP_WQE_VLAN_INSERT, PRM_BITS(0x00, 24, 24)) \
	X(PRM_ETH_CAP_SELF_LB_EN_MODIFIABLE, PRM_BITS(0x00, 23, 23)) \
	X(PRM_ETH_CAP_MAX_LSO_CAP, PRM_BITS(0x00, 20, 16)) /* log2 bytes */ \
	X(PRM_ETH_CAP_MULTI_PKT_SEND_WQE, PRM_BITS(0x00, 15, 14)) \
	X(PRM_ETH_CAP_WQE_INLINE_MODE, PRM_BITS(0x00, 13, 12)) /* 0 L2 required, 1 see vport context, 2 not required */ \
	X(PRM_ETH_CAP_RSS_IND_TBL_CAP, PRM_BITS(0x00, 11, 8)) \
	X(PRM_ETH_CAP_REG_UMR_SQ, PRM_BITS(0x00, 7, 7)) \
	X(PRM_ETH_CAP_SCATTER_FCS, PRM_BITS(0x00, 6, 6)) \
	X(PRM_ETH_CAP_ENHANCED_MULTI_PKT_SEND_WQE, PRM_BITS(0x00, 5, 5)) \
	X(PRM_ETH_CAP_SWP, PRM_BITS(0x04, 31, 31)) \
	X(PRM_ETH_CAP_SWP_CSUM, PRM_BITS(0x04, 30, 30)) \
	X(PRM_ETH_CAP_SWP_LSO, PRM_BITS(0x04, 29, 29)) \
	X(PRM_ETH_CAP_CQE_CHECKSUM_FULL, PRM_BITS(0x04, 28, 28))

/* NIC flow tables, category 7: where the properties of the receive and transmit side stand. R K D. */
#define PRM_FT_CAP_NIC_RECEIVE 0x40
#define PRM_FT_CAP_NIC_TRANSMIT 0x100
/* Properties of one kind of flow table. R K D. */
#define PRM_FT_PROPS_SIZE 0x40
#define PRM_FT_PROPS_FIELDS(X) \
	X(PRM_FT_PROPS_FT_SUPPORT, PRM_BITS(0x00, 31, 31)) \
	X(PRM_FT_PROPS_FLOW_TAG, PRM_BITS(0x00, 30, 30)) \
	X(PRM_FT_PROPS_FLOW_COUNTER, PRM_BITS(0x00, 29, 29)) \
	X(PRM_FT_PROPS_FLOW_MODIFY_EN, PRM_BITS(0x00, 28, 28)) \
	X(PRM_FT_PROPS_MODIFY_ROOT, PRM_BITS(0x00, 27, 27)) \
	X(PRM_FT_PROPS_FLOW_TABLE_MODIFY, PRM_BITS(0x00, 25, 25)) \
	X(PRM_FT_PROPS_SW_OWNER, PRM_BITS(0x00, 14, 14)) \
	X(PRM_FT_PROPS_LOG_MAX_FT_SIZE, PRM_BITS(0x04, 29, 24)) \
	X(PRM_FT_PROPS_MAX_FT_LEVEL, PRM_BITS(0x04, 7, 0)) \
	X(PRM_FT_PROPS_LOG_MAX_DESTINATION, PRM_BITS(0x10, 7, 0))

/*
 * Parts of a match mask or value: fte_match_param. K D. enable is the bit of a
 * part in match_criteria_enable.
 */
#define PRM_MATCH_SIZE 0x200
#define PRM_MATCH_OUTER 0x000 /* enable 0x01 */
#define PRM_MATCH_MISC 0x040  /* enable 0x02 */
#define PRM_MATCH_INNER 0x080 /* enable 0x04 */
#define PRM_MATCH_MISC2 0x0c0 /* enable 0x08 */
#define PRM_MATCH_MISC3 0x100 /* enable 0x10 */
#define PRM_MATCH_MISC4 0x140 /* enable 0x20 */
#define PRM_MATCH_MISC5 0x180 /* enable 0x40 */

/* Headers of a match, outer or inner. K D; l4_type K, *_ok D. */
#define PRM_FTE_SIZE 0x40
#define PRM_FTE_FIELDS(X) \
	X(PRM_FTE_SMAC_47_16, PRM_BITS(0x00, 31, 0)) \
	X(PRM_FTE_SMAC_15_0, PRM_BITS(0x04, 31, 16)) \
	X(PRM_FTE_ETHERTYPE, PRM_BITS(0x04, 15, 0)) /* after VLAN tags */ \
	X(PRM_FTE_DMAC_47_16, PRM_BITS(0x08, 31, 0)) \
	X(PRM_FTE_DMAC_15_0, PRM_BITS(0x0c, 31, 16)) \
	X(PRM_FTE_FIRST_PRIO, PRM_BITS(0x0c, 15, 13)) /* PCP */ \
	X(PRM_FTE_FIRST_CFI, PRM_BITS(0x0c, 12, 12)) \
	X(PRM_FTE_FIRST_VID, PRM_BITS(0x0c, 11, 0)) \
	X(PRM_FTE_IP_PROTOCOL, PRM_BITS(0x10, 31, 24)) \
	X(PRM_FTE_IP_DSCP, PRM_BITS(0x10, 23, 18)) \
	X(PRM_FTE_IP_ECN, PRM_BITS(0x10, 17, 16)) \
	X(PRM_FTE_CVLAN_TAG, PRM_BITS(0x10, 15, 15)) /* 1 = has C-VLAN */ \
	X(PRM_FTE_SVLAN_TAG, PRM_BITS(0x10, 14, 14)) /* 1 = has S-VLAN */ \
	X(PRM_FTE_FRAG, PRM_BITS(0x10, 13, 13)) \
	X(PRM_FTE_IP_VERSION, PRM_BITS(0x10, 12, 9)) /* 4 or 6 */ \
	X(PRM_FTE_TCP_FLAGS, PRM_BITS(0x10, 8, 0)) /* 9 bits */ \
	X(PRM_FTE_TCP_SPORT, PRM_BITS(0x14, 31, 16)) \
	X(PRM_FTE_TCP_DPORT, PRM_BITS(0x14, 15, 0)) \
	X(PRM_FTE_L4_TYPE, PRM_BITS(0x18, 31, 30)) \
	X(PRM_FTE_IPV4_IHL, PRM_BITS(0x18, 15, 12)) \
	X(PRM_FTE_L3_OK, PRM_BITS(0x18, 11, 11)) \
	X(PRM_FTE_L4_OK, PRM_BITS(0x18, 10, 10)) \
	X(PRM_FTE_IPV4_CHECKSUM_OK, PRM_BITS(0x18, 9, 9)) \
	X(PRM_FTE_L4_CHECKSUM_OK, PRM_BITS(0x18, 8, 8)) \
	X(PRM_FTE_IP_TTL_HOPLIMIT, PRM_BITS(0x18, 7, 0)) \
	X(PRM_FTE_UDP_SPORT, PRM_BITS(0x1c, 31, 16)) \
	X(PRM_FTE_UDP_DPORT, PRM_BITS(0x1c, 15, 0)) \
	X(PRM_FTE_SRC_IPV4_SRC_IPV6, PRM_BYTES(0x20, 16)) /* IPv4 in last 4 bytes (0x2c) */ \
	X(PRM_FTE_DST_IPV4_DST_IPV6, PRM_BYTES(0x30, 16)) /* IPv4 in last 4 bytes (0x3c) */

/* All layouts: X(list, bytes). */
#define PRM_LAYOUTS(X) \
	X(PRM_IN_FIELDS, PRM_IN_SIZE) \
	X(PRM_OUT_FIELDS, PRM_OUT_SIZE) \
	X(PRM_OBJ_FIELDS, PRM_OBJ_SIZE) \
	X(PRM_QUERY_VPORT_STATE_FIELDS, PRM_QUERY_VPORT_STATE_SIZE) \
	X(PRM_VPORT_STATE_FIELDS, PRM_VPORT_STATE_SIZE) \
	X(PRM_QUERY_VPORT_CTX_FIELDS, PRM_QUERY_VPORT_CTX_SIZE) \
	X(PRM_VPORT_CTX_FIELDS, PRM_VPORT_CTX_SIZE) \
	X(PRM_CREATE_CQ_FIELDS, PRM_CREATE_CQ_SIZE) \
	X(PRM_MODIFY_CQ_FIELDS, PRM_MODIFY_CQ_SIZE) \
	X(PRM_CQC_FIELDS, PRM_CQC_SIZE) \
	X(PRM_TISC_FIELDS, PRM_TISC_SIZE) \
	X(PRM_MODIFY_TIS_FIELDS, PRM_MODIFY_TIS_SIZE) \
	X(PRM_SQC_FIELDS, PRM_SQC_SIZE) \
	X(PRM_MODIFY_SQ_FIELDS, PRM_MODIFY_SQ_SIZE) \
	X(PRM_RQC_FIELDS, PRM_RQC_SIZE) \
	X(PRM_MODIFY_RQ_FIELDS, PRM_MODIFY_RQ_SIZE) \
	X(PRM_WQ_FIELDS, PRM_WQ_SIZE) \
	X(PRM_TIRC_FIELDS, PRM_TIRC_SIZE) \
	X(PRM_MODIFY_TIR_FIELDS, PRM_MODIFY_TIR_SIZE) \
	X(PRM_HCA_CAP_FIELDS, PRM_HCA_CAP_SIZE) \
	X(PRM_ETH_CAP_FIELDS, PRM_ETH_CAP_SIZE) \
	X(PRM_FT_PROPS_FIELDS, PRM_FT_PROPS_SIZE) \
	X(PRM_FTE_FIELDS, PRM_FTE_SIZE)

#define PRM_FIELD_ENUM(name, place) name = (place),
enum {
	PRM_IN_FIELDS(PRM_FIELD_ENUM)
	PRM_OUT_FIELDS(PRM_FIELD_ENUM)
	PRM_OBJ_FIELDS(PRM_FIELD_ENUM)
	PRM_QUERY_VPORT_STATE_FIELDS(PRM_FIELD_ENUM)
	PRM_VPORT_STATE_FIELDS(PRM_FIELD_ENUM)
	PRM_QUERY_VPORT_CTX_FIELDS(PRM_FIELD_ENUM)
	PRM_VPORT_CTX_FIELDS(PRM_FIELD_ENUM)
	PRM_CREATE_CQ_FIELDS(PRM_FIELD_ENUM)
	PRM_MODIFY_CQ_FIELDS(PRM_FIELD_ENUM)
	PRM_CQC_FIELDS(PRM_FIELD_ENUM)
	PRM_TISC_FIELDS(PRM_FIELD_ENUM)
	PRM_MODIFY_TIS_FIELDS(PRM_FIELD_ENUM)
	PRM_SQC_FIELDS(PRM_FIELD_ENUM)
	PRM_MODIFY_SQ_FIELDS(PRM_FIELD_ENUM)
	PRM_RQC_FIELDS(PRM_FIELD_ENUM)
	PRM_MODIFY_RQ_FIELDS(PRM_FIELD_ENUM)
	PRM_WQ_FIELDS(PRM_FIELD_ENUM)
	PRM_TIRC_FIELDS(PRM_FIELD_ENUM)
	PRM_MODIFY_TIR_FIELDS(PRM_FIELD_ENUM)
	PRM_HCA_CAP_FIELDS(PRM_FIELD_ENUM)
	PRM_ETH_CAP_FIELDS(PRM_FIELD_ENUM)
	PRM_FT_PROPS_FIELDS(PRM_FIELD_ENUM)
	PRM_FTE_FIELDS(PRM_FIELD_ENUM)
};
#undef PRM_FIELD_ENUM
#endif
