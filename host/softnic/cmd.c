/* SPDX-License-Identifier: BSD-3-Clause */
/* The command interpreter: which PRM commands there are, and what each is checked for. */
#include "sn.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint32_t nop(struct sn_cmd *c)
{
	(void)c;
	return PRM_OK;
}

static uint32_t destroy(struct sn_cmd *c, enum sn_kind kind)
{
	uint32_t status = PRM_OK;
	struct sn_obj *obj = sn_cmd_find(c, kind, (uint32_t)prm_get(c->in, 0, PRM_OBJ_NUMBER), &status);

	if (!obj)
		return status;
	if (obj->refs)
		return sn_refuse(c, PRM_BUSY, SN_SYN_REFERRED, "%s 0x%x: %u objects refer to it", sn_kind_name(kind),
				 obj->number, obj->refs);
	sn_obj_free(obj);
	return PRM_OK;
}

static uint32_t td_dealloc(struct sn_cmd *c)
{
	return destroy(c, SN_TD);
}

static uint32_t tis_destroy(struct sn_cmd *c)
{
	return destroy(c, SN_TIS);
}

static uint32_t cq_destroy(struct sn_cmd *c)
{
	return destroy(c, SN_CQ);
}

static uint32_t sq_destroy(struct sn_cmd *c)
{
	return destroy(c, SN_SQ);
}

static uint32_t rq_destroy(struct sn_cmd *c)
{
	return destroy(c, SN_RQ);
}

static uint32_t tir_destroy(struct sn_cmd *c)
{
	return destroy(c, SN_TIR);
}

/* The smallest mailboxes of each stand in host/prm: prm_in_min(), prm_out_min(). */
static const struct command {
	uint16_t opcode;
	uint8_t has_op_mod; /* op_mod may differ from 0 */
	uint32_t (*fn)(struct sn_cmd *c);
} commands[] = {
	{ PRM_OP_QUERY_HCA_CAP, 1, sn_caps_query },
	{ PRM_OP_QUERY_VPORT_STATE, 1, sn_vport_state_query },
	{ PRM_OP_QUERY_NIC_VPORT_CONTEXT, 0, sn_nic_vport_query },
	{ PRM_OP_NOP, 0, nop },
	{ PRM_OP_ALLOC_TD, 0, sn_td_alloc },
	{ PRM_OP_DEALLOC_TD, 0, td_dealloc },
	{ PRM_OP_CREATE_TIS, 0, sn_tis_create },
	{ PRM_OP_MODIFY_TIS, 0, sn_tis_modify },
	{ PRM_OP_QUERY_TIS, 0, sn_tis_query },
	{ PRM_OP_DESTROY_TIS, 0, tis_destroy },
	{ PRM_OP_CREATE_CQ, 0, sn_cq_create },
	{ PRM_OP_MODIFY_CQ, 0, sn_cq_modify },
	{ PRM_OP_QUERY_CQ, 0, sn_cq_query },
	{ PRM_OP_DESTROY_CQ, 0, cq_destroy },
	{ PRM_OP_CREATE_SQ, 0, sn_sq_create },
	{ PRM_OP_MODIFY_SQ, 0, sn_sq_modify },
	{ PRM_OP_QUERY_SQ, 0, sn_sq_query },
	{ PRM_OP_DESTROY_SQ, 0, sq_destroy },
	{ PRM_OP_CREATE_RQ, 0, sn_rq_create },
	{ PRM_OP_MODIFY_RQ, 0, sn_rq_modify },
	{ PRM_OP_QUERY_RQ, 0, sn_rq_query },
	{ PRM_OP_DESTROY_RQ, 0, rq_destroy },
	{ PRM_OP_CREATE_TIR, 0, sn_tir_create },
	{ PRM_OP_MODIFY_TIR, 0, sn_tir_modify },
	{ PRM_OP_QUERY_TIR, 0, sn_tir_query },
	{ PRM_OP_DESTROY_TIR, 0, tir_destroy },
};

uint32_t sn_refuse(struct sn_cmd *c, uint32_t status, enum sn_syndrome syndrome, const char *fmt, ...)
{
	const char *name = prm_opcode_name(c->opcode);
	char line[256], number[16];
	va_list ap;

	c->syndrome = syndrome;
	snprintf(number, sizeof(number), "0x%x", c->opcode);
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	sn_note(c->ctx->dev, GIN_LOG_WARNING, "soft: command %s refused (status 0x%02x, syndrome 0x%x): %s",
		name ? name : number, status, syndrome, line);
	return status;
}

struct sn_obj *sn_cmd_find(struct sn_cmd *c, enum sn_kind kind, uint32_t number, uint32_t *status)
{
	struct sn_obj *obj = sn_find(c->ctx, kind, number);

	if (!obj)
		*status = sn_refuse(c, PRM_BAD_RESOURCE, SN_SYN_NO_OBJ, "this context has no %s 0x%x", sn_kind_name(kind),
				    number);
	return obj;
}

uint32_t sn_cmd_add(struct sn_cmd *c, enum sn_kind kind, struct sn_obj *obj)
{
	if (sn_obj_add(c->ctx, kind, obj))
		return sn_refuse(c, PRM_LIMIT, SN_SYN_LIMIT, "no more than %u objects of kind %s",
				 c->ctx->dev->tables[kind].max, sn_kind_name(kind));
	prm_set(c->out, 0, PRM_OUT_NUMBER, obj->number);
	return PRM_OK;
}

/* Memory may end anywhere; a ring must lie where page_offset, in units of page_size / 64, can name it. */
uint32_t sn_cmd_umem(struct sn_cmd *c, const char *what, uint32_t id, uint64_t offset, uint64_t len, uint32_t align,
		     struct sn_umem **umem, uint8_t **ptr)
{
	struct sn_umem *u = (struct sn_umem *)sn_find(c->ctx, SN_UMEM, id);

	if (!u)
		return sn_refuse(c, PRM_BAD_RESOURCE, SN_SYN_NO_UMEM, "%s: this context has no umem 0x%x", what, id);
	if ((offset | (uintptr_t)u->cpu) % align)
		return sn_refuse(c, PRM_BAD_PARAM, align == 8 ? SN_SYN_DBR_ALIGN : SN_SYN_UMEM_ALIGN,
				 "%s: offset 0x%llx of memory at %p is not %u-byte aligned", what,
				 (unsigned long long)offset, (void *)u->cpu, align);
	if (offset > u->len || len > u->len - offset)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UMEM_SMALL,
				 "%s: %llu bytes at offset 0x%llx do not fit into umem 0x%x of %zu bytes", what,
				 (unsigned long long)len, (unsigned long long)offset, id, u->len);
	*umem = u;
	*ptr = u->cpu + offset;
	return PRM_OK;
}

static const struct command *find_command(uint32_t opcode)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].opcode == opcode)
			return &commands[i];
	return NULL;
}

/* A context of a foreign driver may hold fields that we do not know: said, not refused. */
static uint32_t check_reserved(struct sn_cmd *c, int strict)
{
	int at = prm_reserved_bit(c->in, c->in_len);

	if (at < 0)
		return PRM_OK;
	if (strict)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_RESERVED_BIT, "a reserved bit is set in byte 0x%x", at);
	sn_note(c->ctx->dev, GIN_LOG_DEBUG, "soft: command 0x%x: unknown bit in byte 0x%x ignored", c->opcode, at);
	return PRM_OK;
}

static uint32_t run(struct sn_cmd *c, int strict)
{
	const struct command *cmd = find_command(c->opcode);
	uint32_t status, op_mod;

	if (!cmd)
		return sn_refuse(c, PRM_BAD_OPCODE, SN_SYN_OPCODE, "unknown command");
	if (c->in_len < prm_in_min(c->opcode))
		return sn_refuse(c, PRM_BAD_INPUT_LEN, SN_SYN_IN_LEN, "in has %zu bytes, needs %zu", c->in_len,
				 prm_in_min(c->opcode));
	if (c->out_len < prm_out_min(c->opcode))
		return sn_refuse(c, PRM_BAD_OUTPUT_LEN, SN_SYN_OUT_LEN, "out has %zu bytes, needs %zu", c->out_len,
				 prm_out_min(c->opcode));
	status = check_reserved(c, strict);
	if (status)
		return status;
	op_mod = (uint32_t)prm_get(c->in, 0, PRM_IN_OP_MOD);
	if (op_mod && !cmd->has_op_mod)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_OP_MOD, "op_mod 0x%x is not 0", op_mod);
	return cmd->fn(c);
}

int sn_cmd(struct sn_ctx *ctx, const void *in, size_t in_len, void *out, size_t out_len, int strict)
{
	struct sn_cmd c = { .ctx = ctx, .in = in, .out = out, .in_len = in_len, .out_len = out_len };
	uint32_t status;

	if (in_len < PRM_SHORT_LEN || out_len < PRM_SHORT_LEN) {
		gin_error("soft: a command has at least %d bytes in and out, not %zu and %zu", PRM_SHORT_LEN, in_len, out_len);
		return -EINVAL;
	}
	memset(out, 0, out_len);
	c.opcode = (uint32_t)prm_get(in, 0, PRM_IN_OPCODE);
	sn_lock(ctx->dev);
	status = run(&c, strict);
	sn_unlock(ctx->dev);
	if (!status)
		return 0;
	memset(out, 0, out_len);
	prm_set(out, 0, PRM_OUT_STATUS, status);
	prm_set(out, 0, PRM_OUT_SYNDROME, c.syndrome);
	return -EREMOTEIO;
}
