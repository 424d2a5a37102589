/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every builder against bytes worked out by hand from the field lists of the
 * kernel driver's and rdma-core's mlx5_ifc.h: off is the byte offset in the
 * mailbox (position of the context plus offset inside it).
 */
#include "prm/prm.h"
#include "run.h"
#include <string.h>

#define MAX_LEN 0x110
#define GUARD 0xa5

struct bytes {
	size_t off;
	uint8_t b[4];
};

/* The mailbox holds the given dwords and 0 elsewhere, and nothing behind it was touched. */
static void expect(const uint8_t *in, size_t len, const struct bytes *dwords, size_t n_dwords)
{
	uint8_t want[MAX_LEN] = { 0 };

	for (size_t i = 0; i < n_dwords; i++)
		memcpy(want + dwords[i].off, dwords[i].b, 4);
	for (size_t i = 0; i < len; i++)
		ck_assert_msg(in[i] == want[i], "byte 0x%zx is 0x%02x, not 0x%02x", i, in[i], want[i]);
	for (size_t i = len; i < len + 16; i++)
		ck_assert_msg(in[i] == GUARD, "byte 0x%zx behind the mailbox was written", i);
}
#define EXPECT(in, len, ...)                                                              \
	do {                                                                              \
		static const struct bytes dwords[] = { __VA_ARGS__ };                     \
		expect(in, len, dwords, sizeof(dwords) / sizeof(dwords[0]));              \
	} while (0)

/* Old content that a builder must clear. */
static uint8_t in[MAX_LEN + 16];

static void soil(void)
{
	memset(in, GUARD, sizeof(in));
}

START_TEST(query_hca_cap)
{
	/* op_mod = category << 1 | mode, mode 1 = current */
	soil();
	prm_build_query_hca_cap(in, 0, 0);
	EXPECT(in, 0x10, { 0x00, { 0x01, 0x00, 0, 0 } });
	soil();
	prm_build_query_hca_cap(in, 1, 1); /* 1 << 1 | 1 = 3 */
	EXPECT(in, 0x10, { 0x00, { 0x01, 0x00, 0, 0 } }, { 0x04, { 0, 0, 0, 3 } });
	soil();
	prm_build_query_hca_cap(in, 0x20, 1); /* 0x20 << 1 | 1 = 0x41 */
	EXPECT(in, 0x10, { 0x00, { 0x01, 0x00, 0, 0 } }, { 0x04, { 0, 0, 0, 0x41 } });
	soil();
	prm_build_query_hca_cap(in, 7, 5); /* any non-zero means current: 7 << 1 | 1 = 0x0f */
	EXPECT(in, 0x10, { 0x00, { 0x01, 0x00, 0, 0 } }, { 0x04, { 0, 0, 0, 0x0f } });
}
END_TEST

START_TEST(commands_that_are_only_an_opcode)
{
	soil();
	prm_build_query_nic_vport(in);
	EXPECT(in, 0x10, { 0x00, { 0x07, 0x54, 0, 0 } });
	soil();
	prm_build_query_vport_state(in);
	EXPECT(in, 0x10, { 0x00, { 0x07, 0x50, 0, 0 } });
	soil();
	prm_build_alloc_td(in);
	EXPECT(in, 0x10, { 0x00, { 0x08, 0x16, 0, 0 } });
}
END_TEST

START_TEST(create_tis)
{
	soil();
	prm_build_create_tis(in, 0x0badca);
	EXPECT(in, 0xc0, { 0x00, { 0x09, 0x12, 0, 0 } },
	       { 0x44, { 0x00, 0x0b, 0xad, 0xca } }); /* context 0x20 + 0x24, 23:0 transport_domain */
}
END_TEST

START_TEST(create_cq_collapsed)
{
	const struct prm_cq cq = { .log_size = 10, .uar_page = 0x123456, .eqn = 0x5a, .collapsed = 1,
				   .overrun_ignore = 1, .ring = { 0xa1b2c3d4, 0x0123456789abcdef },
				   .dbrec = { 0x01020304, 0x1122334455667788 } };
	soil();
	prm_build_create_cq(in, &cq);
	EXPECT(in, 0x110, { 0x00, { 0x04, 0x00, 0, 0 } },
	       /* context at 0x10: bit 25 dbr_umem_valid 0x02000000, 20 cc 0x00100000, 17 oi 0x00020000 */
	       { 0x10, { 0x02, 0x12, 0x00, 0x00 } },
	       { 0x14, { 0x01, 0x02, 0x03, 0x04 } },         /* dbr_umem_id */
	       { 0x1c, { 0x0a, 0x12, 0x34, 0x56 } },         /* 28:24 log_cq_size 10, 23:0 uar_page */
	       { 0x24, { 0x00, 0x00, 0x00, 0x5a } },         /* 0x10 + 0x14, 7:0 c_eqn */
	       { 0x48, { 0x11, 0x22, 0x33, 0x44 } },         /* 0x10 + 0x38, dbr_addr, high half */
	       { 0x4c, { 0x55, 0x66, 0x77, 0x88 } },
	       { 0x50, { 0x01, 0x23, 0x45, 0x67 } },         /* cq_umem_offset, high half */
	       { 0x54, { 0x89, 0xab, 0xcd, 0xef } },
	       { 0x58, { 0xa1, 0xb2, 0xc3, 0xd4 } },         /* cq_umem_id */
	       { 0x5c, { 0x80, 0x00, 0x00, 0x00 } });        /* 31 cq_umem_valid */
}
END_TEST

START_TEST(create_cq_plain_in_one_umem)
{
	const struct prm_cq cq = { .log_size = 31, .uar_page = 0xffffff, .eqn = 0xff, .ring = { 7, 0 },
				   .dbrec = { 7, 0x10000 } };
	soil();
	prm_build_create_cq(in, &cq);
	EXPECT(in, 0x110, { 0x00, { 0x04, 0x00, 0, 0 } },
	       { 0x10, { 0x02, 0x00, 0x00, 0x00 } },         /* dbr_umem_valid alone */
	       { 0x14, { 0, 0, 0, 7 } },
	       { 0x1c, { 0x1f, 0xff, 0xff, 0xff } },         /* 31 in 28:24 */
	       { 0x24, { 0, 0, 0, 0xff } },
	       { 0x4c, { 0x00, 0x01, 0x00, 0x00 } },
	       { 0x58, { 0, 0, 0, 7 } },
	       { 0x5c, { 0x80, 0, 0, 0 } });
}
END_TEST

START_TEST(create_sq)
{
	const struct prm_sq sq = { .cqn = 0xabcdef, .tisn = 0x13579b, .user_index = 0x2468ac, .flush_in_error = 1,
				   .min_inline_mode = 1, .ts_format = 2,
				   .wq = { .log_size = 14, .log_stride = 9, .pd = 0x0f1e2d, .uar_page = 0x345678,
					   .ring = { 0xcafe0001, 0x1000 }, .dbrec = { 0xcafe0002, 0x40 } } };
	soil();
	prm_build_create_sq(in, &sq);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x04, 0, 0 } },
	       /* context at 0x20: 28 flush 0x10000000, 26:24 inline 1 0x01000000, 5:4 ts_format 2 0x20; state 0 */
	       { 0x20, { 0x11, 0x00, 0x00, 0x20 } },
	       { 0x24, { 0x00, 0x24, 0x68, 0xac } },         /* user_index */
	       { 0x28, { 0x00, 0xab, 0xcd, 0xef } },         /* cqn */
	       { 0x40, { 0x00, 0x01, 0x00, 0x00 } },         /* 0x20 + 0x20, 31:16 tis_lst_sz 1 */
	       { 0x4c, { 0x00, 0x13, 0x57, 0x9b } },         /* 0x20 + 0x2c, tis_num_0 */
	       { 0x50, { 0x10, 0x00, 0x00, 0x00 } },         /* wq at 0x20 + 0x30: 31:28 wq_type 1 */
	       { 0x58, { 0x00, 0x0f, 0x1e, 0x2d } },         /* 0x50 + 0x08, pd */
	       { 0x5c, { 0x00, 0x34, 0x56, 0x78 } },         /* 0x50 + 0x0c, uar_page */
	       { 0x64, { 0x00, 0x00, 0x00, 0x40 } },         /* 0x50 + 0x10, dbr_addr, low half */
	       /* 0x50 + 0x20: 19:16 log_wq_stride 6 0x00060000 whatever log_stride says, 4:0 log_wq_sz 14 0x0e */
	       { 0x70, { 0x00, 0x06, 0x00, 0x0e } },
	       { 0x74, { 0xc0, 0x00, 0x00, 0x00 } },         /* 0x50 + 0x24: 31 dbr, 30 wq umem valid */
	       { 0x78, { 0xca, 0xfe, 0x00, 0x02 } },         /* 0x50 + 0x28, dbr_umem_id */
	       { 0x7c, { 0xca, 0xfe, 0x00, 0x01 } },         /* 0x50 + 0x2c, wq_umem_id */
	       { 0x84, { 0x00, 0x00, 0x10, 0x00 } });        /* 0x50 + 0x30, wq_umem_offset, low half */
}
END_TEST

START_TEST(create_sq_with_collapsed_cq_does_not_flush)
{
	const struct prm_sq sq = { .cqn = 1, .tisn = 2, .wq = { .log_size = 6, .pd = 3, .uar_page = 4,
				   .ring = { 5, 0 }, .dbrec = { 5, 0x100000040 } } };
	soil();
	prm_build_create_sq(in, &sq);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x04, 0, 0 } }, { 0x28, { 0, 0, 0, 1 } }, { 0x40, { 0, 1, 0, 0 } },
	       { 0x4c, { 0, 0, 0, 2 } }, { 0x50, { 0x10, 0, 0, 0 } }, { 0x58, { 0, 0, 0, 3 } },
	       { 0x5c, { 0, 0, 0, 4 } }, { 0x60, { 0, 0, 0, 1 } }, { 0x64, { 0, 0, 0, 0x40 } },
	       { 0x70, { 0, 6, 0, 6 } }, { 0x74, { 0xc0, 0, 0, 0 } }, { 0x78, { 0, 0, 0, 5 } },
	       { 0x7c, { 0, 0, 0, 5 } });
}
END_TEST

START_TEST(create_rq)
{
	const struct prm_rq rq = { .cqn = 0x010203, .user_index = 0xfedcba, .flush_in_error = 1,
				   .vlan_strip_disable = 1, .ts_format = 2,
				   .wq = { .log_size = 12, .log_stride = 4, .pd = 0x999999, .uar_page = 0x777777,
					   .ring = { 0x11111111, 0x2000000000 }, .dbrec = { 0x22222222, 0x80 } } };
	soil();
	prm_build_create_rq(in, &rq);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x08, 0, 0 } },
	       /* context at 0x20: 28 vsd 0x10000000, 18 flush 0x00040000, 5:4 ts_format 2 0x20; mem_rq_type, state 0 */
	       { 0x20, { 0x10, 0x04, 0x00, 0x20 } },
	       { 0x24, { 0x00, 0xfe, 0xdc, 0xba } },         /* user_index */
	       { 0x28, { 0x00, 0x01, 0x02, 0x03 } },         /* cqn */
	       { 0x50, { 0x10, 0x00, 0x00, 0x00 } },         /* wq_type 1 */
	       { 0x58, { 0x00, 0x99, 0x99, 0x99 } },         /* pd; uar_page at 0x5c stays 0 */
	       { 0x64, { 0x00, 0x00, 0x00, 0x80 } },         /* dbr_addr, low half */
	       { 0x70, { 0x00, 0x04, 0x00, 0x0c } },         /* log_wq_stride 4, log_wq_sz 12 */
	       { 0x74, { 0xc0, 0x00, 0x00, 0x00 } },
	       { 0x78, { 0x22, 0x22, 0x22, 0x22 } },
	       { 0x7c, { 0x11, 0x11, 0x11, 0x11 } },
	       { 0x80, { 0x00, 0x00, 0x00, 0x20 } });        /* wq_umem_offset 0x20_00000000, high half */
}
END_TEST

START_TEST(create_tir_direct)
{
	soil();
	prm_build_create_tir(in, 0x00dead, 0xbeef01, 3);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x00, 0, 0 } },
	       { 0x3c, { 0x00, 0x00, 0xde, 0xad } },         /* 0x20 + 0x1c, inline_rqn; disp_type at 0x24 stays 0 */
	       { 0x44, { 0x03, 0xbe, 0xef, 0x01 } });        /* 0x20 + 0x24: 25:24 self_lb_block, 23:0 td */
	soil();
	prm_build_create_tir(in, 1, 2, 0);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x00, 0, 0 } }, { 0x3c, { 0, 0, 0, 1 } }, { 0x44, { 0, 0, 0, 2 } });
}
END_TEST

START_TEST(modify_sq)
{
	soil();
	prm_build_modify_sq(in, 0x654321, 0, 1);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x05, 0, 0 } }, { 0x08, { 0x00, 0x65, 0x43, 0x21 } },
	       { 0x20, { 0x00, 0x10, 0x00, 0x00 } });        /* 23:20 state 1 */
	soil();
	prm_build_modify_sq(in, 0x654321, 3, 0);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x05, 0, 0 } },
	       { 0x08, { 0x30, 0x65, 0x43, 0x21 } });        /* 31:28 sq_state 3 */
}
END_TEST

START_TEST(modify_rq)
{
	soil();
	prm_build_modify_rq(in, 0x000777, 1, 3);
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x09, 0, 0 } }, { 0x08, { 0x10, 0x00, 0x07, 0x77 } },
	       { 0x20, { 0x00, 0x30, 0x00, 0x00 } });
}
END_TEST

START_TEST(query_and_destroy_carry_opcode_and_number)
{
	soil();
	prm_build_query(in, PRM_OP_QUERY_SQ, 0xabcdef);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x07, 0, 0 } }, { 0x08, { 0x00, 0xab, 0xcd, 0xef } });
	soil();
	prm_build_query(in, PRM_OP_QUERY_CQ, 5);
	EXPECT(in, 0x10, { 0x00, { 0x04, 0x02, 0, 0 } }, { 0x08, { 0, 0, 0, 5 } });
	soil();
	prm_build_query(in, PRM_OP_QUERY_RQ, 6);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x0b, 0, 0 } }, { 0x08, { 0, 0, 0, 6 } });
	soil();
	prm_build_query(in, PRM_OP_QUERY_TIR, 7);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x03, 0, 0 } }, { 0x08, { 0, 0, 0, 7 } });
	soil();
	prm_build_query(in, PRM_OP_QUERY_TIS, 8);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x15, 0, 0 } }, { 0x08, { 0, 0, 0, 8 } });
	soil();
	prm_build_destroy(in, PRM_OP_DESTROY_CQ, 0xabcdef);
	EXPECT(in, 0x10, { 0x00, { 0x04, 0x01, 0, 0 } }, { 0x08, { 0x00, 0xab, 0xcd, 0xef } });
	soil();
	prm_build_destroy(in, PRM_OP_DESTROY_TIR, 1);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x02, 0, 0 } }, { 0x08, { 0, 0, 0, 1 } });
	soil();
	prm_build_destroy(in, PRM_OP_DESTROY_SQ, 1);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x06, 0, 0 } }, { 0x08, { 0, 0, 0, 1 } });
	soil();
	prm_build_destroy(in, PRM_OP_DESTROY_RQ, 1);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x0a, 0, 0 } }, { 0x08, { 0, 0, 0, 1 } });
	soil();
	prm_build_destroy(in, PRM_OP_DESTROY_TIS, 1);
	EXPECT(in, 0x10, { 0x00, { 0x09, 0x14, 0, 0 } }, { 0x08, { 0, 0, 0, 1 } });
	soil();
	prm_build_destroy(in, PRM_OP_DEALLOC_TD, 1);
	EXPECT(in, 0x10, { 0x00, { 0x08, 0x17, 0, 0 } }, { 0x08, { 0, 0, 0, 1 } });
}
END_TEST

START_TEST(a_number_too_wide_does_not_spill)
{
	soil();
	prm_build_modify_sq(in, 0xf2345678, 0, 1); /* only 23:0 of the number fit */
	EXPECT(in, 0x110, { 0x00, { 0x09, 0x05, 0, 0 } }, { 0x08, { 0x00, 0x34, 0x56, 0x78 } },
	       { 0x20, { 0x00, 0x10, 0x00, 0x00 } });
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("build");

	tcase_add_test(tc, query_hca_cap);
	tcase_add_test(tc, commands_that_are_only_an_opcode);
	tcase_add_test(tc, create_tis);
	tcase_add_test(tc, create_cq_collapsed);
	tcase_add_test(tc, create_cq_plain_in_one_umem);
	tcase_add_test(tc, create_sq);
	tcase_add_test(tc, create_sq_with_collapsed_cq_does_not_flush);
	tcase_add_test(tc, create_rq);
	tcase_add_test(tc, create_tir_direct);
	tcase_add_test(tc, modify_sq);
	tcase_add_test(tc, modify_rq);
	tcase_add_test(tc, query_and_destroy_carry_opcode_and_number);
	tcase_add_test(tc, a_number_too_wide_does_not_spill);
	return run_tests(tc);
}
