/* SPDX-License-Identifier: BSD-3-Clause */
/* A software ConnectX, and the contexts that processes open on it. */
#include "auto.h"
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int device_init(struct sn_device *dev, const struct sn_profile *profile, const struct gin_env *env)
{
	int err;

	dev->profile = *profile;
	dev->env = env;
	dev->admin_up = 1;
	dev->key_variant = (uint8_t)gin_env_random(env, GIN_RNG_NUMBERS);
	dev->key_epoch = 1;
	TAILQ_INIT(&dev->ctxs);
	TAILQ_INIT(&dev->rules);
	TAILQ_INIT(&dev->uars);
	TAILQ_INIT(&dev->busy);
	err = sn_numbers_init(dev);
	if (err)
		return err;
	err = sn_adv_open(dev);
	if (err)
		sn_numbers_free(dev);
	return err;
}

static void device_fini(struct sn_device *dev)
{
	sn_adv_close(dev);
	sn_numbers_free(dev);
}

int sn_device_create(const struct sn_profile *profile, const struct gin_env *env, struct sn_device **out)
{
	struct sn_device *dev;
	int err;

	if (sn_auto_is(profile->wire))
		return sn_auto_create(profile, env, out);
	err = sn_port_prepare(profile);
	if (err)
		return err;
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	err = device_init(dev, profile, env);
	if (err)
		goto err_free;
	err = sn_engine_add(dev);
	if (err)
		goto err_fini;
	sn_lock(dev);
	err = sn_port_open(dev);
	sn_unlock(dev);
	if (err)
		goto err_remove;
	err = sn_recorder_open(dev); /* last: it empties the file */
	if (err)
		goto err_close;
	sn_lock(dev);
	sn_engine_enlist(dev);
	sn_unlock(dev);
	sn_engine_rang(); /* the thread waits on the new wire's descriptor too */
	*out = dev;
	return 0;

err_close:
	sn_lock(dev);
	sn_port_close(dev);
	sn_unlock(dev);
err_remove:
	sn_engine_remove(dev);
err_fini:
	device_fini(dev);
err_free:
	free(dev);
	return err;
}

static void ctx_free(struct sn_ctx *ctx)
{
	sn_ctx_free_objs(ctx);
	sn_event_drop_all(ctx);
	TAILQ_REMOVE(&ctx->dev->ctxs, ctx, in_dev);
	close(ctx->event_fd);
	free(ctx);
}

void sn_device_destroy(struct sn_device *dev)
{
	struct sn_ctx *ctx;

	if (!dev)
		return;
	sn_lock(dev);
	sn_engine_quiet(dev);
	while ((ctx = TAILQ_FIRST(&dev->ctxs)))
		ctx_free(ctx);
	sn_port_close(dev);
	sn_unlock(dev);
	sn_recorder_close(dev);
	sn_engine_remove(dev);
	device_fini(dev);
	free(dev);
}

int sn_open(struct sn_device *dev, struct sn_ctx **out)
{
	struct sn_ctx *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return -ENOMEM;
	ctx->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ctx->event_fd < 0) {
		int err = -errno;

		gin_error("soft: no descriptor for events (%s): raise ulimit -n", strerror(-err));
		free(ctx);
		return err;
	}
	ctx->dev = dev;
	TAILQ_INIT(&ctx->objs);
	STAILQ_INIT(&ctx->events);
	sn_lock(dev);
	TAILQ_INSERT_TAIL(&dev->ctxs, ctx, in_dev);
	sn_unlock(dev);
	*out = ctx;
	return 0;
}

void sn_close(struct sn_ctx *ctx)
{
	struct sn_device *dev;

	if (!ctx)
		return;
	dev = ctx->dev;
	sn_lock(dev);
	ctx_free(ctx);
	sn_unlock(dev);
}

uint32_t sn_eqn(struct sn_ctx *ctx)
{
	return ctx->dev->tables[SN_EQ].base;
}

uint64_t sn_clock_ns(struct sn_device *dev)
{
	return gin_env_now(dev->env);
}
