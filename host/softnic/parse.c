/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a NIC's parser sees in a frame: L2 with up to two VLAN tags, IPv4, IPv6
 * with extension headers, TCP and UDP, and whether the checksums are right.
 * Bytes are read one by one, so frames may lie at any alignment.
 */
#include "pure.h"
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#define VLAN_TAG 4u
#define VLANS_MAX 2u
#define IPV4_HEADER 20u /* without options */
#define IPV6_HEADER 40u
#define IPV6_EXT_UNIT 8u
#define IPV6_EXTS_MAX 8u /* a parser has a bound; what stands behind it has no L4 */
#define TCP_HEADER 20u   /* without options */
#define UDP_HEADER 8u
#define TCP_ACK 0x10u

/* What is left of the frame: off is the next byte, end is behind the last. */
struct reader { const uint8_t *frame; size_t off, end; };

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static size_t left(const struct reader *r)
{
	return r->end - r->off;
}

static int is_vlan(uint16_t ethertype)
{
	return ethertype == ETH_P_8021Q || ethertype == ETH_P_8021AD;
}

static void parse_l2(struct reader *r, struct sn_parsed *out)
{
	out->ethertype = be16(r->frame + 12);
	r->off = ETH_HLEN;
	while (is_vlan(out->ethertype) && out->n_vlans < VLANS_MAX && left(r) >= VLAN_TAG) {
		if (!out->n_vlans)
			out->vlan_tci = be16(r->frame + r->off);
		out->n_vlans++;
		out->ethertype = be16(r->frame + r->off + 2);
		r->off += VLAN_TAG;
	}
}

/* Cut the reader at the end that the IP header names. 0: the frame is shorter than that. */
static int cut_to(struct reader *r, size_t ip_end)
{
	if (ip_end > r->end)
		return 0;
	r->end = ip_end;
	return 1;
}

/* Returns 1 when an L4 header follows at r->off. */
static int parse_ipv4(struct reader *r, struct sn_parsed *out)
{
	const uint8_t *ip = r->frame + r->off;
	size_t header, total;

	if (left(r) < IPV4_HEADER || ip[0] >> 4 != 4)
		return 0;
	header = (ip[0] & 0xfu) * 4u;
	if (header < IPV4_HEADER || header > left(r))
		return 0;
	total = be16(ip + 2);
	out->l3 = GIN_CQE_L3_IPV4;
	out->ip_version = 4;
	out->l3_off = (uint16_t)r->off;
	out->ip_ext = header > IPV4_HEADER;
	out->fragment = (be16(ip + 6) & 0x3fff) != 0; /* more to come, or an offset */
	out->proto = ip[9];
	if (total < header)
		return 0;
	out->l3_ok = (uint8_t)cut_to(r, r->off + total);
	r->off += header;
	return !out->fragment;
}

static int is_ipv6_ext(uint8_t proto)
{
	return proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING || proto == IPPROTO_FRAGMENT ||
	       proto == IPPROTO_DSTOPTS;
}

/*
 * Step over one extension header (RFC 8200 section 4). Returns 0 when it is
 * not all there. *csum_known: with segments left, the L4 checksum covers an
 * address that is not in the IPv6 header, and nobody on the way verifies it.
 */
static int skip_ipv6_ext(struct reader *r, struct sn_parsed *out, int *csum_known)
{
	const uint8_t *ext = r->frame + r->off;
	size_t size = IPV6_EXT_UNIT;

	if (left(r) < IPV6_EXT_UNIT)
		return 0;
	if (out->proto == IPPROTO_FRAGMENT)
		out->fragment |= (be16(ext + 2) & 0xfff9) != 0; /* neither offset nor M: a whole packet, RFC 6946 */
	else
		size += ext[1] * IPV6_EXT_UNIT;
	if (size > left(r))
		return 0;
	if (out->proto == IPPROTO_ROUTING && ext[3])
		*csum_known = 0;
	out->proto = ext[0];
	out->ip_ext = 1;
	r->off += size;
	return 1;
}

/* Returns 1 when an L4 header follows at r->off. */
static int parse_ipv6(struct reader *r, struct sn_parsed *out, int *csum_known)
{
	const uint8_t *ip = r->frame + r->off;
	uint32_t n_exts = 0;

	if (left(r) < IPV6_HEADER || ip[0] >> 4 != 6)
		return 0;
	out->l3 = GIN_CQE_L3_IPV6;
	out->ip_version = 6;
	out->l3_off = (uint16_t)r->off;
	out->proto = ip[6];
	out->l3_ok = (uint8_t)cut_to(r, r->off + IPV6_HEADER + be16(ip + 4));
	r->off += IPV6_HEADER;
	while (is_ipv6_ext(out->proto) && !out->fragment) {
		if (n_exts++ == IPV6_EXTS_MAX)
			return 0;
		if (!skip_ipv6_ext(r, out, csum_known)) {
			out->l3_ok = 0;
			return 0;
		}
	}
	return !out->fragment;
}

static uint8_t tcp_type(const uint8_t *tcp, size_t len)
{
	if (!(tcp[13] & TCP_ACK))
		return GIN_CQE_L4_TCP;
	return (tcp[12] >> 4) * 4u < len ? GIN_CQE_L4_TCP_ACK_DATA : GIN_CQE_L4_TCP_ACK;
}

static void parse_tcp(const struct reader *r, struct sn_parsed *out)
{
	const uint8_t *tcp = r->frame + r->off;
	size_t header;

	if (left(r) < TCP_HEADER)
		return;
	header = (tcp[12] >> 4) * 4u;
	out->l4 = tcp_type(tcp, left(r));
	out->tcp_flags = tcp[13];
	if (header >= TCP_HEADER && header <= left(r))
		out->l4_csum_len = (uint32_t)left(r);
}

static void parse_udp(const struct reader *r, struct sn_parsed *out)
{
	size_t size;

	if (left(r) < UDP_HEADER)
		return;
	size = be16(r->frame + r->off + 4);
	out->l4 = GIN_CQE_L4_UDP;
	if (size >= UDP_HEADER && size <= left(r))
		out->l4_csum_len = (uint32_t)size;
}

static void parse_l4(const struct reader *r, struct sn_parsed *out)
{
	if (out->proto == IPPROTO_TCP)
		parse_tcp(r, out);
	else if (out->proto == IPPROTO_UDP)
		parse_udp(r, out);
	if (out->l4 == GIN_CQE_L4_NONE)
		return;
	out->sport = be16(r->frame + r->off);
	out->dport = be16(r->frame + r->off + 2);
	out->l4_off = (uint16_t)r->off;
	out->l4_len = (uint32_t)left(r);
}

void sn_parse_headers(const uint8_t *frame, size_t len, struct sn_parsed *out)
{
	struct reader r = { frame, 0, len };
	int has_l4 = 0, csum_known = 1;

	memset(out, 0, sizeof(*out));
	if (len < ETH_HLEN)
		return;
	parse_l2(&r, out);
	if (out->ethertype == ETH_P_IP)
		has_l4 = parse_ipv4(&r, out);
	else if (out->ethertype == ETH_P_IPV6)
		has_l4 = parse_ipv6(&r, out, &csum_known);
	if (has_l4)
		parse_l4(&r, out);
	if (!out->l3_ok || !csum_known)
		out->l4_csum_len = 0;
}

static int l3_csum_right(const uint8_t *frame, const struct sn_parsed *p)
{
	const uint8_t *ip = frame + p->l3_off;
	uint32_t word, i, n = ip[0] & 0xfu;
	uint64_t sum = 0;

	if (p->ip_version != 4)
		return 1;
	for (i = 0; i < n; i++) {
		memcpy(&word, ip + i * sizeof(word), sizeof(word));
		sum += word;
	}
	/* RFC 1071 section 2: right is 0xffff in either byte order. */
	return sn_csum_fold((uint32_t)((sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32))) == 0xffff;
}

static int l4_csum_right(const uint8_t *frame, const struct sn_parsed *p)
{
	const uint8_t *l4 = frame + p->l4_off;

	/* RFC 768: the sender made none. IPv6 forbids that: RFC 8200 section 8.1. */
	if (p->l4 == GIN_CQE_L4_UDP && !be16(l4 + 6))
		return p->ip_version == 4;
	return sn_csum_fold(sn_csum_add(l4, p->l4_csum_len, sn_csum_pseudo(frame, p))) == 0xffff;
}

void sn_parse(const uint8_t *frame, size_t len, struct sn_parsed *out)
{
	sn_parse_headers(frame, len, out);
	if (out->l3_ok)
		out->l3_ok = (uint8_t)l3_csum_right(frame, out);
	if (out->l4_csum_len)
		out->l4_ok = (uint8_t)l4_csum_right(frame, out);
}

/* A checksum that is right sums to 0xffff, which is 0: so what it covers need not be read again. */
static int l4_was_summed(const uint8_t *frame, const struct sn_parsed *p)
{
	return p->l4_ok && p->l4_csum_len == p->l4_len && !(p->l4 == GIN_CQE_L4_UDP && !be16(frame + p->l4_off + 6));
}

static uint16_t complete_ipv4(const uint8_t *frame, const struct sn_parsed *p)
{
	const uint8_t *ip = frame + p->l3_off;
	size_t header = (ip[0] & 0xfu) * 4u;

	if (l4_was_summed(frame, p))
		return sn_csum_fold(0xffff + (uint32_t)(uint16_t)~sn_csum_fold(sn_csum_pseudo(frame, p)));
	return sn_csum_fold(sn_csum_add(ip + header, be16(ip + 2) - header, 0xffff));
}

uint16_t sn_csum_complete(const uint8_t *frame, size_t len, const struct sn_parsed *p)
{
	size_t l3 = ETH_HLEN + p->n_vlans * VLAN_TAG, end = len;

	if (len < l3)
		return 0;
	if (p->l3_ok && p->ip_version == 4)
		return complete_ipv4(frame, p);
	if (p->ip_version == 4)
		end = l3 + be16(frame + l3 + 2);
	else if (p->ip_version == 6)
		end = l3 + IPV6_HEADER + be16(frame + l3 + 4);
	return sn_csum_fold(sn_csum_add(frame + l3, (end < len ? end : len) - l3, 0));
}
