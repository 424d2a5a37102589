/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PRM mailboxes: commands to the NIC as big-endian bit fields. One field table
 * (fields.h) serves those who build mailboxes and the software NIC that reads
 * them. Sources: rdma-core and the mlx5 kernel driver's mlx5_ifc.h, DPDK's
 * mlx5_prm.h; which field comes from which is noted in fields.h.
 */
#ifndef HOST_PRM_PRM_H
#define HOST_PRM_PRM_H
#include "fields.h"
#include <stddef.h>
#include <stdint.h>

/* Command opcodes (mailbox 0x00 31:16). */
enum prm_opcode {
	PRM_OP_QUERY_HCA_CAP = 0x100,
	PRM_OP_CREATE_CQ = 0x400, PRM_OP_DESTROY_CQ, PRM_OP_QUERY_CQ, PRM_OP_MODIFY_CQ,
	PRM_OP_QUERY_VPORT_STATE = 0x750,
	PRM_OP_QUERY_NIC_VPORT_CONTEXT = 0x754,
	PRM_OP_NOP = 0x80d,
	PRM_OP_ALLOC_TD = 0x816, PRM_OP_DEALLOC_TD,
	PRM_OP_CREATE_TIR = 0x900, PRM_OP_MODIFY_TIR, PRM_OP_DESTROY_TIR, PRM_OP_QUERY_TIR,
	PRM_OP_CREATE_SQ, PRM_OP_MODIFY_SQ, PRM_OP_DESTROY_SQ, PRM_OP_QUERY_SQ,
	PRM_OP_CREATE_RQ, PRM_OP_MODIFY_RQ, PRM_OP_DESTROY_RQ, PRM_OP_QUERY_RQ,
	PRM_OP_CREATE_TIS = 0x912, PRM_OP_MODIFY_TIS, PRM_OP_DESTROY_TIS, PRM_OP_QUERY_TIS,
};

/* Command status (out 0x00 31:24). */
enum prm_status {
	PRM_OK = 0x00, PRM_INTERNAL = 0x01, PRM_BAD_OPCODE = 0x02, PRM_BAD_PARAM = 0x03, PRM_BAD_SYS_STATE = 0x04,
	PRM_BAD_RESOURCE = 0x05, PRM_BUSY = 0x06, PRM_LIMIT = 0x08, PRM_BAD_STATE = 0x09, PRM_BAD_INDEX = 0x0a,
	PRM_NO_RESOURCES = 0x0f, PRM_BAD_INPUT_LEN = 0x50, PRM_BAD_OUTPUT_LEN = 0x51,
};

#define PRM_STATE_RST 0u
#define PRM_STATE_RDY 1u
#define PRM_STATE_ERR 3u

/*
 * A field id holds offset and width. off is the byte offset of the layout
 * inside the mailbox (0 for the mailbox itself), so that one context layout
 * serves create, modify and query.
 */
uint64_t prm_get(const void *mailbox, size_t off, prm_field_t field);
void prm_set(void *mailbox, size_t off, prm_field_t field, uint64_t value);

/*
 * First bit that is set in mailbox but belongs to no field of the command
 * opcode: its byte offset, or -1 when there is none. in_len bytes are looked at.
 */
int prm_reserved_bit(const void *mailbox, size_t in_len);
/* Smallest in and out mailbox of a command, bytes; 0: command not known. */
size_t prm_in_min(uint32_t opcode);
size_t prm_out_min(uint32_t opcode);
const char *prm_opcode_name(uint32_t opcode); /* "CREATE_SQ"; "command 0x1234" texts are the caller's: NULL if unknown */

/* Sizes of the mailboxes that the builders below fill. */
#define PRM_CREATE_LEN 0x110 /* CQ, SQ, RQ, TIR: in */
#define PRM_TIS_LEN 0xc0
#define PRM_MODIFY_LEN 0x110
#define PRM_SHORT_LEN 0x10   /* alloc, destroy, query: in; create, modify: out */
#define PRM_QUERY_OUT_LEN 0x110
#define PRM_CAP_OUT_LEN 0x1010

/* Where a ring or record lies: byte offset inside a registered umem. */
struct prm_mem { uint32_t umem; uint64_t offset; };

struct prm_cq { uint32_t log_size, uar_page, eqn; uint8_t collapsed, overrun_ignore; struct prm_mem ring, dbrec; };
struct prm_wq { uint32_t log_size, log_stride, pd, uar_page; struct prm_mem ring, dbrec; };
struct prm_sq { uint32_t cqn, tisn, user_index; uint8_t flush_in_error, min_inline_mode, ts_format; struct prm_wq wq; };
struct prm_rq { uint32_t cqn, user_index; uint8_t flush_in_error, vlan_strip_disable, ts_format; struct prm_wq wq; };

/* Builders: fill the whole mailbox (they clear it first). */
void prm_build_query_hca_cap(uint8_t in[PRM_SHORT_LEN], uint32_t category, int current);
void prm_build_query_nic_vport(uint8_t in[PRM_SHORT_LEN]);
void prm_build_query_vport_state(uint8_t in[PRM_SHORT_LEN]);
void prm_build_alloc_td(uint8_t in[PRM_SHORT_LEN]);
void prm_build_create_tis(uint8_t in[PRM_TIS_LEN], uint32_t td);
void prm_build_create_cq(uint8_t in[PRM_CREATE_LEN], const struct prm_cq *cq);
void prm_build_create_sq(uint8_t in[PRM_CREATE_LEN], const struct prm_sq *sq);
void prm_build_create_rq(uint8_t in[PRM_CREATE_LEN], const struct prm_rq *rq);
void prm_build_create_tir(uint8_t in[PRM_CREATE_LEN], uint32_t rqn, uint32_t td, uint32_t self_lb_block);
void prm_build_modify_sq(uint8_t in[PRM_MODIFY_LEN], uint32_t sqn, uint32_t from, uint32_t to);
void prm_build_modify_rq(uint8_t in[PRM_MODIFY_LEN], uint32_t rqn, uint32_t from, uint32_t to);
void prm_build_query(uint8_t in[PRM_SHORT_LEN], enum prm_opcode opcode, uint32_t number); /* CQ, SQ, RQ, TIR, TIS */
void prm_build_destroy(uint8_t in[PRM_SHORT_LEN], enum prm_opcode opcode, uint32_t number); /* also DEALLOC_TD */
uint32_t prm_out_number(const uint8_t *out); /* object number in a create's out mailbox: 0x08 23:0 */
uint32_t prm_out_status(const uint8_t *out);
uint32_t prm_out_syndrome(const uint8_t *out);

/* "CREATE_SQ: bad parameter (status 0x03, syndrome 0x...)"; returns buf. */
const char *prm_decode(uint32_t opcode, const uint8_t *out, char *buf, size_t size);

/* Capabilities that set-up code needs, out of three QUERY_HCA_CAP answers and a vport context. */
struct prm_caps {
	uint32_t log_max_wq_sz, log_max_cq_sz, max_wqe_sz_sq, num_ports, port_type, cqe_version;
	uint8_t cq_oi, eth_net_offloads, nic_flow_table, csum_cap, wqe_inline_mode, sq_ts_format, rq_ts_format;
	uint8_t min_inline_mode; /* from the vport context; 0 none, 1 L2, 2 IP, 3 TCP/UDP */
	uint8_t mac[6];
	uint32_t mtu;
};
void prm_parse_general_cap(const uint8_t out[PRM_CAP_OUT_LEN], struct prm_caps *caps);
void prm_parse_eth_cap(const uint8_t out[PRM_CAP_OUT_LEN], struct prm_caps *caps);
void prm_parse_nic_vport(const uint8_t *out, struct prm_caps *caps);
#endif
