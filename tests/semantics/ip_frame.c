/* SPDX-License-Identifier: BSD-3-Clause */
#include "ip_frame.h"
#include <string.h>

enum { ETH = 14, IP = 20, UDP = 8, TCP = 20, OPTIONS = 4, SEQ = 4 };

static void put16(uint8_t *b, uint32_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
}

static uint32_t get16(const uint8_t *b)
{
	return (uint32_t)b[0] << 8 | b[1];
}

/* RFC 1071, byte by byte: odd places are low halves. Not folded. */
static uint64_t sum(const uint8_t *b, uint32_t n)
{
	uint64_t s = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		s += i % 2 ? b[i] : (uint64_t)b[i] << 8;
	return s;
}

static uint32_t fold(uint64_t s)
{
	while (s > 0xffff)
		s = (s >> 16) + (s & 0xffff);
	return (uint32_t)s;
}

static uint32_t header_len(const uint8_t *frame)
{
	return (uint32_t)(frame[ETH] & 15) * 4;
}

static const uint8_t *l4_of(const uint8_t *frame)
{
	return frame + ETH + header_len(frame);
}

/* Sum of the pseudo header of RFC 768 and RFC 9293 and of all behind it. */
static uint64_t l4_sum(const uint8_t *frame)
{
	uint32_t n = get16(frame + ETH + 2) - header_len(frame);

	return sum(frame + ETH + 12, 8) + frame[ETH + 9] + n + sum(l4_of(frame), n);
}

static uint32_t l4_csum_at(const uint8_t *frame)
{
	return ETH + header_len(frame) + (frame[ETH + 9] == 6 ? 16 : 6);
}

/* One of many wrong values. */
static void spoil(uint8_t *csum, uint32_t right, uint32_t seq)
{
	put16(csum, right ^ (1u << seq % 16));
}

uint32_t ip_frame(const uint8_t mac[6], uint32_t seq, uint8_t *buf)
{
	uint32_t options = seq % 3 == 0 ? OPTIONS : 0, is_tcp = seq % 2, l4 = is_tcp ? TCP : UDP;
	uint32_t body = SEQ + (seq * 37) % 1400, ip_len = IP + options + l4 + body, i;
	uint8_t *ip = buf + ETH, *at;

	memcpy(buf, mac, 6);
	memcpy(buf + 6, "\x02\xaa\xaa\xaa\xaa\x01\x08\x00", 8);
	memset(ip, 0, ip_len);
	ip[0] = (uint8_t)(0x40 | (IP + options) / 4);
	put16(ip + 2, ip_len);
	put16(ip + 4, seq);
	ip[8] = 64;
	ip[9] = is_tcp ? 6 : 17;
	memcpy(ip + 12, "\x0a\x00\x00\x01\xc0\xa8\xff\xfe", 8);
	memset(ip + IP, 1, options); /* no-operation */
	at = ip + IP + options;
	put16(at, 1024 + seq % 1000);
	put16(at + 2, 9);
	if (is_tcp)
		at[12] = TCP / 4 << 4;
	else
		put16(at + 4, UDP + body);
	at += l4;
	for (i = 0; i < SEQ; i++)
		at[i] = (uint8_t)(seq >> (24 - 8 * i));
	for (; i < body; i++)
		at[i] = (uint8_t)(seq * 13 + i * 11);
	spoil(ip + 10, 0xffff ^ fold(sum(ip, IP + options)), seq);
	at = buf + l4_csum_at(buf);
	spoil(at, 0xffff ^ fold(l4_sum(buf)), seq);
	if (!is_tcp && !get16(at)) /* 0 would mean: none */
		at[1] = 2;
	return ETH + ip_len;
}

uint32_t ip_frame_sums(const uint8_t *frame)
{
	return (fold(sum(frame + ETH, header_len(frame))) == 0xffff ? IP_FRAME_L3 : 0) |
	       (fold(l4_sum(frame)) == 0xffff ? IP_FRAME_L4 : 0);
}

const char *ip_frame_check(const uint8_t *frame, uint32_t len, uint32_t *seq)
{
	uint8_t same[1518];
	uint32_t i, n, csum_at;
	const uint8_t *at;

	*seq = 0;
	if (len < ETH + IP + UDP + SEQ || len > sizeof(same))
		return "not of any length that was sent";
	at = l4_of(frame) + (frame[ETH + 9] == 6 ? TCP : UDP);
	if (at + SEQ > frame + len)
		return "its headers are broken";
	for (i = 0; i < SEQ; i++)
		*seq = *seq << 8 | at[i];
	n = ip_frame(frame, *seq, same);
	if (len != (n < 60 ? 60 : n))
		return "not of the length that was sent";
	/* Sums are judged by ip_frame_sums(). */
	csum_at = l4_csum_at(same);
	memcpy(same + ETH + 10, frame + ETH + 10, 2);
	memcpy(same + csum_at, frame + csum_at, 2);
	return memcmp(same, frame, n) ? "not whole" : NULL;
}
