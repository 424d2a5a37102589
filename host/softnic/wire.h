/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wire: where frames leave a port and come from. Every call is made with the
 * shard's lock held; no call blocks. The "host" end of a device is one too.
 */
#ifndef HOST_SOFTNIC_WIRE_H
#define HOST_SOFTNIC_WIRE_H
#include <stddef.h>
#include <stdint.h>

struct sn_device;
struct sn_wire;

struct sn_frame {
	const uint8_t *data;
	uint32_t len;
};

struct sn_wire_ops {
	const char *name; /* the word in front of "=" */
	const char *arg;  /* what stands behind it, for the list of known wires; NULL: nothing */
	/* Logs cause and remedy. -EPERM, -EBUSY, -ENODEV, -EINVAL, -ENOMEM. */
	int (*open)(struct sn_device *dev, const char *arg, struct sn_wire **out);
	void (*close)(struct sn_wire *wire);
	/* 0; -EAGAIN: full, keep the frame and try again; -ENETDOWN: the other side takes nothing. */
	int (*send)(struct sn_wire *wire, const struct sn_frame *frame);
	/* Next frame that waits, valid until taken() or the next call: 0 or -EAGAIN. NULL: frames arrive inside send(). */
	int (*receive)(struct sn_wire *wire, struct sn_frame *frame);
	void (*taken)(struct sn_wire *wire);
	int (*can_send)(struct sn_wire *wire);    /* NULL: always */
	int (*can_receive)(struct sn_wire *wire); /* NULL: never */
	uint32_t (*held)(struct sn_wire *wire);   /* frames that arrived and wait in the wire; NULL: none */
	int (*link)(struct sn_wire *wire);        /* NULL: always up */
	int (*fd)(struct sn_wire *wire);          /* for poll(), -1: gone; NULL: none */
	/* Once a pass: move bursts between the wire's rings and what is behind them. Frames moved; NULL: nothing to do. */
	uint32_t (*poll)(struct sn_wire *wire);
	/* When poll() must be called again though no descriptor says so; UINT64_MAX or NULL: never. The NIC's clock. */
	uint64_t (*next_ns)(struct sn_wire *wire);
	/* 1: a finite input is used up, nothing will arrive any more; -EAGAIN: it has more; 0 or NULL: endless. */
	int (*ended)(struct sn_wire *wire);
};

/* First member of each wire's own struct. */
struct sn_wire {
	const struct sn_wire_ops *ops;
	struct sn_device *dev;
};

extern const struct sn_wire_ops sn_wire_loop, sn_wire_cable, sn_wire_tap, sn_wire_packet, sn_wire_unix, sn_wire_test;

/* "tap=gin0": its ops, and *arg behind the "="; NULL: no such wire. */
const struct sn_wire_ops *sn_wire_find(const char *text, const char **arg);
/* "loop, cable=NAME, tap=IFNAME, packet=IFNAME, unix=PATH" */
const char *sn_wire_list(char *buf, size_t size);

/* wire_cable.c: the device at the other end, NULL if none or another wire. */
struct sn_device *sn_cable_peer(struct sn_device *dev);
/* wire_tap.c: give the interface this MAC, as the port's own kernel interface has the port's. */
int sn_tap_set_mac(struct sn_wire *wire, const uint8_t mac[6]);
#endif
