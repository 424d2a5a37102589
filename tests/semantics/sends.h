/* SPDX-License-Identifier: BSD-3-Clause */
/* One kernel of every way to send, compiled with and without GIN_NO_INLINE. */
#ifndef TESTS_SEMANTICS_SENDS_H
#define TESTS_SEMANTICS_SENDS_H
#include <ginet/hw/queue.h>
#include <ginet/launch.h>

enum { SENDS_THREADS = 64, SENDS_ROOM = 256 };

struct sends_args {
	struct gin_dev_txq q;
	uint8_t *frames;      /* SENDS_ROOM bytes of each thread, of which it sends 60 + its number */
	struct gin_be32 lkey;
	uint32_t own;         /* the calls for one owner instead of those for all */
	int *err;             /* 0, or of some call */
};

GIN_KERNEL_DECLARE(sends_portable);
GIN_KERNEL_DECLARE(sends_no_inline);
GIN_KERNEL_DECLARE(sends_too_late);
#endif
