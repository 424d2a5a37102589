/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The software NIC between a user who writes what he likes and a wire on which
 * anything may come. Each input is a short program on a fresh device that has
 * a send queue, a receive queue and a rule: mailboxes, stores to rings and
 * records, doorbells, frames, engine steps. Checked: memory (AddressSanitizer:
 * ring and buffers end where their allocation ends), that each command answers,
 * that counters add up, and that closing frees all.
 */
#include "nic/ops.h"
#include "prm/prm.h"
#include "softnic/pure.h"
#include "softnic/softnic.h"
#include "fuzz.h"
#include <errno.h>
#include <ginet/hw/cqe.h>
#include <ginet/hw/dbrec.h>
#include <ginet/hw/wqe.h>
#include <ginet/log.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
const char *__asan_default_options(void);

#define MAILBOX_MAX 0x420u
#define LOG_DEPTH 4u
#define DEPTH (1u << LOG_DEPTH)
#define DATA_VA 0x10000u

/* The memory that the NIC may reach; offsets are those of the umem and, from DATA_VA on, of the memory key. */
enum {
	SQ_RING = 0x0000, RQ_RING = 0x0400, SEND_CQ = 0x0800, RECV_CQ = 0x0c00, SQ_RECORD = 0x1000, RQ_RECORD = 0x1040,
	SEND_CQ_RECORD = 0x1080, RECV_CQ_RECORD = 0x10c0, DATA = 0x2000, MEM_LEN = 0x3000,
};

struct machine {
	struct sn_device *dev;
	struct sn_ctx *ctx;
	uint8_t *mem, *uar;
	uint32_t pdn, uar_page, umem, lkey, td, tisn, send_cq, recv_cq, sqn, rqn, tirn, rule;
	uint16_t producer;
};

struct input { const uint8_t *p; size_t left; };

static uint32_t take8(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->p++;
}

static uint32_t take16(struct input *in)
{
	uint32_t high = take8(in);

	return high << 8 | take8(in);
}

static size_t take_bytes(struct input *in, uint8_t *to, size_t n)
{
	if (n > in->left)
		n = in->left;
	memcpy(to, in->p, n);
	in->p += n;
	in->left -= n;
	return n;
}

/* Few and far between: offset and what to turn over. */
static void patch(struct input *in, uint8_t *bytes, size_t len)
{
	uint32_t n = take8(in) % 8;

	while (n--) {
		uint32_t off = take16(in);

		bytes[off % len] ^= (uint8_t)take8(in);
	}
}

/* The same clock and numbers for every input: a finding is reproducible. */
static uint64_t ticks, rng;

static uint64_t now_ns(void *ctx)
{
	(void)ctx;
	return ticks += 100;
}

static uint64_t random64(void *ctx, enum gin_rng stream) /* splitmix64 */
{
	uint64_t z = rng += 0x9e3779b97f4a7c15 + stream;

	(void)ctx;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static const struct gin_env env = { now_ns, random64, NULL };

/* out is as long as it claims, so that a byte too many is seen. */
static uint32_t command(struct machine *m, const uint8_t *in, size_t in_len, size_t out_len, int strict)
{
	uint8_t *out = malloc(out_len + !out_len);
	uint32_t number = 0;
	int r;

	memset(out, 0xee, out_len);
	r = sn_cmd(m->ctx, in, in_len, out, out_len, strict);
	if (in_len < PRM_SHORT_LEN || out_len < PRM_SHORT_LEN) {
		FUZZ_CHECK(r == -EINVAL);
	} else {
		FUZZ_CHECK(r == 0 || r == -EREMOTEIO);
		FUZZ_CHECK((r == 0) == (prm_out_status(out) == PRM_OK));
		number = r ? 0 : prm_out_number(out);
	}
	free(out);
	return number;
}

static uint32_t create(struct machine *m, const uint8_t *in, size_t in_len)
{
	uint32_t number = command(m, in, in_len, PRM_SHORT_LEN, 1);

	FUZZ_CHECK(number);
	return number;
}

enum template {
	NOTHING, HCA_CAP, NIC_VPORT, VPORT_STATE, ALLOC_TD, CREATE_TIS, CREATE_CQ, CREATE_SQ, CREATE_RQ, CREATE_TIR, SQ_READY,
	RQ_READY, SQ_RESET, RQ_RESET, SQ_QUERY, RQ_QUERY, CQ_QUERY, TIS_QUERY, TIR_QUERY, TD_DEALLOC, TIS_DESTROY,
	SQ_DESTROY, RQ_DESTROY, CQ_DESTROY, TIR_DESTROY, N_TEMPLATES,
};

static size_t build_cq(const struct machine *m, uint8_t *in, uint32_t ring, uint32_t record, int collapsed)
{
	struct prm_cq cq = { .log_size = LOG_DEPTH, .uar_page = m->uar_page, .eqn = sn_eqn(m->ctx),
			     .collapsed = (uint8_t)collapsed, .overrun_ignore = 1, .ring = { m->umem, ring },
			     .dbrec = { m->umem, record } };

	prm_build_create_cq(in, &cq);
	return PRM_CREATE_LEN;
}

static size_t build_sq(const struct machine *m, uint8_t *in)
{
	struct prm_sq sq = { .cqn = m->send_cq, .tisn = m->tisn, .user_index = 1, .ts_format = 2,
			     .wq = { LOG_DEPTH, 6, m->pdn, m->uar_page, { m->umem, SQ_RING }, { m->umem, SQ_RECORD } } };

	prm_build_create_sq(in, &sq);
	return PRM_CREATE_LEN;
}

static size_t build_rq(const struct machine *m, uint8_t *in)
{
	struct prm_rq rq = { .cqn = m->recv_cq, .user_index = 2, .ts_format = 2,
			     .wq = { LOG_DEPTH, 4, m->pdn, m->uar_page, { m->umem, RQ_RING }, { m->umem, RQ_RECORD } } };

	prm_build_create_rq(in, &rq);
	return PRM_CREATE_LEN;
}

/* A mailbox that is right; returns its length. */
static size_t build(const struct machine *m, enum template what, uint8_t in[MAILBOX_MAX])
{
	memset(in, 0, MAILBOX_MAX);
	switch (what) {
	case HCA_CAP:
		return prm_build_query_hca_cap(in, 0, 1), PRM_SHORT_LEN;
	case NIC_VPORT:
		return prm_build_query_nic_vport(in), PRM_SHORT_LEN;
	case VPORT_STATE:
		return prm_build_query_vport_state(in), PRM_SHORT_LEN;
	case ALLOC_TD:
		return prm_build_alloc_td(in), PRM_SHORT_LEN;
	case CREATE_TIS:
		return prm_build_create_tis(in, m->td), PRM_TIS_LEN;
	case CREATE_CQ:
		return build_cq(m, in, RECV_CQ, RECV_CQ_RECORD, 0);
	case CREATE_SQ:
		return build_sq(m, in);
	case CREATE_RQ:
		return build_rq(m, in);
	case CREATE_TIR:
		return prm_build_create_tir(in, m->rqn, m->td, 1), PRM_CREATE_LEN;
	case SQ_READY:
		return prm_build_modify_sq(in, m->sqn, PRM_STATE_RST, PRM_STATE_RDY), PRM_MODIFY_LEN;
	case RQ_READY:
		return prm_build_modify_rq(in, m->rqn, PRM_STATE_RST, PRM_STATE_RDY), PRM_MODIFY_LEN;
	case SQ_RESET:
		return prm_build_modify_sq(in, m->sqn, PRM_STATE_ERR, PRM_STATE_RST), PRM_MODIFY_LEN;
	case RQ_RESET:
		return prm_build_modify_rq(in, m->rqn, PRM_STATE_ERR, PRM_STATE_RST), PRM_MODIFY_LEN;
	case SQ_QUERY:
		return prm_build_query(in, PRM_OP_QUERY_SQ, m->sqn), PRM_SHORT_LEN;
	case RQ_QUERY:
		return prm_build_query(in, PRM_OP_QUERY_RQ, m->rqn), PRM_SHORT_LEN;
	case CQ_QUERY:
		return prm_build_query(in, PRM_OP_QUERY_CQ, m->send_cq), PRM_SHORT_LEN;
	case TIS_QUERY:
		return prm_build_query(in, PRM_OP_QUERY_TIS, m->tisn), PRM_SHORT_LEN;
	case TIR_QUERY:
		return prm_build_query(in, PRM_OP_QUERY_TIR, m->tirn), PRM_SHORT_LEN;
	case TD_DEALLOC:
		return prm_build_destroy(in, PRM_OP_DEALLOC_TD, m->td), PRM_SHORT_LEN;
	case TIS_DESTROY:
		return prm_build_destroy(in, PRM_OP_DESTROY_TIS, m->tisn), PRM_SHORT_LEN;
	case SQ_DESTROY:
		return prm_build_destroy(in, PRM_OP_DESTROY_SQ, m->sqn), PRM_SHORT_LEN;
	case RQ_DESTROY:
		return prm_build_destroy(in, PRM_OP_DESTROY_RQ, m->rqn), PRM_SHORT_LEN;
	case CQ_DESTROY:
		return prm_build_destroy(in, PRM_OP_DESTROY_CQ, m->recv_cq), PRM_SHORT_LEN;
	case TIR_DESTROY:
		return prm_build_destroy(in, PRM_OP_DESTROY_TIR, m->tirn), PRM_SHORT_LEN;
	case NOTHING:
	case N_TEMPLATES:
		break;
	}
	return PRM_SHORT_LEN;
}

static void init_memory(struct machine *m)
{
	uint32_t i;

	m->mem = aligned_alloc(0x1000, MEM_LEN);
	memset(m->mem, 0, MEM_LEN);
	for (i = 0; i < DEPTH; i++) {
		m->mem[SEND_CQ + i * 64 + 63] = GIN_CQE_INIT;
		m->mem[RECV_CQ + i * 64 + 63] = GIN_CQE_INIT;
	}
}

static void register_memory(struct machine *m)
{
	struct gin_mem_ref ref = { .cpu = m->mem, .va = DATA_VA, .len = MEM_LEN, .dmabuf_fd = -1 };
	uint32_t rkey, i;

	FUZZ_CHECK(!sn_umem_reg(m->ctx, &ref, &m->umem));
	FUZZ_CHECK(!sn_mr_reg(m->ctx, m->pdn, &ref, GIN_MR_LOCAL_WRITE, &m->lkey, &rkey));
	for (i = 0; i < DEPTH; i++) {
		struct gin_wqe_data slot = { gin_to_be32(0x80), gin_to_be32(m->lkey), gin_to_be64(DATA_VA + DATA + i * 0x80) };

		memcpy(m->mem + RQ_RING + i * GIN_DS, &slot, sizeof(slot));
	}
}

static void create_objects(struct machine *m)
{
	struct gin_nic_rule_spec all = { .to = GIN_NIC_TO_TIR };
	uint8_t in[MAILBOX_MAX];

	m->td = create(m, in, build(m, ALLOC_TD, in));
	m->tisn = create(m, in, build(m, CREATE_TIS, in));
	m->send_cq = create(m, in, build_cq(m, in, SEND_CQ, SEND_CQ_RECORD, 1));
	m->recv_cq = create(m, in, build(m, CREATE_CQ, in));
	m->sqn = create(m, in, build(m, CREATE_SQ, in));
	m->rqn = create(m, in, build(m, CREATE_RQ, in));
	command(m, in, build(m, SQ_READY, in), PRM_SHORT_LEN, 1);
	command(m, in, build(m, RQ_READY, in), PRM_SHORT_LEN, 1);
	m->tirn = create(m, in, build(m, CREATE_TIR, in));
	FUZZ_CHECK(!sn_rule_add(m->ctx, &all, m->tirn, &m->rule));
}

static void machine_open(struct machine *m, uint32_t options)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 2 };
	struct sn_profile profile = { .model = SN_CX6DX, .mtu = 1500, .promisc_allowed = 1, .wire = "test" };
	void *page;

	memcpy(profile.mac, mac, sizeof(mac));
	profile.shared_uar = options & 1;
	profile.adversary = options >> 1 & 1;
	profile.inline_mode = options >> 2 & 1;
	profile.first_index = options & 8 ? 0xfffa : 0;
	memset(m, 0, sizeof(*m));
	m->producer = (uint16_t)profile.first_index;
	init_memory(m);
	FUZZ_CHECK(!sn_device_create(&profile, &env, &m->dev));
	FUZZ_CHECK(!sn_open(m->dev, &m->ctx));
	FUZZ_CHECK(!sn_pd_alloc(m->ctx, &m->pdn));
	FUZZ_CHECK(!sn_uar_alloc(m->ctx, &m->uar_page, &page));
	m->uar = page;
	register_memory(m);
	create_objects(m);
}

static void do_raw(struct machine *m, struct input *in)
{
	uint32_t len = take16(in) % MAILBOX_MAX, out_len = take16(in) % 0x1100;
	uint8_t *mailbox = malloc(len + !len);

	memset(mailbox, 0, len);
	take_bytes(in, mailbox, len);
	command(m, mailbox, len, out_len, (int)(take8(in) & 1));
	free(mailbox);
}

/* Later templates speak of the newest object of a kind. */
static void adopt(struct machine *m, enum template what, uint32_t number)
{
	uint32_t *const newest[N_TEMPLATES] = { [ALLOC_TD] = &m->td, [CREATE_TIS] = &m->tisn, [CREATE_CQ] = &m->recv_cq,
						[CREATE_SQ] = &m->sqn, [CREATE_RQ] = &m->rqn, [CREATE_TIR] = &m->tirn };

	if (number && newest[what])
		*newest[what] = number;
}

static void do_template(struct machine *m, struct input *in)
{
	enum template what = (enum template)(take8(in) % N_TEMPLATES);
	uint32_t options = take8(in), number;
	uint8_t mailbox[MAILBOX_MAX], *exact;
	size_t len = build(m, what, mailbox);

	patch(in, mailbox, len);
	exact = malloc(len);
	memcpy(exact, mailbox, len);
	number = command(m, exact, len, options & 2 ? PRM_CAP_OUT_LEN : options & 4 ? PRM_QUERY_OUT_LEN : PRM_SHORT_LEN,
			 options & 1);
	adopt(m, what, number);
	free(exact);
}

static void do_store(struct machine *m, struct input *in)
{
	uint32_t off = take16(in) % MEM_LEN, len = take8(in) % 128;

	take_bytes(in, m->mem + off, len < MEM_LEN - off ? len : MEM_LEN - off);
}

static void ring(struct machine *m, uint32_t producer, uint32_t number)
{
	uint64_t doorbell = gin_doorbell(producer, gin_to_be32(number << 8));

	if (!m->uar)
		return;
	memcpy(m->uar + GIN_UAR_SQ_DOORBELL, &doorbell, sizeof(doorbell));
	sn_engine_rang();
}

static void do_doorbell(struct machine *m, struct input *in)
{
	uint32_t producer = take16(in);

	ring(m, producer, m->sqn ^ take8(in));
}

static void do_frame(struct machine *m, struct input *in)
{
	uint8_t frame[256];
	size_t len = take_bytes(in, frame, take8(in));

	sn_test_put(m->dev, frame, len);
}

/* A send that is right but for what the input turns over in its first WQEBB. */
static void do_post(struct machine *m, struct input *in)
{
	uint8_t *wqe = m->mem + SQ_RING + m->producer % DEPTH * GIN_WQEBB;
	struct gin_wqe_ctrl ctrl = { .opmod_idx_opcode = gin_to_be32((uint32_t)m->producer << 8 | GIN_OP_SEND),
				     .qpn_ds = gin_to_be32(m->sqn << 8 | 3), .fm_ce_se = GIN_CE_ALWAYS };
	struct gin_wqe_data data = { gin_to_be32(60 + take8(in)), gin_to_be32(m->lkey), gin_to_be64(DATA_VA + DATA) };
	struct gin_be32 record;

	memset(wqe, 0, GIN_WQEBB);
	memcpy(wqe, &ctrl, sizeof(ctrl));
	memcpy(wqe + 0x20, &data, sizeof(data));
	patch(in, wqe, GIN_WQEBB);
	m->producer++;
	record = gin_to_be32(m->producer);
	memcpy(m->mem + SQ_RECORD + offsetof(struct gin_dbrec, snd), &record, sizeof(record));
	ring(m, m->producer, m->sqn);
}

static void do_credit(struct machine *m, struct input *in)
{
	struct gin_be32 record = gin_to_be32(take8(in));

	memcpy(m->mem + RQ_RECORD, &record, sizeof(record));
}

static void do_steps(struct machine *m, struct input *in)
{
	uint32_t n = take8(in) % 16, which = take8(in), ready;

	(void)m;
	while (n-- && (ready = sn_engine_n_ready(NULL)))
		sn_engine_step(NULL, which % ready);
}

static void do_take(struct machine *m, struct input *in)
{
	uint8_t frame[64];

	(void)in;
	sn_test_take(m->dev, frame, sizeof(frame));
}

/* What goes by the kernel driver's own calls. Whether they succeed is the input's business. */
static void do_driver(struct machine *m, struct input *in)
{
	struct gin_nic_queue_counters counters;
	struct gin_nic_event event;
	uint64_t packets, bytes;
	uint32_t x;

	switch (take8(in) % 11) {
	case 0:
		sn_pd_free(m->ctx, m->pdn);
		break;
	case 1:
		if (m->uar && !sn_uar_free(m->ctx, m->uar_page))
			m->uar = NULL;
		break;
	case 2:
		sn_umem_dereg(m->ctx, m->umem);
		break;
	case 3:
		sn_mr_dereg(m->ctx, m->lkey ^ take8(in));
		break;
	case 4:
		sn_rule_del(m->ctx, m->rule);
		break;
	case 5:
		sn_rule_count(m->ctx, m->rule, &packets, &bytes);
		break;
	case 6:
		sn_port_promisc(m->ctx, (int)(take8(in) & 1));
		break;
	case 7:
		sn_port_set_link(m->dev, (int)(take8(in) & 1));
		break;
	case 8:
		sn_event_next(m->ctx, &event);
		break;
	case 9:
		x = take8(in) & 1;
		sn_queue_counters(m->ctx, x ? m->sqn : m->rqn, (int)(take8(in) & 1), &counters);
		break;
	case 10:
		sn_engine_acquired(0);
		break;
	}
}

static void do_rule(struct machine *m, struct input *in)
{
	uint8_t mask[SN_MATCH_LEN] = { 0 }, value[SN_MATCH_LEN] = { 0 };
	struct gin_nic_rule_spec spec = { .mask = mask, .value = value, .priority = take8(in), .tag = take16(in) };
	uint32_t n = take8(in) % 8, off, id;

	spec.to = (enum gin_nic_to)(take8(in) % 3);
	while (n--) {
		off = take16(in) % SN_MATCH_LEN;
		mask[off] = (uint8_t)take8(in);
		value[off] = (uint8_t)(take8(in) & mask[off]);
	}
	if (!sn_rule_add(m->ctx, &spec, m->tirn, &id) && take8(in) & 1)
		m->rule = id;
}

static void check_counters(struct machine *m)
{
	struct gin_nic_counters c;
	const struct gin_nic_stats *s = &c.stats;

	FUZZ_CHECK(!sn_counters(m->dev, &c));
	FUZZ_CHECK(s->rx_wire + s->rx_duplicated ==
		   s->rx_delivered + s->rx_to_host + s->rx_in_flight + s->rx_drop_filter + s->rx_drop_by_rule +
			   s->rx_drop_no_buffer + s->rx_drop_too_long + s->rx_drop_bad_frame + s->rx_drop_queue_error +
			   s->rx_drop_link_down);
	FUZZ_CHECK(s->tx_posted == s->tx_wire + s->tx_in_flight + s->tx_drop_too_long + s->tx_drop_link_down +
					   s->tx_drop_queue_error);
}

static void machine_close(struct machine *m)
{
	sn_close(m->ctx);
	check_counters(m);
	sn_device_destroy(m->dev);
	free(m->mem);
}

static void quiet(enum gin_log_level level, const char *line, void *arg)
{
	(void)level;
	(void)line;
	(void)arg;
}

/* A device has 2 MB of tables: with the usual 256 MB of freed memory kept, each input would touch fresh pages. */
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=16";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	gin_log_to(quiet, NULL);
	sn_engine_set_stepped(1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static void (*const ops[])(struct machine *, struct input *) = {
		do_raw, do_template, do_store, do_doorbell, do_frame, do_post, do_credit, do_steps, do_take,
		do_driver, do_rule,
	};
	struct input in = { data, len };
	struct machine m;

	ticks = rng = 0;
	machine_open(&m, take8(&in));
	while (in.left) {
		ops[take8(&in) % (sizeof(ops) / sizeof(ops[0]))](&m, &in);
		check_counters(&m);
	}
	machine_close(&m);
	return 0;
}
