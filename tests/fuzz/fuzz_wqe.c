/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a send WQE. Byte 0: the rules (bit 0: number and index are the
 * WQE's own, so that decoding goes on; bit 1: VLAN insertion; bit 2: 18 bytes
 * must be inline); byte 1: max_ds; the WQE follows.
 */
#include "softnic/pure.h"
#include "fuzz.h"
#include <string.h>

static struct sn_wqe_rules make_rules(const uint8_t *data, const uint8_t *wqe, size_t avail)
{
	struct sn_wqe_rules r = { .max_ds = data[1] & 63 };

	if (data[0] & 1 && avail >= 8) {
		r.index = (uint16_t)(wqe[1] << 8 | wqe[2]);
		r.sqn = (uint32_t)wqe[4] << 16 | (uint32_t)wqe[5] << 8 | wqe[6];
	}
	r.vlan_insert = data[0] >> 1 & 1;
	r.min_inline = data[0] & 4 ? 18 : 0;
	return r;
}

static void check_taken(const struct sn_send *s, const struct sn_wqe_rules *rules, const uint8_t *wqe, size_t avail)
{
	uint64_t len = s->inline_len;
	uint32_t i;

	FUZZ_CHECK(s->ds == sn_wqe_ds(wqe) && s->ds && s->ds <= rules->max_ds && s->ds * 16u <= avail);
	FUZZ_CHECK(s->opcode == GIN_OP_SEND || s->opcode == GIN_OP_NOP);
	FUZZ_CHECK(s->n_segs <= SN_SEGS_MAX && s->inline_len <= SN_INLINE_MAX);
	for (i = 0; i < s->n_segs; i++) {
		FUZZ_CHECK(s->segs[i].len);
		len += s->segs[i].len;
	}
	FUZZ_CHECK(s->len == len);
	if (s->opcode == GIN_OP_NOP) {
		FUZZ_CHECK(!s->len);
		return;
	}
	FUZZ_CHECK(s->len >= 14 && s->inline_len >= rules->min_inline);
	FUZZ_CHECK(rules->vlan_insert || !s->insert_vlan);
	/* Each pointer takes a segment, inline bytes all but the 2 in the Ethernet segment. */
	FUZZ_CHECK(2 + s->n_segs + (s->inline_len > 2 ? (s->inline_len - 2 + 15) / 16 : 0) <= s->ds);
}

/* Not reset: what an earlier WQE left must not show. */
static struct sn_send out;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sn_wqe_rules rules;
	const char *why = NULL;
	uint32_t syndrome;

	if (len < 2)
		return 0;
	rules = make_rules(data, data + 2, len - 2);
	syndrome = sn_wqe_decode(data + 2, len - 2, &rules, &out, &why);
	FUZZ_CHECK(syndrome == (why ? GIN_SYND_LOCAL_QP_OP : 0));
	if (!why)
		check_taken(&out, &rules, data + 2, len - 2);
	return 0;
}
