/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv4 frames whose checksums the NIC is to fill in, and the other side's sums over them. */
#ifndef TESTS_SEMANTICS_IP_FRAME_H
#define TESTS_SEMANTICS_IP_FRAME_H
#include <stdint.h>

/* Frame number seq, UDP or TCP, with wrong checksums in it. buf: 1518 bytes. Returns the length. */
uint32_t ip_frame(const uint8_t mac[6], uint32_t seq, uint8_t *buf);
/* Which of the two are right. */
enum { IP_FRAME_L3 = 1, IP_FRAME_L4 = 2 };
uint32_t ip_frame_sums(const uint8_t *frame);
/* NULL: all but the sums is as in frame *seq; else what is wrong. */
const char *ip_frame_check(const uint8_t *frame, uint32_t len, uint32_t *seq);
#endif
