/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const uint8_t raw_me[6] = { 0x02, 0, 0, 0, 0, 0x01 };

int raw_open(const char *ifname)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	at.sll_ifindex = (int)if_nametoindex(ifname);
	if (fd >= 0 && at.sll_ifindex && !bind(fd, (struct sockaddr *)&at, sizeof(at)))
		return fd;
	perror(ifname);
	if (fd >= 0)
		close(fd);
	return -1;
}

int raw_send(int fd, const uint8_t *frame, size_t len)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	while (send(fd, frame, len, 0) != (ssize_t)len)
		if (errno != ENOBUFS || poll(&p, 1, 1000) < 0)
			return -1;
	return 0;
}

static uint8_t *put16(uint8_t *b, uint16_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
	return b + 2;
}

static uint8_t *put32(uint8_t *b, uint32_t v)
{
	return put16(put16(b, (uint16_t)(v >> 16)), (uint16_t)v);
}

static uint8_t *put(uint8_t *b, const void *from, size_t n)
{
	memcpy(b, from, n);
	return b + n;
}

uint16_t raw_checksum(const uint8_t *b, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? b[i] : (uint32_t)b[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* IEEE 802.1Q; two tags as 802.1ad: the outer one has EtherType 0x88a8. */
static uint8_t *put_ethernet(uint8_t *b, const uint8_t *dst, const uint16_t *tags, int n_tags, uint16_t type)
{
	int i;

	b = put(put(b, dst, 6), raw_me, 6);
	for (i = 0; i < n_tags; i++)
		b = put16(put16(b, i < n_tags - 1 ? 0x88a8 : 0x8100), tags[i]);
	return put16(b, type);
}

static size_t padded(uint8_t *frame, const uint8_t *end)
{
	size_t len = (size_t)(end - frame);

	if (len >= 60)
		return len;
	memset(frame + len, 0, 60 - len);
	return 60;
}

size_t raw_arp(uint8_t *frame, const uint16_t *tags, int n_tags)
{
	static const uint8_t all[6] = { 255, 255, 255, 255, 255, 255 }, none[6];
	uint8_t *b = put_ethernet(frame, all, tags, n_tags, 0x0806);

	b = put16(put16(b, 1), 0x0800); /* Ethernet, IPv4 */
	b = put16(put16(b, 0x0604), 1); /* lengths, request */
	b = put32(put(b, raw_me, 6), RAW_ME_IP);
	b = put32(put(b, none, 6), RAW_PEER_IP);
	return padded(frame, b);
}

size_t raw_ping(uint8_t *frame, const uint8_t *peer, const uint16_t *tags, int n_tags, uint16_t seq, size_t size)
{
	uint8_t *ip = put_ethernet(frame, peer, tags, n_tags, 0x0800), *icmp = ip + 20, *b;
	size_t i;

	b = put16(put16(ip, 0x4500), (uint16_t)(20 + 8 + size));
	b = put32(put32(put32(b, 0x12340000), 0x40010000), RAW_ME_IP); /* id; TTL 64, ICMP, no checksum yet */
	put32(b, RAW_PEER_IP);
	put16(ip + 10, raw_checksum(ip, 20));
	b = put16(put16(put32(icmp, 0x08000000), 0x4747), seq);
	for (i = 0; i < size; i++)
		*b++ = (uint8_t)(i * 5 + seq);
	put16(icmp + 2, raw_checksum(icmp, 8 + size));
	return padded(frame, b);
}
