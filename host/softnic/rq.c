/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive queues: take the next WQE, scatter, complete. The record is read only when the known credit is used up. */
#include "asan.h"
#include "sn.h"
#include <stdlib.h>
#include <string.h>

#define RQ_MIN_LOG_STRIDE 4u /* one data segment */
#define RQ_MAX_LOG_STRIDE 9u /* SN_MAX_WQE_RQ bytes */
#define RQ_MAX_SEGS (SN_MAX_WQE_RQ / GIN_DS)

uint32_t sn_rq_create(struct sn_cmd *c)
{
	struct sn_rq *rq = calloc(1, sizeof(*rq));
	uint32_t status = PRM_OK;

	if (!rq)
		return sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	rq->vlan_strip = !prm_get(c->in, PRM_AT_CTX, PRM_RQC_VSD);
	rq->wq.flush_in_error = (uint8_t)prm_get(c->in, PRM_AT_CTX, PRM_RQC_FLUSH_IN_ERROR_EN);
	if (prm_get(c->in, PRM_AT_CTX, PRM_RQC_MEM_RQ_TYPE) || prm_get(c->in, PRM_AT_CTX, PRM_RQC_DELAY_DROP_EN) ||
	    prm_get(c->in, PRM_AT_CTX, PRM_RQC_SCATTER_FCS))
		status = sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "no RMP, delay_drop_en or scatter_fcs");
	if (!status)
		status = sn_wq_create(c, &rq->wq, (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_RQC_CQN), RQ_MIN_LOG_STRIDE,
				      RQ_MAX_LOG_STRIDE);
	if (status)
		goto err_free;
	status = sn_cmd_add(c, SN_RQ, &rq->wq.o);
	if (status)
		goto err_wq;
	sn_wq_reset(&rq->wq);
	return PRM_OK;

err_wq:
	sn_wq_free(&rq->wq);
err_free:
	free(rq);
	return status;
}

void sn_rq_free_obj(struct sn_obj *obj)
{
	struct sn_rq *rq = (struct sn_rq *)obj;

	sn_wq_free(&rq->wq);
	free(rq);
}

#define MODIFY_VSD 2u

uint32_t sn_rq_modify(struct sn_cmd *c)
{
	uint32_t to = (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_RQC_STATE), status = PRM_OK;
	uint64_t select = prm_get(c->in, 0, PRM_MODIFY_RQ_MODIFY_BITMASK);
	struct sn_rq *rq;

	rq = (struct sn_rq *)sn_cmd_find(c, SN_RQ, (uint32_t)prm_get(c->in, 0, PRM_MODIFY_RQ_RQN), &status);
	if (!rq)
		return status;
	if (select & ~(uint64_t)MODIFY_VSD)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_BITMASK, "modify_bitmask: only vsd (2) can be changed");
	status = sn_wq_modify_check(c, &rq->wq, (uint32_t)prm_get(c->in, 0, PRM_MODIFY_RQ_RQ_STATE), to);
	if (status)
		return status;
	if (select & MODIFY_VSD)
		rq->vlan_strip = !prm_get(c->in, PRM_AT_CTX, PRM_RQC_VSD);
	if (to == PRM_STATE_ERR)
		sn_rq_fail(rq);
	else if (to == PRM_STATE_RST)
		sn_wq_reset(&rq->wq);
	else
		rq->wq.state = PRM_STATE_RDY;
	return PRM_OK;
}

uint32_t sn_rq_query(struct sn_cmd *c)
{
	uint32_t status = PRM_OK;
	const struct sn_rq *rq;

	rq = (const struct sn_rq *)sn_cmd_find(c, SN_RQ, (uint32_t)prm_get(c->in, 0, PRM_OBJ_NUMBER), &status);
	if (!rq)
		return status;
	sn_wq_query(&rq->wq, c->out);
	prm_set(c->out, PRM_AT_CTX, PRM_RQC_VSD, !rq->vlan_strip);
	prm_set(c->out, PRM_AT_CTX, PRM_RQC_FLUSH_IN_ERROR_EN, rq->wq.flush_in_error);
	return PRM_OK;
}

static uint16_t record(const struct sn_rq *rq)
{
	struct gin_be32 raw;

	raw.raw = __atomic_load_n(&rq->wq.dbrec->rcv.raw, __ATOMIC_ACQUIRE);
	return (uint16_t)gin_from_be32(raw); /* modulo 2^16: some write the whole counter */
}

/* WQEs that the NIC may use, by the record; a record that no software could mean gives none. */
static void refill(struct sn_rq *rq)
{
	uint16_t posted = record(rq);
	uint32_t n = (uint16_t)(posted - rq->wq.ci), size = rq->wq.mask + 1;

	if (n > size) {
		sn_ignored(sn_wq_dev(&rq->wq), &rq->wq.said, SN_SAID_INDEX,
			   "RQ 0x%x: record %u, %u done: more posted than the %u entries there are", rq->wq.o.number, posted,
			   rq->wq.ci, size);
		return;
	}
	sn_adv_saw(&rq->wq, rq->wq.pi, (uint16_t)(posted - rq->wq.pi));
	rq->wq.pi = posted;
}

uint32_t sn_rq_posted(const struct sn_rq *rq)
{
	uint32_t n = (uint16_t)(record(rq) - rq->wq.ci);

	return rq->wq.state == PRM_STATE_RDY && n <= 1u << rq->wq.log_size ? n : 0;
}

static void flush(struct sn_rq *rq)
{
	while (rq->wq.flush_in_error && rq->wq.ci != rq->wq.pi) {
		if (sn_cq_write_error(&rq->wq, GIN_CQE_RESP_ERR, GIN_SYND_FLUSHED, 0, 0, rq->wq.ci))
			break;
		rq->wq.ci++;
	}
	rq->wq.ci = rq->wq.pi;
}

void sn_rq_fail(struct sn_rq *rq)
{
	if (rq->wq.state == PRM_STATE_ERR)
		return;
	rq->wq.state = PRM_STATE_ERR;
	sn_event_post(rq->wq.o.ctx, GIN_EV_RQ_FATAL, rq->wq.o.number);
	flush(rq);
}

static void error(struct sn_rq *rq, uint32_t syndrome, uint32_t vendor, const char *why)
{
	sn_note(sn_wq_dev(&rq->wq), GIN_LOG_WARNING, "soft: RQ 0x%x: WQE at index %u: %s; the queue is in error",
		rq->wq.o.number, rq->wq.ci, why);
	sn_cq_write_error(&rq->wq, GIN_CQE_RESP_ERR, syndrome, vendor, 0, rq->wq.ci++);
	sn_rq_fail(rq);
}

struct piece { uint8_t *to; uint32_t len; };

static const uint8_t *wqe_at(const struct sn_rq *rq)
{
	return rq->wq.ring + ((size_t)(rq->wq.ci & rq->wq.mask) << rq->wq.log_stride);
}

/* Segment i of the WQE. 0 or an error syndrome; a length of 0 is the end of the list. */
static inline uint32_t read_segment(struct sn_rq *rq, uint32_t i, struct piece *piece, enum sn_fault *fault)
{
	struct gin_wqe_data seg;
	uint32_t lkey;

	memcpy(&seg, wqe_at(rq) + i * sizeof(seg), sizeof(seg));
	piece->len = gin_from_be32(seg.byte_count);
	lkey = gin_from_be32(seg.lkey);
	if (!piece->len && lkey == GIN_LKEY_INVALID)
		return 0;
	if (!piece->len || piece->len & GIN_INLINE_DATA)
		return GIN_SYND_LOCAL_QP_OP;
	piece->to = sn_dma(&rq->wq, lkey, gin_from_be64(seg.addr), piece->len, GIN_MR_LOCAL_WRITE, fault);
	if (!piece->to)
		return GIN_SYND_LOCAL_PROT;
	gin_asan_unpoison(piece->to, piece->len); /* from now to its release the slot may be touched */
	return 0;
}

/* Where the WQE's segments lie. 0 or an error syndrome. */
static uint32_t read_wqe(struct sn_rq *rq, uint32_t need, struct piece *pieces, uint32_t *n, enum sn_fault *fault)
{
	uint32_t i, have = 0, syndrome;

	*n = 0;
	for (i = 0; i < 1u << (rq->wq.log_stride - 4) && have < need; i++) {
		syndrome = read_segment(rq, i, &pieces[i], fault);
		if (syndrome)
			return syndrome;
		if (!pieces[i].len)
			break;
		if (pieces[i].len > need - have)
			pieces[i].len = need - have;
		have += pieces[i].len;
		*n = i + 1;
	}
	return have < need ? GIN_SYND_LOCAL_LENGTH : 0;
}

static void store(struct sn_rq *rq, uint8_t *to, const uint8_t *from, uint32_t len)
{
	struct sn_device *dev = sn_wq_dev(&rq->wq);

	if (!sn_adv_on(dev) || sn_adv_hold_payload(dev, to, from, len))
		memcpy(to, from, len);
}

/* Bytes of the frame in order, without the 4 at 12 when a tag is stripped. */
static void scatter(struct sn_rq *rq, const struct sn_frame *frame, int strip, const struct piece *pieces, uint32_t n)
{
	uint32_t i, at = 0;

	for (i = 0; i < n; i++) {
		uint32_t done = 0;

		while (done < pieces[i].len) {
			uint32_t left = pieces[i].len - done;

			if (strip && at < 12 && left > 12 - at)
				left = 12 - at;
			store(rq, pieces[i].to + done, frame->data + at, left);
			done += left;
			at += left;
			if (strip && at == 12)
				at += 4;
		}
	}
}

static uint32_t store_in_pieces(struct sn_rq *rq, const struct sn_frame *frame, int strip, enum sn_fault *fault)
{
	struct piece pieces[RQ_MAX_SEGS];
	uint32_t n, syndrome = read_wqe(rq, frame->len - (strip ? 4 : 0), pieces, &n, fault);

	if (!syndrome)
		scatter(rq, frame, strip, pieces, n);
	return syndrome;
}

/* The packet into the memory that the WQE names. 0 or an error syndrome. Nearly always that is one piece. */
static uint32_t store_packet(struct sn_rq *rq, const struct sn_frame *frame, int strip, enum sn_fault *fault)
{
	struct piece whole;

	if (strip || rq->wq.log_stride != RQ_MIN_LOG_STRIDE || read_segment(rq, 0, &whole, fault) || whole.len < frame->len)
		return store_in_pieces(rq, frame, strip, fault);
	store(rq, whole.to, frame->data, frame->len);
	return 0;
}

static void fill_cqe(const struct sn_rq *rq, const struct sn_frame *frame, const struct sn_parsed *p, int strip,
		     uint32_t tag, struct gin_cqe *cqe)
{
	memset(cqe, 0, GIN_CQE_TAIL);
	cqe->pkt_info = p->ip_version == 6 ? 0x02 : 0;
	cqe->check_sum = gin_to_be16(sn_csum_complete(frame->data, frame->len, p));
	cqe->hds_ip_ext = (uint8_t)(GIN_CQE_L2_OK | (p->l3_ok ? GIN_CQE_L3_OK : 0) | (p->l4_ok ? GIN_CQE_L4_OK : 0));
	cqe->l4_l3_hdr_type = (uint8_t)(p->l3 << GIN_CQE_L3_SHIFT | p->l4 << GIN_CQE_L4_SHIFT |
					(p->ip_ext ? GIN_CQE_IP_EXT : 0) | (p->fragment ? GIN_CQE_FRAGMENT : 0) |
					(strip ? GIN_CQE_VLAN_STRIPPED : 0));
	cqe->vlan_info = gin_to_be16(strip ? p->vlan_tci : 0);
	cqe->user_index = gin_to_be32(rq->wq.user_index);
	cqe->byte_cnt = gin_to_be32(frame->len - (strip ? 4 : 0));
	cqe->timestamp = gin_to_be64(sn_timestamp(&rq->wq));
	cqe->sop_drop_qpn = gin_to_be32(tag & 0xffffff);
}

static void drop(struct sn_rq *rq, uint64_t *counter, const char *cause, const struct sn_frame *frame)
{
	rq->wq.count.drops++;
	sn_drop(sn_wq_dev(&rq->wq), counter, cause, frame);
}

static void bad_wqe(struct sn_rq *rq, const struct sn_frame *frame, uint32_t syndrome, enum sn_fault fault)
{
	struct gin_nic_stats *s = &sn_wq_dev(&rq->wq)->stats;

	if (syndrome == GIN_SYND_LOCAL_LENGTH) {
		drop(rq, &s->rx_drop_too_long, "rx_drop_too_long", frame);
		error(rq, syndrome, 0, "the packet is longer than its segments");
		return;
	}
	drop(rq, &s->rx_drop_queue_error, "rx_drop_queue_error", frame);
	error(rq, syndrome, fault, fault ? sn_fault_text(fault) : "a segment's byte_count is 0 or has bit 31 set");
}

static int has_wqe(struct sn_rq *rq)
{
	if (rq->wq.ci == rq->wq.pi)
		refill(rq);
	return rq->wq.ci != rq->wq.pi;
}

static int can_take(struct sn_rq *rq, const struct sn_frame *frame)
{
	struct gin_nic_stats *s = &sn_wq_dev(&rq->wq)->stats;

	if (rq->wq.state == PRM_STATE_ERR) {
		drop(rq, &s->rx_drop_queue_error, "rx_drop_queue_error", frame);
		return 0;
	}
	/* In RST the record counts for nothing: the queue is empty. */
	if (rq->wq.state == PRM_STATE_RDY && has_wqe(rq))
		return 1;
	drop(rq, &s->rx_drop_no_buffer, "rx_drop_no_buffer", frame);
	return 0;
}

/* Stripped is a C-VLAN tag only: 0x8100 behind the addresses. */
static int has_cvlan(const struct sn_frame *frame)
{
	return frame->data[12] == 0x81 && !frame->data[13];
}

void sn_rq_deliver(struct sn_rq *rq, const struct sn_frame *frame, const struct sn_parsed *parsed, uint32_t tag)
{
	struct sn_device *dev = sn_wq_dev(&rq->wq);
	int strip = rq->vlan_strip && has_cvlan(frame);
	enum sn_fault fault = SN_FAULT_NONE;
	struct gin_cqe *cqe;
	uint32_t syndrome;

	if (!can_take(rq, frame))
		return;
	if (sn_adv_changed(&rq->wq, rq->wq.ci, 1))
		sn_ignored(dev, &rq->wq.said, SN_SAID_CHANGED, "RQ 0x%x: WQE at index %u was changed while it was the NIC's",
			   rq->wq.o.number, rq->wq.ci);
	syndrome = store_packet(rq, frame, strip, &fault);
	if (syndrome) {
		bad_wqe(rq, frame, syndrome, fault);
		return;
	}
	cqe = sn_cq_begin(rq->wq.cq);
	if (!cqe) {
		drop(rq, &dev->stats.rx_drop_queue_error, "rx_drop_queue_error", frame);
		sn_rq_fail(rq);
		return;
	}
	fill_cqe(rq, frame, parsed, strip, tag, cqe);
	sn_cq_end(rq->wq.cq, cqe, rq->wq.ci, GIN_CQE_RESP_SEND);
	rq->wq.ci++;
	rq->wq.count.packets++;
	rq->wq.count.bytes += frame->len;
	rq->wq.count.last_ns = sn_look(dev)->ns;
	dev->stats.rx_delivered++;
}
