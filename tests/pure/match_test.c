/* SPDX-License-Identifier: BSD-3-Clause */
/* host/softnic/match.c: keys worked out by hand from fte_match_set_lyr_2_4. */
#include "softnic/pure.h"
#include "frames.h"
#include <check.h>
#include <errno.h>

static uint8_t mask[SN_MATCH_LEN], value[SN_MATCH_LEN];

static void clear(void)
{
	memset(mask, 0, sizeof(mask));
	memset(value, 0, sizeof(value));
}

static void want_byte(size_t off, uint8_t m, uint8_t v)
{
	mask[off] |= m;
	value[off] |= v;
}

static int fits(const uint8_t *frame, size_t len)
{
	struct copy c = copy_frame(frame, len, 0);
	struct sn_parsed p;
	uint8_t key[0x40];
	int r;

	memset(key, 0xee, sizeof(key));
	sn_parse(c.frame, len, &p);
	sn_match_key(c.frame, len, &p, key);
	r = sn_match(key, mask, value);
	free(c.base);
	return r;
}
#define FITS(frame) fits(frame, sizeof(frame))

static void check_key(const uint8_t *frame, size_t len, const uint8_t want[0x40])
{
	struct sn_parsed p;
	uint8_t key[0x40];

	memset(key, 0xee, sizeof(key));
	sn_parse(frame, len, &p);
	sn_match_key(frame, len, &p, key);
	ck_assert_mem_eq(key, want, 0x40);
}

START_TEST(key_of_udp_over_ipv4)
{
	static const uint8_t want[0x40] = {
		0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, /* smac, ethertype */
		0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, /* dmac, no tag */
		17, 0x00, 0x08, 0x00,                           /* version 4 at bits 12:9: 4 << 9 = 0x0800 */
		0x00, 0x00, 0x00, 0x00,                         /* not TCP */
		0x00, 0x00, 0x00, 0x00,
		0x04, 0x00, 0x12, 0xb7,                         /* 1024, 4791 */
		[0x2c] = 192, 168, 0, 1,
		[0x3c] = 192, 168, 0, 199,
	};

	check_key(udp4, sizeof(udp4), want);
}
END_TEST

START_TEST(key_of_tcp_over_ipv6_in_two_tags)
{
	static const uint8_t want[0x40] = {
		0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x86, 0xdd, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02,
		0x00, 100,              /* the outer tag, an S-VLAN */
		6, 0x00, 0x0c, 0x18,    /* 6 << 9 = 0x0c00; ACK, PSH */
		0x9c, 0x40, 0x00, 0x50, /* 40000, 80 */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
	};

	check_key(qinq_tcp6, sizeof(qinq_tcp6), want);
}
END_TEST

START_TEST(key_of_tcp_has_nine_flags)
{
	struct sn_parsed p;
	uint8_t key[0x40];

	sn_parse(tcp4_data, sizeof(tcp4_data), &p);
	sn_match_key(tcp4_data, sizeof(tcp4_data), &p, key);
	ck_assert_uint_eq(key[0x12], 0x08 | 0x01);
	ck_assert_uint_eq(key[0x13], 0x18);
}
END_TEST

START_TEST(key_of_c_vlan)
{
	struct sn_parsed p;
	uint8_t key[0x40];

	sn_parse(vlan_udp4, sizeof(vlan_udp4), &p);
	sn_match_key(vlan_udp4, sizeof(vlan_udp4), &p, key);
	ck_assert_uint_eq(key[0x12], 0x80 | 0x08); /* cvlan_tag, version 4 */
	ck_assert_uint_eq(key[0x0e], 0x60);        /* priority 3 */
	ck_assert_uint_eq(key[0x0f], 0x05);
	ck_assert_uint_eq(key[0x06], 0x08);        /* ethertype behind the tag */
}
END_TEST

START_TEST(key_of_fragments_has_no_ports)
{
	struct sn_parsed p;
	uint8_t key[0x40];

	sn_parse(frag4_first, sizeof(frag4_first), &p);
	sn_match_key(frag4_first, sizeof(frag4_first), &p, key);
	ck_assert_uint_eq(key[0x12], 0x20 | 0x08);
	ck_assert_uint_eq(key[0x10], 17);
	ck_assert(!key[0x1c] && !key[0x1d] && !key[0x1e] && !key[0x1f]);
}
END_TEST

START_TEST(key_of_arp_is_l2_only)
{
	static const uint8_t want[0x40] = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06,
					    0x02, 0x00, 0x00, 0x00, 0x00, 0x02 };

	check_key(arp, sizeof(arp), want);
}
END_TEST

/* 0x81 of the tag must not be taken for the byte of a TCP header. */
START_TEST(key_of_unparsed_tag_is_l2_only)
{
	static const uint8_t want[0x40] = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x81, 0x00, 0x02, 0x00,
					    0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0x00, 0x00, 0x80 };

	check_key(three_tags, sizeof(three_tags), want);
}
END_TEST

START_TEST(key_reads_no_further_than_the_frame)
{
	size_t len, i;

	for (len = 0; len <= samples[_i].len; len++) {
		struct copy c = copy_frame(samples[_i].bytes, len, len % 4);
		struct sn_parsed p;
		uint8_t key[0x40];

		sn_parse(c.frame, len, &p);
		sn_match_key(c.frame, len, &p, key);
		for (i = 0; len < 14 && i < sizeof(key); i++)
			ck_assert_uint_eq(key[i], 0);
		free(c.base);
	}
}
END_TEST

START_TEST(empty_mask_fits_all)
{
	clear();
	ck_assert(fits(samples[_i].bytes, samples[_i].len));
}
END_TEST

START_TEST(rule_for_udp_port)
{
	clear();
	want_byte(0x10, 0xff, 17);
	want_byte(0x1e, 0xff, 0x12);
	want_byte(0x1f, 0xff, 0xb7);
	ck_assert(FITS(udp4));
	ck_assert(FITS(udp6));
	ck_assert(FITS(vlan_udp4));
	ck_assert(!FITS(tcp4_data));
	ck_assert(!FITS(frag4_first));
	ck_assert(!FITS(arp));
	value[0x1f] = 0xb6;
	ck_assert(!FITS(udp4));
}
END_TEST

START_TEST(rule_for_ipv4_prefix)
{
	clear();
	want_byte(0x12, 0x1e, 0x08); /* ip_version 4 */
	want_byte(0x2c, 0xff, 192);  /* 192.160.0.0/12 */
	want_byte(0x2d, 0xf0, 160);
	ck_assert(FITS(udp4));
	ck_assert(!FITS(udp6));
	value[0x2d] = 0xb0;
	ck_assert(!FITS(udp4));
}
END_TEST

START_TEST(rule_for_untagged_frames)
{
	clear();
	want_byte(0x12, 0x80, 0);
	ck_assert(FITS(udp4));
	ck_assert(!FITS(vlan_udp4));
}
END_TEST

START_TEST(rule_for_vlan_id_leaves_priority_out)
{
	clear();
	want_byte(0x12, 0x80, 0x80);
	want_byte(0x0e, 0x0f, 0);
	want_byte(0x0f, 0xff, 5);
	ck_assert(FITS(vlan_udp4));
	ck_assert(!FITS(three_tags));
	ck_assert(!FITS(udp4));
}
END_TEST

START_TEST(rule_for_syn_without_ack)
{
	clear();
	want_byte(0x10, 0xff, 6);
	want_byte(0x13, 0x12, 0x02);
	ck_assert(FITS(tcp4_syn));
	ck_assert(!FITS(tcp4_ack));
}
END_TEST

static int check(const char **why)
{
	return sn_match_check(mask, value, why);
}

START_TEST(known_fields_are_taken)
{
	static const uint8_t all[0x40] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff,
		0xff, 0x00, 0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	};
	const char *why = "not called";

	clear();
	ck_assert_int_eq(check(&why), 0);
	ck_assert_ptr_null(why);
	memcpy(mask, all, sizeof(all));
	memcpy(value, all, sizeof(all));
	ck_assert_int_eq(check(&why), 0);
}
END_TEST

/* Each bit that is in no known field, and each byte behind the outer headers. */
START_TEST(unknown_fields_are_refused)
{
	static const struct { size_t off; uint8_t bit; } unknown[] = {
		{ 0x0e, 0x10 }, { 0x0e, 0x20 }, { 0x0e, 0x80 },                 /* cfi, prio */
		{ 0x11, 0x01 }, { 0x11, 0x80 },                                 /* ecn, dscp */
		{ 0x12, 0x40 },                                                 /* svlan_tag */
		{ 0x18, 0x80 }, { 0x1a, 0x08 }, { 0x1a, 0x04 }, { 0x1b, 0xff }, /* l4_type, l3_ok, l4_ok, ttl */
	};
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		clear();
		mask[unknown[i].off] = unknown[i].bit;
		why = NULL;
		ck_assert_int_eq(check(&why), -EINVAL);
		ck_assert_ptr_nonnull(why);
	}
	for (i = 0x40; i < SN_MATCH_LEN; i++) {
		clear();
		mask[i] = 1;
		ck_assert_int_eq(check(&why), -EINVAL);
		ck_assert_str_eq(why, "the mask asks for more than outer headers");
	}
}
END_TEST

START_TEST(value_outside_the_mask_is_refused)
{
	const char *why;
	size_t i;

	for (i = 0; i < SN_MATCH_LEN; i++) {
		clear();
		value[i] = 0x80;
		ck_assert_int_eq(check(&why), -EINVAL);
		ck_assert_str_eq(why, "the value has bits set that the mask leaves out");
	}
}
END_TEST

START_TEST(ports_need_the_protocol)
{
	static const size_t ports[] = { 0x14, 0x15, 0x16, 0x17, 0x1c, 0x1d, 0x1e, 0x1f };
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		clear();
		mask[ports[i]] = 0xff;
		ck_assert_int_eq(check(&why), -EINVAL);
		ck_assert_str_eq(why, "the mask asks for ports without ip_protocol");
		mask[0x10] = 0xff;
		ck_assert_int_eq(check(&why), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("softnic match");
	TCase *tc = tcase_create("match");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, key_of_udp_over_ipv4);
	tcase_add_test(tc, key_of_tcp_over_ipv6_in_two_tags);
	tcase_add_test(tc, key_of_tcp_has_nine_flags);
	tcase_add_test(tc, key_of_c_vlan);
	tcase_add_test(tc, key_of_fragments_has_no_ports);
	tcase_add_test(tc, key_of_arp_is_l2_only);
	tcase_add_test(tc, key_of_unparsed_tag_is_l2_only);
	tcase_add_loop_test(tc, key_reads_no_further_than_the_frame, 0, N_SAMPLES);
	tcase_add_loop_test(tc, empty_mask_fits_all, 0, N_SAMPLES);
	tcase_add_test(tc, rule_for_udp_port);
	tcase_add_test(tc, rule_for_ipv4_prefix);
	tcase_add_test(tc, rule_for_untagged_frames);
	tcase_add_test(tc, rule_for_vlan_id_leaves_priority_out);
	tcase_add_test(tc, rule_for_syn_without_ack);
	tcase_add_test(tc, known_fields_are_taken);
	tcase_add_test(tc, unknown_fields_are_refused);
	tcase_add_test(tc, value_outside_the_mask_is_refused);
	tcase_add_test(tc, ports_need_the_protocol);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
