/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames by hand, into and out of an interface of the kernel. */
#ifndef TESTS_NET_RAW_H
#define TESTS_NET_RAW_H
#include <stddef.h>
#include <stdint.h>

enum { RAW_MAX = 1518, RAW_ME_IP = 0x0a4d0001, RAW_PEER_IP = 0x0a4d0002 }; /* 10.77.0.1, 10.77.0.2 */
extern const uint8_t raw_me[6]; /* the MAC that our frames come from */

int raw_open(const char *ifname);                            /* -1, and perror() said why */
int raw_send(int fd, const uint8_t *frame, size_t len);      /* 0; waits while the interface is full */
/* tags: VLAN IDs, outermost first. All return the frame's length, at least 60. */
size_t raw_arp(uint8_t *frame, const uint16_t *tags, int n_tags);
size_t raw_ping(uint8_t *frame, const uint8_t *peer, const uint16_t *tags, int n_tags, uint16_t seq, size_t size);
uint16_t raw_checksum(const uint8_t *b, size_t len);         /* as a number */
#endif
