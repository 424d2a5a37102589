/* SPDX-License-Identifier: BSD-3-Clause */
/* host/softnic/csum.c */
#include "softnic/pure.h"
#include "frames.h"
#include <check.h>

#define BOTH (GIN_ETH_L3_CSUM | GIN_ETH_L4_CSUM)

/* RFC 1071 section 3: 00 01 f2 03 f4 f5 f6 f7 sums to 2ddf0, folded ddf2. */
static const uint8_t rfc1071[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };

START_TEST(example_of_rfc_1071)
{
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(rfc1071, sizeof(rfc1071), 0)), 0xddf2);
	ck_assert_uint_eq(sn_csum_fold(0x2ddf0), 0xddf2);
}
END_TEST

START_TEST(odd_byte_counts_as_high_byte)
{
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(rfc1071, 1, 0)), 0x0000);
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(rfc1071, 3, 0)), 0xf201); /* 0001 + f200 */
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(rfc1071, 5, 0)), 0xe605); /* 0001 + f203 + f400 = 1e604 */
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(rfc1071, 7, 0)), 0xdcfb); /* 0001 + f203 + f4f5 + f600 = 2dcf9 */
}
END_TEST

START_TEST(nothing_adds_nothing)
{
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(rfc1071, 0, 0x12345)), 0x2346);
}
END_TEST

START_TEST(pieces_of_even_length_add_up)
{
	uint32_t sum = sn_csum_add(rfc1071, 2, 0);

	sum = sn_csum_add(rfc1071 + 2, 6, sum);
	ck_assert_uint_eq(sn_csum_fold(sum), 0xddf2);
}
END_TEST

START_TEST(carry_out_of_32_bits_comes_back)
{
	static const uint8_t ff[2] = { 0xff, 0xff };

	ck_assert_uint_eq(sn_csum_fold(UINT32_MAX), 0xffff);
	/* 0xffffffff is 0 in ones-complement, and so is 0xffff */
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(ff, 2, UINT32_MAX)), 0xffff);
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(rfc1071, sizeof(rfc1071), UINT32_MAX)), 0xddf2);
}
END_TEST

/* 2^18 words of ffff: a 32-bit sum of 16-bit words would have wrapped four times. */
START_TEST(long_data_does_not_overflow)
{
	size_t len = 1 << 19;
	uint8_t *data = malloc(len);

	memset(data, 0xff, len);
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(data, len, 0)), 0xffff);
	memset(data, 0x01, len); /* 2^18 x 0x0101: 0x04040000, folded 0x0404 */
	ck_assert_uint_eq(sn_csum_fold(sn_csum_add(data, len, 0)), 0x0404);
	free(data);
}
END_TEST

/* An IPv4 header published with its checksum b861 in many places. */
START_TEST(known_ipv4_header)
{
	static const uint8_t header[] = { 0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
					  0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7 };
	uint8_t frame[14 + 0x73] = { 0 };

	memcpy(frame + 14, header, sizeof(header));
	frame[12] = 0x08;
	frame[24] = frame[25] = 0;
	sn_csum_insert(frame, sizeof(frame), GIN_ETH_L3_CSUM);
	ck_assert_mem_eq(frame + 14, header, sizeof(header));
}
END_TEST

/* Offsets of the checksums that a NIC can fill in; 0: none of that kind. */
static const struct place { const uint8_t *frame; size_t l3, l4; } places[N_SAMPLES] = {
	{ arp, 0, 0 },
	{ udp4, 24, 40 },
	{ udp4_padded, 24, 40 },
	{ udp4_zero, 24, 40 },
	{ tcp4_syn, 24, 50 },
	{ tcp4_ack, 24, 50 },
	{ tcp4_data, 24, 50 },
	{ tcp4_options, 24, 54 },
	{ icmp4, 24, 0 },
	{ frag4_first, 24, 0 },
	{ frag4_last, 24, 0 },
	{ udp6, 0, 60 },
	{ tcp6_data, 0, 70 },
	{ udp6_options, 0, 84 },
	{ udp6_routed, 0, 84 },
	{ udp6_atomic, 0, 68 },
	{ frag6_first, 0, 0 },
	{ icmp6, 0, 0 },
	{ vlan_udp4, 28, 44 },
	{ qinq_tcp6, 0, 78 },
	{ three_tags, 0, 0 },
};

static void spoil(uint8_t *frame, size_t off, uint8_t a, uint8_t b)
{
	if (!off)
		return;
	frame[off] = a;
	frame[off + 1] = b;
}

/* Whatever stands in the fields before: nothing, junk, or the pseudo header's sum that other stacks leave. */
START_TEST(insert_restores_the_sample)
{
	const struct sample *s = &samples[_i];
	size_t junk, shift;

	ck_assert_ptr_eq(places[_i].frame, s->bytes);
	for (junk = 0; junk < 3; junk++) {
		for (shift = 0; shift < 4; shift++) {
			struct copy c = copy_frame(s->bytes, s->len, shift);

			spoil(c.frame, places[_i].l3, (uint8_t)(junk * 0x7f), (uint8_t)(junk * 3));
			spoil(c.frame, places[_i].l4, (uint8_t)(junk * 0x7f), (uint8_t)(junk * 5));
			sn_csum_insert(c.frame, s->len, BOTH);
			ck_assert_mem_eq(c.frame, s->bytes, s->len);
			free(c.base);
		}
	}
}
END_TEST

START_TEST(only_what_the_flags_name_is_written)
{
	uint8_t frame[sizeof(udp4)];

	memcpy(frame, udp4, sizeof(frame));
	spoil(frame, 24, 0, 0);
	spoil(frame, 40, 0, 0);
	sn_csum_insert(frame, sizeof(frame), 0);
	ck_assert(!frame[24] && !frame[25] && !frame[40] && !frame[41]);
	sn_csum_insert(frame, sizeof(frame), GIN_ETH_L4_CSUM);
	ck_assert(!frame[24] && !frame[25]);
	ck_assert_mem_eq(frame + 40, udp4 + 40, 2);
	sn_csum_insert(frame, sizeof(frame), GIN_ETH_L3_CSUM);
	ck_assert_mem_eq(frame, udp4, sizeof(frame));
}
END_TEST

START_TEST(cut_frame_keeps_its_l4)
{
	const struct sample *s = &samples[_i];
	size_t ip_end = s->bytes == udp4_padded ? 47 : s->len, len;

	for (len = 0; len < ip_end; len++) {
		struct copy c = copy_frame(s->bytes, len, 0);

		/* The checksum may be there and the IP packet's end not. */
		if (places[_i].l4 && places[_i].l4 + 2 <= len)
			spoil(c.frame, places[_i].l4, 0x12, 0x34);
		sn_csum_insert(c.frame, len, BOTH);
		if (places[_i].l4 && places[_i].l4 + 2 <= len)
			ck_assert(c.frame[places[_i].l4] == 0x12 && c.frame[places[_i].l4 + 1] == 0x34);
		free(c.base);
	}
}
END_TEST

START_TEST(lengths_that_contradict_stay_as_they_are)
{
	uint8_t frame[sizeof(udp4)], before[sizeof(udp4)];

	memcpy(frame, udp4, sizeof(frame));
	frame[39] = 14; /* UDP says 14 bytes, IP has 13 */
	memcpy(before, frame, sizeof(frame));
	sn_csum_insert(frame, sizeof(frame), GIN_ETH_L4_CSUM);
	ck_assert_mem_eq(frame, before, sizeof(frame));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("softnic csum");
	TCase *tc = tcase_create("csum");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, example_of_rfc_1071);
	tcase_add_test(tc, odd_byte_counts_as_high_byte);
	tcase_add_test(tc, nothing_adds_nothing);
	tcase_add_test(tc, pieces_of_even_length_add_up);
	tcase_add_test(tc, carry_out_of_32_bits_comes_back);
	tcase_add_test(tc, long_data_does_not_overflow);
	tcase_add_test(tc, known_ipv4_header);
	tcase_add_loop_test(tc, insert_restores_the_sample, 0, N_SAMPLES);
	tcase_add_test(tc, only_what_the_flags_name_is_written);
	tcase_add_loop_test(tc, cut_frame_keeps_its_l4, 0, N_SAMPLES);
	tcase_add_test(tc, lengths_that_contradict_stay_as_they_are);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
