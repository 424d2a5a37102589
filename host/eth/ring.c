/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring sizes and where a ring starts. */
#include "eth_priv.h"

uint32_t gin_pow2(uint32_t n)
{
	uint32_t p = 1;

	while (p < n && p < 1u << 31)
		p <<= 1;
	return n ? p : 0;
}

uint32_t gin_log2(uint32_t pow2)
{
	uint32_t log = 0;

	while (pow2 >> log > 1)
		log++;
	return log;
}

int gin_queue_first(struct gin_nic *nic, struct gin_nic_obj *obj, enum prm_opcode query, uint32_t number, uint64_t *first)
{
	uint8_t in[PRM_SHORT_LEN], out[PRM_QUERY_OUT_LEN];
	int err;

	prm_build_query(in, query, number);
	err = gin_nic_query_obj(nic, obj, in, out, sizeof(out));
	if (!err)
		*first = prm_get(out, PRM_AT_WQ, PRM_WQ_HW_COUNTER);
	return err;
}
