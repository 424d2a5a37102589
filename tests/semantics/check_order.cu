/* SPDX-License-Identifier: BSD-3-Clause */
#define GINET_CHECK /* what users set to have their releases checked */
#include <ginet/device.h>
#include "check_order.h"

GIN_KERNEL(check_order, struct check_order_args, a)
{
	struct gin_run one, two;
	struct gin_pkt pkt = { 0 };
	uint64_t ticket;

	pkt.data = (uint8_t *)a.frame.addr;
	pkt.lkey = a.frame.key;
	pkt.len = 60;
	if (gin_txq_send(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket) || gin_txq_send(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket) ||
	    gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &one) || gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &two))
		return;
	if (a.how == CHECK_SECOND_FIRST)
		gin_rxq_release(&a.rxq, &two);
	if (a.how == CHECK_BEFORE_TAKEN)
		one.n = 3;
	gin_rxq_release(&a.rxq, &one);
	if (a.how == CHECK_TWICE)
		gin_rxq_release_after(&a.rxq, &one, &a.txq, ticket);
	gin_rxq_release_after(&a.rxq, &two, &a.txq, ticket);
}
