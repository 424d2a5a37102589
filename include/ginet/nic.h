/* SPDX-License-Identifier: BSD-3-Clause */
/* A NIC port: opening, what it is, what it counted, why it failed. */
#ifndef GINET_NIC_H
#define GINET_NIC_H
#include <ginet/error.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_nic;

/**
 * Open a NIC.
 *
 * name  "soft:WIRE[,key=value,...]", a software ConnectX. WIRE is loop,
 *       cable=NAME (two NICs with the same name are connected), tap=IFNAME or
 *       one of those that ginet(7), tools/man/ginet.7, lists with all keys.
 *       NULL: $GINET_NIC, else "soft:loop", and one line says which
 * out   set on success, untouched on failure
 *
 * "capture=FILE" writes every frame that is counted as rx_wire or tx_wire to a
 * file, as pcapng. A disk that gets full ends the capture, in one line, not the
 * traffic; the file is whole up to there.
 *
 * A wire may have an input that ends: a capture file ("soft:net_pcap0,
 * rx_pcap=in.pcap,tx_pcap=out.pcap"). It starts with the first launch on a GPU
 * that has a receive queue of this NIC. None of its packets is dropped for want
 * of a buffer: the next one waits until its queue has a slot. gin_gpu_wait()
 * notices the end.
 *
 * Returns 0 or -EINVAL (name malformed; the known keys are logged), -ENODEV,
 * -EPERM (no right to open the wire), -EBUSY (interface name taken; another NIC
 * captures to this file), -ENOTSUP (the card lacks what ginet needs; logged),
 * -ENOMEM, or why a file cannot be opened. Any thread.
 */
int gin_nic_open(const char *name, struct gin_nic **out);

/**
 * Close a NIC. Stops the GPUs its queues belong to, waits up to 2 s for their
 * kernels, then destroys rules, queues and MRs in the right order. If a kernel
 * does not end, says which, and leaves its memory mapped. NULL does nothing.
 * Any thread, once; other calls on this NIC must have returned.
 */
void gin_nic_close(struct gin_nic *nic);

struct gin_nic_info {
	char name[32], kind[16]; /* kind: "soft" */
	uint8_t mac[6];
	uint8_t link_up;
	uint8_t has_time;        /* 0: gin_pkt_time_ns() gives 0 */
	uint32_t mtu;            /* bytes, without the 14-byte Ethernet header */
	uint64_t link_mbps;
};
int gin_nic_info(struct gin_nic *nic, struct gin_nic_info *out); /* 0 or -EIO; any thread */

/** Also take frames for other MACs (on: 1), or not (0, the default). 0 or -EPERM without the right. Any thread. */
int gin_nic_promisc(struct gin_nic *nic, int on);

/** The NIC's clock, nanoseconds. 0 or -ENOTSUP. Any thread. */
int gin_nic_time(struct gin_nic *nic, uint64_t *ns);

/**
 * What the port counted, packets unless it says bytes. In every snapshot, also
 * while kernels run:
 *   rx_wire + rx_duplicated = rx_delivered + all rx_drop_* + rx_to_host + rx_in_flight
 *   tx_posted = tx_wire + all tx_drop_* + tx_in_flight
 * in_flight is measured (queues and rings are looked at), not computed.
 */
struct gin_nic_stats {
	uint64_t rx_wire, rx_wire_bytes, rx_duplicated, rx_delivered, rx_to_host, rx_in_flight;
	uint64_t rx_drop_filter;      /* destination MAC is not ours */
	uint64_t rx_drop_by_rule;     /* a rule said drop */
	uint64_t rx_drop_no_buffer;   /* the kernel had not released a slot */
	uint64_t rx_drop_too_long;    /* longer than the MTU, or than the slot: that puts the queue in error */
	uint64_t rx_drop_bad_frame;   /* shorter than an Ethernet header */
	uint64_t rx_drop_queue_error; /* the queue is in error */
	uint64_t rx_drop_link_down;
	uint64_t tx_posted, tx_wire, tx_wire_bytes, tx_in_flight;
	uint64_t tx_drop_too_long;    /* longer than the MTU allows */
	uint64_t tx_drop_link_down;
	uint64_t tx_drop_queue_error; /* WQEs at or behind an error */
	uint64_t refused;             /* doorbells and CQ set-ups that the NIC ignored; each said why in a line */
};
int gin_nic_stats(struct gin_nic *nic, struct gin_nic_stats *out); /* 0 or -EIO; any thread */

/** Print a table of NIC, queues and rules, with the sum check as last line. Any thread, also while kernels run. */
void gin_nic_print_stats(struct gin_nic *nic, FILE *to);

/** The first queue that failed since open: 0 = none, -EIO = *out says which and why. Any thread. */
int gin_nic_failure(struct gin_nic *nic, struct gin_failure *out);

#ifdef __cplusplus
}
#endif
#endif
