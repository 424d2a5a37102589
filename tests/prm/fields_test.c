/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The field table: places written again here by hand from mlx5_ifc.h, and what
 * holds for each layout: inside its size, no overlap, access touches its bits only.
 */
#include "prm/prm.h"
#include "run.h"
#include <string.h>

#define BOX 0x200

/* Bits of a field, counted from bit 7 of byte 0; 64-bit fields count from 63. */
struct place {
	prm_field_t field;
	const char *name;
	unsigned int off, hi, lo;
};
#define AT(field, off, hi, lo) { field, #field, off, hi, lo }

static const struct place places[] = {
	AT(PRM_IN_OPCODE, 0x00, 31, 16), AT(PRM_IN_UID, 0x00, 15, 0), AT(PRM_IN_OP_MOD, 0x04, 15, 0),
	AT(PRM_OUT_STATUS, 0x00, 31, 24), AT(PRM_OUT_SYNDROME, 0x04, 31, 0), AT(PRM_OUT_NUMBER, 0x08, 23, 0),
	AT(PRM_OBJ_NUMBER, 0x08, 23, 0),
	AT(PRM_VPORT_STATE_ADMIN_STATE, 0x0c, 7, 4), AT(PRM_VPORT_STATE_STATE, 0x0c, 3, 0),
	AT(PRM_QUERY_VPORT_STATE_OTHER_VPORT, 0x08, 31, 31), AT(PRM_QUERY_VPORT_STATE_VPORT_NUMBER, 0x08, 15, 0),
	AT(PRM_QUERY_VPORT_CTX_ALLOWED_LIST_TYPE, 0x0c, 26, 24),
	AT(PRM_VPORT_CTX_MIN_WQE_INLINE_MODE, 0x00, 26, 24), AT(PRM_VPORT_CTX_ROCE_EN, 0x00, 0, 0),
	AT(PRM_VPORT_CTX_MTU, 0x24, 15, 0), AT(PRM_VPORT_CTX_NODE_GUID, 0x38, 63, 0),
	AT(PRM_VPORT_CTX_PROMISC_ALL, 0xf0, 29, 29), AT(PRM_VPORT_CTX_ALLOWED_LIST_SIZE, 0xf0, 11, 0),
	AT(PRM_VPORT_CTX_PERMANENT_ADDRESS, 0xf4, 63, 0),
	AT(PRM_CREATE_CQ_UMEM_OFFSET, 0x50, 63, 0), AT(PRM_CREATE_CQ_UMEM_ID, 0x58, 31, 0),
	AT(PRM_CREATE_CQ_UMEM_VALID, 0x5c, 31, 31), AT(PRM_MODIFY_CQ_CQN, 0x08, 23, 0),
	AT(PRM_CQC_STATUS, 0x00, 31, 28), AT(PRM_CQC_DBR_UMEM_VALID, 0x00, 25, 25), AT(PRM_CQC_CQE_SZ, 0x00, 23, 21),
	AT(PRM_CQC_CC, 0x00, 20, 20), AT(PRM_CQC_OI, 0x00, 17, 17), AT(PRM_CQC_CQ_PERIOD_MODE, 0x00, 16, 15),
	AT(PRM_CQC_CQE_COMP_EN, 0x00, 14, 14), AT(PRM_CQC_MINI_CQE_RES_FORMAT, 0x00, 13, 12),
	AT(PRM_CQC_ST, 0x00, 11, 8), AT(PRM_CQC_DBR_UMEM_ID, 0x04, 31, 0), AT(PRM_CQC_PAGE_OFFSET, 0x08, 11, 6),
	AT(PRM_CQC_CQ_TIMESTAMP_FORMAT, 0x08, 1, 0), AT(PRM_CQC_LOG_CQ_SIZE, 0x0c, 28, 24),
	AT(PRM_CQC_UAR_PAGE, 0x0c, 23, 0), AT(PRM_CQC_CQ_PERIOD, 0x10, 27, 16), AT(PRM_CQC_CQ_MAX_COUNT, 0x10, 15, 0),
	AT(PRM_CQC_C_EQN, 0x14, 7, 0), AT(PRM_CQC_LOG_PAGE_SIZE, 0x18, 28, 24),
	AT(PRM_CQC_CONSUMER_COUNTER, 0x28, 23, 0), AT(PRM_CQC_PRODUCER_COUNTER, 0x2c, 23, 0),
	AT(PRM_CQC_DBR_ADDR, 0x38, 63, 0),
	AT(PRM_TISC_PRIO, 0x00, 19, 16), AT(PRM_TISC_TRANSPORT_DOMAIN, 0x24, 23, 0), AT(PRM_TISC_PD, 0x2c, 23, 0),
	AT(PRM_SQC_RLKY, 0x00, 31, 31), AT(PRM_SQC_FLUSH_IN_ERROR_EN, 0x00, 28, 28),
	AT(PRM_SQC_ALLOW_MULTI_PKT_SEND_WQE, 0x00, 27, 27), AT(PRM_SQC_MIN_WQE_INLINE_MODE, 0x00, 26, 24),
	AT(PRM_SQC_STATE, 0x00, 23, 20), AT(PRM_SQC_NON_WIRE, 0x00, 16, 16), AT(PRM_SQC_STATIC_SQ_WQ, 0x00, 15, 15),
	AT(PRM_SQC_TS_FORMAT, 0x00, 5, 4), AT(PRM_SQC_USER_INDEX, 0x04, 23, 0), AT(PRM_SQC_CQN, 0x08, 23, 0),
	AT(PRM_SQC_TIS_LST_SZ, 0x20, 31, 16), AT(PRM_SQC_QOS_QUEUE_GROUP_ID, 0x20, 15, 0),
	AT(PRM_SQC_TIS_NUM_0, 0x2c, 23, 0),
	AT(PRM_MODIFY_SQ_SQ_STATE, 0x08, 31, 28), AT(PRM_MODIFY_SQ_SQN, 0x08, 23, 0),
	AT(PRM_MODIFY_SQ_MODIFY_BITMASK, 0x10, 63, 0), AT(PRM_MODIFY_RQ_RQ_STATE, 0x08, 31, 28),
	AT(PRM_MODIFY_RQ_RQN, 0x08, 23, 0), AT(PRM_MODIFY_TIR_TIRN, 0x08, 23, 0), AT(PRM_MODIFY_TIS_TISN, 0x08, 23, 0),
	AT(PRM_RQC_VSD, 0x00, 28, 28), AT(PRM_RQC_MEM_RQ_TYPE, 0x00, 27, 24), AT(PRM_RQC_STATE, 0x00, 23, 20),
	AT(PRM_RQC_FLUSH_IN_ERROR_EN, 0x00, 18, 18), AT(PRM_RQC_TS_FORMAT, 0x00, 5, 4), AT(PRM_RQC_CQN, 0x08, 23, 0),
	AT(PRM_RQC_COUNTER_SET_ID, 0x0c, 31, 24), AT(PRM_RQC_RMPN, 0x10, 23, 0),
	AT(PRM_WQ_TYPE, 0x00, 31, 28), AT(PRM_WQ_END_PADDING_MODE, 0x00, 26, 25), AT(PRM_WQ_LWM, 0x04, 15, 0),
	AT(PRM_WQ_PD, 0x08, 23, 0), AT(PRM_WQ_UAR_PAGE, 0x0c, 23, 0), AT(PRM_WQ_DBR_ADDR, 0x10, 63, 0),
	AT(PRM_WQ_HW_COUNTER, 0x18, 31, 0), AT(PRM_WQ_SW_COUNTER, 0x1c, 31, 0), AT(PRM_WQ_LOG_WQ_STRIDE, 0x20, 19, 16),
	AT(PRM_WQ_LOG_WQ_PG_SZ, 0x20, 12, 8), AT(PRM_WQ_LOG_WQ_SZ, 0x20, 4, 0), AT(PRM_WQ_DBR_UMEM_VALID, 0x24, 31, 31),
	AT(PRM_WQ_UMEM_VALID, 0x24, 30, 30), AT(PRM_WQ_DBR_UMEM_ID, 0x28, 31, 0), AT(PRM_WQ_UMEM_ID, 0x2c, 31, 0),
	AT(PRM_WQ_UMEM_OFFSET, 0x30, 63, 0),
	AT(PRM_TIRC_DISP_TYPE, 0x04, 31, 28), AT(PRM_TIRC_LRO_TIMEOUT_PERIOD_USECS, 0x10, 27, 12),
	AT(PRM_TIRC_INLINE_RQN, 0x1c, 23, 0), AT(PRM_TIRC_RX_HASH_SYMMETRIC, 0x20, 31, 31),
	AT(PRM_TIRC_INDIRECT_TABLE, 0x20, 23, 0), AT(PRM_TIRC_RX_HASH_FN, 0x24, 31, 28),
	AT(PRM_TIRC_SELF_LB_BLOCK, 0x24, 25, 24), AT(PRM_TIRC_TRANSPORT_DOMAIN, 0x24, 23, 0),
	AT(PRM_TIRC_RX_HASH_FIELD_SELECTOR_OUTER, 0x50, 31, 0),
	AT(PRM_HCA_CAP_2, 0x04, 31, 31), AT(PRM_HCA_CAP_LOG_MAX_QP_SZ, 0x10, 23, 16),
	AT(PRM_HCA_CAP_LOG_MAX_CQ_SZ, 0x18, 23, 16), AT(PRM_HCA_CAP_NIC_FLOW_TABLE, 0x34, 25, 25),
	AT(PRM_HCA_CAP_PORT_TYPE, 0x34, 9, 8), AT(PRM_HCA_CAP_NUM_PORTS, 0x34, 7, 0),
	AT(PRM_HCA_CAP_CQE_VERSION, 0x3c, 3, 0), AT(PRM_HCA_CAP_ETH_NET_OFFLOADS, 0x40, 3, 3),
	AT(PRM_HCA_CAP_CQ_OI, 0x44, 31, 31), AT(PRM_HCA_CAP_LOG_BF_REG_SIZE, 0x4c, 20, 16),
	AT(PRM_HCA_CAP_MAX_WQE_SZ_SQ, 0x50, 15, 0), AT(PRM_HCA_CAP_LOG_MAX_TIR, 0x6c, 12, 8),
	AT(PRM_HCA_CAP_LOG_MAX_WQ_SZ, 0x78, 4, 0), AT(PRM_HCA_CAP_SQ_TS_FORMAT, 0x88, 31, 30),
	AT(PRM_HCA_CAP_RQ_TS_FORMAT, 0x88, 29, 28), AT(PRM_HCA_CAP_NUM_OF_UARS_PER_PAGE, 0xa4, 31, 0),
	AT(PRM_HCA_CAP_WAIT_ON_TIME, 0xd0, 19, 19),
	AT(PRM_ETH_CAP_CSUM_CAP, 0x00, 31, 31), AT(PRM_ETH_CAP_WQE_VLAN_INSERT, 0x00, 24, 24),
	AT(PRM_ETH_CAP_MAX_LSO_CAP, 0x00, 20, 16), AT(PRM_ETH_CAP_WQE_INLINE_MODE, 0x00, 13, 12),
	AT(PRM_ETH_CAP_SWP, 0x04, 31, 31),
	AT(PRM_FT_PROPS_FT_SUPPORT, 0x00, 31, 31), AT(PRM_FT_PROPS_LOG_MAX_FT_SIZE, 0x04, 29, 24),
	AT(PRM_FT_PROPS_LOG_MAX_DESTINATION, 0x10, 7, 0),
	AT(PRM_FTE_SMAC_47_16, 0x00, 31, 0), AT(PRM_FTE_SMAC_15_0, 0x04, 31, 16), AT(PRM_FTE_ETHERTYPE, 0x04, 15, 0),
	AT(PRM_FTE_DMAC_47_16, 0x08, 31, 0), AT(PRM_FTE_DMAC_15_0, 0x0c, 31, 16), AT(PRM_FTE_FIRST_PRIO, 0x0c, 15, 13),
	AT(PRM_FTE_FIRST_CFI, 0x0c, 12, 12), AT(PRM_FTE_FIRST_VID, 0x0c, 11, 0), AT(PRM_FTE_IP_PROTOCOL, 0x10, 31, 24),
	AT(PRM_FTE_IP_DSCP, 0x10, 23, 18), AT(PRM_FTE_IP_ECN, 0x10, 17, 16), AT(PRM_FTE_CVLAN_TAG, 0x10, 15, 15),
	AT(PRM_FTE_SVLAN_TAG, 0x10, 14, 14), AT(PRM_FTE_FRAG, 0x10, 13, 13), AT(PRM_FTE_IP_VERSION, 0x10, 12, 9),
	AT(PRM_FTE_TCP_FLAGS, 0x10, 8, 0), AT(PRM_FTE_TCP_SPORT, 0x14, 31, 16), AT(PRM_FTE_TCP_DPORT, 0x14, 15, 0),
	AT(PRM_FTE_IPV4_IHL, 0x18, 15, 12), AT(PRM_FTE_IP_TTL_HOPLIMIT, 0x18, 7, 0), AT(PRM_FTE_UDP_SPORT, 0x1c, 31, 16),
	AT(PRM_FTE_UDP_DPORT, 0x1c, 15, 0),
};
#define N_PLACES (sizeof(places) / sizeof(places[0]))

/* Bit by bit, with nothing of the library: 64-bit numbers span two dwords. */
static void reference_set(uint8_t *box, const struct place *p, uint64_t value)
{
	unsigned int top = p->hi == 63 ? 63 : 31;

	for (unsigned int bit = p->lo; bit <= p->hi; bit++) {
		uint8_t one = (uint8_t)(1u << bit % 8);
		uint8_t *byte = &box[p->off + (top - bit) / 8];

		*byte = value >> (bit - p->lo) & 1 ? *byte | one : *byte & (uint8_t)~one;
	}
}

START_TEST(fields_lie_where_the_documents_say)
{
	static const uint64_t values[] = { UINT64_MAX, 0, 0xa5a5a5a5a5a5a5a5, 0x0123456789abcdef, 1 };

	for (size_t i = 0; i < N_PLACES; i++) {
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			for (int fill = 0; fill < 0x100; fill += 0xff) {
				uint8_t got[BOX], want[BOX];

				memset(got, fill, sizeof(got));
				memset(want, fill, sizeof(want));
				prm_set(got, 0x20, places[i].field, values[v]);
				reference_set(want + 0x20, &places[i], values[v]);
				ck_assert_msg(memcmp(got, want, sizeof(got)) == 0, "%s", places[i].name);
			}
		}
	}
}
END_TEST

START_TEST(what_was_set_is_read)
{
	for (size_t i = 0; i < N_PLACES; i++) {
		unsigned int width = places[i].hi - places[i].lo + 1;
		uint64_t value = 0x9e3779b97f4a7c15 >> (64 - width);
		uint8_t box[BOX] = { 0 };

		reference_set(box, &places[i], value);
		ck_assert_msg(prm_get(box, 0, places[i].field) == value, "%s", places[i].name);
	}
}
END_TEST

START_TEST(byte_arrays)
{
	ck_assert(PRM_FIELD_IS_BYTES(PRM_TIRC_RX_HASH_TOEPLITZ_KEY));
	ck_assert_uint_eq(PRM_FIELD_OFF(PRM_TIRC_RX_HASH_TOEPLITZ_KEY), 0x28);
	ck_assert_uint_eq(PRM_FIELD_LEN(PRM_TIRC_RX_HASH_TOEPLITZ_KEY), 40);
	ck_assert_uint_eq(PRM_FIELD_OFF(PRM_FTE_SRC_IPV4_SRC_IPV6), 0x20);
	ck_assert_uint_eq(PRM_FIELD_LEN(PRM_FTE_SRC_IPV4_SRC_IPV6), 16);
	ck_assert_uint_eq(PRM_FIELD_OFF(PRM_FTE_DST_IPV4_DST_IPV6), 0x30);
	ck_assert_uint_eq(PRM_FIELD_LEN(PRM_FTE_DST_IPV4_DST_IPV6), 16);
	ck_assert(!PRM_FIELD_IS_BYTES(PRM_SQC_STATE));
	ck_assert(!PRM_FIELD_IS_BYTES(PRM_WQ_DBR_ADDR));
}
END_TEST

struct entry {
	const char *name;
	prm_field_t field;
};
#define ENTRY(name, place) { #name, place },
#define LAYOUT(list, size) { #list, size, (const struct entry[]){ list(ENTRY) { NULL, 0 } } },
static const struct {
	const char *name;
	size_t size;
	const struct entry *entries;
} layouts[] = { PRM_LAYOUTS(LAYOUT) };

/* Two names of one thing, differently wide in the sources. */
static int is_alternative(const char *name)
{
	return strcmp(name, "PRM_CQC_CQE_COMP_LAYOUT_7B") == 0;
}

static void bits_of(uint8_t *bits, prm_field_t field)
{
	if (PRM_FIELD_IS_BYTES(field))
		memset(bits + PRM_FIELD_OFF(field), 0xff, PRM_FIELD_LEN(field));
	else
		prm_set(bits, 0, field, UINT64_MAX);
}

START_TEST(layouts_have_no_overlap_and_keep_inside)
{
	for (size_t l = 0; l < sizeof(layouts) / sizeof(layouts[0]); l++) {
		uint8_t taken[0x300] = { 0 };

		for (const struct entry *e = layouts[l].entries; e->name; e++) {
			uint8_t bits[0x300] = { 0 };

			if (is_alternative(e->name))
				continue;
			bits_of(bits, e->field);
			for (size_t i = 0; i < sizeof(bits); i++) {
				ck_assert_msg(!(bits[i] & taken[i]), "%s overlaps at byte 0x%zx", e->name, i);
				ck_assert_msg(!bits[i] || i < layouts[l].size, "%s leaves its layout", e->name);
				taken[i] |= bits[i];
			}
		}
	}
}
END_TEST

START_TEST(places_are_well_formed)
{
	for (size_t l = 0; l < sizeof(layouts) / sizeof(layouts[0]); l++) {
		for (const struct entry *e = layouts[l].entries; e->name; e++) {
			unsigned int hi = PRM_FIELD_HI(e->field), lo = PRM_FIELD_LO(e->field);

			ck_assert_msg(PRM_FIELD_OFF(e->field) % 4 == 0, "%s is not at a dword", e->name);
			if (!PRM_FIELD_IS_BYTES(e->field))
				ck_assert_msg((hi < 32 && lo <= hi) || (hi == 63 && lo == 0), "%s", e->name);
		}
	}
}
END_TEST

START_TEST(the_documents_fields_are_all_there)
{
	/* Rows counted in the tables of the documents, without header, nested context and trailing list. */
	static const struct { const char *name; size_t n; } rows[] = {
		{ "PRM_CQC_FIELDS", 27 }, { "PRM_TISC_FIELDS", 7 }, { "PRM_SQC_FIELDS", 23 }, { "PRM_WQ_FIELDS", 24 },
		{ "PRM_RQC_FIELDS", 15 }, { "PRM_TIRC_FIELDS", 15 }, { "PRM_FTE_FIELDS", 29 },
		{ "PRM_HCA_CAP_FIELDS", 95 }, { "PRM_ETH_CAP_FIELDS", 16 }, { "PRM_VPORT_CTX_FIELDS", 14 },
		{ "PRM_FT_PROPS_FIELDS", 10 },
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		size_t n = 0, n_layouts = 0;

		for (size_t l = 0; l < sizeof(layouts) / sizeof(layouts[0]); l++) {
			if (strcmp(layouts[l].name, rows[r].name) != 0)
				continue;
			n_layouts++;
			for (const struct entry *e = layouts[l].entries; e->name; e++)
				n++;
		}
		ck_assert_uint_eq(n_layouts, 1);
		ck_assert_msg(n == rows[r].n, "%s has %zu fields, not %zu", rows[r].name, n, rows[r].n);
	}
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("fields");

	tcase_add_test(tc, fields_lie_where_the_documents_say);
	tcase_add_test(tc, what_was_set_is_read);
	tcase_add_test(tc, byte_arrays);
	tcase_add_test(tc, layouts_have_no_overlap_and_keep_inside);
	tcase_add_test(tc, places_are_well_formed);
	tcase_add_test(tc, the_documents_fields_are_all_there);
	return run_tests(tc);
}
