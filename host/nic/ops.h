/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one seam: what a NIC's kernel driver does for user space, at DevX level.
 * Above it there is one code path for every NIC; below it soft.c forwards to
 * the software ConnectX (mlx5.c will forward to rdma-core). Every call: any
 * thread, never from the data path; 0 or a negative errno. A command that the
 * device refused returns -EREMOTEIO with the raw out mailbox filled; the
 * decoder stands above (host/prm).
 */
#ifndef HOST_NIC_OPS_H
#define HOST_NIC_OPS_H
#include <stddef.h>
#include <stdint.h>

struct gin_nic_ops;

/* A back end's open device; back ends embed it as first member. */
struct gin_nic_dev {
	const struct gin_nic_ops *ops;
};

/* A back end's object; the caller keeps the struct, the back end owns priv. */
struct gin_nic_pd { uint32_t pdn; void *priv; };
struct gin_nic_uar { uint32_t page_id; void *reg; uint8_t is_mmio, is_shared; void *priv; };
struct gin_nic_umem { uint32_t id; void *priv; };
struct gin_nic_mr { uint32_t lkey, rkey; void *priv; };
struct gin_nic_obj { void *priv; };
struct gin_nic_rule { void *priv; };

/* Memory as a back end may reach it. */
struct gin_mem_ref {
	void *cpu;       /* CPU address, NULL if it has none */
	uint64_t va;     /* address that WQEs and rings use: the GPU's */
	size_t len;
	int dmabuf_fd;   /* -1: none */
	uint8_t gpu;     /* lies on a GPU */
};

#define GIN_MR_LOCAL_WRITE 1u

enum gin_nic_to { GIN_NIC_TO_TIR, GIN_NIC_TO_DROP, GIN_NIC_TO_HOST };

/* fte_match_param is 0x200 bytes, see host/prm/fields.h; mask and value may be NULL: every packet. */
struct gin_nic_rule_spec {
	const uint8_t *mask, *value;
	uint32_t priority;
	enum gin_nic_to to;
	const struct gin_nic_obj *tir;
	uint32_t tag;
};

struct gin_nic_port { uint8_t mac[6]; uint8_t up; uint32_t mtu; uint64_t mbps; };

enum gin_nic_event_kind { GIN_EV_CQ_ERROR, GIN_EV_SQ_FATAL, GIN_EV_RQ_FATAL, GIN_EV_PORT_UP, GIN_EV_PORT_DOWN, GIN_EV_DEVICE };
struct gin_nic_event { enum gin_nic_event_kind kind; uint32_t number; };

struct gin_nic_counters;       /* host/nic/counters.h */
struct gin_nic_queue_counters;

struct gin_nic_ops {
	const char *kind;
	/* name is the text behind "kind:"; the back end logs cause and remedy. */
	int (*open)(const char *name, struct gin_nic_dev **out);
	void (*close)(struct gin_nic_dev *dev); /* frees whatever is still open on it */
	int (*pd_alloc)(struct gin_nic_dev *dev, struct gin_nic_pd *out);
	void (*pd_free)(struct gin_nic_dev *dev, struct gin_nic_pd *pd);
	int (*uar_alloc)(struct gin_nic_dev *dev, struct gin_nic_uar *out);
	void (*uar_free)(struct gin_nic_dev *dev, struct gin_nic_uar *uar);
	int (*umem_reg)(struct gin_nic_dev *dev, const struct gin_mem_ref *mem, struct gin_nic_umem *out);
	int (*umem_dereg)(struct gin_nic_dev *dev, struct gin_nic_umem *umem); /* -EBUSY while referred to */
	int (*mr_reg)(struct gin_nic_dev *dev, const struct gin_nic_pd *pd, const struct gin_mem_ref *mem, uint32_t access,
		      struct gin_nic_mr *out);
	void (*mr_dereg)(struct gin_nic_dev *dev, struct gin_nic_mr *mr);
	int (*eqn)(struct gin_nic_dev *dev, uint32_t vector, uint32_t *eqn);
	/* Commands without an object: QUERY_HCA_CAP, QUERY_NIC_VPORT_CONTEXT, QUERY_VPORT_STATE, NOP; others -EINVAL. */
	int (*cmd)(struct gin_nic_dev *dev, const void *in, size_t in_len, void *out, size_t out_len);
	int (*obj_create)(struct gin_nic_dev *dev, const void *in, size_t in_len, void *out, size_t out_len,
			  struct gin_nic_obj *obj);
	int (*obj_modify)(struct gin_nic_dev *dev, struct gin_nic_obj *obj, const void *in, size_t in_len, void *out,
			  size_t out_len);
	int (*obj_query)(struct gin_nic_dev *dev, struct gin_nic_obj *obj, const void *in, size_t in_len, void *out,
			 size_t out_len);
	int (*obj_destroy)(struct gin_nic_dev *dev, struct gin_nic_obj *obj); /* -EBUSY while referred to */
	int (*rule_add)(struct gin_nic_dev *dev, const struct gin_nic_rule_spec *spec, struct gin_nic_rule *out);
	void (*rule_del)(struct gin_nic_dev *dev, struct gin_nic_rule *rule);
	int (*rule_count)(struct gin_nic_dev *dev, struct gin_nic_rule *rule, uint64_t *packets, uint64_t *bytes);
	int (*port_query)(struct gin_nic_dev *dev, struct gin_nic_port *out);
	int (*port_promisc)(struct gin_nic_dev *dev, int on);
	int (*event_fd)(struct gin_nic_dev *dev); /* readable when event_next has something */
	int (*event_next)(struct gin_nic_dev *dev, struct gin_nic_event *out); /* -EAGAIN: none */
	int (*clock)(struct gin_nic_dev *dev, uint64_t *ns);
	int (*counters)(struct gin_nic_dev *dev, struct gin_nic_counters *out); /* one consistent snapshot of the port */
	int (*queue_counters)(struct gin_nic_dev *dev, struct gin_nic_obj *queue, struct gin_nic_queue_counters *out);
	/*
	 * Inputs that end, such as a capture file; both NULL: the NIC has none. start: a kernel that receives is about
	 * to run. ended: 1: used up and delivered; -EAGAIN: not yet; 0: endless.
	 */
	void (*input_start)(struct gin_nic_dev *dev);
	int (*input_ended)(struct gin_nic_dev *dev);
	uint8_t reaches_gpu; /* 1: DMA to GPU memory works; 0: queues for a GPU stand in pinned host memory */
};
#endif
