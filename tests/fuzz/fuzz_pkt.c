/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a packet in a kernel: gin_pkt_parse() never points past the
 * packet, and where it finds TCP or UDP, the software NIC's parser agrees.
 */
#include <ginet/dev/pkt.h>
#include "softnic/pure.h"
#include "fuzz.h"

static void check_inside(const uint8_t *data, size_t len, const void *header, size_t size)
{
	const uint8_t *p = header;

	FUZZ_CHECK(!p || (p >= data && size <= len && (size_t)(p - data) <= len - size));
}

static void check_headers(const uint8_t *data, size_t len, const struct gin_headers *h)
{
	check_inside(data, len, h->eth, sizeof(*h->eth));
	check_inside(data, len, h->arp, sizeof(*h->arp));
	check_inside(data, len, h->ipv4, sizeof(*h->ipv4));
	check_inside(data, len, h->ipv6, sizeof(*h->ipv6));
	check_inside(data, len, h->l4, 1);
	check_inside(data, len, h->icmp, sizeof(*h->icmp));
	check_inside(data, len, h->udp, sizeof(*h->udp));
	check_inside(data, len, h->tcp, sizeof(*h->tcp));
	check_inside(data, len, h->payload, h->payload_len);
	FUZZ_CHECK(h->payload || !h->payload_len);
	FUZZ_CHECK(!(h->ipv4 && h->ipv6) && !(h->udp && h->tcp) && !(h->udp && h->icmp) && !(h->tcp && h->icmp));
}

static void check_agrees(const uint8_t *data, size_t len, const struct gin_headers *h)
{
	const uint8_t *l4 = h->udp ? (const uint8_t *)h->udp : (const uint8_t *)h->tcp;
	struct sn_parsed p;

	if (!l4)
		return;
	sn_parse(data, len, &p);
	FUZZ_CHECK(p.n_vlans == h->n_vlans && p.ethertype == h->ethertype && p.proto == h->proto);
	FUZZ_CHECK(p.ip_version == (h->ipv4 ? 4 : 6));
	FUZZ_CHECK(l4 == data + p.l4_off && gin_get16(l4) == p.sport && gin_get16(l4 + 2) == p.dport);
	FUZZ_CHECK(h->payload + h->payload_len <= l4 + p.l4_len);
}

/* A header with its checksum in it sums to nothing: gin_csum() and the software NIC must say the same. */
static void check_ipv4_sum(const struct gin_headers *h)
{
	const uint8_t *ip = (const uint8_t *)h->ipv4;
	uint32_t n;

	if (!ip)
		return;
	n = (uint32_t)(ip[0] & 15) * 4;
	FUZZ_CHECK((gin_csum(ip, n) == 0) == (sn_csum_fold(sn_csum_add(ip, n, 0)) == 0xffff));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct gin_pkt pkt = { .data = (uint8_t *)(uintptr_t)data, .len = (uint32_t)len };
	struct gin_headers h;

	gin_pkt_parse(&pkt, &h);
	check_headers(data, len, &h);
	check_agrees(data, len, &h);
	check_ipv4_sum(&h);
	return 0;
}
