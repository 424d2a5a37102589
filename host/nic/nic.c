/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening a NIC: which back end, its capabilities, and the objects that all queues share. */
#include "nic_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ginet/hw/wqe.h>
#include "inject.h"
#include "log.h"
#include "soft.h"

static const struct gin_nic_ops *const back_ends[] = { &gin_nic_soft };

static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t names[16]; /* bit i: index i is taken; beyond 1024 open NICs names repeat */

static uint32_t take_index(void)
{
	uint32_t i, index = 0;

	pthread_mutex_lock(&names_lock);
	for (i = 0; i < sizeof(names) * 8; i++)
		if (!(names[i / 64] >> (i % 64) & 1)) {
			names[i / 64] |= 1ull << (i % 64);
			index = i;
			break;
		}
	pthread_mutex_unlock(&names_lock);
	return index;
}

static void give_index(uint32_t i)
{
	pthread_mutex_lock(&names_lock);
	names[i / 64] &= ~(1ull << (i % 64));
	pthread_mutex_unlock(&names_lock);
}

/* "soft:tap=gin0" -> back end and what stands behind the colon. */
static const struct gin_nic_ops *find_back_end(const char *name, const char **rest)
{
	size_t i, len;

	for (i = 0; i < sizeof(back_ends) / sizeof(back_ends[0]); i++) {
		len = strlen(back_ends[i]->kind);
		if (!strncmp(name, back_ends[i]->kind, len) && name[len] == ':') {
			*rest = name + len + 1;
			return gin_inject_ops(back_ends[i]);
		}
	}
	return NULL;
}

/* 0 none, 1 L2, 2 IP, 3 TCP/UDP; from category 1, which may refer to the vport context. */
static int min_inline(struct gin_nic *nic)
{
	uint32_t mode = nic->caps.wqe_inline_mode == 0 ? 1 : nic->caps.wqe_inline_mode == 2 ? 0 : nic->caps.min_inline_mode;

	if (mode > 1) {
		gin_error("%s wants headers up to layer %u inline, ginet gives layer 2: set the port's inline mode to none or "
			  "link (devlink dev eswitch set ... inline-mode)",
			  nic->name, mode + 1);
		return -ENOTSUP;
	}
	nic->min_inline = mode ? GIN_ETH_L2_INLINE : 0;
	return 0;
}

static int check_caps(struct gin_nic *nic)
{
	const struct prm_caps *caps = &nic->caps;

	if (caps->port_type != 1 || !caps->eth_net_offloads) {
		gin_error("%s is not an Ethernet port: set LINK_TYPE to ETH (mlxconfig) and restart it", nic->name);
		return -ENOTSUP;
	}
	if (!caps->cq_oi || caps->cqe_version != 1) {
		gin_error("%s lacks what receiving needs (CQ overrun ignore, CQE version 1): update its firmware", nic->name);
		return -ENOTSUP;
	}
	return min_inline(nic);
}

static int create_shared(struct gin_nic *nic)
{
	uint8_t in[PRM_CREATE_LEN];
	int err;

	err = nic->ops->pd_alloc(nic->dev, &nic->pd);
	if (err)
		return err;
	err = nic->ops->uar_alloc(nic->dev, &nic->cq_uar);
	if (err)
		return err;
	err = nic->ops->eqn(nic->dev, 0, &nic->eqn);
	if (err)
		return err;
	prm_build_alloc_td(in);
	err = gin_nic_create_obj(nic, in, PRM_SHORT_LEN, &nic->td, &nic->tdn);
	if (err)
		return err;
	prm_build_create_tis(in, nic->tdn);
	return gin_nic_create_obj(nic, in, PRM_TIS_LEN, &nic->tis, &nic->tisn);
}

void gin_nic_free(struct gin_nic *nic)
{
	gin_nic_destroy_obj(nic, &nic->tis);
	gin_nic_destroy_obj(nic, &nic->td);
	if (nic->cq_uar.priv)
		nic->ops->uar_free(nic->dev, &nic->cq_uar);
	if (nic->pd.priv)
		nic->ops->pd_free(nic->dev, &nic->pd);
	nic->ops->close(nic->dev);
	pthread_mutex_destroy(&nic->lock);
	give_index(nic->index);
	free(nic);
}

static const char *default_name(void)
{
	const char *env = getenv("GINET_NIC");
	const char *name = env && *env ? env : "soft:loop";

	gin_info("NIC: %s (%s)", name, name == env ? "from $GINET_NIC" : "the default");
	return name;
}

static int open_named(const char *name, struct gin_nic **out)
{
	const struct gin_nic_ops *ops;
	struct gin_nic *nic;
	const char *rest;
	int err;

	ops = find_back_end(name, &rest);
	if (!ops) {
		gin_error("NIC '%s' is not known; names begin with 'soft:' (a software ConnectX), e.g. soft:loop or "
			  "soft:tap=gin0",
			  name);
		return -EINVAL;
	}
	nic = calloc(1, sizeof(*nic));
	if (!nic)
		return -ENOMEM;
	err = ops->open(rest, &nic->dev);
	if (err) {
		free(nic);
		return err;
	}
	nic->ops = ops;
	pthread_mutex_init(&nic->lock, NULL);
	TAILQ_INIT(&nic->queues);
	TAILQ_INIT(&nic->flows);
	TAILQ_INIT(&nic->mrs);
	TAILQ_INIT(&nic->shares);
	nic->index = take_index();
	snprintf(nic->name, sizeof(nic->name), "%s%u", ops->kind, nic->index);
	err = gin_nic_query_caps(nic);
	if (!err)
		err = check_caps(nic);
	if (!err)
		err = create_shared(nic);
	if (err) {
		gin_nic_free(nic);
		return err;
	}
	*out = nic;
	return 0;
}

int gin_nic_open(const char *name, struct gin_nic **out)
{
	unsigned int before = gin_log_errors();
	int err;

	if (!name)
		name = default_name();
	err = open_named(name, out);
	if (err)
		gin_error_if_untold(before, "cannot open NIC '%s': %s", name, gin_strerror(err));
	return err;
}

int gin_nic_info(struct gin_nic *nic, struct gin_nic_info *out)
{
	struct gin_nic_port port;
	int err = nic->ops->port_query(nic->dev, &port);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	memcpy(out->name, nic->name, sizeof(out->name));
	snprintf(out->kind, sizeof(out->kind), "%s", nic->ops->kind);
	memcpy(out->mac, port.mac, sizeof(out->mac));
	out->link_up = port.up;
	out->has_time = nic->caps.rq_ts_format != 0;
	out->mtu = port.mtu;
	out->link_mbps = port.mbps;
	return 0;
}

int gin_nic_promisc(struct gin_nic *nic, int on)
{
	unsigned int before = gin_log_errors();
	int err = nic->ops->port_promisc(nic->dev, on != 0);

	if (err)
		gin_error_if_untold(before, "%s: cannot switch promiscuous mode: %s", nic->name, gin_strerror(err));
	return err;
}

int gin_nic_time(struct gin_nic *nic, uint64_t *ns)
{
	return nic->ops->clock(nic->dev, ns);
}

int gin_nic_stats(struct gin_nic *nic, struct gin_nic_stats *out)
{
	struct gin_nic_counters counters;
	int err = nic->ops->counters(nic->dev, &counters);

	if (!err)
		*out = counters.stats;
	return err;
}
