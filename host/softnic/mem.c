/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the NIC may reach: protection domains, umems (rings, records) and keys (packets). */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

static int add(struct sn_ctx *ctx, enum sn_kind kind, struct sn_obj *obj)
{
	int err = sn_obj_add(ctx, kind, obj);

	if (!err)
		return 0;
	sn_note(ctx->dev, GIN_LOG_ERROR, "soft: no more than %u objects of kind %s", ctx->dev->tables[kind].max,
		sn_kind_name(kind));
	free(obj);
	return -ENOMEM;
}

/* -EINVAL: no such object of this context; -EBUSY: referred to. */
static int drop(struct sn_ctx *ctx, enum sn_kind kind, uint32_t number)
{
	struct sn_obj *obj;
	int err = 0;

	sn_lock(ctx->dev);
	obj = sn_find(ctx, kind, number);
	if (!obj)
		err = -EINVAL;
	else if (obj->refs)
		err = -EBUSY;
	else
		sn_obj_free(obj);
	sn_unlock(ctx->dev);
	return err;
}

int sn_pd_alloc(struct sn_ctx *ctx, uint32_t *pdn)
{
	struct sn_obj *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd)
		return -ENOMEM;
	sn_lock(ctx->dev);
	err = add(ctx, SN_PD, pd);
	if (!err)
		*pdn = pd->number;
	sn_unlock(ctx->dev);
	return err;
}

int sn_pd_free(struct sn_ctx *ctx, uint32_t pdn)
{
	return drop(ctx, SN_PD, pdn);
}

static int check_ref(const struct gin_mem_ref *mem)
{
	if (!mem->len || mem->len - 1 > UINT64_MAX - mem->va)
		return -EINVAL;
	if (mem->cpu)
		return 0;
	gin_error("soft: %zu bytes at 0x%llx have no CPU address: the software NIC cannot reach %s; use pinned host memory",
		  mem->len, (unsigned long long)mem->va, mem->gpu ? "GPU memory" : "them");
	return -ENOTSUP;
}

enum { PAGE = 4096, PAGES_A_LOOK = 4096 };

/* As get_user_pages() of a kernel driver would find out: every page of it is there. */
static int check_mapped(const struct gin_mem_ref *mem)
{
	uintptr_t at = (uintptr_t)mem->cpu & ~(uintptr_t)(PAGE - 1), end = (uintptr_t)mem->cpu + mem->len;
	unsigned char in_core[PAGES_A_LOOK];
	size_t len;

	for (; at < end; at += len) {
		len = end - at < (size_t)PAGE * PAGES_A_LOOK ? end - at : (size_t)PAGE * PAGES_A_LOOK;
		if (mincore((void *)at, len, in_core) && errno == ENOMEM) {
			gin_error("soft: %zu bytes at %p are not all mapped memory: give the length that was allocated", mem->len,
				  mem->cpu);
			return -EFAULT;
		}
	}
	return 0;
}

int sn_umem_reg(struct sn_ctx *ctx, const struct gin_mem_ref *mem, uint32_t *id)
{
	struct sn_umem *umem;
	int err = check_ref(mem);

	if (!err)
		err = check_mapped(mem);
	if (err)
		return err;
	umem = calloc(1, sizeof(*umem));
	if (!umem)
		return -ENOMEM;
	umem->cpu = mem->cpu;
	umem->len = mem->len;
	sn_lock(ctx->dev);
	err = add(ctx, SN_UMEM, &umem->o);
	if (!err)
		*id = umem->o.number;
	sn_unlock(ctx->dev);
	return err;
}

void sn_umem_free_obj(struct sn_obj *obj)
{
	free(obj);
}

int sn_umem_dereg(struct sn_ctx *ctx, uint32_t id)
{
	return drop(ctx, SN_UMEM, id);
}

int sn_mr_reg(struct sn_ctx *ctx, uint32_t pdn, const struct gin_mem_ref *mem, uint32_t access, uint32_t *lkey,
	      uint32_t *rkey)
{
	struct sn_mr *mr;
	int err = check_ref(mem);

	if (!err)
		err = check_mapped(mem);
	if (err)
		return err;
	if (access & ~GIN_MR_LOCAL_WRITE)
		return -EINVAL;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	sn_lock(ctx->dev);
	mr->pd = sn_find(ctx, SN_PD, pdn);
	if (!mr->pd) {
		err = -EINVAL;
		free(mr);
		goto out;
	}
	mr->cpu = mem->cpu;
	mr->va = mem->va;
	mr->len = mem->len;
	mr->access = access;
	err = add(ctx, SN_MKEY, &mr->o);
	if (err)
		goto out;
	mr->variant = ctx->dev->key_variant++;
	sn_ref(mr->pd);
	*lkey = mr->o.number << 8 | mr->variant;
	*rkey = *lkey; /* one key for both, as ibv_reg_mr() gives on mlx5 */
out:
	sn_unlock(ctx->dev);
	return err;
}

void sn_mr_free_obj(struct sn_obj *obj)
{
	struct sn_mr *mr = (struct sn_mr *)obj;

	obj->ctx->dev->key_epoch++; /* no queue may use its cached copy any more */
	sn_unref(mr->pd);
	free(mr);
}

int sn_mr_dereg(struct sn_ctx *ctx, uint32_t lkey)
{
	struct sn_mr *mr;
	int known;

	sn_lock(ctx->dev);
	mr = (struct sn_mr *)sn_find(ctx, SN_MKEY, lkey >> 8);
	known = mr && mr->variant == (lkey & 0xff);
	if (known)
		sn_obj_free(&mr->o);
	sn_unlock(ctx->dev);
	return known ? 0 : -EINVAL;
}

static const struct sn_mr *find_mr(struct sn_wq *wq, uint32_t lkey, enum sn_fault *fault)
{
	struct sn_ctx *ctx = wq->o.ctx;
	const struct sn_mr *mr = (const struct sn_mr *)sn_find(ctx, SN_MKEY, lkey >> 8);

	if (!mr) {
		*fault = SN_FAULT_NO_KEY;
		return NULL;
	}
	if (mr->variant != (lkey & 0xff)) {
		*fault = SN_FAULT_VARIANT;
		return NULL;
	}
	if (mr->pd != wq->pd) {
		*fault = SN_FAULT_PD;
		return NULL;
	}
	wq->key.key = lkey;
	wq->key.epoch = ctx->dev->key_epoch;
	wq->key.mr = mr;
	return mr;
}

uint8_t *sn_dma_look_up(struct sn_wq *wq, uint32_t lkey, uint64_t addr, uint64_t len, uint32_t right,
			enum sn_fault *fault)
{
	const struct sn_mr *mr = find_mr(wq, lkey, fault);

	if (!mr)
		return NULL;
	if (!sn_mr_has(mr, addr, len)) {
		*fault = SN_FAULT_RANGE;
		return NULL;
	}
	if (right & ~mr->access) {
		*fault = SN_FAULT_RIGHT;
		return NULL;
	}
	return mr->cpu + (addr - mr->va);
}

const char *sn_fault_text(enum sn_fault fault)
{
	switch (fault) {
	case SN_FAULT_NONE:
		return "no fault";
	case SN_FAULT_NO_KEY:
		return "no such lkey in this context";
	case SN_FAULT_VARIANT:
		return "the lkey's low byte is not this key's";
	case SN_FAULT_PD:
		return "the lkey is of another PD";
	case SN_FAULT_RANGE:
		return "the address range is not inside the registered one";
	case SN_FAULT_RIGHT:
		return "the memory was registered without local write";
	}
	return "unknown fault";
}
