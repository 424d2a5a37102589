/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "unix=PATH": NICs of several processes on one switch.
 *
 * Whoever opens PATH first makes a socket there and is the switch: the host.
 * Everybody else connects and is a guest. A connection has two rings in a
 * memfd that the host makes and hands over by SCM_RIGHTS; the socket itself
 * carries only that, one byte to wake a side that sleeps, and by its end the
 * news that a side has left.
 *
 * Nobody trusts what stands in shared memory: own indices live in private
 * memory, the other side's are checked, a frame is copied out before anybody
 * looks at it. Who breaks the rules loses its connection, and nobody else does.
 *
 *	wire_unix_ring.c    the rings
 *	wire_unix_socket.c  the path: join, host, what stands in the way; messages
 *	wire_unix_link.c    one connection: handshake, waking, end
 *	wire_unix_switch.c  who gets a frame
 *	wire_unix.c         the wire
 */
#ifndef HOST_SOFTNIC_WIRE_UNIX_H
#define HOST_SOFTNIC_WIRE_UNIX_H
#include "sn.h"
#include <sys/types.h>
#include <sys/un.h>

#define UX_MAGIC "ginet-ux"
#define UX_VERSION 1u
#define UX_RING_BYTES (256u << 10)
#define UX_MAX_LINKS 64u
#define UX_FRAME_MIN 14u             /* a port pads to 60; less than a header is no frame */
#define UX_HELLO_NS 2000000000ull    /* who has not said hello by then is no ginet */
#define UX_STALL_NS 100000000ull     /* a full ring that nobody empties for so long holds nobody else up */

/* Rings */

/*
 * In shared memory, one direction. Indices count bytes and run freely; each
 * stands in two lines of its own, as the prefetcher takes lines in pairs. A
 * record: length in 4 bytes, 4 bytes of nothing, the frame; filled up to 8.
 */
struct ux_ring {
	_Alignas(128) uint32_t tail;         /* written by the producer */
	_Alignas(128) uint32_t head;         /* written by the consumer */
	_Alignas(128) uint32_t wants_frames; /* the consumer sleeps: send a byte */
	_Alignas(128) uint32_t wants_room;   /* the producer waits: send a byte when half of the ring is free */
	_Alignas(128) uint8_t data[UX_RING_BYTES];
};

struct ux_shared {
	struct ux_ring to_guest, to_host;
};

struct ux_tx {
	struct ux_ring *ring;
	uint32_t tail, head; /* head: as last seen */
};

struct ux_rx {
	struct ux_ring *ring;
	uint32_t head, tail; /* tail: as last seen */
	uint8_t last;        /* the other side has left: what stands up to tail is all */
};

/* A sealed memfd with empty rings, mapped: its descriptor, or -errno. */
int ux_shared_create(struct ux_shared **out);
/* Map what somebody else made. -EPROTO: it could shrink under our feet, or is something else. */
int ux_shared_map(int fd, struct ux_shared **out);
void ux_shared_unmap(struct ux_shared *shared);

/* All: -EPROTO when the other side's index is out of bounds. */
int ux_tx_room(struct ux_tx *tx, uint32_t len);           /* 1 or 0 */
int ux_tx_await_room(struct ux_tx *tx, uint32_t len);     /* the same; 0: asked to be woken */
void ux_tx_put(struct ux_tx *tx, const struct sn_frame *frame); /* there is room */
int ux_tx_must_wake(struct ux_tx *tx);                    /* after a put: the consumer sleeps */
int ux_rx_take(struct ux_rx *rx, uint8_t buf[SN_FRAME_MAX]); /* length, or -EAGAIN */
int ux_rx_must_wake(struct ux_rx *rx);                    /* after a take: the producer waits, and there is room */
int ux_rx_await(struct ux_rx *rx);                        /* 1: there is a frame; 0: asked to be woken */
void ux_rx_stop(struct ux_rx *rx);                        /* the other side left; what it wrote may still be taken */

/* The path, and messages */

enum ux_status { UX_OK, UX_OTHER_VERSION, UX_FULL };

struct ux_hello {
	char magic[8];
	uint32_t version;
	uint32_t status;     /* enum ux_status, of the host's answer */
	uint32_t ring_bytes;
};

struct ux_place {
	struct sockaddr_un addr;
	int sock;            /* listens, or is connected */
	uint8_t is_host;
	dev_t dev;           /* host: the socket's file, to remove that and no other */
	ino_t ino;
};

/* Join the switch at path or become it. Logs cause and remedy: -EINVAL, -EACCES, -EBUSY, -ENOENT, ... */
int ux_place_open(struct sn_device *dev, const char *path, struct ux_place *place);
void ux_place_close(struct ux_place *place);

int ux_send_hello(int sock, enum ux_status status, int fd); /* fd: -1 for none. 0 or -errno */
/* 0 and *fd (-1: none came), -EAGAIN, -EPROTO: something else, -ECONNRESET: the other side hung up. */
int ux_recv_hello(int sock, struct ux_hello *hello, int *fd);

/* Connections */

enum ux_state {
	UX_HELLO,  /* host: waits for the guest's hello; guest: for the answer */
	UX_UP,
	UX_DRAIN,  /* the other side left; frames that it sent are still to be taken */
};

struct ux_link {
	int sock; /* -1: the other side left */
	enum ux_state state;
	pid_t pid;
	struct ux_shared *shared;
	struct ux_tx tx;
	struct ux_rx rx;
	uint64_t deadline_ns;   /* in UX_HELLO */
	uint64_t full_since_ns; /* 0: there was room last time */
	uint64_t dropped;       /* frames that others sent to it while it took nothing */
	uint8_t said_stalled;
	/* The frame taken last, and who is still to get it. */
	uint64_t to_links;
	uint8_t to_port;
	uint32_t len;
	uint8_t buf[SN_FRAME_MAX];
};

struct ux_mac {
	uint8_t mac[6];
	uint8_t known, where; /* where: a link, or UX_PORT */
};
#define UX_N_MACS 512u /* a power of two */
#define UX_PORT UX_MAX_LINKS

struct ux_wire {
	struct sn_wire w;
	struct ux_place place;
	int epoll_fd;
	struct ux_link *links[UX_MAX_LINKS];
	uint64_t known, up;          /* links that are there; in UX_UP */
	uint64_t blocked;            /* had no room for the port's last frame */
	uint64_t accept_ns;          /* not 0: no descriptor was left, try again then */
	uint32_t n_passes;
	uint32_t next;               /* link whose turn it is */
	struct ux_link *given;       /* its frame is with the port */
	struct ux_mac macs[UX_N_MACS];
	uint32_t n_macs[UX_MAX_LINKS + 1];
};

#define UX_BIT(i) (1ull << (i))

int ux_link_add(struct ux_wire *u, int sock, enum ux_state state, const char **why); /* 0 or -errno; takes the socket */
void ux_link_control(struct ux_wire *u, uint32_t i);  /* its socket has something */
void ux_link_late(struct ux_wire *u, uint32_t i);     /* it has not said hello in time */
void ux_link_broken(struct ux_wire *u, uint32_t i);   /* it broke the rules: cut it off */
int ux_link_is_done(const struct ux_link *l);         /* left, and nothing of it is left */
void ux_link_remove(struct ux_wire *u, uint32_t i);
void ux_link_poke(const struct ux_link *l);

/* The switch */

void ux_switch_forget(struct ux_wire *u, uint32_t where); /* all MACs that were learned there */
/* The port sends. */
int ux_switch_send(struct ux_wire *u, const struct sn_frame *frame);
int ux_switch_can_send(struct ux_wire *u);
/* Take a frame of link i if none waits, and pass it on to other links: 1 if it did anything. */
int ux_switch_serve(struct ux_wire *u, uint32_t i);
/* Is there something to do for link i? 0: it will wake us. */
int ux_switch_ready(struct ux_wire *u, uint32_t i);
uint64_t ux_switch_next_ns(const struct ux_wire *u); /* when a stalled link no longer holds others up */
#endif
