/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules: which packets go where. Lower priority number first, within one the oldest first. */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PRIORITY_MAX 15u /* the regular priorities of the kernel's bypass namespace */
#define TAG_MAX 0xffffffu

static const struct sn_rule *find_same(const struct sn_device *dev, const struct sn_rule *rule)
{
	const struct sn_rule *r;

	TAILQ_FOREACH(r, &dev->rules, in_dev)
		if (r->priority == rule->priority && !memcmp(r->mask, rule->mask, sizeof(r->mask)) &&
		    !memcmp(r->value, rule->value, sizeof(r->value)))
			return r;
	return NULL;
}

static void insert(struct sn_device *dev, struct sn_rule *rule)
{
	struct sn_rule *r;

	TAILQ_FOREACH(r, &dev->rules, in_dev) {
		if (r->priority > rule->priority) {
			TAILQ_INSERT_BEFORE(r, rule, in_dev);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&dev->rules, rule, in_dev);
}

static int check_spec(const struct gin_nic_rule_spec *spec)
{
	if (spec->priority > PRIORITY_MAX || spec->tag > TAG_MAX || spec->to > GIN_NIC_TO_HOST) {
		gin_error("soft: rule with priority %u (at most %u), tag 0x%x (at most 0x%x), action %d: not possible",
			  spec->priority, PRIORITY_MAX, spec->tag, TAG_MAX, (int)spec->to);
		return -EINVAL;
	}
	return 0;
}

static struct sn_rule *rule_new(const struct gin_nic_rule_spec *spec, int *err)
{
	struct sn_rule *rule = calloc(1, sizeof(*rule));
	const char *why = "";

	*err = -ENOMEM;
	if (!rule)
		return NULL;
	rule->priority = spec->priority;
	rule->tag = spec->tag;
	rule->to = spec->to;
	if (spec->mask)
		memcpy(rule->mask, spec->mask, sizeof(rule->mask));
	if (spec->value)
		memcpy(rule->value, spec->value, sizeof(rule->value));
	rule->any = (uint8_t)sn_match_any(rule->mask);
	*err = sn_match_check(rule->mask, rule->value, &why);
	if (!*err)
		return rule;
	gin_error("soft: rule refused: %s", why);
	free(rule);
	return NULL;
}

static int rule_install(struct sn_ctx *ctx, struct sn_rule *rule, uint32_t tirn)
{
	const struct sn_rule *same = find_same(ctx->dev, rule);
	int err;

	if (same) {
		sn_note(ctx->dev, GIN_LOG_DEBUG, "soft: rule 0x%x has the same match and priority %u already", same->o.number,
			rule->priority);
		return -EEXIST;
	}
	if (rule->to == GIN_NIC_TO_TIR) {
		rule->tir = (struct sn_tir *)sn_find(ctx, SN_TIR, tirn);
		if (!rule->tir) {
			sn_note(ctx->dev, GIN_LOG_ERROR, "soft: rule to TIR 0x%x: no such TIR in this context", tirn);
			return -EINVAL;
		}
	}
	err = sn_obj_add(ctx, SN_RULE, &rule->o);
	if (err) {
		sn_note(ctx->dev, GIN_LOG_ERROR, "soft: no more than %u rules", ctx->dev->tables[SN_RULE].max);
		return -ENOMEM;
	}
	if (rule->tir)
		sn_ref(&rule->tir->o);
	insert(ctx->dev, rule);
	return 0;
}

int sn_rule_add(struct sn_ctx *ctx, const struct gin_nic_rule_spec *spec, uint32_t tirn, uint32_t *id)
{
	struct sn_rule *rule;
	int err = check_spec(spec);

	if (err)
		return err;
	rule = rule_new(spec, &err);
	if (!rule)
		return err;
	sn_lock(ctx->dev);
	err = rule_install(ctx, rule, tirn);
	if (!err)
		*id = rule->o.number;
	sn_unlock(ctx->dev);
	if (err)
		free(rule);
	return err;
}

void sn_rule_free_obj(struct sn_obj *obj)
{
	struct sn_rule *rule = (struct sn_rule *)obj;

	TAILQ_REMOVE(&obj->ctx->dev->rules, rule, in_dev);
	if (rule->tir)
		sn_unref(&rule->tir->o);
	free(rule);
}

int sn_rule_del(struct sn_ctx *ctx, uint32_t id)
{
	struct sn_obj *rule;

	sn_lock(ctx->dev);
	rule = sn_find(ctx, SN_RULE, id);
	if (rule)
		sn_obj_free(rule);
	sn_unlock(ctx->dev);
	return rule ? 0 : -EINVAL;
}

int sn_rule_count(struct sn_ctx *ctx, uint32_t id, uint64_t *packets, uint64_t *bytes)
{
	const struct sn_rule *rule;

	sn_lock(ctx->dev);
	rule = (const struct sn_rule *)sn_find(ctx, SN_RULE, id);
	if (rule) {
		*packets = rule->packets;
		*bytes = rule->bytes;
	}
	sn_unlock(ctx->dev);
	return rule ? 0 : -EINVAL;
}

struct sn_rule *sn_steer(struct sn_device *dev, const struct sn_frame *frame, const struct sn_parsed *parsed)
{
	struct sn_rule *rule = TAILQ_FIRST(&dev->rules);
	uint8_t key[0x40];

	if (!rule || rule->any)
		return rule; /* needs no key */
	sn_match_key(frame->data, frame->len, parsed, key);
	for (; rule; rule = TAILQ_NEXT(rule, in_dev))
		if (sn_match(key, rule->mask, rule->value))
			return rule;
	return NULL;
}
