/* SPDX-License-Identifier: BSD-3-Clause */
/* frames IFNAME MAC N SEED     N frames that no kernel should stumble over: random, cut short, or with bits turned. */
#include "raw.h"
#include <net/ethernet.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t below(size_t n)
{
	return (size_t)random() % n;
}

static void fill(uint8_t *b, size_t n)
{
	while (n--)
		*b++ = (uint8_t)random();
}

static size_t good(uint8_t *frame, const uint8_t *mac)
{
	static const uint16_t tags[] = { 77, 78 };
	int n_tags = (int)below(3);

	if (below(2))
		return raw_arp(frame, tags, n_tags);
	return raw_ping(frame, mac, tags, n_tags, (uint16_t)random(), below(200));
}

static size_t odd(uint8_t *frame, const uint8_t *mac)
{
	static const uint8_t types[][2] = { { 8, 0 }, { 8, 6 }, { 0x81, 0 }, { 0x88, 0xa8 }, { 0x86, 0xdd }, { 0, 46 } };
	size_t i, len = 14 + below(below(8) ? 100 : 1500);

	switch (below(4)) {
	case 0: /* random behind the destination */
		fill(frame, len);
		memcpy(frame, mac, 6);
		return len;
	case 1: /* random behind an EtherType */
		fill(frame, len);
		memcpy(frame, mac, 6);
		memcpy(frame + 12, types[below(6)], 2);
		return len;
	case 2: /* cut short */
		return 14 + below(good(frame, mac) - 14);
	default: /* a few bits turned, not in the destination */
		len = good(frame, mac);
		for (i = 1 + below(8); i; i--)
			frame[12 + below(len - 12)] ^= (uint8_t)(1u << below(8));
		return len;
	}
}

int main(int argc, char **argv)
{
	const struct ether_addr *mac = argc == 5 ? ether_aton(argv[2]) : NULL;
	uint8_t frame[RAW_MAX];
	long n;
	int fd;

	if (!mac) {
		fprintf(stderr, "usage: frames IFNAME MAC N SEED\n");
		return 2;
	}
	fd = raw_open(argv[1]);
	if (fd < 0)
		return 1;
	srandom((unsigned int)atoi(argv[4]));
	for (n = atol(argv[3]); n > 0; n--)
		if (raw_send(fd, frame, odd(frame, mac->ether_addr_octet))) {
			perror("send");
			return 1;
		}
	return 0;
}
