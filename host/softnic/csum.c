/* SPDX-License-Identifier: BSD-3-Clause */
/* Internet checksums (RFC 1071), and those that a NIC fills in when it sends. */
#include "pure.h"
#include <netinet/in.h>
#include <string.h>

#define IPV4_CHECKSUM 10u /* offsets in the headers */
#define TCP_CHECKSUM 16u
#define UDP_CHECKSUM 6u

/* The last 0 to 7 bytes as 16-bit words in memory order, an odd one filled up with 0. */
static uint64_t tail(const uint8_t *data, size_t len)
{
	uint64_t sum = 0;
	uint32_t word;
	uint16_t half;

	if (len & 4) {
		memcpy(&word, data, sizeof(word));
		sum += word;
		data += sizeof(word);
	}
	if (len & 2) {
		memcpy(&half, data, sizeof(half));
		sum += half;
		data += sizeof(half);
	}
	return len & 1 ? sum + data[0] : sum;
}

/*
 * RFC 1071 section 2: the sum of wider words, folded, is the same; and the sum
 * of byte-swapped words is the byte-swapped sum.
 */
uint32_t sn_csum_add(const uint8_t *data, size_t len, uint32_t sum)
{
	uint64_t wide = 0, total, word;
	size_t i;
	int carry;

	for (i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, data + i, sizeof(word));
		carry = __builtin_add_overflow(wide, word, &wide);
		wide += (uint64_t)carry; /* it comes in again at the other end */
	}
	wide = (wide & 0xffffffff) + (wide >> 32);
	wide += tail(data + i, len - i);
	wide = (wide & 0xffffffff) + (wide >> 32);
	wide = (wide & 0xffffffff) + (wide >> 32);
	total = (uint64_t)sum + gin_swap16(sn_csum_fold((uint32_t)wide));
	return (uint32_t)(total + (total >> 32));
}

uint32_t sn_csum_pseudo(const uint8_t *frame, const struct sn_parsed *p)
{
	const uint8_t *ip = frame + p->l3_off;
	uint32_t sum = (uint32_t)p->proto + (p->l4_csum_len >> 16) + (p->l4_csum_len & 0xffff);

	if (p->ip_version == 4)
		return sn_csum_add(ip + 12, 8, sum);
	return sn_csum_add(ip + 8, 32, sum);
}

static void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void insert_l3(uint8_t *ip)
{
	size_t header = (ip[0] & 0xfu) * 4u;

	put_be16(ip + IPV4_CHECKSUM, 0);
	put_be16(ip + IPV4_CHECKSUM, (uint16_t)~sn_csum_fold(sn_csum_add(ip, header, 0)));
}

static void insert_l4(uint8_t *frame, const struct sn_parsed *p)
{
	uint8_t *l4 = frame + p->l4_off;
	uint8_t *field = l4 + (p->proto == IPPROTO_UDP ? UDP_CHECKSUM : TCP_CHECKSUM);
	uint16_t csum;

	put_be16(field, 0);
	csum = (uint16_t)~sn_csum_fold(sn_csum_add(l4, p->l4_csum_len, sn_csum_pseudo(frame, p)));
	if (!csum && p->proto == IPPROTO_UDP)
		csum = 0xffff; /* RFC 768: 0 means that there is none; both are zero in ones-complement */
	put_be16(field, csum);
}

void sn_csum_insert(uint8_t *frame, size_t len, uint32_t cs_flags)
{
	struct sn_parsed p;

	sn_parse_headers(frame, len, &p);
	if (cs_flags & GIN_ETH_L3_CSUM && p.l3 == GIN_CQE_L3_IPV4)
		insert_l3(frame + p.l3_off);
	if (cs_flags & GIN_ETH_L4_CSUM && p.l4_csum_len)
		insert_l4(frame, &p);
}
