/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounded rings of packets between the shard and a driver. What the driver does
 * not take stays; a full ring makes the port stop fetching. All is done with
 * the shard's lock held, which is what the ethdev API asks for: one caller at a
 * time for each queue.
 */
#include "dpdk.h"
#include <errno.h>
#include <string.h>

static int refill(struct rings *r)
{
	if (r->n_stock)
		return 0;
	if (rte_pktmbuf_alloc_bulk(r->pool, r->stock, BURST))
		return -EAGAIN; /* the driver holds them all: it gives them back as packets leave */
	r->n_stock = BURST;
	return 0;
}

int rings_has_room(struct rings *r)
{
	return rings_n_tx(r) < RING && !refill(r);
}

int rings_put(struct rings *r, const struct sn_frame *frame)
{
	struct rte_mbuf *m;
	char *data;

	if (!rings_has_room(r))
		return -EAGAIN;
	m = r->stock[r->n_stock - 1];
	data = rte_pktmbuf_append(m, (uint16_t)frame->len);
	if (!data)
		return -EMSGSIZE; /* cannot be: the pool's packets hold the port's longest frame */
	r->n_stock--;
	memcpy(data, frame->data, frame->len);
	r->tx[r->tx_end++ % RING] = m;
	return 0;
}

/* As many as lie in one piece. */
static uint16_t tx_piece(const struct rings *r)
{
	uint32_t n = rings_n_tx(r), to_wrap = RING - r->tx_first % RING;

	if (n > to_wrap)
		n = to_wrap;
	return (uint16_t)(n < BURST ? n : BURST);
}

uint32_t rings_push(struct rings *r, uint16_t port)
{
	uint32_t sum = 0;
	uint16_t n, took;

	while ((n = tx_piece(r))) {
		took = rte_eth_tx_burst(port, 0, &r->tx[r->tx_first % RING], n);
		r->tx_first += took;
		sum += took;
		if (took < n)
			break;
	}
	return sum;
}

/* What the port has read of the ring goes back. */
static void free_read(struct rings *r)
{
	while (r->rx_freed != r->rx_first) {
		uint32_t n = r->rx_first - r->rx_freed, to_wrap = RING - r->rx_freed % RING;

		if (n > to_wrap)
			n = to_wrap;
		rte_pktmbuf_free_bulk(&r->rx[r->rx_freed % RING], n);
		r->rx_freed += n;
	}
}

static uint32_t length(const struct rte_mbuf *m)
{
	return m->pkt_len < LONGEST ? m->pkt_len : LONGEST;
}

uint32_t rings_pull(struct rings *r, uint16_t port, struct sn_device *dev)
{
	struct rte_mbuf *burst[BURST];
	uint16_t i, n;

	free_read(r);
	if (rings_n_rx(r) > RING - BURST)
		return 0;
	n = rte_eth_rx_burst(port, 0, burst, BURST);
	for (i = 0; i < n; i++) {
		r->rx[r->rx_end++ % RING] = burst[i];
		dpdk_host->arrived(dev, length(burst[i]));
	}
	return n;
}

int rings_front(struct rings *r, struct sn_frame *frame)
{
	const struct rte_mbuf *m = r->rx[r->rx_first % RING];

	if (!rings_n_rx(r))
		return -EAGAIN;
	frame->len = length(m);
	/* One piece: where it is. More: put together. */
	frame->data = rte_pktmbuf_read(m, 0, frame->len, r->whole);
	return 0;
}

void rings_empty(struct rings *r)
{
	r->rx_first = r->rx_end;
	free_read(r);
	while (r->tx_first != r->tx_end)
		rte_pktmbuf_free(r->tx[r->tx_first++ % RING]);
	rte_pktmbuf_free_bulk(r->stock, r->n_stock);
	r->n_stock = 0;
}
