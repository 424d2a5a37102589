/* SPDX-License-Identifier: BSD-3-Clause */
/* host/softnic/parse.c: expected values are read off the frames by hand. */
#include "softnic/pure.h"
#include "frames.h"
#include <check.h>

#define L3_V4 GIN_CQE_L3_IPV4
#define L3_V6 GIN_CQE_L3_IPV6

static struct sn_parsed parse(const uint8_t *frame, size_t len)
{
	struct copy c = copy_frame(frame, len, 0);
	struct sn_parsed p;

	memset(&p, 0xee, sizeof(p)); /* every field must be written */
	sn_parse(c.frame, len, &p);
	free(c.base);
	return p;
}

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static struct sn_parsed parse_changed(const uint8_t *frame, size_t len, size_t off, unsigned v16)
{
	struct copy c = copy_frame(frame, len, 0);
	struct sn_parsed p;

	put16(c.frame + off, v16);
	sn_parse(c.frame, len, &p);
	free(c.base);
	return p;
}

static void check_equal(const char *name, const struct sn_parsed *got, const struct sn_parsed *want)
{
#define SAME(field) \
	ck_assert_msg(got->field == want->field, "%s: " #field " is %u, not %u", name, got->field, want->field)
	SAME(ethertype);
	SAME(n_vlans);
	SAME(vlan_tci);
	SAME(l3);
	SAME(l4);
	SAME(ip_ext);
	SAME(fragment);
	SAME(ip_version);
	SAME(proto);
	SAME(l3_ok);
	SAME(l4_ok);
	SAME(sport);
	SAME(dport);
	SAME(tcp_flags);
	SAME(l3_off);
	SAME(l4_off);
	SAME(l4_len);
	SAME(l4_csum_len);
#undef SAME
}

static const struct expected { const uint8_t *frame; size_t len; struct sn_parsed want; } expected[] = {
	{ arp, sizeof(arp), { .ethertype = 0x0806 } },
	{ udp4, sizeof(udp4),
	  { .ethertype = 0x0800, .l3 = L3_V4, .l4 = GIN_CQE_L4_UDP, .ip_version = 4, .proto = 17, .l3_ok = 1, .l4_ok = 1,
	    .sport = 1024, .dport = 4791, .l3_off = 14, .l4_off = 34, .l4_len = 13, .l4_csum_len = 13 } },
	{ udp4_padded, sizeof(udp4_padded),
	  { .ethertype = 0x0800, .l3 = L3_V4, .l4 = GIN_CQE_L4_UDP, .ip_version = 4, .proto = 17, .l3_ok = 1, .l4_ok = 1,
	    .sport = 1024, .dport = 4791, .l3_off = 14, .l4_off = 34, .l4_len = 13, .l4_csum_len = 13 } },
	{ udp4_zero, sizeof(udp4_zero),
	  { .ethertype = 0x0800, .l3 = L3_V4, .l4 = GIN_CQE_L4_UDP, .ip_version = 4, .proto = 17, .l3_ok = 1, .l4_ok = 1,
	    .sport = 1024, .dport = 4791, .l3_off = 14, .l4_off = 34, .l4_len = 10, .l4_csum_len = 10 } },
	{ tcp4_syn, sizeof(tcp4_syn),
	  { .ethertype = 0x0800, .l3 = L3_V4, .l4 = GIN_CQE_L4_TCP, .ip_version = 4, .proto = 6, .l3_ok = 1, .l4_ok = 1,
	    .sport = 40000, .dport = 80, .tcp_flags = 0x02, .l3_off = 14, .l4_off = 34, .l4_len = 24, .l4_csum_len = 24 } },
	{ tcp4_ack, sizeof(tcp4_ack),
	  { .ethertype = 0x0800, .l3 = L3_V4, .l4 = GIN_CQE_L4_TCP_ACK, .ip_version = 4, .proto = 6, .l3_ok = 1,
	    .l4_ok = 1, .sport = 40000, .dport = 80, .tcp_flags = 0x10, .l3_off = 14, .l4_off = 34, .l4_len = 20,
	    .l4_csum_len = 20 } },
	{ tcp4_data, sizeof(tcp4_data),
	  { .ethertype = 0x0800, .l3 = L3_V4, .l4 = GIN_CQE_L4_TCP_ACK_DATA, .ip_version = 4, .proto = 6, .l3_ok = 1,
	    .l4_ok = 1, .sport = 40000, .dport = 80, .tcp_flags = 0x18, .l3_off = 14, .l4_off = 34, .l4_len = 25,
	    .l4_csum_len = 25 } },
	{ tcp4_options, sizeof(tcp4_options),
	  { .ethertype = 0x0800, .l3 = L3_V4, .l4 = GIN_CQE_L4_TCP_ACK_DATA, .ip_ext = 1, .ip_version = 4, .proto = 6,
	    .l3_ok = 1, .l4_ok = 1, .sport = 40000, .dport = 80, .tcp_flags = 0x18, .l3_off = 14, .l4_off = 38,
	    .l4_len = 25, .l4_csum_len = 25 } },
	{ icmp4, sizeof(icmp4),
	  { .ethertype = 0x0800, .l3 = L3_V4, .ip_version = 4, .proto = 1, .l3_ok = 1, .l3_off = 14 } },
	{ frag4_first, sizeof(frag4_first),
	  { .ethertype = 0x0800, .l3 = L3_V4, .fragment = 1, .ip_version = 4, .proto = 17, .l3_ok = 1, .l3_off = 14 } },
	{ frag4_last, sizeof(frag4_last),
	  { .ethertype = 0x0800, .l3 = L3_V4, .fragment = 1, .ip_version = 4, .proto = 17, .l3_ok = 1, .l3_off = 14 } },
	{ udp6, sizeof(udp6),
	  { .ethertype = 0x86dd, .l3 = L3_V6, .l4 = GIN_CQE_L4_UDP, .ip_version = 6, .proto = 17, .l3_ok = 1, .l4_ok = 1,
	    .sport = 1024, .dport = 4791, .l3_off = 14, .l4_off = 54, .l4_len = 13, .l4_csum_len = 13 } },
	{ tcp6_data, sizeof(tcp6_data),
	  { .ethertype = 0x86dd, .l3 = L3_V6, .l4 = GIN_CQE_L4_TCP_ACK_DATA, .ip_version = 6, .proto = 6, .l3_ok = 1,
	    .l4_ok = 1, .sport = 40000, .dport = 80, .tcp_flags = 0x18, .l3_off = 14, .l4_off = 54, .l4_len = 25,
	    .l4_csum_len = 25 } },
	{ udp6_options, sizeof(udp6_options),
	  { .ethertype = 0x86dd, .l3 = L3_V6, .l4 = GIN_CQE_L4_UDP, .ip_ext = 1, .ip_version = 6, .proto = 17, .l3_ok = 1,
	    .l4_ok = 1, .sport = 1024, .dport = 4791, .l3_off = 14, .l4_off = 78, .l4_len = 13, .l4_csum_len = 13 } },
	{ udp6_routed, sizeof(udp6_routed),
	  { .ethertype = 0x86dd, .l3 = L3_V6, .l4 = GIN_CQE_L4_UDP, .ip_ext = 1, .ip_version = 6, .proto = 17, .l3_ok = 1,
	    .l4_ok = 1, .sport = 1024, .dport = 4791, .l3_off = 14, .l4_off = 78, .l4_len = 13, .l4_csum_len = 13 } },
	{ udp6_atomic, sizeof(udp6_atomic),
	  { .ethertype = 0x86dd, .l3 = L3_V6, .l4 = GIN_CQE_L4_UDP, .ip_ext = 1, .ip_version = 6, .proto = 17, .l3_ok = 1,
	    .l4_ok = 1, .sport = 1024, .dport = 4791, .l3_off = 14, .l4_off = 62, .l4_len = 13, .l4_csum_len = 13 } },
	{ frag6_first, sizeof(frag6_first),
	  { .ethertype = 0x86dd, .l3 = L3_V6, .ip_ext = 1, .fragment = 1, .ip_version = 6, .proto = 17, .l3_ok = 1,
	    .l3_off = 14 } },
	{ icmp6, sizeof(icmp6),
	  { .ethertype = 0x86dd, .l3 = L3_V6, .ip_version = 6, .proto = 58, .l3_ok = 1, .l3_off = 14 } },
	{ vlan_udp4, sizeof(vlan_udp4),
	  { .ethertype = 0x0800, .n_vlans = 1, .vlan_tci = 0x6005, .l3 = L3_V4, .l4 = GIN_CQE_L4_UDP, .ip_version = 4,
	    .proto = 17, .l3_ok = 1, .l4_ok = 1, .sport = 1024, .dport = 4791, .l3_off = 18, .l4_off = 38, .l4_len = 13,
	    .l4_csum_len = 13 } },
	{ qinq_tcp6, sizeof(qinq_tcp6),
	  { .ethertype = 0x86dd, .n_vlans = 2, .vlan_tci = 100, .l3 = L3_V6, .l4 = GIN_CQE_L4_TCP_ACK_DATA,
	    .ip_version = 6, .proto = 6, .l3_ok = 1, .l4_ok = 1, .sport = 40000, .dport = 80, .tcp_flags = 0x18,
	    .l3_off = 22, .l4_off = 62, .l4_len = 25, .l4_csum_len = 25 } },
	{ three_tags, sizeof(three_tags), { .ethertype = 0x8100, .n_vlans = 2, .vlan_tci = 1 } },
};

START_TEST(sample_is_understood)
{
	struct sn_parsed p = parse(expected[_i].frame, expected[_i].len);

	ck_assert_ptr_eq(samples[_i].bytes, expected[_i].frame);
	check_equal(samples[_i].name, &p, &expected[_i].want);
}
END_TEST

/* UBSan traps on a load wider than the alignment allows. */
START_TEST(any_alignment_gives_the_same)
{
	size_t shift;

	for (shift = 0; shift < 4; shift++) {
		struct copy c = copy_frame(samples[_i].bytes, samples[_i].len, shift);
		struct sn_parsed p;

		sn_parse(c.frame, samples[_i].len, &p);
		check_equal(samples[_i].name, &p, &expected[_i].want);
		free(c.base);
	}
}
END_TEST

/* Bytes of padding behind the IP packet may go; of all else each byte counts. */
START_TEST(cut_frame_is_never_called_right)
{
	const struct sn_parsed *whole = &expected[_i].want;
	size_t ip_end = samples[_i].bytes == udp4_padded ? 47 : samples[_i].len, len;

	for (len = 0; len < ip_end; len++) {
		struct sn_parsed p = parse(samples[_i].bytes, len);

		ck_assert_msg(!p.l3_ok && !p.l4_ok && !p.l4_csum_len, "%s cut to %zu", samples[_i].name, len);
		ck_assert_uint_le(p.l4_off + p.l4_len, len);
		ck_assert_uint_le(p.l3_off, len);
		ck_assert_uint_le(p.n_vlans, whole->n_vlans);
		ck_assert(p.l4_off == 0 || p.l4_off == whole->l4_off);
	}
	for (; len <= samples[_i].len; len++) {
		struct sn_parsed p = parse(samples[_i].bytes, len);

		check_equal(samples[_i].name, &p, whole);
	}
}
END_TEST

START_TEST(below_14_bytes_there_is_nothing)
{
	struct sn_parsed none = { 0 }, p = parse(udp4, 13);

	check_equal("13 bytes", &p, &none);
	p = parse(udp4, 0);
	check_equal("0 bytes", &p, &none);
	p = parse(udp4, 14);
	none.ethertype = 0x0800;
	check_equal("14 bytes", &p, &none);
}
END_TEST

START_TEST(tag_that_is_cut_is_no_tag)
{
	struct sn_parsed p = parse(vlan_udp4, 17);

	ck_assert_uint_eq(p.n_vlans, 0);
	ck_assert_uint_eq(p.ethertype, 0x8100);
	p = parse(vlan_udp4, 18);
	ck_assert_uint_eq(p.n_vlans, 1);
	ck_assert_uint_eq(p.ethertype, 0x0800);
	ck_assert_uint_eq(p.l3, GIN_CQE_L3_NONE);
}
END_TEST

/* 0x45 is at byte 14; the length at 16; the fragment word at 20; protocol at 23; checksum at 24. */
START_TEST(ipv4_header_that_contradicts_itself)
{
	struct sn_parsed p = parse_changed(udp4, sizeof(udp4), 14, 0x6500);

	ck_assert_uint_eq(p.l3, GIN_CQE_L3_NONE); /* version 6 behind 0x0800 */
	ck_assert_uint_eq(p.ip_version, 0);
	ck_assert_uint_eq(p.l3_off, 0);
	p = parse_changed(udp4, sizeof(udp4), 14, 0x4400);
	ck_assert_uint_eq(p.l3, GIN_CQE_L3_NONE); /* header of 16 bytes */
	p = parse_changed(udp4, sizeof(udp4), 14, 0x4f00);
	ck_assert_uint_eq(p.l3, GIN_CQE_L3_NONE); /* header of 60 bytes in 33 */
	p = parse_changed(udp4, sizeof(udp4), 16, 19);
	ck_assert_uint_eq(p.l3, GIN_CQE_L3_IPV4); /* the whole packet shorter than its header */
	ck_assert(!p.l3_ok && !p.l4_off && !p.l4_len);
	ck_assert_uint_eq(p.proto, 17);
}
END_TEST

START_TEST(ipv4_length_beyond_the_frame_keeps_ports_and_fails)
{
	struct sn_parsed p = parse_changed(udp4, sizeof(udp4), 16, 34);

	ck_assert(!p.l3_ok && !p.l4_ok && !p.l4_csum_len);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_UDP);
	ck_assert_uint_eq(p.dport, 4791);
	ck_assert_uint_eq(p.l4_len, 13);
}
END_TEST

START_TEST(wrong_ipv4_checksum_is_l3_only)
{
	struct sn_parsed p = parse_changed(udp4, sizeof(udp4), 24, 0xa67e);

	ck_assert(!p.l3_ok);
	ck_assert(p.l4_ok);
	ck_assert_uint_eq(p.dport, 4791);
}
END_TEST

/* Any single bit that turns over behind the addresses is seen. */
START_TEST(wrong_l4_byte_is_l4_only)
{
	size_t off;

	for (off = 34; off < sizeof(tcp4_data); off++) {
		struct copy c = copy_frame(tcp4_data, sizeof(tcp4_data), 0);
		struct sn_parsed p;

		c.frame[off] ^= 0x10;
		sn_parse(c.frame, sizeof(tcp4_data), &p);
		ck_assert_msg(p.l3_ok && !p.l4_ok, "byte %zu", off);
		free(c.base);
	}
}
END_TEST

START_TEST(udp_checksum_0_means_none_and_only_on_ipv4)
{
	struct sn_parsed p = parse_changed(udp4, sizeof(udp4), 40, 0);

	ck_assert(p.l4_ok);
	p = parse_changed(udp6, sizeof(udp6), 60, 0);
	ck_assert(p.l3_ok && !p.l4_ok);
}
END_TEST

/* UDP length at 38; l4_len stays the IP packet's. */
START_TEST(udp_length_shorter_than_the_packet_rules_the_sum)
{
	struct sn_parsed p = parse_changed(udp4, sizeof(udp4), 38, 12);

	ck_assert_uint_eq(p.l4_len, 13);
	ck_assert_uint_eq(p.l4_csum_len, 12);
	ck_assert(!p.l4_ok); /* the sum was over 13 */
	p = parse_changed(udp4, sizeof(udp4), 38, 7);
	ck_assert_uint_eq(p.l4_csum_len, 0);
	ck_assert(!p.l4_ok);
	p = parse_changed(udp4, sizeof(udp4), 38, 14);
	ck_assert_uint_eq(p.l4_csum_len, 0);
	ck_assert(!p.l4_ok);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_UDP);
	ck_assert_uint_eq(p.dport, 4791);
}
END_TEST

/* Data offset and flags at 46. */
START_TEST(tcp_data_offset_that_cannot_be)
{
	struct sn_parsed p = parse_changed(tcp4_data, sizeof(tcp4_data), 46, 0x4018);

	ck_assert_uint_eq(p.l4_csum_len, 0); /* 16 bytes of header */
	ck_assert(!p.l4_ok);
	ck_assert_uint_eq(p.dport, 80);
	p = parse_changed(tcp4_data, sizeof(tcp4_data), 46, 0x7018);
	ck_assert_uint_eq(p.l4_csum_len, 0); /* 28 bytes of header in 25 */
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_TCP_ACK);
}
END_TEST

START_TEST(short_l4_is_no_l4)
{
	struct sn_parsed p = parse_changed(tcp4_ack, sizeof(tcp4_ack), 16, 39); /* 19 bytes of TCP */

	ck_assert_uint_eq(p.l4, GIN_CQE_L4_NONE);
	ck_assert_uint_eq(p.l4_off, 0);
	ck_assert_uint_eq(p.sport, 0);
	p = parse_changed(udp4, sizeof(udp4), 16, 27); /* 7 bytes of UDP */
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_NONE);
}
END_TEST

START_TEST(ipv6_header_that_contradicts_itself)
{
	struct sn_parsed p = parse_changed(udp6, sizeof(udp6), 14, 0x4000);

	ck_assert_uint_eq(p.l3, GIN_CQE_L3_NONE);
	p = parse_changed(udp6, sizeof(udp6), 18, 14); /* payload length: 13 are there */
	ck_assert_uint_eq(p.l3, GIN_CQE_L3_IPV6);
	ck_assert(!p.l3_ok && !p.l4_ok);
	ck_assert_uint_eq(p.l4_len, 13);
	p = parse_changed(udp6, sizeof(udp6), 18, 0); /* nothing behind the header */
	ck_assert(p.l3_ok);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_NONE);
}
END_TEST

/* The first extension header stands at 54, the second at 62, which is 16 bytes: its length byte is 1. */
START_TEST(ipv6_extension_longer_than_the_packet)
{
	struct sn_parsed p = parse_changed(udp6_options, sizeof(udp6_options), 62, 17 << 8 | 4);

	ck_assert(!p.l3_ok && !p.l4_ok); /* 40 bytes in 29 */
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_NONE);
	ck_assert_uint_eq(p.proto, 60);
	ck_assert(p.ip_ext);
}
END_TEST

/* RFC 8200 section 8.1: the sum then covers the last address of the routing header. */
START_TEST(segments_left_leave_the_l4_sum_unverified)
{
	struct sn_parsed p = parse_changed(udp6_routed, sizeof(udp6_routed), 56, 4 << 8 | 1);

	ck_assert(p.l3_ok && !p.l4_ok);
	ck_assert_uint_eq(p.l4_csum_len, 0);
	ck_assert_uint_eq(p.dport, 4791);
}
END_TEST

START_TEST(ipv6_later_fragment_has_no_l4)
{
	struct sn_parsed p = parse_changed(frag6_first, sizeof(frag6_first), 56, 0x0010); /* offset 2, last */

	ck_assert(p.fragment && p.l3_ok);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_NONE);
	p = parse_changed(frag6_first, sizeof(frag6_first), 56, 0x0006); /* reserved bits only: whole */
	ck_assert(!p.fragment);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_UDP);
}
END_TEST

/* n destination options of 8 bytes, then UDP without payload and with a checksum of its own. */
static struct sn_parsed parse_chain(unsigned n)
{
	uint8_t frame[14 + 40 + 9 * 8 + 8];
	size_t len = 14 + 40 + n * 8 + 8;
	unsigned i;

	memcpy(frame, udp6, 54);
	put16(frame + 18, n * 8 + 8);
	frame[20] = n ? 60 : 17;
	for (i = 0; i < n; i++) {
		static const uint8_t option[8] = { 60, 0, 1, 4, 0, 0, 0, 0 };

		memcpy(frame + 54 + i * 8, option, 8);
	}
	if (n)
		frame[54 + (n - 1) * 8] = 17;
	memcpy(frame + len - 8, udp6 + 54, 8);
	return parse(frame, len);
}

START_TEST(extension_headers_are_bounded)
{
	struct sn_parsed p = parse_chain(0);

	ck_assert(!p.ip_ext);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_UDP);
	p = parse_chain(8);
	ck_assert(p.ip_ext);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_UDP);
	ck_assert_uint_eq(p.l4_off, 54 + 64);
	p = parse_chain(9);
	ck_assert(p.ip_ext && p.l3_ok);
	ck_assert_uint_eq(p.l4, GIN_CQE_L4_NONE);
	ck_assert_uint_eq(p.proto, 60);
}
END_TEST

START_TEST(headers_alone_promise_no_sums)
{
	struct copy c = copy_frame(udp4, sizeof(udp4), 0);
	struct sn_parsed p;

	c.frame[24] ^= 1;
	c.frame[40] ^= 1;
	sn_parse_headers(c.frame, sizeof(udp4), &p);
	ck_assert(p.l3_ok && !p.l4_ok);
	ck_assert_uint_eq(p.l4_csum_len, 13);
	free(c.base);
}
END_TEST

/* By the arithmetic named in frames.h, over the bytes behind L2 and tags. */
START_TEST(complete_sum_covers_what_is_behind_l2)
{
	static const struct { const uint8_t *frame; size_t len; uint16_t sum; } want[] = {
		{ arp, sizeof(arp), 0x9220 },
		{ udp4, sizeof(udp4), 0x7dc8 },
		{ udp4_padded, sizeof(udp4_padded), 0x7dc8 }, /* padding is not in it */
		{ vlan_udp4, sizeof(vlan_udp4), 0x7dc8 },     /* nor are tags */
		{ tcp6_data, sizeof(tcp6_data), 0x663a },
		{ qinq_tcp6, sizeof(qinq_tcp6), 0x663a },
		{ three_tags, sizeof(three_tags), 0x85cb },
	};
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct copy c = copy_frame(want[i].frame, want[i].len, i % 4);
		struct sn_parsed p;

		sn_parse(c.frame, want[i].len, &p);
		ck_assert_uint_eq(sn_csum_complete(c.frame, want[i].len, &p), want[i].sum);
		free(c.base);
	}
}
END_TEST

/* RFC 1071 as written there. */
static uint32_t naive_sum(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Whatever the verdicts, and whichever of them the sum was worked out from. */
START_TEST(complete_sum_is_the_sum_of_the_bytes)
{
	const size_t l3 = 14, n = sizeof(udp4);
	struct copy c = copy_frame(udp4, n, 0);
	struct sn_parsed p;
	uint32_t at, x;

	for (at = l3; at < n; at++) {
		for (x = 0; x < 256; x++) {
			c.frame[at] ^= (uint8_t)x;
			sn_parse(c.frame, n, &p);
			if (p.ip_version == 4 && p.l3_ok)
				ck_assert_uint_eq(sn_csum_complete(c.frame, n, &p), naive_sum(c.frame + l3, n - l3));
			c.frame[at] ^= (uint8_t)x;
		}
	}
	memset(c.frame + 40, 0, 2); /* no UDP checksum */
	sn_parse(c.frame, n, &p);
	ck_assert(p.l4_ok);
	ck_assert_uint_eq(sn_csum_complete(c.frame, n, &p), naive_sum(c.frame + l3, n - l3));
	free(c.base);
}
END_TEST

START_TEST(complete_sum_reads_no_further_than_the_frame)
{
	size_t len;

	for (len = 0; len <= samples[_i].len; len++) {
		struct copy c = copy_frame(samples[_i].bytes, len, 0);
		struct sn_parsed p;

		sn_parse(c.frame, len, &p);
		if (len <= 14)
			ck_assert_uint_eq(sn_csum_complete(c.frame, len, &p), 0);
		else
			sn_csum_complete(c.frame, len, &p);
		free(c.base);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("softnic parse");
	TCase *tc = tcase_create("parse");
	SRunner *runner;
	int failed;

	_Static_assert(sizeof(expected) / sizeof(expected[0]) == N_SAMPLES, "one expectation a sample");
	tcase_add_loop_test(tc, sample_is_understood, 0, N_SAMPLES);
	tcase_add_loop_test(tc, any_alignment_gives_the_same, 0, N_SAMPLES);
	tcase_add_loop_test(tc, cut_frame_is_never_called_right, 0, N_SAMPLES);
	tcase_add_test(tc, below_14_bytes_there_is_nothing);
	tcase_add_test(tc, tag_that_is_cut_is_no_tag);
	tcase_add_test(tc, ipv4_header_that_contradicts_itself);
	tcase_add_test(tc, ipv4_length_beyond_the_frame_keeps_ports_and_fails);
	tcase_add_test(tc, wrong_ipv4_checksum_is_l3_only);
	tcase_add_test(tc, wrong_l4_byte_is_l4_only);
	tcase_add_test(tc, udp_checksum_0_means_none_and_only_on_ipv4);
	tcase_add_test(tc, udp_length_shorter_than_the_packet_rules_the_sum);
	tcase_add_test(tc, tcp_data_offset_that_cannot_be);
	tcase_add_test(tc, short_l4_is_no_l4);
	tcase_add_test(tc, ipv6_header_that_contradicts_itself);
	tcase_add_test(tc, ipv6_extension_longer_than_the_packet);
	tcase_add_test(tc, segments_left_leave_the_l4_sum_unverified);
	tcase_add_test(tc, ipv6_later_fragment_has_no_l4);
	tcase_add_test(tc, extension_headers_are_bounded);
	tcase_add_test(tc, headers_alone_promise_no_sums);
	tcase_add_test(tc, complete_sum_covers_what_is_behind_l2);
	tcase_add_test(tc, complete_sum_is_the_sum_of_the_bytes);
	tcase_add_loop_test(tc, complete_sum_reads_no_further_than_the_frame, 0, N_SAMPLES);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
