/* SPDX-License-Identifier: BSD-3-Clause */
/* Steering rules: what the user says, as an fte_match_param. */
#include "eth_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"

enum { MATCH_LEN = 0x200, TCP = 6, UDP = 17, ETHERTYPE_IPV4 = 0x0800 };
#define MATCH_ALL (GIN_MATCH_DMAC | GIN_MATCH_ETHERTYPE | GIN_MATCH_PROTO | GIN_MATCH_DPORT)

static int check(struct gin_nic *nic, const struct gin_flow_config *cfg)
{
	uint32_t i;

	if (cfg->match & ~MATCH_ALL) {
		gin_error("%s: rule matches on unknown fields 0x%x", nic->name, cfg->match & ~MATCH_ALL);
		return -EINVAL;
	}
	if (cfg->match & GIN_MATCH_DPORT && (!(cfg->match & GIN_MATCH_PROTO) || (cfg->proto != TCP && cfg->proto != UDP))) {
		gin_error("%s: a rule on a destination port needs GIN_MATCH_PROTO with proto 6 (TCP) or 17 (UDP)", nic->name);
		return -EINVAL;
	}
	if (cfg->match & GIN_MATCH_PROTO && cfg->match & GIN_MATCH_ETHERTYPE && cfg->ethertype != ETHERTYPE_IPV4) {
		gin_error("%s: a rule on an IPv4 protocol cannot have EtherType 0x%04x", nic->name, cfg->ethertype);
		return -EINVAL;
	}
	if (cfg->tag > 0xffffff) {
		gin_error("%s: rule tag 0x%x is above 24 bits", nic->name, cfg->tag);
		return -EINVAL;
	}
	if (cfg->action != GIN_FLOW_QUEUES && cfg->action != GIN_FLOW_DROP && cfg->action != GIN_FLOW_HOST) {
		gin_error("%s: a rule must say where packets go: set action to GIN_FLOW_QUEUES, _DROP or _HOST", nic->name);
		return -EINVAL;
	}
	if (cfg->action != GIN_FLOW_QUEUES)
		return 0;
	if (!cfg->n_rxqs || !cfg->rxqs) {
		gin_error("%s: a rule to queues names none", nic->name);
		return -EINVAL;
	}
	if (cfg->n_rxqs > 1) {
		gin_error("%s: a rule to %u queues (RSS) is not supported yet; give one queue", nic->name, cfg->n_rxqs);
		return -ENOTSUP;
	}
	for (i = 0; i < cfg->n_rxqs; i++)
		if (!cfg->rxqs[i] || cfg->rxqs[i]->queue.nic != nic) {
			gin_error("%s: a rule names a queue of another NIC", nic->name);
			return -EINVAL;
		}
	return 0;
}

static uint32_t be32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void match_field(uint8_t *mask, uint8_t *value, prm_field_t field, uint64_t ones, uint64_t v)
{
	prm_set(mask, 0, field, ones);
	prm_set(value, 0, field, v);
}

static void fill(const struct gin_flow_config *cfg, uint8_t *mask, uint8_t *value)
{
	if (cfg->match & GIN_MATCH_DMAC) {
		match_field(mask, value, PRM_FTE_DMAC_47_16, 0xffffffff, be32(cfg->dmac));
		match_field(mask, value, PRM_FTE_DMAC_15_0, 0xffff, (uint64_t)cfg->dmac[4] << 8 | cfg->dmac[5]);
	}
	if (cfg->match & GIN_MATCH_ETHERTYPE)
		match_field(mask, value, PRM_FTE_ETHERTYPE, 0xffff, cfg->ethertype);
	if (cfg->match & GIN_MATCH_PROTO) {
		match_field(mask, value, PRM_FTE_IP_VERSION, 0xf, 4);
		match_field(mask, value, PRM_FTE_IP_PROTOCOL, 0xff, cfg->proto);
	}
	if (cfg->match & GIN_MATCH_DPORT)
		match_field(mask, value, cfg->proto == TCP ? PRM_FTE_TCP_DPORT : PRM_FTE_UDP_DPORT, 0xffff, cfg->dport);
}

static void describe(const struct gin_flow_config *cfg, char *buf, size_t size)
{
	size_t n = 0;

	if (!cfg->match)
		n += (size_t)snprintf(buf + n, size - n, "all ");
	if (cfg->match & GIN_MATCH_DMAC)
		n += (size_t)snprintf(buf + n, size - n, "dmac %02x:%02x:%02x:%02x:%02x:%02x ", cfg->dmac[0], cfg->dmac[1],
				      cfg->dmac[2], cfg->dmac[3], cfg->dmac[4], cfg->dmac[5]);
	if (cfg->match & GIN_MATCH_ETHERTYPE)
		n += (size_t)snprintf(buf + n, size - n, "type %04x ", cfg->ethertype);
	if (cfg->match & GIN_MATCH_PROTO)
		n += (size_t)snprintf(buf + n, size - n, "proto %u ", cfg->proto);
	if (cfg->match & GIN_MATCH_DPORT)
		n += (size_t)snprintf(buf + n, size - n, "dport %u ", cfg->dport);
	snprintf(buf + n, size - n, "-> %s",
		 cfg->action == GIN_FLOW_DROP   ? "drop"
		 : cfg->action == GIN_FLOW_HOST ? "host"
						: cfg->rxqs[0]->queue.name);
}

int gin_flow_create(struct gin_nic *nic, const struct gin_flow_config *cfg, struct gin_flow **out)
{
	uint8_t mask[MATCH_LEN] = { 0 }, value[MATCH_LEN] = { 0 };
	struct gin_nic_rule_spec spec = { .mask = mask, .value = value, .tag = cfg->tag };
	unsigned int before = gin_log_errors();
	struct gin_flow *flow;
	int err = check(nic, cfg);

	if (err)
		return err;
	flow = calloc(1, sizeof(*flow));
	if (!flow) {
		gin_error("%s: no memory for a rule", nic->name);
		return -ENOMEM;
	}
	flow->nic = nic;
	fill(cfg, mask, value);
	describe(cfg, flow->text, sizeof(flow->text));
	if (cfg->action == GIN_FLOW_QUEUES) {
		flow->rxq = cfg->rxqs[0];
		spec.tir = &flow->rxq->tir;
	}
	spec.to = cfg->action == GIN_FLOW_DROP   ? GIN_NIC_TO_DROP
		  : cfg->action == GIN_FLOW_HOST ? GIN_NIC_TO_HOST
						 : GIN_NIC_TO_TIR;
	err = nic->ops->rule_add(nic->dev, &spec, &flow->rule);
	if (err) {
		gin_error_if_untold(before, "%s: cannot add the rule '%s': %s", nic->name, flow->text,
				    err == -EEXIST ? "one with the same match is there" : gin_strerror(err));
		free(flow);
		return err;
	}
	if (flow->rxq)
		__atomic_add_fetch(&flow->rxq->n_flows, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&nic->lock);
	TAILQ_INSERT_TAIL(&nic->flows, flow, link);
	pthread_mutex_unlock(&nic->lock);
	*out = flow;
	return 0;
}

void gin_flow_destroy(struct gin_flow *flow)
{
	struct gin_nic *nic;

	if (!flow)
		return;
	nic = flow->nic;
	pthread_mutex_lock(&nic->lock);
	TAILQ_REMOVE(&nic->flows, flow, link);
	pthread_mutex_unlock(&nic->lock);
	nic->ops->rule_del(nic->dev, &flow->rule);
	if (flow->rxq)
		__atomic_sub_fetch(&flow->rxq->n_flows, 1, __ATOMIC_RELAXED);
	free(flow);
}

int gin_flow_count(struct gin_flow *flow, uint64_t *packets, uint64_t *bytes)
{
	return flow->nic->ops->rule_count(flow->nic->dev, &flow->rule, packets, bytes);
}

int gin_flow_all(struct gin_nic *nic, struct gin_rxq *const *rxqs, uint32_t n_rxqs, struct gin_flow **out)
{
	struct gin_flow_config cfg = { .action = GIN_FLOW_QUEUES, .rxqs = rxqs, .n_rxqs = n_rxqs };

	return gin_flow_create(nic, &cfg, out);
}
