/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each kernel is one call whose result and ticket are stored: what that call
 * costs in instructions. Endings: _stop GIN_UNTIL_STOP, _ms 1 ms (constants that
 * the compiler knows), _any a time-out of run time.
 */
#include <ginet/device.h>

struct tx {
	struct gin_dev_txq q;
	struct gin_pkt pkt;
	uint64_t timeout_ns, ticket;
	uint64_t *out;
	int *err;
};

struct rx {
	struct gin_dev_rxq q;
	uint32_t max;
	uint64_t timeout_ns;
	struct gin_run *out;
	int *err;
};

GIN_KERNEL(empty, struct tx, a)
{
	*a.err = 0;
}

#define SEND(name, call, timeout_ns)                                                                                   \
	GIN_KERNEL(name, struct tx, a)                                                                                 \
	{                                                                                                              \
		uint64_t ticket = 0;                                                                                   \
		*a.err = call(&a.q, &a.pkt, 0, timeout_ns, &ticket);                                                   \
		*a.out = ticket;                                                                                       \
	}
#define RECV(name, call, timeout_ns)                                                                                   \
	GIN_KERNEL(name, struct rx, a)                                                                                 \
	{                                                                                                              \
		struct gin_run run;                                                                                    \
		*a.err = call(&a.q, a.max, timeout_ns, &run);                                                          \
		*a.out = run;                                                                                          \
	}
#define WAIT(name, timeout_ns)                                                                                         \
	GIN_KERNEL(name, struct tx, a)                                                                                 \
	{                                                                                                              \
		*a.err = gin_txq_wait(&a.q, a.ticket, timeout_ns);                                                     \
	}
#define EACH(KIND, name, call)                                                                                         \
	KIND(name##_stop, call, GIN_UNTIL_STOP)                                                                        \
	KIND(name##_ms, call, 1000000)                                                                                 \
	KIND(name##_any, call, a.timeout_ns)

EACH(SEND, send, gin_txq_send)
EACH(SEND, send_own, gin_txq_send_own)
EACH(SEND, send_warp, gin_txq_send_warp)
EACH(SEND, send_own_warp, gin_txq_send_own_warp)
EACH(SEND, send_block, gin_txq_send_block)
EACH(SEND, send_own_block, gin_txq_send_own_block)
EACH(RECV, recv, gin_rxq_recv)
EACH(RECV, recv_warp, gin_rxq_recv_warp)
EACH(RECV, recv_block, gin_rxq_recv_block)
WAIT(wait_stop, GIN_UNTIL_STOP)
WAIT(wait_ms, 1000000)
WAIT(wait_any, a.timeout_ns)

GIN_KERNEL(test, struct tx, a)
{
	*a.err = gin_txq_test(&a.q, a.ticket);
}
