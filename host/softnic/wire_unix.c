/* SPDX-License-Identifier: BSD-3-Clause */
/* "unix=PATH": NICs of several processes, see wire_unix.h. */
#define _GNU_SOURCE /* accept4() */
#include "wire_unix.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_LISTENER UX_MAX_LINKS /* in epoll; below: a link */
#define EVENTS 16
#define PASSES 64u               /* sockets are looked at once in so many passes, and before sleep */
#define ROUNDS 4
#define BURST 32u                /* frames passed on in a pass */
#define ACCEPT_NS 100000000ull

static uint64_t now(const struct ux_wire *u)
{
	return gin_env_now(u->w.dev->env);
}

static int watch_listener(struct ux_wire *u, int on)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = AT_LISTENER };

	return epoll_ctl(u->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, u->place.sock, &ev) ? -errno : 0;
}

/* A guest's socket is its link; the place only names it. */
static int start_guest(struct ux_wire *u, const char **why)
{
	int sock = u->place.sock, err;

	u->place.sock = -1;
	err = ux_send_hello(sock, UX_OK, -1);
	if (!err || err == -EPIPE) /* that it hung up is seen later */
		return ux_link_add(u, sock, UX_HELLO, why);
	close(sock);
	*why = strerror(-err);
	return err;
}

static int start(struct ux_wire *u, const char **why)
{
	int err;

	u->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (u->epoll_fd < 0) {
		err = -errno;
		*why = "no descriptor is left: raise ulimit -n";
		return err;
	}
	if (!u->place.is_host)
		return start_guest(u, why);
	err = watch_listener(u, 1);
	if (err)
		*why = strerror(-err);
	return err;
}

static void unix_close(struct sn_wire *w)
{
	struct ux_wire *u = (struct ux_wire *)w;

	while (u->known)
		ux_link_remove(u, (uint32_t)__builtin_ctzll(u->known));
	ux_place_close(&u->place);
	if (u->epoll_fd >= 0)
		close(u->epoll_fd);
	free(u);
}

static int unix_open(struct sn_device *dev, const char *path, struct sn_wire **out)
{
	struct ux_wire *u = calloc(1, sizeof(*u));
	const char *why = NULL;
	int err;

	if (!u)
		return -ENOMEM;
	u->w.ops = &sn_wire_unix;
	u->w.dev = dev;
	u->epoll_fd = -1;
	err = ux_place_open(dev, path, &u->place);
	if (err) {
		free(u);
		return err;
	}
	err = start(u, &why);
	if (err) {
		sn_note(dev, GIN_LOG_ERROR, "soft: unix=%s: %s", path, why);
		unix_close(&u->w);
		return err;
	}
	*out = &u->w;
	return 0;
}

/* Control: who comes, who goes */

static void take_in(struct ux_wire *u, int sock)
{
	const char *why;

	if (!~u->known) {
		ux_send_hello(sock, UX_FULL, -1);
		close(sock);
		sn_note(u->w.dev, GIN_LOG_WARNING,
			"soft: unix=%s: one more NIC was turned away: there are %u on the switch", u->place.addr.sun_path,
			UX_MAX_LINKS + 1);
	} else if (ux_link_add(u, sock, UX_HELLO, &why)) {
		sn_note(u->w.dev, GIN_LOG_WARNING, "soft: unix=%s: a NIC was turned away: %s", u->place.addr.sun_path,
			why);
	}
}

/* No descriptor: who waits stays in the socket's queue. Looking at it all the time would not help. */
static void accept_later(struct ux_wire *u, int err)
{
	u->accept_ns = now(u) + ACCEPT_NS;
	watch_listener(u, 0);
	sn_note(u->w.dev, GIN_LOG_WARNING, "soft: unix=%s: cannot take a NIC in (%s): raise ulimit -n",
		u->place.addr.sun_path, strerror(err));
}

static void accept_all(struct ux_wire *u)
{
	int n;

	for (n = 0; n < EVENTS; n++) {
		int sock = accept4(u->place.sock, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (sock >= 0) {
			take_in(u, sock);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
			accept_later(u, errno);
		return;
	}
}

static int end_waits(struct ux_wire *u)
{
	uint64_t set = u->known, before = set;
	int again = u->accept_ns && now(u) >= u->accept_ns;

	for (; set; set &= set - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(set);

		if (u->links[i]->state == UX_HELLO && now(u) >= u->links[i]->deadline_ns)
			ux_link_late(u, i);
		else if (ux_link_is_done(u->links[i]))
			ux_link_remove(u, i);
	}
	if (again) {
		u->accept_ns = 0;
		watch_listener(u, 1);
	}
	return again || u->known != before;
}

static int look_at_sockets(struct ux_wire *u)
{
	struct epoll_event ev[EVENTS];
	int i, n = epoll_wait(u->epoll_fd, ev, EVENTS, 0);

	for (i = 0; i < n; i++) {
		if (ev[i].data.u64 == AT_LISTENER)
			accept_all(u);
		else if (u->known & UX_BIT(ev[i].data.u64)) /* not gone by now */
			ux_link_control(u, (uint32_t)ev[i].data.u64);
	}
	return n > 0;
}

/* 1: something was there. */
static int control(struct ux_wire *u)
{
	int round = 0;

	/* Who was taken in has often said hello already. Bounded: somebody may write all the time. */
	while (look_at_sockets(u) && ++round < ROUNDS)
		;
	return end_waits(u) + round > 0;
}

static int is_waiting(const struct ux_wire *u)
{
	return !u->place.is_host && u->known && !u->up;
}

static uint32_t unix_poll(struct sn_wire *w)
{
	struct ux_wire *u = (struct ux_wire *)w;
	uint64_t set;
	uint32_t n = 0;

	if (++u->n_passes % PASSES == 0 || is_waiting(u))
		n += (uint32_t)control(u);
	if (!(u->known & (u->known - 1)))
		return n; /* one link: all that it brings is the port's */
	for (set = u->known; set && n < BURST; set &= set - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(set);

		while (n < BURST && u->links[i] && !u->links[i]->to_port && ux_switch_serve(u, i))
			n++;
	}
	return n;
}

/* Links take turns. */
static int unix_receive(struct sn_wire *w, struct sn_frame *frame)
{
	struct ux_wire *u = (struct ux_wire *)w;
	uint64_t set = u->known;
	uint32_t k;

	for (k = 0; k < UX_MAX_LINKS && set; k++, u->next = (u->next + 1) % UX_MAX_LINKS) {
		uint32_t i = u->next;

		if (!(set & UX_BIT(i)))
			continue;
		set &= ~UX_BIT(i);
		if (!u->links[i]->to_port)
			ux_switch_serve(u, i);
		if (!u->links[i] || !u->links[i]->to_port)
			continue;
		u->given = u->links[i];
		frame->data = u->given->buf;
		frame->len = u->given->len;
		sn_port_arrived(u->w.dev, frame->len);
		u->next = (i + 1) % UX_MAX_LINKS;
		return 0;
	}
	return -EAGAIN;
}

static void unix_taken(struct sn_wire *w)
{
	((struct ux_wire *)w)->given->to_port = 0;
}

static int unix_can_receive(struct sn_wire *w)
{
	struct ux_wire *u = (struct ux_wire *)w;
	uint64_t set;

	if (control(u))
		return 1; /* the link may have changed: what this pass found ready is old */
	ux_switch_can_send(u); /* what waits for one that is passed over waits no more */
	for (set = u->known; set; set &= set - 1)
		if (ux_switch_ready(u, (uint32_t)__builtin_ctzll(set)))
			return 1;
	return 0;
}

static int unix_send(struct sn_wire *w, const struct sn_frame *frame)
{
	return ux_switch_send((struct ux_wire *)w, frame);
}

static int unix_can_send(struct sn_wire *w)
{
	return ux_switch_can_send((struct ux_wire *)w);
}

/* A guest's link is up from the start: what it sends waits until the host has answered. */
static int unix_link(struct sn_wire *w)
{
	const struct ux_wire *u = (const struct ux_wire *)w;
	uint64_t set = u->known;

	for (; set; set &= set - 1)
		if (!u->place.is_host || u->links[__builtin_ctzll(set)]->state != UX_HELLO)
			return 1;
	return 0;
}

static int unix_fd(struct sn_wire *w)
{
	return ((const struct ux_wire *)w)->epoll_fd;
}

static uint64_t unix_next_ns(struct sn_wire *w)
{
	const struct ux_wire *u = (const struct ux_wire *)w;
	uint64_t first = ux_switch_next_ns(u), set;

	if (u->accept_ns && u->accept_ns < first)
		first = u->accept_ns;
	for (set = u->known; set; set &= set - 1) {
		const struct ux_link *l = u->links[__builtin_ctzll(set)];

		if (l->state == UX_HELLO && l->deadline_ns < first)
			first = l->deadline_ns;
	}
	return first;
}

const struct sn_wire_ops sn_wire_unix = {
	.name = "unix", .arg = "PATH", .open = unix_open, .close = unix_close, .send = unix_send,
	.receive = unix_receive, .taken = unix_taken, .can_send = unix_can_send, .can_receive = unix_can_receive,
	.link = unix_link, .fd = unix_fd, .poll = unix_poll, .next_ns = unix_next_ns,
};
