/* SPDX-License-Identifier: BSD-3-Clause */
/* The seam on the software ConnectX: names and numbers become its calls; nothing else happens here. */
#include "soft.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <ginet/hw/dbrec.h>
#include "gpu/runner.h"
#include "prm/prm.h"
#include "sim/env.h"
#include "softnic/softnic.h"
#ifdef GINET_SIM
#include "sim/lane.h"
#include "sim/sim.h"
#endif

struct soft {
	struct gin_nic_dev dev;
	struct sn_device *device;
	struct sn_ctx *ctx;
};

/* What obj_destroy must say. */
struct object {
	uint32_t opcode, number;
	int is_sq;
};

static struct soft *soft_of(struct gin_nic_dev *dev)
{
	return (struct soft *)dev;
}

/* Numbers are never 0, so they stand for themselves in priv. */
static void *number_priv(uint32_t number)
{
	return (void *)(uintptr_t)number;
}

static uint32_t priv_number(const void *priv)
{
	return (uint32_t)(uintptr_t)priv;
}

/* The engine: kernels on CPU threads help it and wake it; in a simulation it is an actor. */

static void rang(void *ctx)
{
	(void)ctx;
	sn_engine_rang();
}

static const struct gin_runner_helper helper = {
	.help = sn_engine_help,
	.rang = rang,
	.gpu_active = sn_engine_gpu_active,
};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_open;

#ifdef GINET_SIM
static struct gin_actor engine_actor = {
	.name = "nic",
	.n_ready = sn_engine_n_ready,
	.step = sn_engine_step,
	.next_ns = sn_engine_next_ns,
};
static struct gin_sim *sim; /* that the engine is an actor of */

static const struct gin_env *engine_attach(void)
{
	sim = gin_sim_current();
	sn_engine_set_stepped(sim != NULL);
	if (!sim) {
		sn_engine_on_work(gin_runner_happened);
		gin_runner_set_helper(&helper);
		return gin_env_real();
	}
	gin_sim_add(sim, &engine_actor);
	gin_sim_on_load(sn_engine_loaded);
	gin_sim_on_acquire(sn_engine_acquired);
	return gin_sim_env(sim);
}

static void engine_detach(void)
{
	if (sim) {
		gin_sim_on_load(NULL);
		gin_sim_on_acquire(NULL);
		gin_sim_remove(sim, &engine_actor);
	} else {
		gin_runner_set_helper(NULL);
	}
	sim = NULL;
}

static const struct gin_env *env_now(void)
{
	return sim ? gin_sim_env(sim) : gin_env_real();
}
#else
static const struct gin_env *engine_attach(void)
{
	sn_engine_on_work(gin_runner_happened);
	gin_runner_set_helper(&helper);
	return gin_env_real();
}

static void engine_detach(void)
{
	gin_runner_set_helper(NULL);
}

static const struct gin_env *env_now(void)
{
	return gin_env_real();
}
#endif

static int soft_open(const char *name, struct gin_nic_dev **out)
{
	const struct gin_env *env;
	struct sn_profile profile;
	struct soft *soft = calloc(1, sizeof(*soft));
	int err;

	if (!soft)
		return -ENOMEM;
	soft->dev.ops = &gin_nic_soft;
	pthread_mutex_lock(&open_lock);
	env = n_open ? env_now() : engine_attach();
	err = sn_profile_parse(name, env, &profile);
	if (err)
		goto err_detach;
	err = sn_device_create(&profile, env, &soft->device);
	if (err)
		goto err_detach;
	err = sn_open(soft->device, &soft->ctx);
	if (err)
		goto err_destroy;
	n_open++;
	pthread_mutex_unlock(&open_lock);
	*out = &soft->dev;
	return 0;

err_destroy:
	sn_device_destroy(soft->device);
err_detach:
	if (!n_open)
		engine_detach();
	pthread_mutex_unlock(&open_lock);
	free(soft);
	return err;
}

static void soft_close(struct gin_nic_dev *dev)
{
	struct soft *soft = soft_of(dev);

	pthread_mutex_lock(&open_lock);
	sn_close(soft->ctx);
	sn_device_destroy(soft->device);
	if (!--n_open)
		engine_detach();
	pthread_mutex_unlock(&open_lock);
	free(soft);
}

static int soft_pd_alloc(struct gin_nic_dev *dev, struct gin_nic_pd *out)
{
	int err = sn_pd_alloc(soft_of(dev)->ctx, &out->pdn);

	out->priv = err ? NULL : number_priv(out->pdn);
	return err;
}

static void soft_pd_free(struct gin_nic_dev *dev, struct gin_nic_pd *pd)
{
	sn_pd_free(soft_of(dev)->ctx, pd->pdn);
	pd->priv = NULL;
}

static int soft_uar_alloc(struct gin_nic_dev *dev, struct gin_nic_uar *out)
{
	void *page;
	int err = sn_uar_alloc(soft_of(dev)->ctx, &out->page_id, &page);

	if (err)
		return err;
	out->reg = (char *)page + GIN_UAR_SQ_DOORBELL;
	out->is_mmio = 0;
	out->is_shared = 0;
	out->priv = number_priv(out->page_id);
	return 0;
}

static void soft_uar_free(struct gin_nic_dev *dev, struct gin_nic_uar *uar)
{
	sn_uar_free(soft_of(dev)->ctx, uar->page_id);
	uar->priv = NULL;
}

static int soft_umem_reg(struct gin_nic_dev *dev, const struct gin_mem_ref *mem, struct gin_nic_umem *out)
{
	int err = sn_umem_reg(soft_of(dev)->ctx, mem, &out->id);

	out->priv = err ? NULL : number_priv(out->id);
	return err;
}

static int soft_umem_dereg(struct gin_nic_dev *dev, struct gin_nic_umem *umem)
{
	return sn_umem_dereg(soft_of(dev)->ctx, umem->id);
}

static int soft_mr_reg(struct gin_nic_dev *dev, const struct gin_nic_pd *pd, const struct gin_mem_ref *mem,
		       uint32_t access, struct gin_nic_mr *out)
{
	int err = sn_mr_reg(soft_of(dev)->ctx, pd->pdn, mem, access, &out->lkey, &out->rkey);

	out->priv = err ? NULL : number_priv(out->lkey);
	return err;
}

static void soft_mr_dereg(struct gin_nic_dev *dev, struct gin_nic_mr *mr)
{
	sn_mr_dereg(soft_of(dev)->ctx, mr->lkey);
	mr->priv = NULL;
}

static int soft_eqn(struct gin_nic_dev *dev, uint32_t vector, uint32_t *eqn)
{
	if (vector)
		return -EINVAL;
	*eqn = sn_eqn(soft_of(dev)->ctx);
	return 0;
}

static uint32_t opcode_of(const void *in)
{
	return (uint32_t)((const uint8_t *)in)[0] << 8 | ((const uint8_t *)in)[1];
}

static int soft_cmd(struct gin_nic_dev *dev, const void *in, size_t in_len, void *out, size_t out_len)
{
	switch (opcode_of(in)) {
	case PRM_OP_QUERY_HCA_CAP:
	case PRM_OP_QUERY_NIC_VPORT_CONTEXT:
	case PRM_OP_QUERY_VPORT_STATE:
	case PRM_OP_NOP:
		return sn_cmd(soft_of(dev)->ctx, in, in_len, out, out_len, 1);
	default: /* as the kernel driver's general command path */
		return -EINVAL;
	}
}

/* The command that undoes a create, 0: it creates nothing. */
static uint32_t destroy_opcode(uint32_t create)
{
	switch (create) {
	case PRM_OP_ALLOC_TD:
		return PRM_OP_DEALLOC_TD;
	case PRM_OP_CREATE_CQ:
		return PRM_OP_DESTROY_CQ;
	case PRM_OP_CREATE_TIS:
		return PRM_OP_DESTROY_TIS;
	case PRM_OP_CREATE_SQ:
		return PRM_OP_DESTROY_SQ;
	case PRM_OP_CREATE_RQ:
		return PRM_OP_DESTROY_RQ;
	case PRM_OP_CREATE_TIR:
		return PRM_OP_DESTROY_TIR;
	default:
		return 0;
	}
}

static int soft_obj_create(struct gin_nic_dev *dev, const void *in, size_t in_len, void *out, size_t out_len,
			   struct gin_nic_obj *obj)
{
	uint32_t opcode = opcode_of(in), undo = destroy_opcode(opcode);
	struct object *object;
	int err;

	if (!undo)
		return -EINVAL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return -ENOMEM;
	err = sn_cmd(soft_of(dev)->ctx, in, in_len, out, out_len, 1);
	if (err) {
		free(object);
		return err;
	}
	object->opcode = undo;
	object->number = prm_out_number(out);
	object->is_sq = opcode == PRM_OP_CREATE_SQ;
	obj->priv = object;
	return 0;
}

static int soft_obj_cmd(struct gin_nic_dev *dev, struct gin_nic_obj *obj, const void *in, size_t in_len, void *out,
			size_t out_len)
{
	(void)obj;
	return sn_cmd(soft_of(dev)->ctx, in, in_len, out, out_len, 1);
}

static int soft_obj_destroy(struct gin_nic_dev *dev, struct gin_nic_obj *obj)
{
	struct object *object = obj->priv;
	uint8_t in[PRM_SHORT_LEN], out[PRM_SHORT_LEN];
	int err;

	prm_build_destroy(in, (enum prm_opcode)object->opcode, object->number);
	err = sn_cmd(soft_of(dev)->ctx, in, sizeof(in), out, sizeof(out), 1);
	if (err == -EREMOTEIO && prm_out_status(out) == PRM_BUSY)
		return -EBUSY;
	if (err)
		return err;
	free(object);
	obj->priv = NULL;
	return 0;
}

static int soft_rule_add(struct gin_nic_dev *dev, const struct gin_nic_rule_spec *spec, struct gin_nic_rule *out)
{
	const struct object *tir = spec->tir ? spec->tir->priv : NULL;
	uint32_t id;
	int err = sn_rule_add(soft_of(dev)->ctx, spec, tir ? tir->number : 0, &id);

	out->priv = err ? NULL : number_priv(id);
	return err;
}

static void soft_rule_del(struct gin_nic_dev *dev, struct gin_nic_rule *rule)
{
	sn_rule_del(soft_of(dev)->ctx, priv_number(rule->priv));
	rule->priv = NULL;
}

static int soft_rule_count(struct gin_nic_dev *dev, struct gin_nic_rule *rule, uint64_t *packets, uint64_t *bytes)
{
	return sn_rule_count(soft_of(dev)->ctx, priv_number(rule->priv), packets, bytes);
}

static int soft_port_query(struct gin_nic_dev *dev, struct gin_nic_port *out)
{
	return sn_port_query(soft_of(dev)->device, out);
}

static int soft_port_promisc(struct gin_nic_dev *dev, int on)
{
	return sn_port_promisc(soft_of(dev)->ctx, on);
}

static int soft_event_fd(struct gin_nic_dev *dev)
{
	return sn_event_fd(soft_of(dev)->ctx);
}

static int soft_event_next(struct gin_nic_dev *dev, struct gin_nic_event *out)
{
	return sn_event_next(soft_of(dev)->ctx, out);
}

static int soft_clock(struct gin_nic_dev *dev, uint64_t *ns)
{
	*ns = sn_clock_ns(soft_of(dev)->device);
	return 0;
}

static int soft_counters(struct gin_nic_dev *dev, struct gin_nic_counters *out)
{
	return sn_counters(soft_of(dev)->device, out);
}

static int soft_queue_counters(struct gin_nic_dev *dev, struct gin_nic_obj *queue, struct gin_nic_queue_counters *out)
{
	const struct object *object = queue->priv;

	return sn_queue_counters(soft_of(dev)->ctx, object->number, object->is_sq, out);
}

static void soft_input_start(struct gin_nic_dev *dev)
{
	sn_input_start(soft_of(dev)->device);
}

static int soft_input_ended(struct gin_nic_dev *dev)
{
	return sn_input_ended(soft_of(dev)->device);
}

struct sn_device *gin_nic_soft_device(struct gin_nic_dev *dev)
{
	return soft_of(dev)->device;
}

const struct gin_nic_ops gin_nic_soft = {
	.kind = "soft",
	.open = soft_open,
	.close = soft_close,
	.pd_alloc = soft_pd_alloc,
	.pd_free = soft_pd_free,
	.uar_alloc = soft_uar_alloc,
	.uar_free = soft_uar_free,
	.umem_reg = soft_umem_reg,
	.umem_dereg = soft_umem_dereg,
	.mr_reg = soft_mr_reg,
	.mr_dereg = soft_mr_dereg,
	.eqn = soft_eqn,
	.cmd = soft_cmd,
	.obj_create = soft_obj_create,
	.obj_modify = soft_obj_cmd,
	.obj_query = soft_obj_cmd,
	.obj_destroy = soft_obj_destroy,
	.rule_add = soft_rule_add,
	.rule_del = soft_rule_del,
	.rule_count = soft_rule_count,
	.port_query = soft_port_query,
	.port_promisc = soft_port_promisc,
	.event_fd = soft_event_fd,
	.event_next = soft_event_next,
	.clock = soft_clock,
	.counters = soft_counters,
	.queue_counters = soft_queue_counters,
	.input_start = soft_input_start,
	.input_ended = soft_input_ended,
	.reaches_gpu = 0,
};
