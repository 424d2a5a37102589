/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the software ConnectX share. All state is read and written
 * with the shard's lock held: the engine holds it during a pass, commands take
 * it between passes. So no counter and no list below is atomic.
 */
#ifndef HOST_SOFTNIC_SN_H
#define HOST_SOFTNIC_SN_H
#include "../log.h"
#include "../prm/prm.h"
#include "pure.h"
#include "softnic.h"
#include "wire.h"
#include <ginet/hw/dbrec.h>
#include <ginet/hw/wqe.h>
#include <pthread.h>
#include <sys/queue.h>

#define SN_MTU_MAX 9216u
#define SN_FRAME_MAX (SN_MTU_MAX + 22u) /* Ethernet header and two VLAN tags */
#define SN_FRAME_MIN 60u                /* without FCS: IEEE 802.3 3.2.8, the MAC pads shorter ones */
#define SN_LOG_MAX_WQ 15u
#define SN_LOG_MAX_CQ 22u
#define SN_MAX_WQE_SQ 1024u
#define SN_MAX_WQE_RQ 512u

/* Objects: obj.c */

enum sn_kind {
	SN_PD, SN_UAR, SN_UMEM, SN_MKEY, SN_TD, SN_TIS, SN_CQ, SN_SQ, SN_RQ, SN_TIR, SN_RULE,
	SN_EQ, /* no objects: only a number that differs from all others */
	SN_KINDS
};

/* First member of each object. Objects refer only to older ones, so freeing the newest first always works. */
struct sn_obj {
	enum sn_kind kind;
	uint32_t number;
	uint32_t refs; /* objects that refer to this one */
	struct sn_ctx *ctx;
	TAILQ_ENTRY(sn_obj) in_ctx;
};
TAILQ_HEAD(sn_obj_list, sn_obj);

struct sn_table {
	uint32_t base, max, next, n;
	struct sn_obj **slot; /* [max] */
};

int sn_numbers_init(struct sn_device *dev);
void sn_numbers_free(struct sn_device *dev);
/* A number for obj: -ENOSPC above the cap. The object then belongs to ctx. */
int sn_obj_add(struct sn_ctx *ctx, enum sn_kind kind, struct sn_obj *obj);
void sn_obj_remove(struct sn_obj *obj);
/* Free an object that nobody refers to, by its kind. */
void sn_obj_free(struct sn_obj *obj);
void sn_ctx_free_objs(struct sn_ctx *ctx);
const char *sn_kind_name(enum sn_kind kind);

/* Lines that are logged once for each object. */
#define SN_SAID_STATE 1u
#define SN_SAID_INDEX 2u
#define SN_SAID_CHANGED 4u
#define SN_SAID_NUMBER 8u
#define SN_SAID_ENTRIES 16u

static inline struct sn_obj *sn_ref(struct sn_obj *obj)
{
	obj->refs++;
	return obj;
}

static inline void sn_unref(struct sn_obj *obj)
{
	obj->refs--;
}

/* PDs and transport domains are plain struct sn_obj. */
struct sn_tis { struct sn_obj o; struct sn_obj *td; uint8_t prio; };

struct sn_uar {
	struct sn_obj o;
	uint8_t *page;
	uint32_t users; /* allocations that share it */
	uint8_t shared;
	uint8_t said;
	uint8_t hot;
	uint32_t idle;  /* passes since it last rang */
	TAILQ_ENTRY(sn_uar) in_dev;
};
TAILQ_HEAD(sn_uar_list, sn_uar);

/* Memory: mem.c */

struct sn_umem {
	struct sn_obj o;
	uint8_t *cpu;
	size_t len;
};

struct sn_mr {
	struct sn_obj o;
	struct sn_obj *pd;
	uint8_t *cpu;
	uint64_t va;
	uint64_t len;
	uint32_t access;
	uint8_t variant;
};

/* Last key used: most queues use one. Void when epoch differs from the device's. */
struct sn_key_cache {
	uint32_t key, epoch;
	const struct sn_mr *mr;
};

/* Why an access was refused; also the vendor syndrome of the error CQE (ours: assumed). */
enum sn_fault {
	SN_FAULT_NONE, SN_FAULT_NO_KEY = 0x81, SN_FAULT_VARIANT, SN_FAULT_PD, SN_FAULT_RANGE, SN_FAULT_RIGHT,
};

struct sn_wq;
uint8_t *sn_dma_look_up(struct sn_wq *wq, uint32_t lkey, uint64_t addr, uint64_t len, uint32_t right,
			enum sn_fault *fault);
const char *sn_fault_text(enum sn_fault fault);

/* Queues: cq.c wq.c sq.c rq.c */

struct sn_cq {
	struct sn_obj o;
	struct sn_uar *uar;
	struct sn_umem *ring_mem, *dbr_mem;
	uint8_t *ring;
	struct gin_dbrec *dbrec;
	uint32_t mask;    /* of the index: entries - 1; collapsed: 0 */
	uint8_t log_size, collapsed, overrun_ignore;
	uint8_t checked;  /* entries were looked at for their initial value */
	uint8_t said;
	uint8_t status;   /* PRM cqc.status: SN_CQ_OK, SN_CQ_OVERFLOW */
	uint8_t arm;      /* PRM cqc.st; nothing arms yet */
	uint32_t pi, ci;  /* ci: as last read from the record */
	uint32_t last_notified, period, max_count;
	uint32_t eqn;
	struct gin_cqe draft;    /* adversary: an entry that is held back is filled in here */
};
#define SN_CQ_OK 0u
#define SN_CQ_OVERFLOW 9u

/* What SQ and RQ have in common; knows no Ethernet. */
struct sn_wq {
	struct sn_obj o;
	struct sn_obj *pd;
	struct sn_umem *ring_mem, *dbr_mem;
	struct sn_cq *cq;
	uint8_t *ring;
	struct gin_dbrec *dbrec;
	uint32_t mask;           /* entries - 1 */
	uint8_t log_size, log_stride;
	uint8_t state;           /* PRM_STATE_* */
	uint8_t flush_in_error, ts_format;
	uint8_t said;            /* lines that were logged, SN_SAID_* */
	uint32_t user_index;
	uint16_t pi, ci;         /* 16 bit running indices: posted, done */
	struct sn_key_cache key;
	struct gin_nic_queue_counters count;
	uint64_t *seen;          /* adversary: hash of each posted entry, else NULL */
};

/* Adversary: a packet whose CQE came before it was read. */
enum sn_late_state { SN_NOT_LATE, SN_LATE_UNREAD, SN_LATE_READ };
struct sn_late {
	enum sn_late_state state;
	uint16_t index;
	uint32_t len;
	uint8_t frame[SN_FRAME_MAX];
};

struct sn_sq {
	struct sn_wq wq;
	struct sn_uar *uar;
	struct sn_tis *tis;
	uint8_t min_inline_mode;
	struct sn_wqe_rules rules;
	uint8_t *packet;         /* [entries] what the covered WQE was when its doorbell came: 1 a packet, 0 not */
	uint64_t covered, done;  /* packets: under a doorbell, ended in any way */
	uint8_t busy;
	struct sn_late *late;    /* adversary, else NULL */
	TAILQ_ENTRY(sn_sq) in_busy;
};
TAILQ_HEAD(sn_sq_list, sn_sq);

struct sn_rq {
	struct sn_wq wq;
	uint8_t vlan_strip;
};

struct sn_tir {
	struct sn_obj o;
	struct sn_rq *rq;
	struct sn_obj *td;
	uint8_t self_lb_block; /* bit 0 unicast, bit 1 multicast */
};

struct sn_cmd;
uint32_t sn_wq_create(struct sn_cmd *c, struct sn_wq *wq, uint32_t cqn, uint32_t min_log_stride, uint32_t max_log_stride);
void sn_wq_free(struct sn_wq *wq); /* gives back what sn_wq_create() took */
void sn_wq_reset(struct sn_wq *wq);
uint32_t sn_wq_modify_check(struct sn_cmd *c, const struct sn_wq *wq, uint32_t from, uint32_t to);
void sn_wq_query(const struct sn_wq *wq, uint8_t *out);
uint64_t sn_timestamp(const struct sn_wq *wq);

/* Where the next CQE is to be filled in, all but its last 4 bytes, which are not to be touched. NULL: the CQ is in error. */
struct gin_cqe *sn_cq_begin(struct sn_cq *cq);
/* Hand it to software, with those 4 bytes. */
void sn_cq_end(struct sn_cq *cq, struct gin_cqe *cqe, uint16_t wqe_counter, uint32_t opcode);
int sn_cq_write_error(struct sn_wq *wq, uint32_t cqe_opcode, uint32_t syndrome, uint32_t vendor, uint32_t wqe_opcode,
		      uint16_t wqe_counter);

void sn_sq_cover(struct sn_sq *sq, uint16_t producer);  /* a doorbell: WQEs before producer are the NIC's */
void sn_sq_cover_record(struct sn_sq *sq);              /* the same, from the record */
void sn_sq_refuse(struct sn_sq *sq);                    /* a doorbell for a queue that is not in RDY */
int sn_sq_step(struct sn_sq *sq);                       /* one WQE; -EAGAIN: the wire is full */
void sn_sq_fail(struct sn_sq *sq);                      /* to ERR; what is posted is flushed or gone */
uint32_t sn_sq_in_flight(const struct sn_sq *sq);
int sn_sq_read_late(struct sn_sq *sq);                  /* now at the latest; -EIO: it is not what it was */

/* Take a frame: scatter, complete. Counts what became of it. */
void sn_rq_deliver(struct sn_rq *rq, const struct sn_frame *frame, const struct sn_parsed *parsed, uint32_t tag);
void sn_rq_fail(struct sn_rq *rq);
uint32_t sn_rq_posted(const struct sn_rq *rq);

/* frame.c: the packet of a WQE as one piece of memory: the sender's own where that is possible, else a copy. */
int sn_frame_build(struct sn_wq *wq, const struct sn_send *send, struct sn_frame *out, enum sn_fault *fault);
/* Frames below 60 bytes are padded into buf. */
void sn_frame_pad(struct sn_frame *frame, uint8_t buf[SN_FRAME_MIN]);

/* uar.c */
int sn_uar_rung(const struct sn_uar *uar);
void sn_uar_take(struct sn_device *dev, struct sn_uar *uar); /* take the doorbell and act on it */
int sn_uar_pass(struct sn_device *dev);                       /* hot pages all, cold ones in turn */

/* Commands: cmd.c */

struct sn_cmd {
	struct sn_ctx *ctx;
	const uint8_t *in;
	uint8_t *out;
	size_t in_len, out_len;
	uint32_t opcode;
	uint32_t syndrome;
};

/*
 * Syndromes, one for each cause. A card's are private to its firmware; these
 * are ours. "sourced": that the card refuses it is in a document or a driver;
 * "assumed": to be checked on a card.
 */
enum sn_syndrome {
	SN_SYN_OPCODE = 0x5e0001,       /* sourced: status 0x02, mlx5_ifc.h */
	SN_SYN_IN_LEN = 0x5e0002,       /* sourced: status 0x50 */
	SN_SYN_OUT_LEN = 0x5e0003,      /* sourced: status 0x51 */
	SN_SYN_RESERVED_BIT = 0x5e0010, /* assumed */
	SN_SYN_OP_MOD = 0x5e0011,       /* assumed */
	SN_SYN_VALUE = 0x5e0012,        /* assumed: a field's value is not one that this NIC knows */
	SN_SYN_SIZE = 0x5e0013,         /* assumed: above or below a capability */
	SN_SYN_STRIDE = 0x5e0014,       /* assumed */
	SN_SYN_UMEM_SMALL = 0x5e0015,   /* assumed */
	SN_SYN_UMEM_ALIGN = 0x5e0016,   /* assumed: page_offset counts page_size / 64 */
	SN_SYN_DBR_ALIGN = 0x5e0017,    /* assumed */
	SN_SYN_BITMASK = 0x5e0018,      /* assumed */
	SN_SYN_UNSUPPORTED = 0x5e0019,  /* assumed: a feature that the capabilities deny */
	SN_SYN_NO_OBJ = 0x5e0020,       /* assumed: also numbers of another context */
	SN_SYN_NO_UMEM = 0x5e0021,      /* assumed */
	SN_SYN_NO_EQ = 0x5e0022,        /* sourced: the kernel looks c_eqn up */
	SN_SYN_REFERRED = 0x5e0030,     /* sourced: EBUSY of the kernel, mlx5 cmd.c */
	SN_SYN_STATE = 0x5e0040,        /* assumed: current state in MODIFY differs */
	SN_SYN_TRANSITION = 0x5e0041,   /* assumed */
	SN_SYN_LIMIT = 0x5e0050,        /* assumed */
	SN_SYN_MEMORY = 0x5e0051,       /* ours: the process has no memory left */
};

/* Sets the syndrome, notes one line with the cause, returns status. */
uint32_t sn_refuse(struct sn_cmd *c, uint32_t status, enum sn_syndrome syndrome, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The context's object with this number, or NULL: refused with BAD_RESOURCE, *status is set. */
struct sn_obj *sn_cmd_find(struct sn_cmd *c, enum sn_kind kind, uint32_t number, uint32_t *status);
/* Put a new object into the tables and its number into out. */
uint32_t sn_cmd_add(struct sn_cmd *c, enum sn_kind kind, struct sn_obj *obj);
/* Look up umem and offset: *ptr is where len bytes lie. align: of offset and memory. */
uint32_t sn_cmd_umem(struct sn_cmd *c, const char *what, uint32_t id, uint64_t offset, uint64_t len, uint32_t align,
		     struct sn_umem **umem, uint8_t **ptr);

uint32_t sn_cq_create(struct sn_cmd *c);
uint32_t sn_cq_modify(struct sn_cmd *c);
uint32_t sn_cq_query(struct sn_cmd *c);
uint32_t sn_sq_create(struct sn_cmd *c);
uint32_t sn_sq_modify(struct sn_cmd *c);
uint32_t sn_sq_query(struct sn_cmd *c);
uint32_t sn_rq_create(struct sn_cmd *c);
uint32_t sn_rq_modify(struct sn_cmd *c);
uint32_t sn_rq_query(struct sn_cmd *c);
uint32_t sn_td_alloc(struct sn_cmd *c);
uint32_t sn_tis_create(struct sn_cmd *c);
uint32_t sn_tis_modify(struct sn_cmd *c);
uint32_t sn_tis_query(struct sn_cmd *c);
uint32_t sn_tir_create(struct sn_cmd *c);
uint32_t sn_tir_modify(struct sn_cmd *c);
uint32_t sn_tir_query(struct sn_cmd *c);
uint32_t sn_caps_query(struct sn_cmd *c);       /* caps.c */
uint32_t sn_nic_vport_query(struct sn_cmd *c);
uint32_t sn_vport_state_query(struct sn_cmd *c);

/* What obj.c calls to free an object of each kind. */
void sn_uar_free_obj(struct sn_obj *obj);
void sn_umem_free_obj(struct sn_obj *obj);
void sn_mr_free_obj(struct sn_obj *obj);
void sn_tis_free_obj(struct sn_obj *obj);
void sn_cq_free_obj(struct sn_obj *obj);
void sn_sq_free_obj(struct sn_obj *obj);
void sn_rq_free_obj(struct sn_obj *obj);
void sn_tir_free_obj(struct sn_obj *obj);
void sn_rule_free_obj(struct sn_obj *obj);

/* Steering: steer.c */

struct sn_rule {
	struct sn_obj o;
	uint32_t priority, tag;
	enum gin_nic_to to;
	struct sn_tir *tir;
	uint8_t any;             /* every frame matches */
	uint8_t mask[SN_MATCH_LEN], value[SN_MATCH_LEN];
	uint64_t packets, bytes;
	TAILQ_ENTRY(sn_rule) in_dev;
};
TAILQ_HEAD(sn_rule_list, sn_rule);

/* First rule that matches, or NULL. */
struct sn_rule *sn_steer(struct sn_device *dev, const struct sn_frame *frame, const struct sn_parsed *parsed);

/* Events: event.c */

struct sn_event {
	struct gin_nic_event event;
	STAILQ_ENTRY(sn_event) next;
};
STAILQ_HEAD(sn_event_list, sn_event);

void sn_event_post(struct sn_ctx *ctx, enum gin_nic_event_kind kind, uint32_t number);
void sn_event_post_all(struct sn_device *dev, enum gin_nic_event_kind kind, uint32_t number);
void sn_event_drop_all(struct sn_ctx *ctx);

/* Contexts and devices: device.c */

struct sn_ctx {
	struct sn_device *dev;
	struct sn_obj_list objs; /* oldest first */
	struct sn_uar *shared_uar;
	int promisc;
	int event_fd;
	struct sn_event_list events;
	TAILQ_ENTRY(sn_ctx) in_dev;
};

/* Reading a clock costs as much as sending a packet: a burst of WQEs, all posted before it began, looks once. */
struct sn_clock {
	int held;
	uint64_t ns;        /* held: the reading, 0: none yet */
	uint64_t real_time; /* the same as seconds << 32 | nanoseconds */
};

struct sn_device {
	struct sn_profile profile;
	const struct gin_env *env;
	struct sn_shard *shard;
	struct sn_clock *clock;       /* the shard's */
	struct sn_table tables[SN_KINDS];
	TAILQ_HEAD(, sn_ctx) ctxs;
	struct sn_rule_list rules;    /* by priority, then age */
	struct sn_uar_list uars;      /* all pages, hot ones first */
	struct sn_sq_list busy;       /* SQs with WQEs to send */
	uint32_t n_busy;
	uint32_t key_epoch;           /* moves when a key dies */
	uint8_t key_variant;
	struct sn_wire *wire, *host;  /* host: NULL when packets without a rule are only counted */
	uint8_t admin_up, link;
	uint8_t tx_blocked;           /* the wire said "full" and nothing was sent since */
	uint64_t retry_ns;            /* when to try again a wire that cannot say when it has room; 0: it can */
	uint8_t input_ends;           /* the wire has a finite input: input.c */
	uint8_t input_started;
	uint64_t input_retry_ns;      /* the next packet of a finite input found its queue full: when to look again; 0: it did not */
	uint32_t host_len;            /* a frame from the host that waits for the wire */
	uint8_t *host_frame;
	struct gin_nic_stats stats;   /* rx_in_flight and tx_in_flight are measured when asked */
	struct gin_nic_drop first_drop;
	struct sn_held_list *held;    /* adversary.c */
	struct sn_recorder *recorder; /* capture.c; NULL: nothing is captured */
	TAILQ_ENTRY(sn_device) in_shard;
};

/* The clock, in a burst of sends as it was at the first look. */
static inline const struct sn_clock *sn_look(const struct sn_device *dev)
{
	struct sn_clock *clock = dev->clock;

	if (!clock->held || !clock->ns) {
		clock->ns = gin_env_now(dev->env);
		clock->real_time = clock->ns / 1000000000 << 32 | clock->ns % 1000000000;
	}
	return clock;
}

static inline struct sn_device *sn_wq_dev(const struct sn_wq *wq)
{
	return wq->o.ctx->dev;
}

static inline int sn_mr_has(const struct sn_mr *mr, uint64_t addr, uint64_t len)
{
	return addr >= mr->va && addr - mr->va <= mr->len && len <= mr->len - (addr - mr->va);
}

/*
 * Host address of len bytes at addr under lkey, as the queue's context and PD
 * may reach them; NULL: *fault says why. Here: the key used last.
 */
static inline uint8_t *sn_dma(struct sn_wq *wq, uint32_t lkey, uint64_t addr, uint64_t len, uint32_t right,
			      enum sn_fault *fault)
{
	const struct sn_mr *mr = wq->key.mr;

	if (wq->key.key == lkey && wq->key.epoch == sn_wq_dev(wq)->key_epoch && sn_mr_has(mr, addr, len) &&
	    !(right & ~mr->access))
		return mr->cpu + (addr - mr->va);
	return sn_dma_look_up(wq, lkey, addr, len, right, fault);
}

/* The context's object, or NULL. */
static inline struct sn_obj *sn_lookup(const struct sn_device *dev, enum sn_kind kind, uint32_t number)
{
	const struct sn_table *t = &dev->tables[kind];
	uint32_t i = number - t->base; /* below base: huge */

	return i < t->max ? t->slot[i] : NULL;
}

static inline struct sn_obj *sn_find(const struct sn_ctx *ctx, enum sn_kind kind, uint32_t number)
{
	struct sn_obj *obj = sn_lookup(ctx->dev, kind, number);

	return obj && obj->ctx == ctx ? obj : NULL;
}

/* Port: port.c */

int sn_port_prepare(const struct sn_profile *profile); /* what may take long, without a lock; logs */
int sn_port_open(struct sn_device *dev);
void sn_port_close(struct sn_device *dev);
void sn_port_update_link(struct sn_device *dev); /* look again, tell contexts if it changed */
int sn_port_can_send(struct sn_device *dev);
/* From a queue or (td and count NULL) the host to the wire: 0 or -EAGAIN. Counted unless -EAGAIN. */
int sn_port_send(struct sn_device *dev, const struct sn_frame *frame, const struct sn_obj *td,
		 struct gin_nic_queue_counters *count);
void sn_port_arrived(struct sn_device *dev, uint32_t len); /* a frame came in: count it */
void sn_port_receive(struct sn_device *dev, const struct sn_frame *frame); /* and find its way */
uint32_t sn_max_frame(const struct sn_device *dev, const uint8_t *head, uint32_t len);
int sn_port_poll_wire(struct sn_device *dev);   /* one frame; 1: there was one */
int sn_port_poll_host(struct sn_device *dev);   /* one frame from the host end; 1: there was one */

/* The receive queue that a frame would get into; NULL: none. */
struct sn_rq *sn_port_queue_of(struct sn_device *dev, const struct sn_frame *frame);

/* Inputs that end: input.c */

void sn_input_look(struct sn_device *dev); /* whether it ends, of a wire that was opened */
int sn_input_can_receive(struct sn_device *dev);
int sn_input_holds(struct sn_device *dev, const struct sn_frame *frame); /* 1: this one must wait in the wire */
uint64_t sn_input_next_ns(const struct sn_device *dev);

/* Capture: capture.c */

int sn_recorder_open(struct sn_device *dev);   /* 0 too if none is asked for; without the lock */
void sn_recorder_close(struct sn_device *dev); /* without the lock, when nothing can arrive any more */
void sn_record_frame(struct sn_device *dev, int sent, const struct sn_frame *frame);
void sn_recorder_look(struct sn_device *dev);  /* once a pass: what has waited long enough is written */
uint64_t sn_recorder_next_ns(const struct sn_device *dev);

static inline void sn_record(struct sn_device *dev, int sent, const struct sn_frame *frame)
{
	if (dev->recorder)
		sn_record_frame(dev, sent, frame);
}

/* Counting: count.c */

void sn_drop(struct sn_device *dev, uint64_t *counter, const char *cause, const struct sn_frame *frame);
#define SN_DROP(dev, field, frame) sn_drop(dev, &(dev)->stats.field, #field, frame)
/* Something that hardware ignores without a word: counted each time, said once for each bit of *said. */
void sn_ignored(struct sn_device *dev, uint8_t *said, uint8_t bit, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
uint32_t sn_rx_in_flight(const struct sn_device *dev);
uint64_t sn_tx_in_flight(const struct sn_device *dev);

/* Steps: step.c */

uint32_t sn_dev_n_ready(struct sn_device *dev);
void sn_dev_step(struct sn_device *dev, uint32_t which);
int sn_dev_pass(struct sn_device *dev); /* a burst of everything; number of things done */

/* Engine: engine.c */

int sn_engine_add(struct sn_device *dev);    /* starts the service thread with the first device */
void sn_engine_enlist(struct sn_device *dev); /* passes serve it from now on; with the lock held */
/* Take a device out; returns when the service thread no longer waits on its descriptors. With the lock held. */
void sn_engine_quiet(struct sn_device *dev);
void sn_engine_remove(struct sn_device *dev); /* without the lock; the last one ends the thread */
void sn_lock(struct sn_device *dev);         /* waits for a pass boundary */
void sn_unlock(struct sn_device *dev);       /* then logs what was noted */
uint64_t sn_dev_next_ns(const struct sn_device *dev); /* when it must be looked at again, or UINT64_MAX */
int sn_engine_is_stepped(void);
/* A line to be logged when the lock is free: the user's callback must not run under it. */
void sn_note(struct sn_device *dev, enum gin_log_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
uint8_t *sn_tx_buf(struct sn_device *dev); /* the shard's scratch frame */

/* Adversary: adversary.c. Does its worst only while a test steps the engine (else readers could not tell it of their acquire). */

static inline int sn_adv_on(const struct sn_device *dev)
{
	return dev->profile.adversary && sn_engine_is_stepped();
}

int sn_adv_coin(const struct sn_device *dev);
int sn_adv_open(struct sn_device *dev);
void sn_adv_close(struct sn_device *dev);
/* Write all of a CQE but its last dword later, and the payload that was held back before. */
int sn_adv_hold(struct sn_device *dev, uint8_t *entry, const struct gin_cqe *cqe);
int sn_adv_hold_payload(struct sn_device *dev, uint8_t *dst, const uint8_t *src, uint32_t len);
/* Before a CQE is written: a packet that may be read as late as what the CQE says may be seen. */
int sn_adv_hold_read(struct sn_device *dev, struct sn_sq *sq);
void sn_adv_forget(struct sn_device *dev, const struct sn_sq *sq); /* it was read, or never will be */
uint32_t sn_adv_n_held(const struct sn_device *dev);
void sn_adv_publish(struct sn_device *dev, uint32_t n); /* the n oldest */
void sn_adv_loaded(struct sn_device *dev, uint64_t reader, const void *p);
void sn_adv_acquired(struct sn_device *dev, uint64_t reader);
void sn_adv_remember(struct sn_wq *wq, uint16_t index, uint32_t entries);
int sn_adv_differs(struct sn_wq *wq, uint16_t index, uint32_t entries);

static inline void sn_adv_saw(struct sn_wq *wq, uint16_t index, uint32_t entries)
{
	if (wq->seen)
		sn_adv_remember(wq, index, entries);
}

/* Since it was posted. */
static inline int sn_adv_changed(struct sn_wq *wq, uint16_t index, uint32_t entries)
{
	return wq->seen && sn_adv_differs(wq, index, entries);
}
#endif
