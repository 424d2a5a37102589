/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep IP     Pings of every size from 0 to 1472 bytes, with random contents; each answer must bring them back. */
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MTU = 1500, IP_BYTES = 20, ICMP_BYTES = 8, MOST = MTU - IP_BYTES - ICMP_BYTES, ID = 0x6769 };

static uint16_t checksum(const uint8_t *b, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += (uint32_t)b[i] << 8 | b[i + 1];
	if (len & 1)
		sum += (uint32_t)b[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static void request(uint8_t *b, size_t size)
{
	struct icmphdr h = { .type = ICMP_ECHO };
	size_t i;

	for (i = 0; i < size; i++)
		b[ICMP_BYTES + i] = (uint8_t)random();
	h.un.echo.id = htons(ID);
	h.un.echo.sequence = htons((uint16_t)size);
	memcpy(b, &h, sizeof(h));
	h.checksum = checksum(b, ICMP_BYTES + size);
	memcpy(b, &h, sizeof(h));
}

/* The answer to what was asked, past whatever else a raw socket hears: its ICMP part's length in b, or -1. */
static ssize_t answer(int fd, uint8_t *b, size_t room)
{
	struct icmphdr h;
	ssize_t n;

	while ((n = recv(fd, b, room, 0)) >= IP_BYTES + ICMP_BYTES) {
		memcpy(&h, b + IP_BYTES, sizeof(h));
		if (h.type == ICMP_ECHOREPLY && h.un.echo.id == htons(ID)) {
			memmove(b, b + IP_BYTES, (size_t)n - IP_BYTES);
			return n - IP_BYTES;
		}
	}
	return -1;
}

static int ping(int fd, const struct sockaddr_in *to, size_t size)
{
	uint8_t out[ICMP_BYTES + MOST], in[MTU];
	size_t len = ICMP_BYTES + size;
	ssize_t n;

	request(out, size);
	if (sendto(fd, out, len, 0, (const struct sockaddr *)to, sizeof(*to)) != (ssize_t)len) {
		perror("sendto");
		return 1;
	}
	n = answer(fd, in, sizeof(in));
	/* Type and checksum differ; identifier, sequence number and contents must not. */
	if (n == (ssize_t)len && !checksum(in, len) && !memcmp(in + 4, out + 4, len - 4))
		return 0;
	fprintf(stderr, "FAILED: ping of %zu bytes: %s\n", size, n < 0 ? "no answer" : "the answer is another");
	return 1;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timeval limit = { .tv_sec = 10 };
	int fd, failed = 0;
	size_t size;

	if (argc != 2 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fprintf(stderr, "usage: sweep IP\n");
		return 2;
	}
	fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit))) {
		perror("socket");
		return 1;
	}
	srandom(1);
	for (size = 0; size <= MOST && !failed; size++)
		failed = ping(fd, &to, size);
	close(fd);
	return failed;
}
