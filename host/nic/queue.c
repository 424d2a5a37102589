/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues as the NIC's events name them: an asynchronous event becomes the
 * failure of a queue, noticed by whoever waits for its GPU (gin_gpu_wait()) or
 * asks (gin_nic_failure()).
 */
#include "nic_priv.h"
#include <errno.h>
#include <string.h>
#include "log.h"

static void queue_fails(struct gin_nic *nic, struct gin_nic_queue *queue)
{
	struct gin_failure failure;
	struct gin_err_cqe cqe;

	if (queue->failed)
		return;
	queue->failed = 1;
	memset(&failure, 0, sizeof(failure));
	if (queue->read_error(queue, &cqe, &failure.index))
		snprintf(failure.text, sizeof(failure.text), "the NIC put the queue in error and left no error CQE");
	else
		gin_failure_decode(&cqe, queue->receives, &failure);
	memcpy(failure.queue, queue->name, sizeof(failure.queue));
	gin_error("%s: %s", failure.queue, failure.text);
	if (nic->failed)
		return;
	nic->failed = 1;
	nic->failure = failure;
}

static int names(const struct gin_nic_event *event, const struct gin_nic_queue *queue)
{
	switch (event->kind) {
	case GIN_EV_SQ_FATAL:
		return !queue->receives && queue->number == event->number;
	case GIN_EV_RQ_FATAL:
		return queue->receives && queue->number == event->number;
	case GIN_EV_CQ_ERROR:
		return queue->cqn == event->number;
	default:
		return 0;
	}
}

static void take_event(struct gin_nic *nic, const struct gin_nic_event *event)
{
	struct gin_nic_queue *queue;

	if (event->kind == GIN_EV_PORT_UP || event->kind == GIN_EV_PORT_DOWN)
		gin_info("%s: link %s", nic->name, event->kind == GIN_EV_PORT_UP ? "up" : "down");
	TAILQ_FOREACH(queue, &nic->queues, link)
		if (event->kind == GIN_EV_DEVICE || names(event, queue))
			queue_fails(nic, queue);
}

static void take_events(struct gin_nic *nic)
{
	struct gin_nic_event event;

	while (!nic->ops->event_next(nic->dev, &event))
		take_event(nic, &event);
}

struct gin_nic_queue *gin_nic_queue_of(struct gin_gpu_watch *watch)
{
	return (struct gin_nic_queue *)((char *)watch - offsetof(struct gin_nic_queue, watch));
}

static int watch_failed(struct gin_gpu_watch *watch)
{
	struct gin_nic_queue *queue = gin_nic_queue_of(watch);
	struct gin_nic *nic = queue->nic;
	int failed;

	pthread_mutex_lock(&nic->lock);
	take_events(nic);
	failed = queue->failed;
	pthread_mutex_unlock(&nic->lock);
	if (queue->tick)
		queue->tick(queue);
	return failed ? -EIO : 0;
}

static void watch_launch(struct gin_gpu_watch *watch)
{
	struct gin_nic_queue *queue = gin_nic_queue_of(watch);
	struct gin_nic *nic = queue->nic;

	if (queue->receives && nic->ops->input_start)
		nic->ops->input_start(nic->dev);
	if (queue->at_launch)
		queue->at_launch(queue);
}

static int watch_may_launch(struct gin_gpu_watch *watch, const struct gin_kernel *kernel)
{
	struct gin_nic_queue *queue = gin_nic_queue_of(watch);

	return queue->may_launch ? queue->may_launch(queue, kernel) : 0;
}

static int watch_input(struct gin_gpu_watch *watch)
{
	struct gin_nic *nic = gin_nic_queue_of(watch)->nic;

	return nic->ops->input_ended ? nic->ops->input_ended(nic->dev) : 0;
}

static void watch_traffic(struct gin_gpu_watch *watch, struct gin_gpu_traffic *sum)
{
	struct gin_nic_queue *queue = gin_nic_queue_of(watch);
	struct gin_nic_queue_counters c;

	if (queue->nic->ops->queue_counters(queue->nic->dev, &queue->obj, &c))
		return;
	sum->moved += c.packets + c.posted + c.drops;
	if (!queue->receives)
		sum->in_flight += c.in_flight;
	if (queue->traffic)
		queue->traffic(queue, sum);
}

void gin_nic_queue_add(struct gin_nic_queue *queue)
{
	struct gin_nic *nic = queue->nic;

	pthread_mutex_lock(&nic->lock);
	snprintf(queue->name, sizeof(queue->name), "%.15s/%s%u", nic->name, queue->receives ? "rxq" : "txq",
		 (queue->receives ? nic->next_rx++ : nic->next_tx++) % 1000);
	TAILQ_INSERT_TAIL(&nic->queues, queue, link);
	pthread_mutex_unlock(&nic->lock);
	queue->watch.failed = watch_failed;
	queue->watch.may_launch = watch_may_launch;
	queue->watch.at_launch = watch_launch;
	queue->watch.input = queue->receives ? watch_input : NULL;
	queue->watch.traffic = watch_traffic;
	gin_gpu_watch_add(queue->gpu, &queue->watch);
}

void gin_nic_queue_remove(struct gin_nic_queue *queue)
{
	struct gin_nic *nic = queue->nic;

	if (!queue->watch.failed)
		return;
	gin_gpu_watch_del(queue->gpu, &queue->watch);
	pthread_mutex_lock(&nic->lock);
	TAILQ_REMOVE(&nic->queues, queue, link);
	pthread_mutex_unlock(&nic->lock);
	queue->watch.failed = NULL;
}

int gin_nic_failure(struct gin_nic *nic, struct gin_failure *out)
{
	int failed;

	pthread_mutex_lock(&nic->lock);
	take_events(nic);
	failed = nic->failed;
	*out = nic->failure;
	pthread_mutex_unlock(&nic->lock);
	return failed ? -EIO : 0;
}
