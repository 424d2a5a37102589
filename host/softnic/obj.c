/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects and their numbers. Each kind counts inside a window of its own in the
 * 24-bit space, windows in random order with random starts: no number is 0, and
 * none is valid for two kinds, so a mixed-up number never works by luck.
 */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>

#define WINDOW_LOG 20u /* 16 windows in 24 bits */
#define N_WINDOWS 16u
#define FIRST_MIN 0x100u /* above the key that ends scatter lists (0x100, index 1) and above 0 */

/* PDs and transport domains refer to nothing. */
static void free_plain(struct sn_obj *obj)
{
	free(obj);
}

static const struct {
	const char *name;
	uint32_t log_max; /* what the capabilities say */
	void (*free)(struct sn_obj *obj);
} kinds[SN_KINDS] = {
	[SN_PD] = { "PD", 12, free_plain },
	[SN_UAR] = { "UAR page", 10, sn_uar_free_obj },
	[SN_UMEM] = { "umem", 16, sn_umem_free_obj },
	[SN_MKEY] = { "mkey", 16, sn_mr_free_obj },
	[SN_TD] = { "transport domain", 6, free_plain },
	[SN_TIS] = { "TIS", 10, sn_tis_free_obj },
	[SN_CQ] = { "CQ", 12, sn_cq_free_obj },
	[SN_SQ] = { "SQ", 11, sn_sq_free_obj },
	[SN_RQ] = { "RQ", 11, sn_rq_free_obj },
	[SN_TIR] = { "TIR", 12, sn_tir_free_obj },
	[SN_RULE] = { "rule", 12, sn_rule_free_obj },
	[SN_EQ] = { "EQ", 0, NULL },
};

const char *sn_kind_name(enum sn_kind kind)
{
	return kinds[kind].name;
}

int sn_numbers_init(struct sn_device *dev)
{
	uint32_t window[N_WINDOWS], i, j, swap;

	for (i = 0; i < N_WINDOWS; i++) {
		j = (uint32_t)(gin_env_random(dev->env, GIN_RNG_NUMBERS) % (i + 1));
		swap = i;
		if (j < i) {
			swap = window[j];
			window[j] = i;
		}
		window[i] = swap;
	}
	for (i = 0; i < SN_KINDS; i++) {
		struct sn_table *t = &dev->tables[i];
		uint32_t first = (uint32_t)(gin_env_random(dev->env, GIN_RNG_NUMBERS) % (1u << (WINDOW_LOG - 1)));

		t->max = 1u << kinds[i].log_max;
		t->base = (window[i] << WINDOW_LOG) + FIRST_MIN + first;
		t->slot = calloc(t->max, sizeof(*t->slot));
		if (!t->slot)
			goto err_free;
	}
	/* c_eqn has 8 bits. */
	dev->tables[SN_EQ].base = 1 + (uint32_t)(gin_env_random(dev->env, GIN_RNG_NUMBERS) % 255);
	return 0;

err_free:
	sn_numbers_free(dev);
	return -ENOMEM;
}

void sn_numbers_free(struct sn_device *dev)
{
	uint32_t i;

	for (i = 0; i < SN_KINDS; i++)
		free(dev->tables[i].slot);
}

int sn_obj_add(struct sn_ctx *ctx, enum sn_kind kind, struct sn_obj *obj)
{
	struct sn_table *t = &ctx->dev->tables[kind];

	if (t->n == t->max)
		return -ENOSPC;
	/* Round and round, so that a freed number stays unknown for long. */
	while (t->slot[t->next])
		t->next = (t->next + 1) % t->max;
	t->slot[t->next] = obj;
	obj->kind = kind;
	obj->number = t->base + t->next;
	obj->ctx = ctx;
	t->next = (t->next + 1) % t->max;
	t->n++;
	TAILQ_INSERT_TAIL(&ctx->objs, obj, in_ctx);
	return 0;
}

void sn_obj_remove(struct sn_obj *obj)
{
	struct sn_table *t = &obj->ctx->dev->tables[obj->kind];

	t->slot[obj->number - t->base] = NULL;
	t->n--;
	TAILQ_REMOVE(&obj->ctx->objs, obj, in_ctx);
}

void sn_obj_free(struct sn_obj *obj)
{
	/* What the adversary holds back goes to memory that may be gone when the object is. */
	sn_adv_publish(obj->ctx->dev, sn_adv_n_held(obj->ctx->dev));
	sn_obj_remove(obj);
	kinds[obj->kind].free(obj);
}

void sn_ctx_free_objs(struct sn_ctx *ctx)
{
	struct sn_obj *obj;

	while ((obj = TAILQ_LAST(&ctx->objs, sn_obj_list)))
		sn_obj_free(obj);
}
