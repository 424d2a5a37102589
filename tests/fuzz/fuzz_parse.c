/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a frame: the software NIC's parser, checksums and match key
 * stay inside it (AddressSanitizer), and what the NIC filled in, it finds right.
 */
#include "softnic/pure.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

#define BOTH (GIN_ETH_L3_CSUM | GIN_ETH_L4_CSUM)

/* RFC 1071 as written there, to judge the library's by. */
static uint32_t naive_sum(const uint8_t *p, size_t len, uint32_t sum)
{
	size_t i;

	for (i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint32_t naive_l4_sum(const uint8_t *frame, const struct sn_parsed *p)
{
	const uint8_t *ip = frame + p->l3_off;
	uint32_t sum = naive_sum(frame + p->l4_off, p->l4_csum_len, p->proto);

	sum += (p->l4_csum_len >> 16) + (p->l4_csum_len & 0xffff);
	return p->ip_version == 4 ? naive_sum(ip + 12, 8, sum) : naive_sum(ip + 8, 32, sum);
}

static void check_bounds(size_t len, const struct sn_parsed *p)
{
	FUZZ_CHECK(p->n_vlans <= 2);
	FUZZ_CHECK(p->l3_off <= len && (size_t)p->l4_off + p->l4_len <= len);
	FUZZ_CHECK(p->l4_csum_len <= p->l4_len);
	FUZZ_CHECK(!p->l3_off == !p->ip_version && !p->l3_off == !p->l3);
	FUZZ_CHECK(!p->l4_off == !p->l4 && (!p->l4_off || p->l4_off > p->l3_off));
	FUZZ_CHECK(!p->l4_ok || p->l4_csum_len);
	FUZZ_CHECK(!(p->fragment && p->l4));
}

static void check_sums(const uint8_t *frame, const struct sn_parsed *p)
{
	const uint8_t *l4 = frame + p->l4_off;

	if (p->l4_csum_len) {
		int none = p->l4 == GIN_CQE_L4_UDP && !l4[6] && !l4[7];

		FUZZ_CHECK(p->l4_ok == (none ? p->ip_version == 4 : naive_l4_sum(frame, p) == 0xffff));
	}
	if (p->l3_ok && p->ip_version == 4)
		FUZZ_CHECK(naive_sum(frame + p->l3_off, (frame[p->l3_off] & 15) * 4u, 0) == 0xffff);
}

static void check_complete(const uint8_t *frame, size_t len, const struct sn_parsed *p)
{
	size_t l3 = 14 + 4u * p->n_vlans, end = len;

	if (len < l3)
		return;
	if (p->ip_version == 4)
		end = l3 + (frame[l3 + 2] << 8 | frame[l3 + 3]);
	else if (p->ip_version == 6)
		end = l3 + 40 + (frame[l3 + 4] << 8 | frame[l3 + 5]);
	FUZZ_CHECK(sn_csum_complete(frame, len, p) == naive_sum(frame + l3, (end < len ? end : len) - l3, 0));
}

/* Only checksum fields may change. */
static void check_untouched(const uint8_t *before, const uint8_t *after, size_t len, const struct sn_parsed *p)
{
	size_t l3 = p->ip_version == 4 ? p->l3_off + 10u : len;
	size_t l4 = p->l4_csum_len ? p->l4_off + (p->proto == 17 ? 6u : 16u) : len;
	size_t i;

	for (i = 0; i < len; i++)
		if (i - l3 > 1 && i - l4 > 1)
			FUZZ_CHECK(before[i] == after[i]);
}

static void check_insert(const uint8_t *data, size_t len, const struct sn_parsed *before)
{
	uint8_t *frame = malloc(len + !len);
	struct sn_parsed headers, p;

	memcpy(frame, data, len);
	sn_parse_headers(frame, len, &headers);
	sn_csum_insert(frame, len, BOTH);
	check_untouched(data, frame, len, before);
	sn_parse(frame, len, &p);
	check_sums(frame, &p);
	check_complete(frame, len, &p);
	FUZZ_CHECK(p.l3_ok == headers.l3_ok);
	FUZZ_CHECK(p.l4_ok == (headers.l4_csum_len != 0));
	free(frame);
}

/* A frame is found by a rule made of its own fields, and by none that differs in a bit of its MAC. */
static void check_match(const uint8_t *data, size_t len, const struct sn_parsed *p)
{
	uint8_t key[0x40], mask[SN_MATCH_LEN] = { 0 }, value[SN_MATCH_LEN] = { 0 };

	sn_match_key(data, len, p, key);
	memset(mask, 0xff, sizeof(key));
	memcpy(value, key, sizeof(key));
	FUZZ_CHECK(sn_match(key, mask, value));
	value[0x08] ^= 1;
	FUZZ_CHECK(!sn_match(key, mask, value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sn_parsed p;

	sn_parse(data, len, &p);
	check_bounds(len, &p);
	check_sums(data, &p);
	check_complete(data, len, &p);
	check_match(data, len, &p);
	check_insert(data, len, &p);
	return 0;
}
