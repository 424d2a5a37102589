/* SPDX-License-Identifier: BSD-3-Clause */
/* Closing a NIC with all that is open on it, in the order in which things refer to each other. */
#include "eth_priv.h"
#include <errno.h>
#include <time.h>
#include "log.h"

#define KERNELS_END_NS 2000000000ull
#define LOOK_NS 1000000ull

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int is_running(struct gin_gpu *gpu)
{
	char names[2];

	return *gin_gpu_running(gpu, names, sizeof(names)) != 0;
}

/* Unlike gin_gpu_wait(), goes on waiting when a queue has failed or a kernel crashed. */
static int wait_ended(struct gin_gpu *gpu)
{
	uint64_t end = now_ns() + KERNELS_END_NS;

	while (is_running(gpu)) {
		if (now_ns() >= end)
			return -EAGAIN;
		gpu->ops->wait_some(gpu, LOOK_NS);
	}
	return 0;
}

/* Stop every GPU that has a queue here. -EAGAIN: a kernel goes on. */
static int stop_gpus(struct gin_nic *nic)
{
	struct gin_nic_queue *queue, *before;
	char names[128];
	int err = 0;

	TAILQ_FOREACH(queue, &nic->queues, link) {
		for (before = TAILQ_FIRST(&nic->queues); before->gpu != queue->gpu; before = TAILQ_NEXT(before, link))
			;
		if (before != queue || !is_running(queue->gpu))
			continue;
		gin_gpu_stop(queue->gpu);
		if (wait_ended(queue->gpu)) {
			gin_error("%s cannot be closed: %s did not end within 2 s of the stop; its memory stays mapped", nic->name,
				  gin_gpu_running(queue->gpu, names, sizeof(names)));
			err = -EAGAIN;
		}
	}
	return err;
}

static struct gin_nic_queue *first_queue(struct gin_nic *nic, int receives)
{
	struct gin_nic_queue *queue;

	TAILQ_FOREACH(queue, &nic->queues, link)
		if (queue->receives == receives)
			return queue;
	return NULL;
}

void gin_nic_close(struct gin_nic *nic)
{
	struct gin_nic_queue *queue;

	if (!nic || stop_gpus(nic))
		return;
	while (!TAILQ_EMPTY(&nic->flows))
		gin_flow_destroy(TAILQ_FIRST(&nic->flows));
	/* Receive queues first: they may wait for sends. Those of other NICs that do stay, and wait no more. */
	while ((queue = first_queue(nic, 1)))
		gin_rxq_destroy((struct gin_rxq *)queue);
	while ((queue = first_queue(nic, 0))) {
		gin_txq_forget((struct gin_txq *)queue);
		gin_txq_destroy((struct gin_txq *)queue);
	}
	while (!TAILQ_EMPTY(&nic->shares))
		gin_rxq_unshare(TAILQ_FIRST(&nic->shares));
	while (!TAILQ_EMPTY(&nic->mrs))
		gin_mr_destroy(TAILQ_FIRST(&nic->mrs));
	gin_nic_free(nic);
}
