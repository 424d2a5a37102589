/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The software ConnectX: the only header of this folder that others include.
 * It is what a NIC and its kernel driver are to user space: contexts, PDs,
 * UAR pages, umems, memory keys, PRM commands, rules, events, counters; and an
 * engine that reads rings and moves frames between queues and a wire.
 *
 * Calls may come from any thread unless they say otherwise.
 */
#ifndef HOST_SOFTNIC_SOFTNIC_H
#define HOST_SOFTNIC_SOFTNIC_H
#include "../nic/counters.h"
#include "../nic/ops.h"
#include "../sim/env.h"
#include <stddef.h>
#include <stdint.h>

struct sn_device;
struct sn_ctx;

enum sn_model { SN_CX4LX, SN_CX5, SN_CX6DX, SN_CX7 };

/* Capabilities that caps= can take away, by their PRM names. */
#define SN_LACKS_CQ_OI 1u
#define SN_LACKS_WQE_VLAN_INSERT 2u
#define SN_LACKS_ETH_NET_OFFLOADS 4u

/* What kind of card it is; parsed from the device string, see profile.c. */
struct sn_profile {
	enum sn_model model;        /* default SN_CX6DX */
	uint8_t mac[6];
	uint8_t has_mac;            /* mac= was given: a wire with a MAC of its own does not change it */
	uint32_t mtu;               /* default 1500 */
	uint8_t inline_mode;        /* 0 none (default), 1 L2: WQEs must carry 18 header bytes */
	uint8_t promisc_allowed;    /* default 1 */
	uint8_t shared_uar;         /* 0 (default): a UAR page per allocation; 1: all allocations share one */
	uint8_t adversary;          /* publish CQEs in the worst legal way; simulation and tests */
	uint8_t no_time;            /* 1: no real-time timestamps */
	uint32_t lacks;             /* SN_LACKS_*: capabilities of the model that this card does not have */
	uint32_t first_index;       /* tests only: where the indices of SQs, RQs and CQs start */
	char wire[1024];            /* "loop", "cable=a", "tap=gin0", "net_tap0,iface=gin0" */
	char host[64];              /* "": packets without a rule are only counted; "tap=NAME": they go there */
	char capture[256];          /* "": no capture; else the file that gets every frame of the wire */
};

/*
 * Parse the text behind "soft:". -EINVAL logs what is wrong and lists the known
 * keys. Unset values get defaults (the MAC: locally administered, random from env).
 */
int sn_profile_parse(const char *text, const struct gin_env *env, struct sn_profile *out);

/* -EPERM, -EBUSY, -ENODEV (the wire; logged), -ENOMEM. */
int sn_device_create(const struct sn_profile *profile, const struct gin_env *env, struct sn_device **out);
void sn_device_destroy(struct sn_device *dev); /* closes its contexts */

/* A process's view of the device; objects belong to it and die with it. */
int sn_open(struct sn_device *dev, struct sn_ctx **out);
void sn_close(struct sn_ctx *ctx);

int sn_pd_alloc(struct sn_ctx *ctx, uint32_t *pdn);
int sn_pd_free(struct sn_ctx *ctx, uint32_t pdn);               /* -EBUSY, -EINVAL */
int sn_uar_alloc(struct sn_ctx *ctx, uint32_t *page_id, void **page); /* page: 4096 bytes, page aligned */
int sn_uar_free(struct sn_ctx *ctx, uint32_t page_id);
int sn_umem_reg(struct sn_ctx *ctx, const struct gin_mem_ref *mem, uint32_t *id);
int sn_umem_dereg(struct sn_ctx *ctx, uint32_t id);
int sn_mr_reg(struct sn_ctx *ctx, uint32_t pdn, const struct gin_mem_ref *mem, uint32_t access, uint32_t *lkey,
	      uint32_t *rkey);
int sn_mr_dereg(struct sn_ctx *ctx, uint32_t lkey);
uint32_t sn_eqn(struct sn_ctx *ctx);
/*
 * Run one PRM command; out is always filled when out_len >= 16. Returns 0, or
 * -EREMOTEIO when the status is not 0. strict: set bits outside the field
 * table are PRM_BAD_PARAM; else they are ignored and recorded.
 */
int sn_cmd(struct sn_ctx *ctx, const void *in, size_t in_len, void *out, size_t out_len, int strict);

int sn_rule_add(struct sn_ctx *ctx, const struct gin_nic_rule_spec *spec, uint32_t tirn, uint32_t *id); /* -EEXIST */
int sn_rule_del(struct sn_ctx *ctx, uint32_t id);
int sn_rule_count(struct sn_ctx *ctx, uint32_t id, uint64_t *packets, uint64_t *bytes);

int sn_port_query(struct sn_device *dev, struct gin_nic_port *out);
int sn_port_promisc(struct sn_ctx *ctx, int on); /* held per context; gone with it */
int sn_port_set_link(struct sn_device *dev, int up); /* tests: pull the cable */

/*
 * A wire with a finite input, such as a capture file, waits for sn_input_start()
 * and then for receive queues that are full: none of its packets is lost by
 * being early. 1: it is used up and every packet was delivered, answers are on
 * the wire; -EAGAIN: not yet; 0: the wire is endless.
 */
void sn_input_start(struct sn_device *dev);
int sn_input_ended(struct sn_device *dev);

int sn_event_fd(struct sn_ctx *ctx);
int sn_event_next(struct sn_ctx *ctx, struct gin_nic_event *out); /* -EAGAIN */
uint64_t sn_clock_ns(struct sn_device *dev);
int sn_counters(struct sn_device *dev, struct gin_nic_counters *out); /* consistent: taken at a pass boundary */
int sn_queue_counters(struct sn_ctx *ctx, uint32_t number, int is_sq, struct gin_nic_queue_counters *out);

/*
 * Running it. One engine per process; every device is on it. Either its
 * service thread runs (from the first device on, unless stepped), or a waiting
 * kernel helps, or a test steps it; all run the same pass.
 */
int sn_engine_help(void *unused);            /* one pass if nobody else is in one; 1: something was done */
void sn_engine_rang(void);                   /* a doorbell was written by this thread: wake a sleeping engine */
void sn_engine_set_stepped(int on);          /* before the first device: no service thread; the simulation's mode */
uint32_t sn_engine_n_ready(void *unused);    /* stepped mode: the three calls of a sim actor */
void sn_engine_step(void *unused, uint32_t which);
uint64_t sn_engine_next_ns(void *unused);
/* Before the first device: fn is called after each pass that did something, with the shard's lock held; NULL: nothing is. */
void sn_engine_on_work(void (*fn)(void));
void sn_engine_gpu_active(int delta);        /* +1/-1: kernels that cannot wake the engine run; it polls meanwhile */
/*
 * Adversary: a reader (each has a number) looked at a word; it made an acquire:
 * publish what was held back of the CQEs that this reader has seen.
 */
void sn_engine_loaded(uint64_t reader, const void *p);
void sn_engine_acquired(uint64_t reader);

/*
 * Wires of a test: put a frame on the receive side as if it came from outside,
 * take what was sent. Only for a device whose wire is "test".
 */
int sn_test_put(struct sn_device *dev, const void *frame, size_t len);  /* -EAGAIN: full */
int sn_test_take(struct sn_device *dev, void *frame, size_t size);      /* length, or -EAGAIN */
int sn_test_input(struct sn_device *dev, int more); /* what is put is a finite input; more 0: that was all */
#endif
