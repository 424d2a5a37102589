/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets in kernels: what one is, its headers, and checksums. All header fields are bytes, so any alignment works. */
#ifndef GINET_DEV_PKT_H
#define GINET_DEV_PKT_H
#include <ginet/dev/shim.h>
#include <ginet/hw/be.h>
#include <ginet/hw/cqe.h>

struct gin_pkt {
	uint8_t *data;
	uint8_t *rest;             /* what does not stand at data (behind a split); NULL: all is there */
	const struct gin_cqe *cqe; /* NULL for packets you built yourself */
	uint32_t len;              /* bytes, without FCS; 0: gin_txq_send*() sends nothing */
	struct gin_be32 lkey;      /* names data to the NIC; of the receiving NIC, or from gin_mr_local() */
};

enum { GIN_ETH_IPV4 = 0x0800, GIN_ETH_ARP = 0x0806, GIN_ETH_VLAN = 0x8100, GIN_ETH_IPV6 = 0x86dd, GIN_ETH_SVLAN = 0x88a8 };
enum { GIN_IP_ICMP = 1, GIN_IP_TCP = 6, GIN_IP_UDP = 17, GIN_IP_ICMPV6 = 58 };
struct gin_eth { uint8_t dst[6], src[6], type[2]; };
struct gin_arp { uint8_t hw[2], proto[2], hw_len, proto_len, op[2], sha[6], spa[4], tha[6], tpa[4]; };
struct gin_ipv4 { uint8_t ver_len, tos, len[2], id[2], frag[2], ttl, proto, csum[2], src[4], dst[4]; };
struct gin_ipv6 { uint8_t ver_class_flow[4], len[2], next, hops, src[16], dst[16]; };
struct gin_icmp { uint8_t type, code, csum[2], id[2], seq[2]; };
struct gin_udp { uint8_t src[2], dst[2], len[2], csum[2]; };
struct gin_tcp { uint8_t src[2], dst[2], seq[4], ack[4], off, flags, window[2], csum[2], urgent[2]; };

GIN_FN uint16_t gin_get16(const uint8_t *b)
{
	return (uint16_t)(b[0] << 8 | b[1]);
}

GIN_FN uint32_t gin_get32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

GIN_FN void gin_put16(uint8_t *b, uint32_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
}

GIN_FN void gin_put32(uint8_t *b, uint32_t v)
{
	gin_put16(b, v >> 16);
	gin_put16(b + 2, v);
}

GIN_FN void gin_copy(uint8_t *dst, const uint8_t *src, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		dst[i] = src[i];
}

GIN_FN void gin_swap(uint8_t *a, uint8_t *b, uint32_t n)
{
	uint32_t i;
	uint8_t t;

	for (i = 0; i < n; i++) {
		t = a[i];
		a[i] = b[i];
		b[i] = t;
	}
}

GIN_FN int gin_same(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

GIN_FN uint32_t gin_csum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* Checksum of len bytes (up to 64 KiB), as it goes into the header: RFC 1071. 0 over data that holds its own. */
GIN_FN uint16_t gin_csum(const uint8_t *data, uint32_t len)
{
	uint32_t sum = 0, i;

	for (i = 0; i + 1 < len; i += 2)
		sum += gin_get16(data + i);
	if (len & 1)
		sum += (uint32_t)data[len - 1] << 8;
	return (uint16_t)~gin_csum_fold(sum);
}

/* A 16-bit field that the checksum covers changed from before to now: RFC 1624, equation 3. */
GIN_FN void gin_csum_edit(uint8_t csum[2], uint16_t before, uint16_t now)
{
	uint32_t sum = (uint16_t)~gin_get16(csum) + (uint32_t)(uint16_t)~before + now;

	gin_put16(csum, (uint16_t)~gin_csum_fold(sum));
}

/* What parsing found. A pointer is NULL when the packet has no such header or ends before it does. */
struct gin_headers {
	struct gin_eth *eth;
	struct gin_arp *arp;   /* Ethernet and IPv4 addresses only */
	struct gin_ipv4 *ipv4;
	struct gin_ipv6 *ipv6;
	uint8_t *l4;           /* by proto; options and extension headers are skipped. NULL in fragments: they need not
				* begin with a header, and their checksum covers the others too */
	struct gin_icmp *icmp; /* ICMP over IPv4 */
	struct gin_udp *udp;
	struct gin_tcp *tcp;
	uint8_t *payload;
	uint32_t payload_len;  /* by the IP length, not by the frame: padding is off */
	uint16_t ethertype;    /* behind the VLAN tags; 0: none */
	uint8_t n_vlans, proto;
};

/* The header behind off, n bytes long, or NULL when the packet ends before. */
GIN_FN uint8_t *gin_pkt_at(const struct gin_pkt *p, uint32_t off, uint32_t end, uint32_t n)
{
	return off <= end && end - off >= n ? p->data + off : (uint8_t *)0;
}

/* L4 at off, which ends at end; *h has proto. */
GIN_FN void gin_parse_l4(const struct gin_pkt *p, uint32_t off, uint32_t end, struct gin_headers *h)
{
	uint32_t n = 0, tcp_len;

	h->l4 = gin_pkt_at(p, off, end, 1);
	if (!h->l4)
		return;
	if (h->proto == GIN_IP_ICMP && h->ipv4) {
		h->icmp = (struct gin_icmp *)gin_pkt_at(p, off, end, sizeof(struct gin_icmp));
		n = h->icmp ? sizeof(struct gin_icmp) : 0;
	} else if (h->proto == GIN_IP_UDP) {
		h->udp = (struct gin_udp *)gin_pkt_at(p, off, end, sizeof(struct gin_udp));
		n = h->udp ? sizeof(struct gin_udp) : 0;
	} else if (h->proto == GIN_IP_TCP) {
		h->tcp = (struct gin_tcp *)gin_pkt_at(p, off, end, sizeof(struct gin_tcp));
		if (h->tcp) {
			tcp_len = (uint32_t)(h->tcp->off >> 4) * 4;
			if (tcp_len >= sizeof(struct gin_tcp) && gin_pkt_at(p, off, end, tcp_len))
				n = tcp_len;
			else
				h->tcp = (struct gin_tcp *)0;
		}
	}
	if (n) {
		h->payload = p->data + off + n;
		h->payload_len = end - off - n;
	}
}

GIN_FN void gin_parse_ipv4(const struct gin_pkt *p, uint32_t off, struct gin_headers *h)
{
	struct gin_ipv4 *ip = (struct gin_ipv4 *)gin_pkt_at(p, off, p->len, sizeof(struct gin_ipv4));
	uint32_t header, total;

	if (!ip || ip->ver_len >> 4 != 4)
		return;
	header = (uint32_t)(ip->ver_len & 15) * 4;
	total = gin_get16(ip->len);
	if (header < sizeof(struct gin_ipv4) || total < header || total > p->len - off)
		return;
	h->ipv4 = ip;
	h->proto = ip->proto;
	if (gin_get16(ip->frag) & 0x3fff) /* more fragments, or an offset */
		return;
	gin_parse_l4(p, off + header, off + total, h);
}

/* IPv6 extension headers that may stand before L4 (RFC 8200, section 4): at most 8 are followed. */
GIN_FN void gin_parse_ipv6(const struct gin_pkt *p, uint32_t off, struct gin_headers *h)
{
	struct gin_ipv6 *ip = (struct gin_ipv6 *)gin_pkt_at(p, off, p->len, sizeof(struct gin_ipv6));
	uint32_t end, at, i;
	uint8_t *ext;

	if (!ip || ip->ver_class_flow[0] >> 4 != 6)
		return;
	at = off + (uint32_t)sizeof(struct gin_ipv6);
	end = at + gin_get16(ip->len);
	if (end > p->len)
		return;
	h->ipv6 = ip;
	h->proto = ip->next;
	for (i = 0; i < 8; i++) {
		if (h->proto != 0 && h->proto != 43 && h->proto != 60) /* hop-by-hop, routing, destination options */
			break;
		ext = gin_pkt_at(p, at, end, 8);
		if (!ext)
			return;
		h->proto = ext[0];
		at += ((uint32_t)ext[1] + 1) * 8;
	}
	if (h->proto == 44) { /* fragment */
		ext = gin_pkt_at(p, at, end, 8);
		if (ext)
			h->proto = ext[0];
		return;
	}
	if (i == 8 || at > end)
		return;
	gin_parse_l4(p, at, end, h);
}

/* Parse Ethernet, up to 2 VLAN tags, ARP, IPv4 or IPv6, ICMP, UDP, TCP. Never reads past p->len. */
GIN_FN void gin_pkt_parse(const struct gin_pkt *p, struct gin_headers *h)
{
	uint32_t off = sizeof(struct gin_eth);

	h->eth = (struct gin_eth *)gin_pkt_at(p, 0, p->len, sizeof(struct gin_eth));
	h->arp = (struct gin_arp *)0;
	h->ipv4 = (struct gin_ipv4 *)0;
	h->ipv6 = (struct gin_ipv6 *)0;
	h->l4 = (uint8_t *)0;
	h->icmp = (struct gin_icmp *)0;
	h->udp = (struct gin_udp *)0;
	h->tcp = (struct gin_tcp *)0;
	h->payload = (uint8_t *)0;
	h->payload_len = 0;
	h->ethertype = 0;
	h->n_vlans = 0;
	h->proto = 0;
	if (!h->eth)
		return;
	h->ethertype = gin_get16(h->eth->type);
	while ((h->ethertype == GIN_ETH_VLAN || h->ethertype == GIN_ETH_SVLAN) && h->n_vlans < 2) {
		if (!gin_pkt_at(p, off, p->len, 4)) {
			h->ethertype = 0;
			return;
		}
		h->ethertype = gin_get16(p->data + off + 2);
		h->n_vlans++;
		off += 4;
	}
	if (h->ethertype == GIN_ETH_ARP) {
		h->arp = (struct gin_arp *)gin_pkt_at(p, off, p->len, sizeof(struct gin_arp));
		if (h->arp && (gin_get16(h->arp->hw) != 1 || gin_get16(h->arp->proto) != GIN_ETH_IPV4 || h->arp->hw_len != 6 ||
			       h->arp->proto_len != 4))
			h->arp = (struct gin_arp *)0;
	} else if (h->ethertype == GIN_ETH_IPV4) {
		gin_parse_ipv4(p, off, h);
	} else if (h->ethertype == GIN_ETH_IPV6) {
		gin_parse_ipv6(p, off, h);
	}
}
#endif
