/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of this folder that hold NICs share. */
#ifndef TESTS_NET_RIG_H
#define TESTS_NET_RIG_H
#include <check.h>
#include <ginet/ginet.h>

/* The two sums of gin_nic_stats, and nothing under way. */
void ck_quiet_sums(struct gin_nic *nic);

/* Wait until *counter, in GPU memory, is at least n, at most a minute. */
void await_counter(struct gin_gpu *gpu, const uint64_t *counter, uint64_t n);
#endif
