/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules as masks and values in fte_match_param, of which this NIC knows the
 * outer headers. Layout: mlx5 kernel driver's mlx5_ifc.h, fte_match_set_lyr_2_4;
 * DPDK's mlx5_prm.h.
 */
#include "pure.h"
#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#define OUTER_LEN 0x40u

#define SMAC 0x00u
#define ETHERTYPE 0x06u
#define DMAC 0x08u
#define FIRST_VID 0x0eu /* 16-bit: 15:13 prio, 12 cfi, 11:0 vid */
#define IP_PROTOCOL 0x10u
#define FLAGS 0x12u     /* 16-bit: the FLAG_ bits, 8:0 tcp_flags */
#define TCP_SPORT 0x14u
#define TCP_DPORT 0x16u
#define UDP_SPORT 0x1cu
#define UDP_DPORT 0x1eu
#define SRC_IP 0x20u
#define DST_IP 0x30u
#define IP_LEN 16u

#define FLAG_CVLAN 0x8000u
#define FLAG_FRAG 0x2000u
#define FLAG_IP_VERSION_SHIFT 9u

static const uint8_t known[OUTER_LEN] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* 0x00 smac, ethertype */
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, /* 0x08 dmac, first_vid */
	0xff, 0x00, 0xbf, 0xff,                         /* 0x10 ip_protocol; cvlan_tag, frag, ip_version, tcp_flags */
	0xff, 0xff, 0xff, 0xff,                         /* 0x14 tcp ports */
	0x00, 0x00, 0x00, 0x00,                         /* 0x18 */
	0xff, 0xff, 0xff, 0xff,                         /* 0x1c udp ports */
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* 0x20 source address */
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* 0x30 destination address */
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

static int any_set(const uint8_t *p, size_t len)
{
	while (len--)
		if (*p++)
			return 1;
	return 0;
}

static int mask_known(const uint8_t *mask)
{
	size_t i;

	for (i = 0; i < OUTER_LEN; i++)
		if (mask[i] & ~known[i])
			return 0;
	return 1;
}

static int value_under_mask(const uint8_t *mask, const uint8_t *value)
{
	size_t i;

	for (i = 0; i < SN_MATCH_LEN; i++)
		if (value[i] & ~mask[i])
			return 0;
	return 1;
}

static const char *why_not(const uint8_t *mask, const uint8_t *value)
{
	if (any_set(mask + OUTER_LEN, SN_MATCH_LEN - OUTER_LEN))
		return "the mask asks for more than outer headers";
	if (!mask_known(mask))
		return "the mask asks for a field that this NIC does not match";
	if (!value_under_mask(mask, value))
		return "the value has bits set that the mask leaves out";
	/* As DPDK's mlx5 driver does: the parser writes either pair of ports by the protocol. */
	if ((any_set(mask + TCP_SPORT, 4) || any_set(mask + UDP_SPORT, 4)) && !mask[IP_PROTOCOL])
		return "the mask asks for ports without ip_protocol";
	return NULL;
}

int sn_match_check(const uint8_t mask[SN_MATCH_LEN], const uint8_t value[SN_MATCH_LEN], const char **why)
{
	*why = why_not(mask, value);
	return *why ? -EINVAL : 0;
}

static void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* An IPv4 address stands in the last 4 of the 16 bytes. */
static void put_addresses(const uint8_t *ip, uint8_t version, uint8_t *key)
{
	if (version == 4) {
		memcpy(key + SRC_IP + IP_LEN - 4, ip + 12, 4);
		memcpy(key + DST_IP + IP_LEN - 4, ip + 16, 4);
	} else {
		memcpy(key + SRC_IP, ip + 8, IP_LEN);
		memcpy(key + DST_IP, ip + 24, IP_LEN);
	}
}

/* Of the 9 TCP flags the parser keeps 8; the ninth (NS) is bit 0 of the byte before them. */
static uint16_t tcp_flags(const uint8_t *frame, const struct sn_parsed *p)
{
	return (uint16_t)((frame[p->l4_off + 12] & 1) << 8 | p->tcp_flags);
}

static void put_l4(const uint8_t *frame, const struct sn_parsed *p, uint8_t *key, uint16_t *flags)
{
	if (p->proto == IPPROTO_UDP) {
		put_be16(key + UDP_SPORT, p->sport);
		put_be16(key + UDP_DPORT, p->dport);
		return;
	}
	put_be16(key + TCP_SPORT, p->sport);
	put_be16(key + TCP_DPORT, p->dport);
	*flags |= tcp_flags(frame, p);
}

void sn_match_key(const uint8_t *frame, size_t len, const struct sn_parsed *p, uint8_t key[0x40])
{
	uint16_t flags = (uint16_t)(p->ip_version << FLAG_IP_VERSION_SHIFT);

	memset(key, 0, OUTER_LEN);
	if (len < ETH_HLEN)
		return;
	memcpy(key + DMAC, frame, ETH_ALEN);
	memcpy(key + SMAC, frame + ETH_ALEN, ETH_ALEN);
	put_be16(key + ETHERTYPE, p->ethertype);
	put_be16(key + FIRST_VID, p->vlan_tci);
	/* By the outer tag: 0x88a8 is an S-VLAN. */
	if (p->n_vlans && frame[12] == ETH_P_8021Q >> 8)
		flags |= FLAG_CVLAN;
	if (p->fragment)
		flags |= FLAG_FRAG;
	key[IP_PROTOCOL] = p->proto;
	if (p->l3_off)
		put_addresses(frame + p->l3_off, p->ip_version, key);
	if (p->l4_off)
		put_l4(frame, p, key, &flags);
	put_be16(key + FLAGS, flags);
}

int sn_match(const uint8_t key[0x40], const uint8_t mask[SN_MATCH_LEN], const uint8_t value[SN_MATCH_LEN])
{
	uint64_t k, m, v, differ = 0;
	size_t i;

	for (i = 0; i < OUTER_LEN; i += sizeof(k)) {
		memcpy(&k, key + i, sizeof(k));
		memcpy(&m, mask + i, sizeof(m));
		memcpy(&v, value + i, sizeof(v));
		differ |= (k ^ v) & m;
	}
	return !differ;
}

int sn_match_any(const uint8_t mask[SN_MATCH_LEN])
{
	return !any_set(mask, SN_MATCH_LEN);
}
