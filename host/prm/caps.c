/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device can do, out of its answers. Each parser fills the fields that its answer names. */
#include "prm.h"

void prm_parse_general_cap(const uint8_t out[PRM_CAP_OUT_LEN], struct prm_caps *caps)
{
	caps->log_max_wq_sz = (uint32_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_LOG_MAX_WQ_SZ);
	caps->log_max_cq_sz = (uint32_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_LOG_MAX_CQ_SZ);
	caps->max_wqe_sz_sq = (uint32_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_MAX_WQE_SZ_SQ);
	caps->num_ports = (uint32_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_NUM_PORTS);
	caps->port_type = (uint32_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_PORT_TYPE);
	caps->cqe_version = (uint32_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_CQE_VERSION);
	caps->cq_oi = (uint8_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_CQ_OI);
	caps->eth_net_offloads = (uint8_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_ETH_NET_OFFLOADS);
	caps->nic_flow_table = (uint8_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_NIC_FLOW_TABLE);
	caps->sq_ts_format = (uint8_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_SQ_TS_FORMAT);
	caps->rq_ts_format = (uint8_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_RQ_TS_FORMAT);
}

void prm_parse_eth_cap(const uint8_t out[PRM_CAP_OUT_LEN], struct prm_caps *caps)
{
	caps->csum_cap = (uint8_t)prm_get(out, PRM_AT_CAP, PRM_ETH_CAP_CSUM_CAP);
	caps->wqe_inline_mode = (uint8_t)prm_get(out, PRM_AT_CAP, PRM_ETH_CAP_WQE_INLINE_MODE);
}

void prm_parse_nic_vport(const uint8_t *out, struct prm_caps *caps)
{
	uint64_t mac = prm_get(out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_PERMANENT_ADDRESS);

	caps->min_inline_mode = (uint8_t)prm_get(out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_MIN_WQE_INLINE_MODE);
	caps->mtu = (uint32_t)prm_get(out, PRM_AT_VPORT_CTX, PRM_VPORT_CTX_MTU);
	for (int i = 0; i < 6; i++)
		caps->mac[i] = (uint8_t)(mac >> (40 - 8 * i));
}
