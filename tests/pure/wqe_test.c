/* SPDX-License-Identifier: BSD-3-Clause */
/* host/softnic/wqe.c: WQEs written byte by byte, offsets from the layout of control, Ethernet and data segments. */
#include "softnic/pure.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define SQN 0xabcdefu
#define INDEX 0x8001u

static const struct sn_wqe_rules plain = { .sqn = SQN, .index = INDEX, .max_ds = 60, .vlan_insert = 1 };

/* SEND, 4 segments, a CQE asked for: 0x5ea bytes at 0x1122334455667788 under key 0x99aabbcc. */
static const uint8_t one_pointer[64] = {
	0x00, 0x80, 0x01, 0x0a, 0xab, 0xcd, 0xef, 0x03, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x05, 0xea, 0x99, 0xaa, 0xbb, 0xcc, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
};

static uint8_t wqe[64 * 16];
static struct sn_send send_;

static void start(uint8_t ds)
{
	memset(wqe, 0, sizeof(wqe));
	memcpy(wqe, one_pointer, sizeof(one_pointer));
	wqe[7] = ds;
}

static void put32(size_t off, uint32_t v)
{
	wqe[off] = (uint8_t)(v >> 24);
	wqe[off + 1] = (uint8_t)(v >> 16);
	wqe[off + 2] = (uint8_t)(v >> 8);
	wqe[off + 3] = (uint8_t)v;
}

static void put_pointer(size_t off, uint32_t len, uint32_t lkey, uint64_t addr)
{
	put32(off, len);
	put32(off + 4, lkey);
	put32(off + 8, (uint32_t)(addr >> 32));
	put32(off + 12, (uint32_t)addr);
}

/* On a copy that ends where avail ends, at any alignment. */
static const char *decode_avail(const struct sn_wqe_rules *rules, size_t avail)
{
	uint8_t *copy = malloc(avail);
	const char *why = "not called";
	uint32_t synd;

	memcpy(copy, wqe, avail);
	memset(&send_, 0xee, sizeof(send_));
	synd = sn_wqe_decode(copy, avail, rules, &send_, &why);
	free(copy);
	ck_assert_uint_eq(synd, why ? 0x02 : 0);
	return why;
}

static const char *decode_under(const struct sn_wqe_rules *rules)
{
	return decode_avail(rules, wqe[7] % 64 * 16);
}

static const char *decode(void)
{
	return decode_under(&plain);
}

#define REFUSED(text) ck_assert_pstr_eq(decode(), text)
#define TAKEN() ck_assert_pstr_eq(decode(), NULL)

START_TEST(size_is_six_bits)
{
	static const uint8_t p[8] = { 0, 0, 0, 0, 0, 0, 0, 0xff };

	ck_assert_uint_eq(sn_wqe_ds(p), 63);
	ck_assert_uint_eq(sn_wqe_ds(one_pointer), 3);
	ck_assert_uint_eq(sn_wqe_ds((const uint8_t[8]){ 0, 0, 0, 0, 0, 0, 0, 0xc0 }), 0);
}
END_TEST

START_TEST(send_with_one_pointer)
{
	start(3);
	TAKEN();
	ck_assert_uint_eq(send_.opcode, 0x0a);
	ck_assert_uint_eq(send_.ds, 3);
	ck_assert_uint_eq(send_.ce, 0x08);
	ck_assert_uint_eq(send_.cs_flags, 0xc0);
	ck_assert_uint_eq(send_.mss, 0);
	ck_assert_uint_eq(send_.insert_vlan, 0);
	ck_assert_uint_eq(send_.inline_len, 0);
	ck_assert_uint_eq(send_.n_segs, 1);
	ck_assert_uint_eq(send_.segs[0].len, 0x5ea);
	ck_assert_uint_eq(send_.segs[0].lkey, 0x99aabbcc);
	ck_assert(send_.segs[0].addr == 0x1122334455667788);
	ck_assert_uint_eq(send_.len, 0x5ea);
}
END_TEST

/*
 * A WQE without any option goes a short way; the solicited bit, which changes
 * nothing, sends it the long way. Both must say the same of whatever stands in
 * it: each bit is set wrong in turn, and the lengths around the shortest.
 */
static void same_both_ways(void)
{
	struct sn_send by_short;
	const char *why;

	why = decode_avail(&plain, 48);
	by_short = send_;
	wqe[0x0b] ^= 0x02;
	ck_assert_pstr_eq(decode_avail(&plain, 48), why);
	wqe[0x0b] ^= 0x02;
	ck_assert_uint_eq(by_short.ce, send_.ce);
	if (why)
		return;
	ck_assert_mem_eq(&by_short, &send_, offsetof(struct sn_send, inline_hdr));
	ck_assert_uint_eq(by_short.n_segs, send_.n_segs);
	ck_assert_mem_eq(by_short.segs, send_.segs, sizeof(send_.segs[0]));
	ck_assert_uint_eq(by_short.len, send_.len);
}

START_TEST(options_or_not_the_same_is_seen)
{
	uint32_t bit, len;

	start(3);
	wqe[0x14] = 0;
	for (bit = 0; bit < 48 * 8; bit++) {
		wqe[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (bit != 0x0b * 8 + 1)
			same_both_ways();
		wqe[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (len = 0; len < 20; len++) {
		put32(0x20, len);
		same_both_ways();
	}
}
END_TEST

START_TEST(any_alignment)
{
	uint8_t *base;
	const char *why;
	size_t shift;

	start(3);
	for (shift = 0; shift < 4; shift++) {
		base = malloc(shift + 48);
		memcpy(base + shift, wqe, 48);
		ck_assert_uint_eq(sn_wqe_decode(base + shift, 48, &plain, &send_, &why), 0);
		free(base);
	}
}
END_TEST

START_TEST(completion_fence_and_solicited_bits)
{
	start(3);
	wqe[0x0b] = 0x04; /* CQE on the first error */
	TAKEN();
	ck_assert_uint_eq(send_.ce, 0x04);
	wqe[0x0b] = 0x4a; /* fence 2, CQE, solicited */
	TAKEN();
	ck_assert_uint_eq(send_.ce, 0x08);
	wqe[0x0b] = 0x8c;
	TAKEN();
	ck_assert_uint_eq(send_.ce, 0x0c);
	wqe[0x0b] = 0xa0; /* fence 5 */
	REFUSED("unknown fence mode");
}
END_TEST

START_TEST(most_pointers_that_fit)
{
	struct sn_wqe_rules rules = plain;
	uint64_t len = 0;
	uint32_t i;

	rules.max_ds = 63;
	start(63);
	for (i = 0; i < 61; i++) {
		put_pointer(0x20 + i * 16, 0x7fffffff - i, i, i * 3);
		len += 0x7fffffff - i;
	}
	ck_assert_pstr_eq(decode_under(&rules), NULL);
	ck_assert_uint_eq(send_.n_segs, 61);
	ck_assert(send_.len == len);
	ck_assert_uint_eq(send_.segs[60].lkey, 60);
	ck_assert(send_.segs[60].addr == 180);
}
END_TEST

/* 2 bytes at 0x1e, 16 more from 0x20, data segments from 0x30. */
START_TEST(header_of_18_bytes_inline)
{
	size_t i;

	start(4);
	for (i = 0; i < 18; i++)
		wqe[0x1e + i] = (uint8_t)(0x50 + i);
	wqe[0x1d] = 18;
	put_pointer(0x30, 46, 1, 2);
	TAKEN();
	ck_assert_uint_eq(send_.inline_len, 18);
	for (i = 0; i < 18; i++)
		ck_assert_uint_eq(send_.inline_hdr[i], 0x50 + i);
	ck_assert_uint_eq(send_.n_segs, 1);
	ck_assert_uint_eq(send_.segs[0].len, 46);
	ck_assert_uint_eq(send_.len, 64);
}
END_TEST

/* 42 bytes: 2, then 40 padded to 48; what pads is not looked at. */
START_TEST(longer_header_is_padded_to_16)
{
	size_t i;

	start(6);
	for (i = 0; i < 42; i++)
		wqe[0x1e + i] = (uint8_t)(1 + i);
	wqe[0x1d] = 42;
	memset(wqe + 0x48, 0xff, 8);
	put_pointer(0x50, 100, 7, 8);
	TAKEN();
	ck_assert_uint_eq(send_.inline_len, 42);
	ck_assert_uint_eq(send_.inline_hdr[41], 42);
	ck_assert_uint_eq(send_.segs[0].lkey, 7);
	ck_assert_uint_eq(send_.len, 142);
}
END_TEST

START_TEST(header_alone_is_a_packet)
{
	start(4);
	memset(wqe + 0x1e, 1, 18);
	memset(wqe + 0x30, 2, 16);
	wqe[0x1d] = 34; /* 2 + 32: ends with segment 4 */
	TAKEN();
	ck_assert_uint_eq(send_.len, 34);
	ck_assert_uint_eq(send_.n_segs, 0);
	ck_assert_uint_eq(send_.inline_hdr[33], 2);
	wqe[0x1d] = 35;
	REFUSED("inline header is longer than the WQE");
}
END_TEST

START_TEST(header_sizes_between_are_refused)
{
	uint8_t size;

	for (size = 1; size < 18; size++) {
		start(4);
		wqe[0x1d] = size;
		REFUSED("inline header of 1 to 17 bytes");
	}
	start(4);
	wqe[0x1c] = 0x7f;
	wqe[0x1d] = 0xff;
	REFUSED("inline header is longer than the WQE");
	start(3);
	wqe[0x1f] = 1;
	REFUSED("inline header bytes are set, and their size is 0");
}
END_TEST

START_TEST(minimum_inline_counts_the_header_only)
{
	struct sn_wqe_rules rules = plain;

	rules.min_inline = 18;
	start(3);
	ck_assert_pstr_eq(decode_under(&rules), "inline header is below the minimum");
	start(4);
	put32(0x20, 0x8000001c); /* 28 bytes of inline data are no header */
	ck_assert_pstr_eq(decode_under(&rules), "inline header is below the minimum");
	start(4);
	wqe[0x1d] = 18;
	put_pointer(0x30, 46, 1, 2);
	ck_assert_pstr_eq(decode_under(&rules), NULL);
	start(3);
	put32(0x1c, 0x80000005); /* a VLAN to insert takes the header's place */
	ck_assert_pstr_eq(decode_under(&rules), "inline header is below the minimum");
}
END_TEST

START_TEST(vlan_to_insert)
{
	struct sn_wqe_rules rules = plain;

	start(3);
	put32(0x1c, 0x8000e123);
	TAKEN();
	ck_assert_uint_eq(send_.insert_vlan, 1);
	ck_assert_uint_eq(send_.vlan_tci, 0xe123);
	ck_assert_uint_eq(send_.inline_len, 0);
	ck_assert_uint_eq(send_.len, 0x5ea);
	rules.vlan_insert = 0;
	ck_assert_pstr_eq(decode_under(&rules), "VLAN insertion without the capability wqe_vlan_insert");
	put32(0x1c, 0x8001e123); /* bit 16: S-VLAN */
	REFUSED("VLAN insertion of another kind than C-VLAN");
}
END_TEST

/* 28 bytes from 0x24 fill two segments; 29 need a third. */
START_TEST(inline_data_joins_the_header)
{
	size_t i;

	start(5);
	put32(0x20, 0x8000001c);
	for (i = 0; i < 28; i++)
		wqe[0x24 + i] = (uint8_t)(0x80 + i);
	put_pointer(0x40, 9, 5, 6);
	TAKEN();
	ck_assert_uint_eq(send_.inline_len, 28);
	ck_assert_uint_eq(send_.inline_hdr[0], 0x80);
	ck_assert_uint_eq(send_.inline_hdr[27], 0x80 + 27);
	ck_assert_uint_eq(send_.n_segs, 1);
	ck_assert_uint_eq(send_.segs[0].len, 9);
	ck_assert_uint_eq(send_.len, 37);
	wqe[7] = 4;
	put32(0x20, 0x8000001d);
	REFUSED("inline data is longer than the WQE");
	put32(0x20, 0xffffffff);
	REFUSED("inline data is longer than the WQE");
	put32(0x20, 0x80000000);
	REFUSED("data segment of 0 bytes");
}
END_TEST

START_TEST(inline_data_behind_an_inline_header)
{
	start(5);
	wqe[0x1d] = 18;
	memset(wqe + 0x1e, 0xaa, 18);
	put32(0x30, 0x8000000c);
	memset(wqe + 0x34, 0xbb, 12);
	put32(0x40, 0x80000001);
	wqe[0x44] = 0xcc;
	TAKEN();
	ck_assert_uint_eq(send_.inline_len, 31);
	ck_assert_uint_eq(send_.inline_hdr[17], 0xaa);
	ck_assert_uint_eq(send_.inline_hdr[18], 0xbb);
	ck_assert_uint_eq(send_.inline_hdr[30], 0xcc);
	ck_assert_uint_eq(send_.len, 31);
}
END_TEST

START_TEST(longest_inline_there_can_be)
{
	struct sn_wqe_rules rules = plain;

	rules.max_ds = 63;
	start(63);
	put32(0x1c, (2 + 61 * 16) << 16);
	memset(wqe + 0x1e, 0x77, 2 + 61 * 16);
	ck_assert_pstr_eq(decode_under(&rules), NULL);
	ck_assert_uint_eq(send_.len, 978);
	ck_assert_uint_eq(send_.inline_hdr[977], 0x77);
	start(63);
	put32(0x20, 0x80000000 | (61 * 16 - 4));
	ck_assert_pstr_eq(decode_under(&rules), NULL);
	ck_assert_uint_eq(send_.len, 972);
}
END_TEST

START_TEST(inline_data_must_come_first)
{
	start(4);
	put32(0x30, 0x80000001);
	REFUSED("inline data behind a pointer segment");
}
END_TEST

START_TEST(sizes_that_cannot_be)
{
	start(0);
	ck_assert_pstr_eq(decode_avail(&plain, 64), "WQE size (ds) is 0");
	start(61);
	REFUSED("WQE size (ds) is above max_wqe_sz_sq");
	start(3);
	ck_assert_pstr_eq(decode_avail(&plain, 47), "WQE is cut short");
	ck_assert_uint_eq(send_.opcode, 0x0a); /* for the error CQE */
	ck_assert_uint_eq(send_.ds, 3);
	ck_assert_pstr_eq(decode_avail(&plain, 15), "WQE is cut short");
	ck_assert_uint_eq(send_.opcode, 0);
	ck_assert_pstr_eq(decode_avail(&plain, 0), "WQE is cut short");
	start(1);
	REFUSED("WQE without an Ethernet segment");
	start(2);
	REFUSED("packet is shorter than an Ethernet header");
	start(3);
	put32(0x20, 13);
	REFUSED("packet is shorter than an Ethernet header");
	put32(0x20, 14);
	TAKEN();
	put32(0x20, 0);
	REFUSED("data segment of 0 bytes");
}
END_TEST

START_TEST(no_length_is_read_past)
{
	size_t avail;

	start(60);
	for (avail = 0; avail < 60 * 16; avail++)
		ck_assert_pstr_eq(decode_avail(&plain, avail), "WQE is cut short");
}
END_TEST

START_TEST(sq_number_and_index_must_be_its_own)
{
	start(3);
	wqe[6] ^= 1;
	REFUSED("WQE names another SQ number");
	start(3);
	wqe[4] ^= 0x80;
	REFUSED("WQE names another SQ number");
	start(3);
	wqe[2] ^= 1;
	REFUSED("WQE index is not the one expected");
	start(3);
	wqe[1] ^= 0x80;
	REFUSED("WQE index is not the one expected");
}
END_TEST

START_TEST(bits_without_meaning_must_be_0)
{
	static const struct { size_t off; uint8_t bits; const char *why; } bad[] = {
		{ 0x00, 0x01, "opcode modifier (opmod) is not 0" },
		{ 0x07, 0x40, "reserved bits of the control segment are set" },
		{ 0x07, 0x80, "reserved bits of the control segment are set" },
		{ 0x08, 0x01, "signature is set, and the queue has none" },
		{ 0x09, 0x80, "reserved bits of the control segment are set" },
		{ 0x0a, 0x01, "reserved bits of the control segment are set" },
		{ 0x0b, 0x10, "reserved bits of the control segment are set" },
		{ 0x0b, 0x01, "reserved bits of the control segment are set" },
		{ 0x0c, 0x80, "immediate is set in an opcode without one" },
		{ 0x0f, 0x01, "immediate is set in an opcode without one" },
		{ 0x10, 0x01, "software parser fields are set, and allow_swp is not" },
		{ 0x13, 0x01, "software parser fields are set, and allow_swp is not" },
		{ 0x15, 0x10, "software parser fields are set, and allow_swp is not" },
		{ 0x14, 0x20, "unknown bits in cs_flags" },
		{ 0x14, 0x10, "unknown bits in cs_flags" },
		{ 0x14, 0x01, "unknown bits in cs_flags" },
		{ 0x16, 0x01, "mss is set in an opcode without TSO" },
		{ 0x17, 0x01, "mss is set in an opcode without TSO" },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		start(3);
		wqe[bad[i].off] |= bad[i].bits;
		REFUSED(bad[i].why);
	}
	start(3);
	put32(0x18, 0xffffffff); /* metadata is the user's */
	TAKEN();
}
END_TEST

START_TEST(opcodes_of_other_queues)
{
	static const uint8_t other[] = { 0x01, 0x08, 0x09, 0x0b, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x14, 0x15, 0x17, 0x18,
					 0x19, 0x1b, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x25, 0x28, 0x29, 0x2c, 0x2d, 0x2f };
	uint32_t opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		start(3);
		wqe[3] = (uint8_t)opcode;
		if (opcode == 0x0a)
			TAKEN();
		else if (opcode == 0x00)
			REFUSED("NOP of more than 2 segments");
		else if (memchr(other, (int)opcode, sizeof(other)))
			REFUSED("opcode is not for this queue");
		else
			REFUSED("unknown opcode");
		ck_assert_uint_eq(send_.opcode, opcode);
	}
}
END_TEST

START_TEST(nop_has_no_packet)
{
	uint8_t ds;

	for (ds = 1; ds <= 2; ds++) {
		start(ds);
		wqe[3] = 0;
		TAKEN();
		ck_assert_uint_eq(send_.opcode, 0);
		ck_assert_uint_eq(send_.ds, ds);
		ck_assert_uint_eq(send_.ce, 0x08);
		ck_assert_uint_eq(send_.len, 0);
		ck_assert_uint_eq(send_.n_segs, 0);
		ck_assert_uint_eq(send_.inline_len, 0);
		ck_assert_uint_eq(send_.insert_vlan, 0);
		ck_assert_uint_eq(send_.cs_flags, 0);
	}
	start(1);
	wqe[3] = 0;
	wqe[2] ^= 1;
	REFUSED("WQE index is not the one expected");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("softnic wqe");
	TCase *tc = tcase_create("wqe");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, size_is_six_bits);
	tcase_add_test(tc, send_with_one_pointer);
	tcase_add_test(tc, options_or_not_the_same_is_seen);
	tcase_add_test(tc, any_alignment);
	tcase_add_test(tc, completion_fence_and_solicited_bits);
	tcase_add_test(tc, most_pointers_that_fit);
	tcase_add_test(tc, header_of_18_bytes_inline);
	tcase_add_test(tc, longer_header_is_padded_to_16);
	tcase_add_test(tc, header_alone_is_a_packet);
	tcase_add_test(tc, header_sizes_between_are_refused);
	tcase_add_test(tc, minimum_inline_counts_the_header_only);
	tcase_add_test(tc, vlan_to_insert);
	tcase_add_test(tc, inline_data_joins_the_header);
	tcase_add_test(tc, inline_data_behind_an_inline_header);
	tcase_add_test(tc, longest_inline_there_can_be);
	tcase_add_test(tc, inline_data_must_come_first);
	tcase_add_test(tc, sizes_that_cannot_be);
	tcase_add_test(tc, no_length_is_read_past);
	tcase_add_test(tc, sq_number_and_index_must_be_its_own);
	tcase_add_test(tc, bits_without_meaning_must_be_0);
	tcase_add_test(tc, opcodes_of_other_queues);
	tcase_add_test(tc, nop_has_no_packet);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
