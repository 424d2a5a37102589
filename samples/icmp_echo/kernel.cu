/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers ARP and ping: one warp, one packet per lane, replies leave from the slot they arrived in. */
#include <ginet/device.h>
#include "icmp_echo.h"

/* "Who has my address?" becomes "I have": true if it was asked of us. */
GIN_FN int arp_reply(struct gin_arp *arp, const struct icmp_echo_args *me)
{
	if (gin_get16(arp->op) != 1 || !gin_same(arp->tpa, me->ip, 4))
		return 0;
	gin_put16(arp->op, 2);
	gin_copy(arp->tha, arp->sha, 6);
	gin_copy(arp->tpa, arp->spa, 4);
	gin_copy(arp->sha, me->mac, 6);
	gin_copy(arp->spa, me->ip, 4);
	return 1;
}

/* Swapping addresses leaves the IP checksum right; the ICMP one sees only type 8 become 0. */
GIN_FN int ping_reply(struct gin_ipv4 *ip, struct gin_icmp *icmp, const struct icmp_echo_args *me)
{
	if (icmp->type != 8 || !gin_same(ip->dst, me->ip, 4))
		return 0;
	icmp->type = 0;
	gin_csum_edit(icmp->csum, 8 << 8, 0);
	gin_swap(ip->src, ip->dst, 4);
	return 1;
}

/* Turns a request into its reply, in place. 0: not for us. */
GIN_FN int reply(const struct gin_pkt *pkt, const struct icmp_echo_args *me)
{
	struct gin_headers h;

	gin_pkt_parse(pkt, &h);
	if (!(h.arp && arp_reply(h.arp, me)) && !(h.ipv4 && h.icmp && ping_reply(h.ipv4, h.icmp, me)))
		return 0;
	gin_copy(h.eth->dst, h.eth->src, 6);
	gin_copy(h.eth->src, me->mac, 6);
	return 1;
}

GIN_KERNEL(icmp_echo, struct icmp_echo_args, me)
{
	struct gin_run run;
	uint64_t ticket;

	while (!gin_rxq_recv_warp(&me.rxq, 32, GIN_UNTIL_STOP, &run)) {
		struct gin_pkt pkt = { 0 };

		if (threadIdx.x < run.n) {
			pkt = gin_rxq_pkt(&me.rxq, run.first + threadIdx.x);
			if (!reply(&pkt, &me))
				pkt.len = 0; /* this lane sends nothing */
		}
		if (gin_txq_send_own_warp(&me.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket))
			return; /* stop, or an error that the host reports */
		gin_rxq_release_after_warp(&me.rxq, &run, &me.txq, ticket);
	}
}
