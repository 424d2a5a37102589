/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Field access over all widths, sizes of commands, and reserved bits: each bit
 * of a valid mailbox is flipped and compared with masks of known bits written
 * down here by hand, dword by dword, from the bit ranges of mlx5_ifc.h.
 */
#include "prm/prm.h"
#include "run.h"
#include <string.h>

START_TEST(every_width_at_every_place)
{
	for (unsigned int hi = 0; hi < 32; hi++) {
		for (unsigned int lo = 0; lo <= hi; lo++) {
			uint8_t zeros[16] = { 0 }, ones[16], want[16] = { 0 };
			prm_field_t field = PRM_BITS(4, hi, lo);
			uint64_t all = hi - lo == 31 ? UINT32_MAX : (1ull << (hi - lo + 1)) - 1;

			memset(ones, 0xff, sizeof(ones));
			/* byte X of a dword holds bits 31-8X..24-8X */
			for (unsigned int bit = lo; bit <= hi; bit++)
				want[3 + 4 + (31 - bit) / 8] |= (uint8_t)(1u << bit % 8);
			ck_assert_uint_eq(prm_get(zeros, 3, field), 0);
			ck_assert_uint_eq(prm_get(ones, 3, field), all);
			prm_set(zeros, 3, field, UINT64_MAX);
			ck_assert_mem_eq(zeros, want, sizeof(want));
			ck_assert_uint_eq(prm_get(zeros, 3, field), all);
			prm_set(ones, 3, field, 0);
			for (unsigned int i = 0; i < sizeof(ones); i++)
				ck_assert_uint_eq(ones[i], (uint8_t)~want[i]);
			prm_set(ones, 3, field, 0x5a5a5a5a & all);
			ck_assert_uint_eq(prm_get(ones, 3, field), 0x5a5a5a5a & all);
		}
	}
}
END_TEST

START_TEST(a_64_bit_field_is_big_endian)
{
	static const uint8_t want[16] = { 0, 0, 0, 0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 0, 0 };
	uint8_t box[16] = { 0 };

	prm_set(box, 1, PRM_U64(4), 0x0123456789abcdef);
	ck_assert_mem_eq(box, want, sizeof(want));
	ck_assert_uint_eq(prm_get(box, 1, PRM_U64(4)), 0x0123456789abcdef);
}
END_TEST

START_TEST(a_field_keeps_its_neighbours)
{
	uint8_t box[4] = { 0x12, 0x34, 0x56, 0x78 };
	static const uint8_t want[4] = { 0x12, 0x3a, 0xb6, 0x78 };

	prm_set(box, 0, PRM_BITS(0, 19, 12), 0x7ab); /* 8 bits wide: 0xab */
	ck_assert_mem_eq(box, want, sizeof(want));
	ck_assert_uint_eq(prm_get(box, 0, PRM_BITS(0, 19, 12)), 0xab);
}
END_TEST

/* Bits that mean something, by dword. */
struct known { size_t off; uint32_t mask; };

#define HEADER { 0x00, 0xffffffff }, { 0x04, 0x0000ffff }
#define NUMBER { 0x08, 0x00ffffff }

/* 0x00 31:28 25 23:21 20 18 17 16:15 14 13:12 11:8 6:0; 0x08 11:6 3:2 1:0; ... at 0x10 */
#define CQC                                                                                                      \
	{ 0x10, 0xf2f7ff7f }, { 0x14, 0xffffffff }, { 0x18, 0x00000fcf }, { 0x1c, 0x1fffffff }, { 0x20, 0x0fffffff }, \
	{ 0x24, 0x000000ff }, { 0x28, 0x1f000000 }, { 0x30, 0x00ffffff }, { 0x34, 0x00ffffff }, { 0x38, 0x00ffffff }, \
	{ 0x3c, 0x00ffffff }, { 0x48, 0xffffffff }, { 0x4c, 0xffffffff }

/* 0x00 31:16 15 10:8 5:4; 0x18 23:0; 0x1c 15:0; 0x20 31:0; 0x2c 23:0; at 0x20 */
#define SQC                                                                                                      \
	{ 0x20, 0xffff8730 }, { 0x24, 0x00ffffff }, { 0x28, 0x00ffffff }, { 0x2c, 0x00ffffff }, { 0x30, 0x0000ffff }, \
	{ 0x38, 0x00ffffff }, { 0x3c, 0x0000ffff }, { 0x40, 0xffffffff }, { 0x4c, 0x00ffffff }

/* 0x00 31:20 18 17 5:4; 0x0c 31:24; 0x10 and 0x14 23:0; 0x18 15:0; at 0x20 */
#define RQC                                                                                                      \
	{ 0x20, 0xfff60030 }, { 0x24, 0x00ffffff }, { 0x28, 0x00ffffff }, { 0x2c, 0xff000000 }, { 0x30, 0x00ffffff }, \
	{ 0x34, 0x00ffffff }, { 0x38, 0x0000ffff }

/* 0x00 31:24; 0x04 31 30:28 20:16 15:0; 0x20 19:16 12:8 4:0; 0x24 31 30 11:8 7 2:0; at 0x50 */
#define WQ                                                                                                       \
	{ 0x50, 0xff000000 }, { 0x54, 0xf01fffff }, { 0x58, 0x00ffffff }, { 0x5c, 0x00ffffff }, { 0x60, 0xffffffff }, \
	{ 0x64, 0xffffffff }, { 0x68, 0xffffffff }, { 0x6c, 0xffffffff }, { 0x70, 0x000f1f1f }, { 0x74, 0xc0000f87 }, \
	{ 0x78, 0xffffffff }, { 0x7c, 0xffffffff }, { 0x80, 0xffffffff }, { 0x84, 0xffffffff }

/* 0x04 31:28 27; 0x10 27:0; 0x1c 23:0; 0x20 31 29 23:0; 0x24 31:28 25:24 23:0; key 0x28..0x4f; at 0x20 */
#define TIRC                                                                                                     \
	{ 0x24, 0xf8000000 }, { 0x30, 0x0fffffff }, { 0x3c, 0x00ffffff }, { 0x40, 0xa0ffffff }, { 0x44, 0xf3ffffff }, \
	{ 0x48, 0xffffffff }, { 0x4c, 0xffffffff }, { 0x50, 0xffffffff }, { 0x54, 0xffffffff }, { 0x58, 0xffffffff }, \
	{ 0x5c, 0xffffffff }, { 0x60, 0xffffffff }, { 0x64, 0xffffffff }, { 0x68, 0xffffffff }, { 0x6c, 0xffffffff }, \
	{ 0x70, 0xffffffff }, { 0x74, 0xffffffff }

/* 0x00 31 30 27:24 19:16; 0x24, 0x28, 0x2c 23:0; at 0x20 */
#define TISC { 0x20, 0xcf0f0000 }, { 0x44, 0x00ffffff }, { 0x48, 0x00ffffff }, { 0x4c, 0x00ffffff }

#define BITMASK { 0x10, 0xffffffff }, { 0x14, 0xffffffff }

struct shape {
	uint32_t opcode;
	size_t in_len, out_len; /* as mlx5_ifc.h sizes the mailboxes */
	const char *name;
	struct known known[40];
};

static const struct shape shapes[] = {
	{ 0x100, 0x10, 0x1010, "QUERY_HCA_CAP", { HEADER } },
	{ 0x400, 0x110, 0x10, "CREATE_CQ",
	  { HEADER, CQC, { 0x50, 0xffffffff }, { 0x54, 0xffffffff }, { 0x58, 0xffffffff }, { 0x5c, 0x80000000 } } },
	{ 0x401, 0x10, 0x10, "DESTROY_CQ", { HEADER, NUMBER } },
	{ 0x402, 0x10, 0x110, "QUERY_CQ", { HEADER, NUMBER } },
	{ 0x403, 0x110, 0x10, "MODIFY_CQ", { HEADER, NUMBER, { 0x0c, 0xffffffff }, CQC, { 0x5c, 0x80000000 } } },
	{ 0x750, 0x10, 0x10, "QUERY_VPORT_STATE", { HEADER, { 0x08, 0x8000ffff } } },
	{ 0x754, 0x10, 0x110, "QUERY_NIC_VPORT_CONTEXT", { HEADER, { 0x08, 0x8000ffff }, { 0x0c, 0x07000000 } } },
	{ 0x80d, 0x10, 0x10, "NOP", { HEADER } },
	{ 0x816, 0x10, 0x10, "ALLOC_TRANSPORT_DOMAIN", { HEADER } },
	{ 0x817, 0x10, 0x10, "DEALLOC_TRANSPORT_DOMAIN", { HEADER, NUMBER } },
	{ 0x900, 0x110, 0x10, "CREATE_TIR", { HEADER, TIRC } },
	{ 0x901, 0x110, 0x10, "MODIFY_TIR", { HEADER, NUMBER, BITMASK, TIRC } },
	{ 0x902, 0x10, 0x10, "DESTROY_TIR", { HEADER, NUMBER } },
	{ 0x903, 0x10, 0x110, "QUERY_TIR", { HEADER, NUMBER } },
	{ 0x904, 0x110, 0x10, "CREATE_SQ", { HEADER, SQC, WQ } },
	{ 0x905, 0x110, 0x10, "MODIFY_SQ", { HEADER, { 0x08, 0xf0ffffff }, BITMASK, SQC, WQ } },
	{ 0x906, 0x10, 0x10, "DESTROY_SQ", { HEADER, NUMBER } },
	{ 0x907, 0x10, 0x110, "QUERY_SQ", { HEADER, NUMBER } },
	{ 0x908, 0x110, 0x10, "CREATE_RQ", { HEADER, RQC, WQ } },
	{ 0x909, 0x110, 0x10, "MODIFY_RQ", { HEADER, { 0x08, 0xf0ffffff }, BITMASK, RQC, WQ } },
	{ 0x90a, 0x10, 0x10, "DESTROY_RQ", { HEADER, NUMBER } },
	{ 0x90b, 0x10, 0x110, "QUERY_RQ", { HEADER, NUMBER } },
	{ 0x912, 0xc0, 0x10, "CREATE_TIS", { HEADER, TISC } },
	{ 0x913, 0xc0, 0x10, "MODIFY_TIS", { HEADER, NUMBER, BITMASK, TISC } },
	{ 0x914, 0x10, 0x10, "DESTROY_TIS", { HEADER, NUMBER } },
	{ 0x915, 0x10, 0xb0, "QUERY_TIS", { HEADER, NUMBER } },
};
#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* Which bits of the byte at off mean something; entries behind the last one are 0, 0. */
static uint8_t known_byte(const struct shape *shape, size_t off)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < sizeof(shape->known) / sizeof(shape->known[0]); i++)
		if (shape->known[i].off == (off & ~(size_t)3))
			mask |= shape->known[i].mask;
	return (uint8_t)(mask >> (24 - 8 * (off & 3)));
}

static void flip_each_bit(uint8_t *in, size_t len, const struct shape *shape)
{
	ck_assert_msg(prm_reserved_bit(in, len) == -1, "%s: byte 0x%x of a valid mailbox", shape->name,
		      (unsigned int)prm_reserved_bit(in, len));
	for (size_t off = 2; off < len; off++) { /* bytes 0 and 1 choose the command */
		for (unsigned int bit = 0; bit < 8; bit++) {
			int is_known = known_byte(shape, off) >> bit & 1;
			int got;

			in[off] ^= (uint8_t)(1u << bit);
			got = prm_reserved_bit(in, len);
			ck_assert_msg(got == (is_known ? -1 : (int)off), "%s: byte 0x%zx bit %u: %d", shape->name, off,
				      bit, got);
			in[off] ^= (uint8_t)(1u << bit);
		}
	}
}

START_TEST(reserved_bits_of_every_command)
{
	for (size_t i = 0; i < N_SHAPES; i++) {
		uint8_t in[0x110] = { (uint8_t)(shapes[i].opcode >> 8), (uint8_t)shapes[i].opcode };

		flip_each_bit(in, shapes[i].in_len, &shapes[i]);
	}
}
END_TEST

START_TEST(reserved_bits_of_filled_mailboxes)
{
	const struct prm_sq sq = { .cqn = 0xabcdef, .tisn = 0x13579b, .user_index = 0x2468ac, .flush_in_error = 1,
				   .min_inline_mode = 3, .ts_format = 2,
				   .wq = { .log_size = 14, .pd = 0xffffff, .uar_page = 0xffffff,
					   .ring = { 0xffffffff, UINT64_MAX }, .dbrec = { 0xffffffff, UINT64_MAX } } };
	const struct prm_cq cq = { .log_size = 31, .uar_page = 0xffffff, .eqn = 0xff, .collapsed = 1,
				   .overrun_ignore = 1, .ring = { 0xffffffff, UINT64_MAX },
				   .dbrec = { 0xffffffff, UINT64_MAX } };
	uint8_t in[0x110];

	prm_build_create_sq(in, &sq);
	flip_each_bit(in, sizeof(in), &shapes[14]);
	prm_build_create_cq(in, &cq);
	flip_each_bit(in, sizeof(in), &shapes[1]);
	prm_build_create_tir(in, 0xffffff, 0xffffff, 3);
	flip_each_bit(in, sizeof(in), &shapes[10]);
}
END_TEST

START_TEST(all_known_bits_at_once_are_fine)
{
	for (size_t i = 0; i < N_SHAPES; i++) {
		uint8_t in[0x110];

		for (size_t off = 0; off < shapes[i].in_len; off++)
			in[off] = known_byte(&shapes[i], off);
		in[0] = (uint8_t)(shapes[i].opcode >> 8);
		in[1] = (uint8_t)shapes[i].opcode;
		ck_assert_int_eq(prm_reserved_bit(in, shapes[i].in_len), -1);
	}
}
END_TEST

START_TEST(the_first_reserved_byte_is_named)
{
	uint8_t in[0x110] = { 0x09, 0x04 }; /* CREATE_SQ */

	in[0x90] = 1;
	in[0x34] = 0x80;
	ck_assert_int_eq(prm_reserved_bit(in, sizeof(in)), 0x34);
	ck_assert_int_eq(prm_reserved_bit(in, 0x34), -1); /* only in_len bytes are looked at */
}
END_TEST

START_TEST(a_page_list_is_reserved)
{
	uint8_t in[0x120] = { 0x04, 0x00 }; /* CREATE_CQ; its pas array would start at 0x110 */

	ck_assert_int_eq(prm_reserved_bit(in, sizeof(in)), -1);
	in[0x117] = 1;
	ck_assert_int_eq(prm_reserved_bit(in, sizeof(in)), 0x117);
	ck_assert_int_eq(prm_reserved_bit(in, 0x110), -1);
}
END_TEST

START_TEST(of_an_unknown_command_only_the_header_is_known)
{
	uint8_t in[0x10] = { 0x12, 0x34, 0xff, 0xff, 0x00, 0x00, 0xff, 0xff };

	ck_assert_int_eq(prm_reserved_bit(in, sizeof(in)), -1);
	in[0x0b] = 1;
	ck_assert_int_eq(prm_reserved_bit(in, sizeof(in)), 0x0b);
	ck_assert_int_eq(prm_reserved_bit(in, 0), -1);
}
END_TEST

START_TEST(sizes_and_names)
{
	for (size_t i = 0; i < N_SHAPES; i++) {
		ck_assert_uint_eq(prm_in_min(shapes[i].opcode), shapes[i].in_len);
		ck_assert_uint_eq(prm_out_min(shapes[i].opcode), shapes[i].out_len);
		ck_assert_str_eq(prm_opcode_name(shapes[i].opcode), shapes[i].name);
	}
}
END_TEST

START_TEST(no_other_opcode_is_known)
{
	size_t n_known = 0;

	for (uint32_t opcode = 0; opcode <= 0x10000; opcode++) {
		n_known += prm_opcode_name(opcode) != NULL;
		ck_assert_int_eq(prm_opcode_name(opcode) != NULL, prm_in_min(opcode) != 0);
		ck_assert_int_eq(prm_opcode_name(opcode) != NULL, prm_out_min(opcode) != 0);
	}
	ck_assert_uint_eq(n_known, 26);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("prm");

	tcase_add_test(tc, every_width_at_every_place);
	tcase_add_test(tc, a_64_bit_field_is_big_endian);
	tcase_add_test(tc, a_field_keeps_its_neighbours);
	tcase_add_test(tc, reserved_bits_of_every_command);
	tcase_add_test(tc, reserved_bits_of_filled_mailboxes);
	tcase_add_test(tc, all_known_bits_at_once_are_fine);
	tcase_add_test(tc, the_first_reserved_byte_is_named);
	tcase_add_test(tc, a_page_list_is_reserved);
	tcase_add_test(tc, of_an_unknown_command_only_the_header_is_known);
	tcase_add_test(tc, sizes_and_names);
	tcase_add_test(tc, no_other_opcode_is_known);
	return run_tests(tc);
}
