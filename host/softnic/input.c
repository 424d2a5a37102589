/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wires whose input ends, such as a capture file. Nobody at the other end
 * would send a lost packet again, and nobody waits for it either: so the first
 * one stays in the wire until a kernel is launched, and each one until its
 * receive queue has room. Then what comes out depends on the file alone.
 */
#include "sn.h"
#include <errno.h>

#define RETRY_NS 50000ull /* the record of a receive queue moves without telling */

void sn_input_look(struct sn_device *dev)
{
	dev->input_ends = dev->wire->ops->ended && dev->wire->ops->ended(dev->wire);
}

static int is_full(struct sn_rq *rq)
{
	return rq && rq->wq.state == PRM_STATE_RDY && !sn_rq_posted(rq);
}

int sn_input_holds(struct sn_device *dev, const struct sn_frame *frame)
{
	int full;

	if (!dev->input_ends)
		return 0;
	full = !dev->input_started || is_full(sn_port_queue_of(dev, frame));
	dev->input_retry_ns = full ? gin_env_now(dev->env) + RETRY_NS : 0;
	return full;
}

int sn_input_can_receive(struct sn_device *dev)
{
	const struct sn_wire_ops *ops = dev->wire->ops;

	if (!ops->can_receive || !ops->can_receive(dev->wire))
		return 0;
	if (!dev->input_ends)
		return 1;
	return dev->input_started && (!dev->input_retry_ns || gin_env_now(dev->env) >= dev->input_retry_ns);
}

uint64_t sn_input_next_ns(const struct sn_device *dev)
{
	return dev->input_started && dev->input_retry_ns ? dev->input_retry_ns : UINT64_MAX;
}

void sn_input_start(struct sn_device *dev)
{
	sn_lock(dev);
	dev->input_started = 1;
	sn_unlock(dev);
	sn_engine_rang();
}

int sn_input_ended(struct sn_device *dev)
{
	int ended;

	if (!dev->wire->ops->ended) /* which wire it is never changes: no lock */
		return 0;
	sn_lock(dev);
	ended = dev->wire->ops->ended(dev->wire);
	if (ended == 1 && sn_dev_n_ready(dev))
		ended = -EAGAIN;
	sn_unlock(dev);
	return ended;
}
