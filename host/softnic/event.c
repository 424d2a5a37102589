/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous events of a context; its eventfd is readable while one waits. */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static struct sn_event *pending(const struct sn_ctx *ctx, enum gin_nic_event_kind kind, uint32_t number)
{
	struct sn_event *e;

	STAILQ_FOREACH(e, &ctx->events, next)
		if (e->event.kind == kind && e->event.number == number)
			return e;
	return NULL;
}

/*
 * An event that still waits moves to the end instead of standing there twice:
 * so the objects bound the list, and the last event of a port says how it is.
 */
void sn_event_post(struct sn_ctx *ctx, enum gin_nic_event_kind kind, uint32_t number)
{
	struct sn_event *e = pending(ctx, kind, number);
	uint64_t one = 1;

	if (e) {
		STAILQ_REMOVE(&ctx->events, e, sn_event, next);
		STAILQ_INSERT_TAIL(&ctx->events, e, next);
		return;
	}
	e = malloc(sizeof(*e));
	if (!e) {
		sn_note(ctx->dev, GIN_LOG_ERROR, "soft: no memory for event %d of 0x%x: it is lost", (int)kind, number);
		return;
	}
	e->event.kind = kind;
	e->event.number = number;
	if (STAILQ_EMPTY(&ctx->events) && write(ctx->event_fd, &one, sizeof(one)) < 0)
		sn_note(ctx->dev, GIN_LOG_ERROR, "soft: cannot signal event %d of 0x%x", (int)kind, number);
	STAILQ_INSERT_TAIL(&ctx->events, e, next);
}

void sn_event_post_all(struct sn_device *dev, enum gin_nic_event_kind kind, uint32_t number)
{
	struct sn_ctx *ctx;

	TAILQ_FOREACH(ctx, &dev->ctxs, in_dev)
		sn_event_post(ctx, kind, number);
}

static void take(struct sn_ctx *ctx, struct gin_nic_event *out)
{
	struct sn_event *e = STAILQ_FIRST(&ctx->events);
	uint64_t count;

	*out = e->event;
	STAILQ_REMOVE_HEAD(&ctx->events, next);
	free(e);
	/* Non-blocking; the count is 1 here, as it is written only when the list was empty. */
	if (STAILQ_EMPTY(&ctx->events) && read(ctx->event_fd, &count, sizeof(count)) < 0)
		sn_note(ctx->dev, GIN_LOG_ERROR, "soft: the event descriptor was read by somebody else");
}

void sn_event_drop_all(struct sn_ctx *ctx)
{
	struct gin_nic_event event;

	while (!STAILQ_EMPTY(&ctx->events))
		take(ctx, &event);
}

int sn_event_fd(struct sn_ctx *ctx)
{
	return ctx->event_fd;
}

int sn_event_next(struct sn_ctx *ctx, struct gin_nic_event *out)
{
	int err = -EAGAIN;

	sn_lock(ctx->dev);
	if (!STAILQ_EMPTY(&ctx->events)) {
		take(ctx, out);
		/* An event comes behind the CQEs that it tells of: whoever takes it sees all of them. */
		sn_adv_publish(ctx->dev, sn_adv_n_held(ctx->dev));
		err = 0;
	}
	sn_unlock(ctx->dev);
	return err;
}
