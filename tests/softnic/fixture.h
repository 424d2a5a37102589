/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A software NIC driven by hand: raw rings, mailboxes from host/prm, and the
 * engine stepped by the test, so that each state can be looked at.
 */
#ifndef TESTS_SOFTNIC_FIXTURE_H
#define TESTS_SOFTNIC_FIXTURE_H
#include <check.h>
#include <ginet/hw/cqe.h>
#include <ginet/hw/dbrec.h>
#include <ginet/hw/wqe.h>
#include <ginet/log.h>
#include <prm/prm.h>
#include <softnic/softnic.h>
#include <stdint.h>

#define N_SLOTS_LOG 3u /* rings of 8 */
#define N_SLOTS 8u
#define SLOT_BYTES 2048u
#define N_RX_BUF 8u

/* One context with one queue pair of everything. Sizes are small so that rings wrap soon. */
struct bench {
	struct sn_device *dev;
	struct sn_ctx *ctx;
	struct sn_profile profile;
	uint32_t pdn, uar, td, tisn, lkey, rkey, umem, scq, rcq, sqn, rqn, tirn, rule;
	uint8_t *uar_page;
	uint8_t *mem;         /* one umem: all rings and records */
	uint8_t *buf;         /* one MR: packets */
	uint32_t sq_pi, rq_pi, scq_ci, rcq_ci;
};

/* How a bench differs from the plain one. */
struct bench_config {
	const char *name;        /* device string; NULL: "test" */
	uint8_t scq_collapsed;
	uint8_t scq_oi, rcq_oi;
	uint32_t scq_log, rcq_log; /* 0: as the rings */
	uint8_t flush;           /* flush_in_error_en of both */
	uint8_t self_lb_block;
	uint8_t no_rule;
	uint8_t keep_rst;        /* queues stay in RST */
	uint8_t min_inline;
	uint8_t vlan_strip;
	uint8_t ts_format;       /* 0: real time (2) */
	uint32_t access;         /* of the buffer; 0: local write; ~0: none */
	uint8_t threaded;        /* the service thread runs, no steps */
	struct sn_device *dev;   /* not NULL: open a context on this one */
};

/* Offsets inside mem. */
#define AT_SQ 0x0000u
#define AT_RQ 0x1000u
#define AT_SCQ 0x2000u
#define AT_RCQ 0x4000u
#define AT_SCQ_DBR 0x6000u
#define AT_RCQ_DBR 0x6040u
#define AT_SQ_DBR 0x6080u
#define AT_RQ_DBR 0x60c0u
#define MEM_BYTES 0x7000u
#define BUF_BYTES (32u * SLOT_BYTES) /* 8 receive slots, then space for frames to send */
#define TX_AT (N_RX_BUF * SLOT_BYTES)

void bench_open(struct bench *b, const struct bench_config *cfg);
void bench_close(struct bench *b);
void bench_close_ctx(struct bench *b); /* leaves the device */
void run_idle(void);                   /* step until nothing is ready */

/* Mailboxes: what PRM builders fill, run, status. */
uint32_t cmd(struct bench *b, const uint8_t *in, size_t len, uint8_t *out); /* status; out has 0x110 bytes */
uint32_t create(struct bench *b, const uint8_t *in, size_t len);            /* number; asserts success */
void fill_cq(struct bench *b, struct prm_cq *cq, int send, const struct bench_config *cfg);
void fill_sq(struct bench *b, struct prm_sq *sq);
void fill_rq(struct bench *b, struct prm_rq *rq);

/* Send side. */
uint8_t *sq_wqe(struct bench *b, uint32_t index);
void put_ctrl(struct bench *b, uint8_t *wqe, uint32_t index, uint32_t opcode, uint32_t ds, uint32_t ce);
void post_send(struct bench *b, uint64_t addr, uint32_t len, uint32_t ce); /* one WQEBB, no inline */
void set_record(struct bench *b, uint32_t pi);
void ring_index(struct bench *b, uint32_t pi);  /* doorbell only */
void ring(struct bench *b);                     /* record, doorbell */
uint8_t *tx_frame(struct bench *b, uint32_t n); /* scratch frame n in the MR */
void make_frame(uint8_t *frame, const uint8_t dst[6], uint32_t len, uint32_t seq);

/* Receive side. */
void post_recv(struct bench *b, uint32_t n); /* WQE i: slot i, whole slot */
const struct gin_cqe *cqe_at(struct bench *b, int send, uint32_t index);
int cqe_valid(struct bench *b, int send, uint32_t index);
void give_back(struct bench *b, int send, uint32_t ci);

struct gin_nic_stats stats(struct bench *b); /* also checks both sums */
void arrive(struct bench *b, uint32_t len, uint32_t seq); /* a frame for this NIC comes in */

/* Lines that were logged since the last call of log_clear(). */
void log_clear(void);
int log_has(const char *part);
uint32_t log_lines(void);
/* Where bench_open() lets lines go; another one gets them instead of the three above. */
extern void (*fixture_log)(enum gin_log_level level, const char *line, void *arg);

/* One program: its cases come from add(). Returns what main() does. */
int run_suite(const char *name, void (*add)(TCase *tc));

extern const uint8_t other_mac[6], broadcast[6], multicast[6];
#endif
