/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of host/nic, and what host/eth needs of a NIC. */
#ifndef HOST_NIC_NIC_PRIV_H
#define HOST_NIC_NIC_PRIV_H
#include <ginet/ginet.h>
#include <pthread.h>
#include <sys/queue.h>
#include "counters.h"
#include "gpu/gpu_priv.h"
#include "ops.h"
#include "prm/prm.h"

struct gin_nic_queue;

/* Back end, what set-up needs to know, and what is open on it. */
struct gin_nic {
	struct gin_nic_dev *dev;
	const struct gin_nic_ops *ops;
	char name[32];
	uint32_t index;          /* of the name: soft0, soft1 */
	struct prm_caps caps;
	uint32_t min_inline;     /* header bytes that WQEs must carry: 0 or 18 */
	uint32_t eqn;
	struct gin_nic_pd pd;
	struct gin_nic_uar cq_uar; /* CQs must name a UAR; ours are never armed */
	struct gin_nic_obj td, tis;
	uint32_t tdn, tisn;

	pthread_mutex_t lock;    /* the lists, numbers and failure */
	TAILQ_HEAD(, gin_nic_queue) queues;
	TAILQ_HEAD(, gin_flow) flows; /* host/eth's */
	TAILQ_HEAD(, gin_mr) mrs;
	TAILQ_HEAD(, gin_rxq_share) shares; /* slots of other NICs' queues that this one may send from */
	uint32_t next_rx, next_tx; /* names of queues */
	int failed;
	struct gin_failure failure;
};

/* cmd.c: one command each, built, run, and its refusal logged decoded. 0, -EREMOTEIO or what the back end said. */
int gin_nic_create_obj(struct gin_nic *nic, const void *in, size_t in_len, struct gin_nic_obj *obj, uint32_t *number);
int gin_nic_modify_obj(struct gin_nic *nic, struct gin_nic_obj *obj, const void *in, size_t in_len);
int gin_nic_query_obj(struct gin_nic *nic, struct gin_nic_obj *obj, const void *in, void *out, size_t out_len);
void gin_nic_destroy_obj(struct gin_nic *nic, struct gin_nic_obj *obj); /* an empty obj is fine; logs a refusal */
int gin_nic_query_caps(struct gin_nic *nic);

/* mem.c: memory for a queue, where NIC and GPU both reach it, and known to the NIC. */
struct gin_nic_mem {
	struct gin_gpu *gpu;
	struct gin_mem mem;
	struct gin_nic_umem umem;
};
enum gin_mem_kind gin_nic_mem_kind(const struct gin_nic *nic, const struct gin_gpu *gpu, enum gin_mem_kind wanted);
struct gin_mem_ref gin_nic_mem_ref(const struct gin_gpu *gpu, void *gpu_addr, void *cpu, size_t len, enum gin_mem_kind kind);
int gin_nic_mem_alloc(struct gin_nic *nic, struct gin_gpu *gpu, size_t size, struct gin_nic_mem *out);
void gin_nic_mem_free(struct gin_nic *nic, struct gin_nic_mem *mem); /* an empty one is fine */
/* An aligned word in queue memory, also while a kernel runs. */
uint64_t gin_nic_peek64(struct gin_gpu *gpu, const void *gpu_addr, const void *cpu);

/* queue.c: what every queue is to the NIC; the queues of host/eth have it as first member. */
struct gin_nic_queue {
	TAILQ_ENTRY(gin_nic_queue) link;
	struct gin_nic *nic;
	struct gin_gpu *gpu;
	struct gin_gpu_watch watch;
	char name[24];           /* "soft0/rxq0" */
	int receives;            /* an RQ; else an SQ */
	uint32_t number, cqn;
	struct gin_nic_obj obj;  /* the RQ or SQ */
	int failed;
	/* Read the error CQE. 0, or -ENOENT when there is none. */
	int (*read_error)(struct gin_nic_queue *queue, struct gin_err_cqe *out, uint64_t *index);
	/* Called every few ms while someone waits for the GPU; NULL: nothing to do. */
	void (*tick)(struct gin_nic_queue *queue);
	void (*at_launch)(struct gin_nic_queue *queue); /* NULL: nothing to do */
	int (*may_launch)(struct gin_nic_queue *queue, const struct gin_kernel *kernel); /* as of gin_gpu_watch; NULL: 0 */
	void (*traffic)(struct gin_nic_queue *queue, struct gin_gpu_traffic *sum); /* NULL: the NIC's counters say all */
};
void gin_nic_queue_add(struct gin_nic_queue *queue);    /* names it; from now on its failure is noticed */
struct gin_nic_queue *gin_nic_queue_of(struct gin_gpu_watch *watch); /* all that watches a GPU is a queue */
void gin_nic_queue_remove(struct gin_nic_queue *queue); /* one that was never added is fine */

/* failure.c */
void gin_failure_decode(const struct gin_err_cqe *cqe, int receive, struct gin_failure *out);

/* nic.c: free the NIC itself, once nothing is left on it. */
void gin_nic_free(struct gin_nic *nic);
#endif
