/* SPDX-License-Identifier: BSD-3-Clause */
/* Field access, and what the library knows of each command: name, sizes, which bits mean something. */
#include "prm.h"
#include <ginet/hw/be.h>
#include <string.h>

#define FIELD_ENTRY(name, place) (place),
#define LAYOUT(var, list) static const prm_field_t var[] = { list(FIELD_ENTRY) }

LAYOUT(in_fields, PRM_IN_FIELDS);
LAYOUT(obj_fields, PRM_OBJ_FIELDS);
LAYOUT(query_vport_state_fields, PRM_QUERY_VPORT_STATE_FIELDS);
LAYOUT(query_vport_ctx_fields, PRM_QUERY_VPORT_CTX_FIELDS);
LAYOUT(create_cq_fields, PRM_CREATE_CQ_FIELDS);
LAYOUT(modify_cq_fields, PRM_MODIFY_CQ_FIELDS);
LAYOUT(cqc_fields, PRM_CQC_FIELDS);
LAYOUT(tisc_fields, PRM_TISC_FIELDS);
LAYOUT(modify_tis_fields, PRM_MODIFY_TIS_FIELDS);
LAYOUT(sqc_fields, PRM_SQC_FIELDS);
LAYOUT(modify_sq_fields, PRM_MODIFY_SQ_FIELDS);
LAYOUT(rqc_fields, PRM_RQC_FIELDS);
LAYOUT(modify_rq_fields, PRM_MODIFY_RQ_FIELDS);
LAYOUT(wq_fields, PRM_WQ_FIELDS);
LAYOUT(tirc_fields, PRM_TIRC_FIELDS);
LAYOUT(modify_tir_fields, PRM_MODIFY_TIR_FIELDS);

/* A layout and where it stands in the in mailbox. */
struct part {
	const prm_field_t *fields;
	size_t n_fields;
	size_t off;
};
#define PART(var, off) { var, sizeof(var) / sizeof(var[0]), off }

struct command {
	uint32_t opcode;
	const char *name;
	size_t in_min;
	size_t out_min;
	struct part parts[3]; /* besides the header */
};

/* Sizes: mlx5_ifc.h of the kernel driver and of rdma-core. */
static const struct command commands[] = {
	{ PRM_OP_QUERY_HCA_CAP, "QUERY_HCA_CAP", 0x10, 0x1010, { { 0 } } },
	{ PRM_OP_CREATE_CQ, "CREATE_CQ", 0x110, 0x10, { PART(create_cq_fields, 0), PART(cqc_fields, PRM_AT_CQC) } },
	{ PRM_OP_DESTROY_CQ, "DESTROY_CQ", 0x10, 0x10, { PART(obj_fields, 0) } },
	{ PRM_OP_QUERY_CQ, "QUERY_CQ", 0x10, 0x110, { PART(obj_fields, 0) } },
	{ PRM_OP_MODIFY_CQ, "MODIFY_CQ", 0x110, 0x10, { PART(modify_cq_fields, 0), PART(cqc_fields, PRM_AT_CQC) } },
	{ PRM_OP_QUERY_VPORT_STATE, "QUERY_VPORT_STATE", 0x10, 0x10, { PART(query_vport_state_fields, 0) } },
	{ PRM_OP_QUERY_NIC_VPORT_CONTEXT, "QUERY_NIC_VPORT_CONTEXT", 0x10, 0x110, { PART(query_vport_ctx_fields, 0) } },
	{ PRM_OP_NOP, "NOP", 0x10, 0x10, { { 0 } } },
	{ PRM_OP_ALLOC_TD, "ALLOC_TRANSPORT_DOMAIN", 0x10, 0x10, { { 0 } } },
	{ PRM_OP_DEALLOC_TD, "DEALLOC_TRANSPORT_DOMAIN", 0x10, 0x10, { PART(obj_fields, 0) } },
	{ PRM_OP_CREATE_TIR, "CREATE_TIR", 0x110, 0x10, { PART(tirc_fields, PRM_AT_CTX) } },
	{ PRM_OP_MODIFY_TIR, "MODIFY_TIR", 0x110, 0x10, { PART(modify_tir_fields, 0), PART(tirc_fields, PRM_AT_CTX) } },
	{ PRM_OP_DESTROY_TIR, "DESTROY_TIR", 0x10, 0x10, { PART(obj_fields, 0) } },
	{ PRM_OP_QUERY_TIR, "QUERY_TIR", 0x10, 0x110, { PART(obj_fields, 0) } },
	{ PRM_OP_CREATE_SQ, "CREATE_SQ", 0x110, 0x10, { PART(sqc_fields, PRM_AT_CTX), PART(wq_fields, PRM_AT_WQ) } },
	{ PRM_OP_MODIFY_SQ, "MODIFY_SQ", 0x110, 0x10,
	  { PART(modify_sq_fields, 0), PART(sqc_fields, PRM_AT_CTX), PART(wq_fields, PRM_AT_WQ) } },
	{ PRM_OP_DESTROY_SQ, "DESTROY_SQ", 0x10, 0x10, { PART(obj_fields, 0) } },
	{ PRM_OP_QUERY_SQ, "QUERY_SQ", 0x10, 0x110, { PART(obj_fields, 0) } },
	{ PRM_OP_CREATE_RQ, "CREATE_RQ", 0x110, 0x10, { PART(rqc_fields, PRM_AT_CTX), PART(wq_fields, PRM_AT_WQ) } },
	{ PRM_OP_MODIFY_RQ, "MODIFY_RQ", 0x110, 0x10,
	  { PART(modify_rq_fields, 0), PART(rqc_fields, PRM_AT_CTX), PART(wq_fields, PRM_AT_WQ) } },
	{ PRM_OP_DESTROY_RQ, "DESTROY_RQ", 0x10, 0x10, { PART(obj_fields, 0) } },
	{ PRM_OP_QUERY_RQ, "QUERY_RQ", 0x10, 0x110, { PART(obj_fields, 0) } },
	{ PRM_OP_CREATE_TIS, "CREATE_TIS", 0xc0, 0x10, { PART(tisc_fields, PRM_AT_CTX) } },
	{ PRM_OP_MODIFY_TIS, "MODIFY_TIS", 0xc0, 0x10, { PART(modify_tis_fields, 0), PART(tisc_fields, PRM_AT_CTX) } },
	{ PRM_OP_DESTROY_TIS, "DESTROY_TIS", 0x10, 0x10, { PART(obj_fields, 0) } },
	{ PRM_OP_QUERY_TIS, "QUERY_TIS", 0x10, 0xb0, { PART(obj_fields, 0) } },
};

static const struct command *find_command(uint32_t opcode)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].opcode == opcode)
			return &commands[i];
	return NULL;
}

static uint32_t load32(const uint8_t *p)
{
	struct gin_be32 v;

	memcpy(&v, p, sizeof(v));
	return gin_from_be32(v);
}

static void store32(uint8_t *p, uint32_t value)
{
	struct gin_be32 v = gin_to_be32(value);

	memcpy(p, &v, sizeof(v));
}

/* The bits of a field in its dword; one field is never wider than that, or it is 64 bits. */
static uint32_t field_mask(prm_field_t field)
{
	return UINT32_MAX >> (31 - PRM_FIELD_HI(field) + PRM_FIELD_LO(field)) << PRM_FIELD_LO(field);
}

static int is_u64(prm_field_t field)
{
	return PRM_FIELD_HI(field) == 63;
}

uint64_t prm_get(const void *mailbox, size_t off, prm_field_t field)
{
	const uint8_t *p = (const uint8_t *)mailbox + off + PRM_FIELD_OFF(field);

	if (is_u64(field))
		return (uint64_t)load32(p) << 32 | load32(p + 4);
	return (load32(p) & field_mask(field)) >> PRM_FIELD_LO(field);
}

void prm_set(void *mailbox, size_t off, prm_field_t field, uint64_t value)
{
	uint8_t *p = (uint8_t *)mailbox + off + PRM_FIELD_OFF(field);
	uint32_t mask;

	if (is_u64(field)) {
		store32(p, (uint32_t)(value >> 32));
		store32(p + 4, (uint32_t)value);
		return;
	}
	mask = field_mask(field);
	store32(p, (load32(p) & ~mask) | ((uint32_t)value << PRM_FIELD_LO(field) & mask));
}

static void mark_known(uint8_t *known, const prm_field_t *fields, size_t n_fields, size_t off)
{
	for (size_t i = 0; i < n_fields; i++) {
		if (PRM_FIELD_IS_BYTES(fields[i]))
			memset(known + off + PRM_FIELD_OFF(fields[i]), 0xff, PRM_FIELD_LEN(fields[i]));
		else
			prm_set(known, off, fields[i], UINT64_MAX);
	}
}

int prm_reserved_bit(const void *mailbox, size_t in_len)
{
	const uint8_t *in = mailbox;
	/* No known bit lies beyond the longest fixed mailbox: page lists are not used. */
	uint8_t known[PRM_CREATE_LEN] = { 0 };
	const struct command *cmd = NULL;

	if (in_len >= PRM_SHORT_LEN)
		cmd = find_command((uint32_t)prm_get(in, 0, PRM_IN_OPCODE));
	mark_known(known, in_fields, sizeof(in_fields) / sizeof(in_fields[0]), 0);
	if (cmd)
		for (size_t i = 0; i < sizeof(cmd->parts) / sizeof(cmd->parts[0]); i++)
			mark_known(known, cmd->parts[i].fields, cmd->parts[i].n_fields, cmd->parts[i].off);
	for (size_t i = 0; i < in_len; i++)
		if (in[i] & ~(i < sizeof(known) ? known[i] : 0))
			return (int)i;
	return -1;
}

size_t prm_in_min(uint32_t opcode)
{
	const struct command *cmd = find_command(opcode);

	return cmd ? cmd->in_min : 0;
}

size_t prm_out_min(uint32_t opcode)
{
	const struct command *cmd = find_command(opcode);

	return cmd ? cmd->out_min : 0;
}

const char *prm_opcode_name(uint32_t opcode)
{
	const struct command *cmd = find_command(opcode);

	return cmd ? cmd->name : NULL;
}
