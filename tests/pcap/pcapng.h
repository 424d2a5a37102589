/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads capture files by the letter of draft-ietf-opsawg-pcapng, as far as the tests need it. */
#ifndef TESTS_PCAP_PCAPNG_H
#define TESTS_PCAP_PCAPNG_H
#include <stdint.h>

struct pcapng_packet {
	int sent;          /* 1 out, 0 in, -1: the file does not say */
	uint64_t ns;       /* since 1970 */
	uint32_t len, caplen;
	uint8_t *data;
};

struct pcapng {
	uint32_t n;
	struct pcapng_packet *packets;
};

/* Fails the test when any block is not whole. */
void pcapng_read(const char *path, struct pcapng *out);
void pcapng_free(struct pcapng *p);
uint32_t pcapng_count(const char *path); /* of packets */
#endif
