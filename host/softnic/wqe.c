/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send WQEs of an Ethernet SQ: bytes in, a packet's pieces or a reason out.
 * Layouts: include/ginet/hw/wqe.h. What a card does with a malformed WQE is
 * documented nowhere: that each is local QP operation error is assumed.
 */
#include "pure.h"
#include <string.h>

#define FM_MAX 4u           /* fence modes 0 to 4; mlx5 kernel driver qp.h, MLX5_FENCE_MODE_* */
#define FM_CE_SE_RSVD 0x11u /* bits 4 and 0 */
#define QPN_DS_RSVD 0xc0u
#define ETH_HEADER 14u
#define PLAIN_DS 3u         /* control, Ethernet, one pointer */

/* A WQE being decoded: off is where the next segment begins. */
struct reader { const uint8_t *wqe; size_t off, end; };

static size_t in_segments(size_t bytes)
{
	return (bytes + GIN_DS - 1) / GIN_DS * GIN_DS;
}

static const char *check_size(uint32_t ds, size_t avail, const struct sn_wqe_rules *rules)
{
	if (!ds)
		return "WQE size (ds) is 0";
	if (ds > rules->max_ds)
		return "WQE size (ds) is above max_wqe_sz_sq";
	if (ds * GIN_DS > avail)
		return "WQE is cut short";
	return NULL;
}

static const char *check_ctrl(const struct gin_wqe_ctrl *ctrl, const struct sn_wqe_rules *rules)
{
	uint32_t w0 = gin_from_be32(ctrl->opmod_idx_opcode), w1 = gin_from_be32(ctrl->qpn_ds);

	if (w1 >> 8 != rules->sqn)
		return "WQE names another SQ number";
	if ((uint16_t)(w0 >> 8) != rules->index)
		return "WQE index is not the one expected";
	if (w0 >> 24)
		return "opcode modifier (opmod) is not 0";
	if (w1 & QPN_DS_RSVD || ctrl->rsvd09[0] || ctrl->rsvd09[1] || ctrl->fm_ce_se & FM_CE_SE_RSVD)
		return "reserved bits of the control segment are set";
	if (ctrl->signature)
		return "signature is set, and the queue has none";
	if (ctrl->fm_ce_se >> 5 > FM_MAX)
		return "unknown fence mode";
	if (ctrl->imm.raw)
		return "immediate is set in an opcode without one";
	return NULL;
}

/* Opcodes that exist on other queues or with other rights; mlx5 kernel driver qp.h, rdma-core mlx5dv.h. */
static int is_known_opcode(uint8_t opcode)
{
	static const uint8_t known[] = { 0x01, 0x08, 0x09, 0x0b, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x14, 0x15, 0x17, 0x18,
					 0x19, 0x1b, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x25, 0x28, 0x29, 0x2c, 0x2d, 0x2f };

	return memchr(known, opcode, sizeof(known)) != NULL;
}

static const char *take_vlan(const struct gin_wqe_eth *eth, const struct sn_wqe_rules *rules, struct sn_send *out)
{
	if (!rules->vlan_insert)
		return "VLAN insertion without the capability wqe_vlan_insert";
	if (gin_from_be16(eth->inline_hdr_sz) != GIN_ETH_INSERT_VLAN)
		return "VLAN insertion of another kind than C-VLAN";
	out->insert_vlan = 1;
	out->vlan_tci = (uint16_t)(eth->inline_hdr[0] << 8 | eth->inline_hdr[1]);
	return NULL;
}

/* Two header bytes stand in the Ethernet segment, the rest behind it. */
static const char *take_inline_header(struct reader *r, const struct gin_wqe_eth *eth, struct sn_send *out)
{
	uint32_t size = gin_from_be16(eth->inline_hdr_sz), rest;

	if (size < GIN_ETH_L2_INLINE)
		return "inline header of 1 to 17 bytes";
	rest = size - (uint32_t)sizeof(eth->inline_hdr);
	if (in_segments(rest) > r->end - r->off)
		return "inline header is longer than the WQE";
	memcpy(out->inline_hdr, eth->inline_hdr, sizeof(eth->inline_hdr));
	memcpy(out->inline_hdr + sizeof(eth->inline_hdr), r->wqe + r->off, rest);
	out->inline_len = size;
	r->off += in_segments(rest);
	return NULL;
}

static const char *check_eth(const struct gin_wqe_eth *eth)
{
	if (eth->swp.raw || eth->swp_flags)
		return "software parser fields are set, and allow_swp is not";
	if (eth->cs_flags & ~(GIN_ETH_L3_CSUM | GIN_ETH_L4_CSUM))
		return "unknown bits in cs_flags";
	if (eth->mss.raw)
		return "mss is set in an opcode without TSO";
	return NULL;
}

static const char *take_eth(struct reader *r, const struct sn_wqe_rules *rules, struct sn_send *out)
{
	struct gin_wqe_eth eth;
	const char *why;
	uint32_t size;

	if (r->end - r->off < sizeof(eth))
		return "WQE without an Ethernet segment";
	memcpy(&eth, r->wqe + r->off, sizeof(eth));
	r->off += sizeof(eth);
	why = check_eth(&eth);
	if (why)
		return why;
	out->cs_flags = eth.cs_flags;
	size = gin_from_be16(eth.inline_hdr_sz);
	if (size & GIN_ETH_INSERT_VLAN)
		why = take_vlan(&eth, rules, out);
	else if (size)
		why = take_inline_header(r, &eth, out);
	else if (eth.inline_hdr[0] || eth.inline_hdr[1])
		why = "inline header bytes are set, and their size is 0";
	if (why)
		return why;
	if (out->inline_len < rules->min_inline)
		return "inline header is below the minimum";
	return NULL;
}

/* Kept with the inline header, so it must come before what is read from memory. */
static const char *take_inline_data(struct reader *r, uint32_t len, struct sn_send *out)
{
	size_t size = in_segments(sizeof(struct gin_be32) + (size_t)len);

	if (out->n_segs)
		return "inline data behind a pointer segment";
	if (size > r->end - r->off)
		return "inline data is longer than the WQE";
	memcpy(out->inline_hdr + out->inline_len, r->wqe + r->off + sizeof(struct gin_be32), len);
	out->inline_len += len;
	r->off += size;
	return NULL;
}

static const char *take_data(struct reader *r, struct sn_send *out)
{
	struct gin_wqe_data data;
	struct sn_seg *seg;
	uint32_t count, len;

	memcpy(&data, r->wqe + r->off, sizeof(data));
	count = gin_from_be32(data.byte_count);
	len = count & ~GIN_INLINE_DATA;
	if (!len)
		return "data segment of 0 bytes";
	out->len += len;
	if (count & GIN_INLINE_DATA)
		return take_inline_data(r, len, out);
	seg = &out->segs[out->n_segs++];
	seg->addr = gin_from_be64(data.addr);
	seg->lkey = gin_from_be32(data.lkey);
	seg->len = len;
	r->off += sizeof(data);
	return NULL;
}

static const char *decode_send(struct reader *r, const struct sn_wqe_rules *rules, struct sn_send *out)
{
	const char *why = take_eth(r, rules, out);

	out->len = out->inline_len;
	while (!why && r->off < r->end)
		why = take_data(r, out);
	if (!why && out->len < ETH_HEADER)
		why = "packet is shorter than an Ethernet header";
	return why;
}

/* One segment by the book; NVSHMEM writes two and a NIC takes them. */
static const char *decode_nop(const struct sn_send *out)
{
	return out->ds > 2 ? "NOP of more than 2 segments" : NULL;
}

static const char *decode(const uint8_t *wqe, size_t avail, const struct sn_wqe_rules *rules, struct sn_send *out)
{
	struct gin_wqe_ctrl ctrl;
	struct reader r;
	const char *why;

	if (avail < sizeof(ctrl))
		return "WQE is cut short";
	memcpy(&ctrl, wqe, sizeof(ctrl));
	/* Also for a bad WQE: its error CQE names the opcode. */
	out->opcode = (uint8_t)gin_from_be32(ctrl.opmod_idx_opcode);
	out->ds = gin_from_be32(ctrl.qpn_ds) & GIN_DS_MAX;
	out->ce = ctrl.fm_ce_se & GIN_CE_MASK;
	why = check_size(out->ds, avail, rules);
	if (!why)
		why = check_ctrl(&ctrl, rules);
	if (why)
		return why;
	r.wqe = wqe;
	r.off = sizeof(ctrl);
	r.end = out->ds * (size_t)GIN_DS;
	if (out->opcode == GIN_OP_SEND)
		return decode_send(&r, rules, out);
	if (out->opcode == GIN_OP_NOP)
		return decode_nop(out);
	return is_known_opcode(out->opcode) ? "opcode is not for this queue" : "unknown opcode";
}

/*
 * What nearly every WQE is: a SEND of one pointer and no options, nothing wrong
 * with it. 1: taken, as decode() would have; 0: ask decode().
 */
static int take_plain(const uint8_t *wqe, size_t avail, const struct sn_wqe_rules *rules, struct sn_send *out)
{
	uint64_t w[PLAIN_DS * 2], head;
	uint32_t len;

	if (avail < sizeof(w) || rules->min_inline || rules->max_ds < PLAIN_DS)
		return 0;
	memcpy(w, wqe, sizeof(w));
	head = (uint64_t)gin_swap32(rules->sqn << 8 | PLAIN_DS) << 32 | gin_swap32((uint32_t)rules->index << 8 | GIN_OP_SEND);
	len = gin_swap32((uint32_t)w[4]);
	/* w[1]: all but the completion mode; w[2], w[3]: the Ethernet segment but for its metadata. */
	if (w[0] != head || w[1] & ~((uint64_t)GIN_CE_MASK << 24) || w[2] || w[3] >> 32 || len < ETH_HEADER ||
	    len & GIN_INLINE_DATA)
		return 0;
	out->opcode = GIN_OP_SEND;
	out->ds = PLAIN_DS;
	out->ce = (uint8_t)(w[1] >> 24);
	out->segs[0].addr = gin_swap64(w[5]);
	out->segs[0].len = len;
	out->segs[0].lkey = gin_swap32((uint32_t)(w[4] >> 32));
	out->n_segs = 1;
	out->len = len;
	return 1;
}

uint32_t sn_wqe_decode(const uint8_t *wqe, size_t avail, const struct sn_wqe_rules *rules, struct sn_send *out,
		       const char **why)
{
	/* Not the two arrays: they are 2 KB, and n_segs and inline_len say what of them counts. */
	memset(out, 0, offsetof(struct sn_send, inline_hdr));
	*why = NULL;
	if (take_plain(wqe, avail, rules, out))
		return 0;
	out->n_segs = 0;
	out->len = 0;
	*why = decode(wqe, avail, rules, out);
	return *why ? GIN_SYND_LOCAL_QP_OP : 0;
}
