/* SPDX-License-Identifier: BSD-3-Clause */
#include "inject.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct decorated {
	struct gin_nic_dev dev;
	struct gin_nic_dev *inner;
};

static atomic_int armed;
static atomic_uint calls, fail_at;
static atomic_int fail_with;
static const struct gin_nic_ops *inner_ops;

static struct gin_nic_dev *inner(struct gin_nic_dev *dev)
{
	return ((struct decorated *)dev)->inner;
}

/* 0, or the error that this call must return. */
static int due(void)
{
	return atomic_load(&armed) && atomic_fetch_add(&calls, 1) == atomic_load(&fail_at) ? atomic_load(&fail_with) : 0;
}

static int d_open(const char *name, struct gin_nic_dev **out)
{
	struct decorated *d;
	int err = due();

	if (err)
		return err;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	err = inner_ops->open(name, &d->inner);
	if (err) {
		free(d);
		return err;
	}
	d->dev.ops = gin_inject_ops(inner_ops);
	*out = &d->dev;
	return 0;
}

static void d_close(struct gin_nic_dev *dev)
{
	inner_ops->close(inner(dev));
	free(dev);
}

static int d_pd_alloc(struct gin_nic_dev *dev, struct gin_nic_pd *out)
{
	int err = due();

	return err ? err : inner_ops->pd_alloc(inner(dev), out);
}

static void d_pd_free(struct gin_nic_dev *dev, struct gin_nic_pd *pd)
{
	inner_ops->pd_free(inner(dev), pd);
}

static int d_uar_alloc(struct gin_nic_dev *dev, struct gin_nic_uar *out)
{
	int err = due();

	return err ? err : inner_ops->uar_alloc(inner(dev), out);
}

static void d_uar_free(struct gin_nic_dev *dev, struct gin_nic_uar *uar)
{
	inner_ops->uar_free(inner(dev), uar);
}

static int d_umem_reg(struct gin_nic_dev *dev, const struct gin_mem_ref *mem, struct gin_nic_umem *out)
{
	int err = due();

	return err ? err : inner_ops->umem_reg(inner(dev), mem, out);
}

static int d_umem_dereg(struct gin_nic_dev *dev, struct gin_nic_umem *umem)
{
	return inner_ops->umem_dereg(inner(dev), umem);
}

static int d_mr_reg(struct gin_nic_dev *dev, const struct gin_nic_pd *pd, const struct gin_mem_ref *mem, uint32_t access,
		    struct gin_nic_mr *out)
{
	int err = due();

	return err ? err : inner_ops->mr_reg(inner(dev), pd, mem, access, out);
}

static void d_mr_dereg(struct gin_nic_dev *dev, struct gin_nic_mr *mr)
{
	inner_ops->mr_dereg(inner(dev), mr);
}

static int d_eqn(struct gin_nic_dev *dev, uint32_t vector, uint32_t *eqn)
{
	int err = due();

	return err ? err : inner_ops->eqn(inner(dev), vector, eqn);
}

static int d_cmd(struct gin_nic_dev *dev, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = due();

	return err ? err : inner_ops->cmd(inner(dev), in, in_len, out, out_len);
}

static int d_obj_create(struct gin_nic_dev *dev, const void *in, size_t in_len, void *out, size_t out_len,
			struct gin_nic_obj *obj)
{
	int err = due();

	return err ? err : inner_ops->obj_create(inner(dev), in, in_len, out, out_len, obj);
}

static int d_obj_modify(struct gin_nic_dev *dev, struct gin_nic_obj *obj, const void *in, size_t in_len, void *out,
			size_t out_len)
{
	int err = due();

	return err ? err : inner_ops->obj_modify(inner(dev), obj, in, in_len, out, out_len);
}

static int d_obj_query(struct gin_nic_dev *dev, struct gin_nic_obj *obj, const void *in, size_t in_len, void *out,
		       size_t out_len)
{
	int err = due();

	return err ? err : inner_ops->obj_query(inner(dev), obj, in, in_len, out, out_len);
}

static int d_obj_destroy(struct gin_nic_dev *dev, struct gin_nic_obj *obj)
{
	return inner_ops->obj_destroy(inner(dev), obj);
}

static int d_rule_add(struct gin_nic_dev *dev, const struct gin_nic_rule_spec *spec, struct gin_nic_rule *out)
{
	int err = due();

	return err ? err : inner_ops->rule_add(inner(dev), spec, out);
}

static void d_rule_del(struct gin_nic_dev *dev, struct gin_nic_rule *rule)
{
	inner_ops->rule_del(inner(dev), rule);
}

static int d_rule_count(struct gin_nic_dev *dev, struct gin_nic_rule *rule, uint64_t *packets, uint64_t *bytes)
{
	int err = due();

	return err ? err : inner_ops->rule_count(inner(dev), rule, packets, bytes);
}

static int d_port_query(struct gin_nic_dev *dev, struct gin_nic_port *out)
{
	int err = due();

	return err ? err : inner_ops->port_query(inner(dev), out);
}

static int d_port_promisc(struct gin_nic_dev *dev, int on)
{
	int err = due();

	return err ? err : inner_ops->port_promisc(inner(dev), on);
}

static int d_event_fd(struct gin_nic_dev *dev)
{
	return inner_ops->event_fd(inner(dev));
}

static int d_event_next(struct gin_nic_dev *dev, struct gin_nic_event *out)
{
	return inner_ops->event_next(inner(dev), out);
}

static int d_clock(struct gin_nic_dev *dev, uint64_t *ns)
{
	int err = due();

	return err ? err : inner_ops->clock(inner(dev), ns);
}

static int d_counters(struct gin_nic_dev *dev, struct gin_nic_counters *out)
{
	int err = due();

	return err ? err : inner_ops->counters(inner(dev), out);
}

static int d_queue_counters(struct gin_nic_dev *dev, struct gin_nic_obj *queue, struct gin_nic_queue_counters *out)
{
	int err = due();

	return err ? err : inner_ops->queue_counters(inner(dev), queue, out);
}

static void d_input_start(struct gin_nic_dev *dev)
{
	if (inner_ops->input_start)
		inner_ops->input_start(inner(dev));
}

static int d_input_ended(struct gin_nic_dev *dev)
{
	return inner_ops->input_ended ? inner_ops->input_ended(inner(dev)) : 0;
}

static struct gin_nic_ops decorated_ops = {
	.open = d_open,
	.close = d_close,
	.pd_alloc = d_pd_alloc,
	.pd_free = d_pd_free,
	.uar_alloc = d_uar_alloc,
	.uar_free = d_uar_free,
	.umem_reg = d_umem_reg,
	.umem_dereg = d_umem_dereg,
	.mr_reg = d_mr_reg,
	.mr_dereg = d_mr_dereg,
	.eqn = d_eqn,
	.cmd = d_cmd,
	.obj_create = d_obj_create,
	.obj_modify = d_obj_modify,
	.obj_query = d_obj_query,
	.obj_destroy = d_obj_destroy,
	.rule_add = d_rule_add,
	.rule_del = d_rule_del,
	.rule_count = d_rule_count,
	.port_query = d_port_query,
	.port_promisc = d_port_promisc,
	.event_fd = d_event_fd,
	.event_next = d_event_next,
	.clock = d_clock,
	.counters = d_counters,
	.queue_counters = d_queue_counters,
	.input_start = d_input_start,
	.input_ended = d_input_ended,
};

void gin_inject_arm(uint32_t nth, int err)
{
	atomic_store(&calls, 0);
	atomic_store(&fail_at, nth);
	atomic_store(&fail_with, err);
	atomic_store(&armed, 1);
}

void gin_inject_disarm(void)
{
	atomic_store(&armed, 0);
}

uint32_t gin_inject_calls(void)
{
	return atomic_load(&calls);
}

const struct gin_nic_ops *gin_inject_ops(const struct gin_nic_ops *ops)
{
	if (!atomic_load(&armed))
		return ops;
	inner_ops = ops;
	decorated_ops.kind = ops->kind;
	decorated_ops.reaches_gpu = ops->reaches_gpu;
	return &decorated_ops;
}

struct gin_nic_dev *gin_inject_inner(struct gin_nic_dev *dev)
{
	return dev->ops == &decorated_ops ? inner(dev) : dev;
}
