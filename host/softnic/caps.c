/* SPDX-License-Identifier: BSD-3-Clause */
/* What the card says about itself: QUERY_HCA_CAP, QUERY_NIC_VPORT_CONTEXT, QUERY_VPORT_STATE. */
#include "sn.h"
#include <string.h>

#define CAP_GENERAL 0x00u
#define CAP_ETHERNET 0x01u
#define CAP_FLOW_TABLE 0x07u
#define CAP_GENERAL_2 0x20u

#define INLINE_FROM_VPORT 1u /* wqe_inline_mode */
#define INLINE_NOT_NEEDED 2u

static void cap(uint8_t *out, prm_field_t field, uint64_t value)
{
	prm_set(out, PRM_AT_CAP, field, value);
}

static uint32_t log_of(const struct sn_cmd *c, enum sn_kind kind)
{
	return (uint32_t)__builtin_ctz(c->ctx->dev->tables[kind].max);
}

static void general_limits(const struct sn_cmd *c)
{
	uint8_t *out = c->out;

	cap(out, PRM_HCA_CAP_LOG_MAX_CQ_SZ, SN_LOG_MAX_CQ);
	cap(out, PRM_HCA_CAP_LOG_MAX_CQ, log_of(c, SN_CQ));
	cap(out, PRM_HCA_CAP_LOG_MAX_MKEY, log_of(c, SN_MKEY));
	cap(out, PRM_HCA_CAP_LOG_MAX_TRANSPORT_DOMAIN, log_of(c, SN_TD));
	cap(out, PRM_HCA_CAP_LOG_MAX_PD, log_of(c, SN_PD));
	cap(out, PRM_HCA_CAP_LOG_MAX_RQ, log_of(c, SN_RQ));
	cap(out, PRM_HCA_CAP_LOG_MAX_SQ, log_of(c, SN_SQ));
	cap(out, PRM_HCA_CAP_LOG_MAX_TIR, log_of(c, SN_TIR));
	cap(out, PRM_HCA_CAP_LOG_MAX_TIS, log_of(c, SN_TIS));
	cap(out, PRM_HCA_CAP_LOG_MAX_UMEM, log_of(c, SN_UMEM));
	cap(out, PRM_HCA_CAP_LOG_MAX_UCTX, 8);
	cap(out, PRM_HCA_CAP_MAX_WQE_SZ_SQ, SN_MAX_WQE_SQ);
	cap(out, PRM_HCA_CAP_MAX_WQE_SZ_RQ, SN_MAX_WQE_RQ);
	cap(out, PRM_HCA_CAP_LOG_MAX_STRIDE_SZ_RQ, 9);
	cap(out, PRM_HCA_CAP_LOG_MIN_STRIDE_SZ_RQ, 4);
	cap(out, PRM_HCA_CAP_LOG_MAX_STRIDE_SZ_SQ, 6);
	cap(out, PRM_HCA_CAP_LOG_MIN_STRIDE_SZ_SQ, 6);
	cap(out, PRM_HCA_CAP_LOG_MAX_WQ_SZ, SN_LOG_MAX_WQ);
}

static void general_features(const struct sn_cmd *c)
{
	const struct sn_profile *p = &c->ctx->dev->profile;
	uint32_t ts = !p->no_time && p->model >= SN_CX6DX ? 2 : 0; /* 2: free running and real time */
	uint8_t *out = c->out;

	cap(out, PRM_HCA_CAP_2, 1);
	cap(out, PRM_HCA_CAP_NIC_FLOW_TABLE, 1);
	cap(out, PRM_HCA_CAP_PORT_TYPE, 1);
	cap(out, PRM_HCA_CAP_NUM_PORTS, 1);
	cap(out, PRM_HCA_CAP_CQE_VERSION, 1);
	cap(out, PRM_HCA_CAP_ETH_NET_OFFLOADS, !(p->lacks & SN_LACKS_ETH_NET_OFFLOADS));
	cap(out, PRM_HCA_CAP_CQ_OI, !(p->lacks & SN_LACKS_CQ_OI));
	cap(out, PRM_HCA_CAP_CQ_MODERATION, 1);
	cap(out, PRM_HCA_CAP_UAR_4K, 1);
	cap(out, PRM_HCA_CAP_LOG_BF_REG_SIZE, 9);
	cap(out, PRM_HCA_CAP_NUM_OF_UARS_PER_PAGE, 1);
	cap(out, PRM_HCA_CAP_SQ_TS_FORMAT, ts);
	cap(out, PRM_HCA_CAP_RQ_TS_FORMAT, ts);
	/* 0 up to ConnectX-5, 1 ConnectX-6 Dx, 2 ConnectX-7. */
	cap(out, PRM_HCA_CAP_STEERING_FORMAT_VERSION, p->model <= SN_CX5 ? 0 : p->model == SN_CX6DX ? 1 : 2);
	cap(out, PRM_HCA_CAP_DEVICE_FREQUENCY_MHZ, 1000); /* a tick is a nanosecond */
	cap(out, PRM_HCA_CAP_DEVICE_FREQUENCY_KHZ, 1000000);
}

static void ethernet(const struct sn_cmd *c)
{
	cap(c->out, PRM_ETH_CAP_CSUM_CAP, 1);
	cap(c->out, PRM_ETH_CAP_VLAN_CAP, 1);
	cap(c->out, PRM_ETH_CAP_WQE_VLAN_INSERT, !(c->ctx->dev->profile.lacks & SN_LACKS_WQE_VLAN_INSERT));
	cap(c->out, PRM_ETH_CAP_SELF_LB_EN_MODIFIABLE, 1);
	cap(c->out, PRM_ETH_CAP_WQE_INLINE_MODE, c->ctx->dev->profile.inline_mode ? INLINE_FROM_VPORT : INLINE_NOT_NEEDED);
}

static void flow_table(const struct sn_cmd *c)
{
	size_t at = PRM_AT_CAP + PRM_FT_CAP_NIC_RECEIVE;

	prm_set(c->out, at, PRM_FT_PROPS_FT_SUPPORT, 1);
	prm_set(c->out, at, PRM_FT_PROPS_FLOW_TAG, 1);
	prm_set(c->out, at, PRM_FT_PROPS_FLOW_COUNTER, 1);
	prm_set(c->out, at, PRM_FT_PROPS_LOG_MAX_FT_SIZE, log_of(c, SN_RULE));
}

/* Maximum and current (op_mod bit 0) are the same: nothing can be switched off. */
uint32_t sn_caps_query(struct sn_cmd *c)
{
	uint32_t category = (uint32_t)prm_get(c->in, 0, PRM_IN_OP_MOD) >> 1;

	switch (category) {
	case CAP_GENERAL:
		general_limits(c);
		general_features(c);
		return PRM_OK;
	case CAP_ETHERNET:
		ethernet(c);
		return PRM_OK;
	case CAP_FLOW_TABLE:
		flow_table(c);
		return PRM_OK;
	case CAP_GENERAL_2:
		return PRM_OK; /* none of its features is there */
	}
	return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_VALUE, "no capabilities of category 0x%x", category);
}

static uint64_t mac_number(const uint8_t mac[6])
{
	uint64_t v = 0;
	uint32_t i;

	for (i = 0; i < 6; i++)
		v = v << 8 | mac[i];
	return v;
}

/* Guid from MAC: ff:fe in the middle, as EUI-64. */
static uint64_t guid(const uint8_t mac[6])
{
	uint64_t v = mac_number(mac);

	return (v >> 24) << 40 | 0xfffeull << 24 | (v & 0xffffff);
}

static int is_promisc(const struct sn_device *dev)
{
	const struct sn_ctx *ctx;

	TAILQ_FOREACH(ctx, &dev->ctxs, in_dev)
		if (ctx->promisc)
			return 1;
	return 0;
}

static uint32_t own_vport(struct sn_cmd *c, prm_field_t other, prm_field_t number)
{
	if (prm_get(c->in, 0, other) || prm_get(c->in, 0, number))
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_VALUE, "only the own vport (0)");
	return PRM_OK;
}

uint32_t sn_nic_vport_query(struct sn_cmd *c)
{
	const struct sn_device *dev = c->ctx->dev;
	uint32_t status = own_vport(c, PRM_QUERY_VPORT_CTX_OTHER_VPORT, PRM_QUERY_VPORT_CTX_VPORT_NUMBER);

	if (status)
		return status;
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_MIN_WQE_INLINE_MODE, dev->profile.inline_mode);
	/* The kernel's side never gets copies of what this port sends, see port.c. */
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_DISABLE_MC_LOCAL_LB, 1);
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_DISABLE_UC_LOCAL_LB, 1);
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_MTU, dev->profile.mtu);
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_SYSTEM_IMAGE_GUID, guid(dev->profile.mac));
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_PORT_GUID, guid(dev->profile.mac));
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_NODE_GUID, guid(dev->profile.mac));
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_PROMISC_ALL, (uint64_t)is_promisc(dev));
	prm_set(c->out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_PERMANENT_ADDRESS, mac_number(dev->profile.mac));
	return PRM_OK;
}

uint32_t sn_vport_state_query(struct sn_cmd *c)
{
	const struct sn_device *dev = c->ctx->dev;
	uint32_t status = own_vport(c, PRM_QUERY_VPORT_STATE_OTHER_VPORT, PRM_QUERY_VPORT_STATE_VPORT_NUMBER);

	if (status)
		return status;
	prm_set(c->out, 0, PRM_VPORT_STATE_ADMIN_STATE, 2); /* follows the port */
	prm_set(c->out, 0, PRM_VPORT_STATE_STATE, dev->link);
	return PRM_OK;
}
