/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vlan IFNAME MAC     ARP and ping with VLAN tags: the answers must carry the
 * same tags. For kernels without 802.1Q interfaces; the kernel under test, on
 * the other side, sees the tags in the frame either way.
 */
#include "raw.h"
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#ifndef SOL_PACKET
#define SOL_PACKET 263
#endif

/* The kernel takes the outer tag out of what it receives and hands it over beside it: put it back. */
static ssize_t receive(int fd, uint8_t *frame, size_t room)
{
	char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))] __attribute__((aligned(8)));
	struct iovec iov = { frame, room - 4 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct tpacket_auxdata aux;
	struct cmsghdr *c;
	ssize_t n = recvmsg(fd, &msg, 0);

	for (c = n > 12 ? CMSG_FIRSTHDR(&msg) : NULL; c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if (!(aux.tp_status & TP_STATUS_VLAN_VALID))
			continue;
		memmove(frame + 16, frame + 12, (size_t)n - 12);
		frame[12] = (uint8_t)(aux.tp_vlan_tpid >> 8);
		frame[13] = (uint8_t)aux.tp_vlan_tpid;
		frame[14] = (uint8_t)(aux.tp_vlan_tci >> 8);
		frame[15] = (uint8_t)aux.tp_vlan_tci;
		n += 4;
	}
	return n;
}

/* What is expected back: the request with addresses turned round and the words of an answer. */
static void turn_arp(uint8_t *frame, size_t at, const uint8_t *mac)
{
	memcpy(frame, raw_me, 6);
	memcpy(frame + 6, mac, 6);
	frame[at + 7] = 2;
	memcpy(frame + at + 18, raw_me, 6);
	memcpy(frame + at + 8, mac, 6);
	frame[at + 17] = 2;
	frame[at + 27] = 1;
}

static void turn_ping(uint8_t *frame, size_t at, size_t size, const uint8_t *mac)
{
	uint8_t *icmp = frame + at + 20;
	uint16_t sum;

	memcpy(frame, raw_me, 6);
	memcpy(frame + 6, mac, 6);
	frame[at + 15] = 2;
	frame[at + 19] = 1;
	icmp[0] = icmp[2] = icmp[3] = 0;
	sum = raw_checksum(icmp, 8 + size);
	icmp[2] = (uint8_t)(sum >> 8);
	icmp[3] = (uint8_t)sum;
}

static int exchange(int fd, const uint8_t *request, size_t len, const uint8_t *answer)
{
	uint8_t got[RAW_MAX + 8];
	ssize_t n;

	if (raw_send(fd, request, len)) {
		perror("send");
		return 1;
	}
	while ((n = receive(fd, got, sizeof(got))) >= 0)
		if (n == (ssize_t)len && !memcmp(got, answer, len))
			return 0;
	fprintf(stderr, "FAILED: %zu bytes, EtherType 0x%02x%02x: no such answer\n", len, request[12], request[13]);
	return 1;
}

static int talk(int fd, const uint8_t *mac, const uint16_t *tags, int n_tags)
{
	static const size_t sizes[] = { 0, 1, 56, 1000, 1472 };
	size_t i, len, at = 14 + 4 * (size_t)n_tags;
	uint8_t request[RAW_MAX + 4], answer[RAW_MAX + 4];
	int failed;

	len = raw_arp(request, tags, n_tags);
	memcpy(answer, request, len);
	turn_arp(answer, at, mac);
	failed = exchange(fd, request, len, answer);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		/* The port takes one tag above its MTU of 1,500. */
		size_t size = sizes[i] - (sizes[i] == 1472 && n_tags == 2 ? 4 : 0);

		len = raw_ping(request, mac, tags, n_tags, (uint16_t)i, size);
		memcpy(answer, request, len);
		turn_ping(answer, at, size, mac);
		failed |= exchange(fd, request, len, answer);
	}
	return failed;
}

int main(int argc, char **argv)
{
	static const uint16_t tags[2][2] = { { 0x2064, 0 }, { 77, 0xe001 } }; /* with priorities */
	struct timeval limit = { .tv_sec = 10 };
	const struct ether_addr *mac = argc == 3 ? ether_aton(argv[2]) : NULL;
	int fd, failed, on = 1;

	if (!mac) {
		fprintf(stderr, "usage: vlan IFNAME MAC\n");
		return 2;
	}
	fd = raw_open(argv[1]);
	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		return 1;
	failed = talk(fd, mac->ether_addr_octet, NULL, 0);
	failed |= talk(fd, mac->ether_addr_octet, tags[0], 1);
	failed |= talk(fd, mac->ether_addr_octet, tags[1], 2);
	return failed;
}
