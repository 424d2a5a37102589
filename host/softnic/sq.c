/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues. A doorbell (or, on a shared UAR, the record that it makes us
 * read) hands WQEs over: they are counted then, and executed one at a time.
 * All indices are the 16-bit ones of the wire; depth is at most 32768.
 */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WQEBBS_MAX ((GIN_DS_MAX + 3) / 4)
#define INLINE_NONE 0u
#define INLINE_L2 1u

static uint32_t depth(const struct sn_sq *sq)
{
	return sq->wq.mask + 1;
}

static uint8_t *wqebb(const struct sn_sq *sq, uint16_t index)
{
	return sq->wq.ring + (size_t)(index & sq->wq.mask) * GIN_WQEBB;
}

static uint32_t read_context(struct sn_cmd *c, struct sn_sq *sq)
{
	const uint8_t *in = c->in;

	sq->wq.flush_in_error = (uint8_t)prm_get(in, PRM_AT_CTX, PRM_SQC_FLUSH_IN_ERROR_EN);
	sq->min_inline_mode = (uint8_t)prm_get(in, PRM_AT_CTX, PRM_SQC_MIN_WQE_INLINE_MODE);
	if (sq->min_inline_mode > INLINE_L2)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "min_wqe_inline_mode %u: only 0 (none) and 1 (L2)",
				 sq->min_inline_mode);
	if (prm_get(in, PRM_AT_CTX, PRM_SQC_ALLOW_MULTI_PKT_SEND_WQE) || prm_get(in, PRM_AT_CTX, PRM_SQC_REG_UMR) ||
	    prm_get(in, PRM_AT_CTX, PRM_SQC_CD_MASTER) || prm_get(in, PRM_AT_CTX, PRM_SQC_ALLOW_SWP))
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "no multi-packet WQE, UMR, cross channel, parser hints");
	if (prm_get(in, PRM_AT_CTX, PRM_SQC_TIS_LST_SZ) != 1)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_VALUE, "tis_lst_sz is not 1");
	return PRM_OK;
}

static void set_rules(struct sn_sq *sq)
{
	const struct sn_profile *p = &sn_wq_dev(&sq->wq)->profile;

	sq->rules.sqn = sq->wq.o.number;
	sq->rules.max_ds = GIN_DS_MAX; /* below max_wqe_sz_sq / 16 */
	sq->rules.min_inline = p->inline_mode || sq->min_inline_mode ? GIN_ETH_L2_INLINE : 0;
	sq->rules.vlan_insert = !(p->lacks & SN_LACKS_WQE_VLAN_INSERT);
}

static uint32_t sq_init(struct sn_cmd *c, struct sn_sq *sq)
{
	uint32_t status = read_context(c, sq);

	if (!status)
		sq->tis = (struct sn_tis *)sn_cmd_find(c, SN_TIS, (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_SQC_TIS_NUM_0),
						       &status);
	if (!status)
		sq->uar = (struct sn_uar *)sn_cmd_find(c, SN_UAR, (uint32_t)prm_get(c->in, PRM_AT_WQ, PRM_WQ_UAR_PAGE),
						       &status);
	if (!status)
		status = sn_wq_create(c, &sq->wq, (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_SQC_CQN), 6, 6);
	return status;
}

uint32_t sn_sq_create(struct sn_cmd *c)
{
	struct sn_sq *sq = calloc(1, sizeof(*sq));
	uint32_t status;

	if (!sq)
		return sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	status = sq_init(c, sq);
	if (status)
		goto err_free;
	sq->packet = calloc(depth(sq), 1);
	if (c->ctx->dev->profile.adversary)
		sq->late = calloc(1, sizeof(*sq->late));
	status = sq->packet ? sn_cmd_add(c, SN_SQ, &sq->wq.o)
			    : sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	if (status)
		goto err_wq;
	sn_ref(&sq->tis->o);
	sn_ref(&sq->uar->o);
	sn_wq_reset(&sq->wq);
	set_rules(sq);
	return PRM_OK;

err_wq:
	sn_wq_free(&sq->wq);
	free(sq->packet);
	free(sq->late);
err_free:
	free(sq);
	return status;
}

static void set_busy(struct sn_sq *sq, int busy)
{
	struct sn_device *dev = sn_wq_dev(&sq->wq);

	if (sq->busy == busy)
		return;
	sq->busy = (uint8_t)busy;
	dev->n_busy += busy ? 1u : -1u;
	if (busy)
		TAILQ_INSERT_TAIL(&dev->busy, sq, in_busy);
	else
		TAILQ_REMOVE(&dev->busy, sq, in_busy);
}

static int is_late(const struct sn_sq *sq)
{
	return sq->late && sq->late->state;
}

static void forget_late(struct sn_sq *sq)
{
	sn_adv_forget(sn_wq_dev(&sq->wq), sq);
	sq->late->state = SN_NOT_LATE;
}

static int send_late(struct sn_sq *sq);

/* Covered packets that will never be sent. */
static void abandon(struct sn_sq *sq)
{
	struct sn_device *dev = sn_wq_dev(&sq->wq);
	uint64_t n;

	if (is_late(sq) && send_late(sq))
		forget_late(sq);
	n = sq->covered - sq->done;
	dev->stats.tx_drop_queue_error += n;
	sq->wq.count.drops += n;
	sq->done = sq->covered;
	sq->wq.ci = sq->wq.pi;
	set_busy(sq, 0);
}

void sn_sq_free_obj(struct sn_obj *obj)
{
	struct sn_sq *sq = (struct sn_sq *)obj;

	abandon(sq);
	sn_unref(&sq->tis->o);
	sn_unref(&sq->uar->o);
	sn_wq_free(&sq->wq);
	free(sq->packet);
	free(sq->late);
	free(sq);
}

uint32_t sn_sq_modify(struct sn_cmd *c)
{
	uint32_t to = (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_SQC_STATE), status = PRM_OK;
	struct sn_sq *sq;

	sq = (struct sn_sq *)sn_cmd_find(c, SN_SQ, (uint32_t)prm_get(c->in, 0, PRM_MODIFY_SQ_SQN), &status);
	if (!sq)
		return status;
	if (prm_get(c->in, 0, PRM_MODIFY_SQ_MODIFY_BITMASK))
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_BITMASK, "no rate limits: modify_bitmask must be 0");
	status = sn_wq_modify_check(c, &sq->wq, (uint32_t)prm_get(c->in, 0, PRM_MODIFY_SQ_SQ_STATE), to);
	if (status)
		return status;
	if (to == PRM_STATE_ERR) {
		sn_sq_fail(sq);
	} else if (to == PRM_STATE_RST) {
		abandon(sq);
		sn_wq_reset(&sq->wq);
	} else {
		sq->wq.state = PRM_STATE_RDY;
	}
	return PRM_OK;
}

uint32_t sn_sq_query(struct sn_cmd *c)
{
	uint32_t status = PRM_OK;
	const struct sn_sq *sq;

	sq = (const struct sn_sq *)sn_cmd_find(c, SN_SQ, (uint32_t)prm_get(c->in, 0, PRM_OBJ_NUMBER), &status);
	if (!sq)
		return status;
	sn_wq_query(&sq->wq, c->out);
	prm_set(c->out, PRM_AT_CTX, PRM_SQC_FLUSH_IN_ERROR_EN, sq->wq.flush_in_error);
	prm_set(c->out, PRM_AT_CTX, PRM_SQC_MIN_WQE_INLINE_MODE, sq->min_inline_mode);
	prm_set(c->out, PRM_AT_CTX, PRM_SQC_TIS_LST_SZ, 1);
	prm_set(c->out, PRM_AT_CTX, PRM_SQC_TIS_NUM_0, sq->tis->o.number);
	prm_set(c->out, PRM_AT_WQ, PRM_WQ_UAR_PAGE, sq->uar->o.number);
	return PRM_OK;
}

/* WQEBBs of the WQE at index; 0: its size is 0 or passes the producer index. */
static uint32_t wqe_size(const struct sn_sq *sq, uint16_t index)
{
	uint32_t n = (sn_wqe_ds(wqebb(sq, index)) + 3) / 4;

	return n <= (uint16_t)(sq->wq.pi - index) ? n : 0;
}

/*
 * tx_posted counts here, at the doorbell, so WQEs that wait for a full wire are
 * in the sum. A WQE that cannot be measured counts as one packet; it will put
 * the queue in error, and nothing behind it can be told apart.
 */
static void count_posted(struct sn_sq *sq, uint16_t from)
{
	struct sn_device *dev = sn_wq_dev(&sq->wq);
	uint32_t n;

	for (; from != sq->wq.pi; from = (uint16_t)(from + n)) {
		const uint8_t *wqe = wqebb(sq, from);
		uint8_t is_packet;

		n = wqe_size(sq, from);
		is_packet = !n || wqe[3] != GIN_OP_NOP;
		sq->packet[from & sq->wq.mask] = is_packet;
		sq->covered += is_packet;
		sq->wq.count.posted += is_packet;
		dev->stats.tx_posted += is_packet;
		if (!n)
			return;
		sn_adv_saw(&sq->wq, from, n);
	}
}

static void flush(struct sn_sq *sq);

void sn_sq_cover(struct sn_sq *sq, uint16_t producer)
{
	uint32_t ahead = (uint16_t)(producer - sq->wq.pi), pending = (uint16_t)(sq->wq.pi - sq->wq.ci);
	uint16_t from = sq->wq.pi;

	if (!ahead)
		return; /* rung twice */
	if (ahead > depth(sq) - pending) {
		/* Far ahead is behind: an older doorbell that came late. In between is a mistake. */
		if (ahead < 0x8000)
			sn_ignored(sn_wq_dev(&sq->wq), &sq->wq.said, SN_SAID_INDEX,
				   "SQ 0x%x: producer index %u is %u WQEBBs ahead, %u of %u are free: doorbell ignored",
				   sq->wq.o.number, producer, ahead, depth(sq) - pending, depth(sq));
		return;
	}
	sq->wq.pi = producer;
	count_posted(sq, from);
	if (sq->wq.state == PRM_STATE_ERR)
		flush(sq);
	else
		set_busy(sq, 1);
}

void sn_sq_cover_record(struct sn_sq *sq)
{
	struct gin_be32 raw;

	raw.raw = __atomic_load_n(&sq->wq.dbrec->snd.raw, __ATOMIC_ACQUIRE);
	sn_sq_cover(sq, (uint16_t)gin_from_be32(raw));
}

void sn_sq_refuse(struct sn_sq *sq)
{
	static const char *const names[] = { "RST", "RDY", "2", "ERR" };

	sn_ignored(sn_wq_dev(&sq->wq), &sq->wq.said, SN_SAID_STATE, "SQ 0x%x: doorbell in state %s, not RDY: ignored",
		   sq->wq.o.number, names[sq->wq.state & 3]);
}

static void rest_if_done(struct sn_sq *sq)
{
	if (sq->wq.ci == sq->wq.pi && !is_late(sq))
		set_busy(sq, 0);
}

/* Past this WQE, and tell software. */
static int advance(struct sn_sq *sq, const struct sn_send *send, uint32_t n)
{
	struct gin_cqe *cqe;
	uint16_t index = sq->wq.ci;

	sq->wq.ci = (uint16_t)(index + n);
	rest_if_done(sq);
	if (send->ce < GIN_CE_ALWAYS)
		return 0;
	cqe = sn_cq_begin(sq->wq.cq);
	if (!cqe) {
		sn_sq_fail(sq);
		return 0;
	}
	memset(cqe, 0, GIN_CQE_TAIL);
	cqe->user_index = gin_to_be32(sq->wq.user_index);
	cqe->timestamp = gin_to_be64(sn_timestamp(&sq->wq));
	cqe->sop_drop_qpn = gin_to_be32((uint32_t)send->opcode << 24 | sq->wq.o.number);
	sn_cq_end(sq->wq.cq, cqe, index, GIN_CQE_REQ);
	return 0;
}

static int complete(struct sn_sq *sq, const struct sn_send *send, uint32_t n)
{
	sq->done += sq->packet[sq->wq.ci & sq->wq.mask];
	return advance(sq, send, n);
}

/* Everything that waits gets a CQE with syndrome 0x05, if the queue asked for that. */
static void flush(struct sn_sq *sq)
{
	uint32_t n;

	while (sq->wq.flush_in_error && sq->wq.ci != sq->wq.pi) {
		n = wqe_size(sq, sq->wq.ci);
		if (!n || sn_cq_write_error(&sq->wq, GIN_CQE_REQ_ERR, GIN_SYND_FLUSHED, 0, wqebb(sq, sq->wq.ci)[3],
					    sq->wq.ci))
			break;
		sq->wq.ci = (uint16_t)(sq->wq.ci + n);
	}
	abandon(sq);
}

void sn_sq_fail(struct sn_sq *sq)
{
	if (sq->wq.state == PRM_STATE_ERR)
		return;
	sq->wq.state = PRM_STATE_ERR;
	sn_event_post(sq->wq.o.ctx, GIN_EV_SQ_FATAL, sq->wq.o.number);
	flush(sq);
}

static int error(struct sn_sq *sq, uint32_t syndrome, uint32_t vendor, const char *why)
{
	uint16_t index = sq->wq.ci;
	uint32_t n = wqe_size(sq, index), opcode = wqebb(sq, index)[3];

	sn_note(sn_wq_dev(&sq->wq), GIN_LOG_WARNING, "soft: SQ 0x%x: WQE at index %u: %s; the queue is in error",
		sq->wq.o.number, index, why);
	/* The bad WQE is counted with those behind it; without a size they cannot be found. */
	sq->wq.ci = n ? (uint16_t)(index + n) : sq->wq.pi;
	sn_cq_write_error(&sq->wq, GIN_CQE_REQ_ERR, syndrome, vendor, opcode, index);
	sn_sq_fail(sq);
	return 0;
}

/* The WQE of n WQEBBs in one piece, *bytes long: where it stands, or, when it wraps at the ring's end, a copy. */
static const uint8_t *whole_wqe(const struct sn_sq *sq, uint16_t index, uint32_t n, uint8_t *copy, uint32_t *bytes)
{
	uint32_t to_end = (depth(sq) - (index & sq->wq.mask)) * GIN_WQEBB;

	*bytes = n * GIN_WQEBB;
	if (*bytes <= to_end)
		return wqebb(sq, index);
	memcpy(copy, wqebb(sq, index), to_end);
	memcpy(copy + to_end, sq->wq.ring, *bytes - to_end);
	return copy;
}

/* The WQE at index, n WQEBBs long: syndrome, 0: fine. */
static uint32_t decode(struct sn_sq *sq, uint16_t index, uint32_t n, struct sn_send *send, const char **why)
{
	uint8_t copy[WQEBBS_MAX * GIN_WQEBB] __attribute__((aligned(16)));
	const uint8_t *wqe;
	uint32_t bytes;

	sq->rules.index = index;
	wqe = whole_wqe(sq, index, n, copy, &bytes);
	return sn_wqe_decode(wqe, bytes, &sq->rules, send, why);
}

/* A WQE that software took for done is not what it was: it was written over too early. */
static int error_late(struct sn_sq *sq, uint32_t syndrome, const char *why)
{
	uint16_t index = sq->late->index;

	sn_note(sn_wq_dev(&sq->wq), GIN_LOG_WARNING,
		"soft: SQ 0x%x: WQE at index %u, read again after its CQE and before an acquire: %s; the queue is in error",
		sq->wq.o.number, index, why);
	forget_late(sq);
	sn_cq_write_error(&sq->wq, GIN_CQE_REQ_ERR, syndrome, 0, GIN_OP_SEND, index);
	sn_sq_fail(sq);
	return 0;
}

/*
 * The adversary's other half: what a CQE says is done is promised only to a
 * reader that made an acquire behind it. Until then WQE and packet may still
 * be read, so a writer that came too early is seen on the wire.
 */
int sn_sq_read_late(struct sn_sq *sq)
{
	struct sn_frame frame = { NULL, 0 };
	enum sn_fault fault = SN_FAULT_NONE;
	struct sn_late *late = sq->late;
	const char *why = "";
	struct sn_send send;
	uint32_t syndrome;

	if (late->state != SN_LATE_UNREAD)
		return 0;
	syndrome = decode(sq, late->index, 1, &send, &why); /* begin_late() takes no longer ones */
	if (!syndrome && (send.opcode != GIN_OP_SEND || send.len + 4 > SN_FRAME_MAX)) {
		syndrome = GIN_SYND_LOCAL_QP_OP;
		why = "it is another one";
	}
	if (!syndrome && sn_frame_build(&sq->wq, &send, &frame, &fault)) {
		syndrome = GIN_SYND_LOCAL_PROT;
		why = sn_fault_text(fault);
	}
	if (syndrome) {
		error_late(sq, syndrome, why);
		return -EIO;
	}
	memcpy(late->frame, frame.data, frame.len);
	late->len = frame.len;
	late->state = SN_LATE_READ;
	return 0;
}

/* 0, also when the queue failed instead; -EAGAIN: the wire is full. */
static int send_late(struct sn_sq *sq)
{
	struct sn_frame frame;
	int err;

	if (sn_sq_read_late(sq))
		return 0;
	frame.data = sq->late->frame;
	frame.len = sq->late->len;
	err = sn_port_send(sn_wq_dev(&sq->wq), &frame, sq->tis->td, &sq->wq.count);
	if (err)
		return err;
	forget_late(sq);
	sq->done++;
	rest_if_done(sq);
	return 0;
}

/* The CQE first, if the adversary likes: only for what ends at its first WQEBB, as a card reads whole WQEs. */
static int begin_late(struct sn_sq *sq, const struct sn_send *send, uint32_t n)
{
	struct sn_device *dev = sn_wq_dev(&sq->wq);

	if (!sq->late || !sn_adv_on(dev) || n > 1 || send->ce < GIN_CE_ALWAYS || !sn_adv_coin(dev) ||
	    sn_adv_hold_read(dev, sq))
		return 0;
	sq->late->state = SN_LATE_UNREAD;
	sq->late->index = sq->wq.ci;
	return 1;
}

/* 0 or -EAGAIN: the wire is full; the WQE stays where it is, and its memory with it, and is read again later. */
static int send_packet(struct sn_sq *sq, const struct sn_send *send, uint32_t n)
{
	struct sn_device *dev = sn_wq_dev(&sq->wq);
	enum sn_fault fault = SN_FAULT_NONE;
	struct sn_frame frame = { NULL, 0 };
	int err;

	if (send->len + 4 > SN_FRAME_MAX) {
		SN_DROP(dev, tx_drop_too_long, &frame);
		sq->wq.count.drops++;
		return complete(sq, send, n);
	}
	if (sn_frame_build(&sq->wq, send, &frame, &fault))
		return error(sq, GIN_SYND_LOCAL_PROT, fault, sn_fault_text(fault));
	if (begin_late(sq, send, n))
		return advance(sq, send, n);
	err = sn_port_send(dev, &frame, sq->tis->td, &sq->wq.count);
	return err ? err : complete(sq, send, n);
}

int sn_sq_step(struct sn_sq *sq)
{
	struct sn_send send;
	const char *why = "";
	uint32_t n, syndrome;

	if (is_late(sq))
		return send_late(sq);
	n = wqe_size(sq, sq->wq.ci);
	if (!n)
		return error(sq, GIN_SYND_LOCAL_QP_OP, 0, "its size (ds) is 0 or passes the producer index");
	if (sn_adv_changed(&sq->wq, sq->wq.ci, n))
		return error(sq, GIN_SYND_LOCAL_QP_OP, 0, "it was changed while it was the NIC's");
	syndrome = decode(sq, sq->wq.ci, n, &send, &why);
	if (syndrome)
		return error(sq, syndrome, 0, why);
	if ((send.opcode != GIN_OP_NOP) != sq->packet[sq->wq.ci & sq->wq.mask])
		return error(sq, GIN_SYND_LOCAL_QP_OP, 0, "it was changed while it was the NIC's");
	if (send.opcode == GIN_OP_NOP)
		return complete(sq, &send, n);
	if (send.opcode != GIN_OP_SEND)
		return error(sq, GIN_SYND_LOCAL_QP_OP, 0, "this NIC only sends with opcode SEND (0x0a)");
	return send_packet(sq, &send, n);
}

uint32_t sn_sq_in_flight(const struct sn_sq *sq)
{
	return (uint16_t)(sq->wq.pi - sq->wq.ci);
}
