/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters as a table for people, with the sum check as last line. */
#include "eth_priv.h"
#include <inttypes.h>

static void row(FILE *to, const char *name, uint64_t value, int even_if_zero)
{
	if (value || even_if_zero)
		fprintf(to, "  %-22s %12" PRIu64 "\n", name, value);
}

static void print_port(FILE *to, const struct gin_nic_info *info, const struct gin_nic_stats *s)
{
	fprintf(to, "%s (%s) %02x:%02x:%02x:%02x:%02x:%02x, MTU %u, link %s\n", info->name, info->kind, info->mac[0],
		info->mac[1], info->mac[2], info->mac[3], info->mac[4], info->mac[5], info->mtu,
		info->link_up ? "up" : "down");
	row(to, "rx_wire", s->rx_wire, 1);
	row(to, "rx_wire_bytes", s->rx_wire_bytes, 0);
	row(to, "rx_duplicated", s->rx_duplicated, 0);
	row(to, "rx_delivered", s->rx_delivered, 1);
	row(to, "rx_to_host", s->rx_to_host, 0);
	row(to, "rx_in_flight", s->rx_in_flight, 0);
	row(to, "rx_drop_filter", s->rx_drop_filter, 0);
	row(to, "rx_drop_by_rule", s->rx_drop_by_rule, 0);
	row(to, "rx_drop_no_buffer", s->rx_drop_no_buffer, 0);
	row(to, "rx_drop_too_long", s->rx_drop_too_long, 0);
	row(to, "rx_drop_bad_frame", s->rx_drop_bad_frame, 0);
	row(to, "rx_drop_queue_error", s->rx_drop_queue_error, 0);
	row(to, "rx_drop_link_down", s->rx_drop_link_down, 0);
	row(to, "tx_posted", s->tx_posted, 1);
	row(to, "tx_wire", s->tx_wire, 1);
	row(to, "tx_wire_bytes", s->tx_wire_bytes, 0);
	row(to, "tx_in_flight", s->tx_in_flight, 0);
	row(to, "tx_drop_too_long", s->tx_drop_too_long, 0);
	row(to, "tx_drop_link_down", s->tx_drop_link_down, 0);
	row(to, "tx_drop_queue_error", s->tx_drop_queue_error, 0);
	row(to, "refused", s->refused, 0);
}

static void print_rxq(FILE *to, struct gin_rxq *rxq)
{
	struct gin_rxq_stats s;

	if (gin_rxq_stats(rxq, &s))
		return;
	fprintf(to, "  %-22s %12" PRIu64 " packets, %" PRIu64 " taken, %" PRIu64 " released, %" PRIu64 " no buffer, %u slots\n",
		rxq->queue.name, s.packets, s.taken, s.released, s.drop_no_buffer, s.n_slots);
}

static void print_txq(FILE *to, struct gin_txq *txq)
{
	struct gin_txq_stats s;

	if (gin_txq_stats(txq, &s))
		return;
	fprintf(to, "  %-22s %12" PRIu64 " packets, %" PRIu64 " on the wire, %" PRIu64 " dropped, ring full %" PRIu64 " times\n",
		txq->queue.name, s.posted, s.wire, s.drop, s.full);
}

static void print_rule(FILE *to, struct gin_flow *flow)
{
	uint64_t packets, bytes;

	if (!gin_flow_count(flow, &packets, &bytes))
		fprintf(to, "  rule %-17s %12" PRIu64 " packets\n", flow->text, packets);
}

static void print_sums(FILE *to, const struct gin_nic_stats *s)
{
	uint64_t rx_in = s->rx_wire + s->rx_duplicated;
	uint64_t rx_out = s->rx_delivered + s->rx_to_host + s->rx_in_flight + s->rx_drop_filter + s->rx_drop_by_rule +
			  s->rx_drop_no_buffer + s->rx_drop_too_long + s->rx_drop_bad_frame + s->rx_drop_queue_error +
			  s->rx_drop_link_down;
	uint64_t tx_out = s->tx_wire + s->tx_in_flight + s->tx_drop_too_long + s->tx_drop_link_down + s->tx_drop_queue_error;
	int ok = rx_in == rx_out && s->tx_posted == tx_out;

	fprintf(to, "  sums: rx %" PRIu64 " in, %" PRIu64 " accounted for; tx %" PRIu64 " posted, %" PRIu64 " accounted for: %s\n",
		rx_in, rx_out, s->tx_posted, tx_out, ok ? "ok" : "MISMATCH");
}

void gin_nic_print_stats(struct gin_nic *nic, FILE *to)
{
	struct gin_nic_queue *queue;
	struct gin_nic_stats stats;
	struct gin_nic_info info;
	struct gin_flow *flow;

	if (gin_nic_info(nic, &info) || gin_nic_stats(nic, &stats)) {
		fprintf(to, "%s: no counters\n", nic->name);
		return;
	}
	print_port(to, &info, &stats);
	pthread_mutex_lock(&nic->lock);
	TAILQ_FOREACH(queue, &nic->queues, link) {
		if (queue->receives)
			print_rxq(to, (struct gin_rxq *)queue);
		else
			print_txq(to, (struct gin_txq *)queue);
	}
	TAILQ_FOREACH(flow, &nic->flows, link)
		print_rule(to, flow);
	pthread_mutex_unlock(&nic->lock);
	print_sums(to, &stats);
	fflush(to);
}
