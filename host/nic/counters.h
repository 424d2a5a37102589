/* SPDX-License-Identifier: BSD-3-Clause */
/* What a port and a queue count; the names of gin_nic_stats, see <ginet/nic.h>. */
#ifndef HOST_NIC_COUNTERS_H
#define HOST_NIC_COUNTERS_H
#include <ginet/nic.h>

/* The first frame dropped since the last look: shown when a queue stays idle. */
struct gin_nic_drop {
	const char *cause;   /* name of the counter, "rx_drop_filter"; NULL: none */
	uint64_t time_ns;    /* CLOCK_MONOTONIC */
	uint32_t len;        /* of the frame */
	uint8_t head[64];
};

struct gin_nic_counters {
	struct gin_nic_stats stats;
	struct gin_nic_drop first_drop;
};

struct gin_nic_queue_counters {
	uint64_t packets, bytes;   /* RQ: delivered; SQ: sent to the wire */
	uint64_t posted;           /* SQ: WQEs with a packet, covered by a doorbell */
	uint64_t drops;            /* RQ: no_buffer; SQ: all causes */
	uint64_t last_ns;          /* NIC time of the last packet */
	uint32_t in_flight;        /* SQ: WQEBBs seen and not completed; RQ: slots posted and free */
	uint32_t state;            /* PRM_STATE_* */
};
#endif
