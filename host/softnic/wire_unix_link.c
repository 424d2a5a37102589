/* SPDX-License-Identifier: BSD-3-Clause */
/* One connection of a "unix" wire: handshake, waking, and how it ends. */
#define _GNU_SOURCE /* struct ucred */
#include "wire_unix.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGES 64 /* bytes to wake us that are read in one go */

static const char *path_of(const struct ux_wire *u)
{
	return u->place.addr.sun_path;
}

static struct ux_link *new_link(const struct ux_wire *u, int sock, enum ux_state state)
{
	struct ux_link *l = calloc(1, sizeof(*l));
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);

	if (!l)
		return NULL;
	l->sock = sock;
	l->state = state;
	l->deadline_ns = gin_env_now(u->w.dev->env) + UX_HELLO_NS;
	getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len);
	l->pid = peer.pid;
	return l;
}

int ux_link_add(struct ux_wire *u, int sock, enum ux_state state, const char **why)
{
	uint32_t i = (uint32_t)__builtin_ctzll(~u->known);
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = i };

	u->links[i] = new_link(u, sock, state);
	if (!u->links[i] || epoll_ctl(u->epoll_fd, EPOLL_CTL_ADD, sock, &ev)) {
		*why = "no memory";
		free(u->links[i]);
		u->links[i] = NULL;
		close(sock);
		return -ENOMEM;
	}
	u->known |= UX_BIT(i);
	return 0;
}

void ux_link_poke(const struct ux_link *l)
{
	/* No room: bytes that wake it are there already. Gone: its end will be seen. */
	if (l->sock >= 0 && send(l->sock, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}

int ux_link_is_done(const struct ux_link *l)
{
	return l->state == UX_DRAIN && !l->to_links && !l->to_port && l->rx.tail == l->rx.head;
}

static void free_link(struct ux_link *l)
{
	if (l->sock >= 0)
		close(l->sock);
	ux_shared_unmap(l->shared);
	free(l);
}

void ux_link_remove(struct ux_wire *u, uint32_t i)
{
	uint32_t k;

	ux_switch_forget(u, i);
	free_link(u->links[i]);
	u->links[i] = NULL;
	u->known &= ~UX_BIT(i);
	u->up &= ~UX_BIT(i);
	u->blocked &= ~UX_BIT(i);
	for (k = 0; k < UX_MAX_LINKS; k++)
		if (u->links[k])
			u->links[k]->to_links &= ~UX_BIT(i);
	sn_port_update_link(u->w.dev);
}

static void say_dropped(const struct ux_wire *u, const struct ux_link *l)
{
	if (l->dropped)
		sn_note(u->w.dev, GIN_LOG_WARNING,
			"soft: unix=%s: %llu frames for process %d were dropped: it took none for %llu ms",
			path_of(u), (unsigned long long)l->dropped, (int)l->pid, UX_STALL_NS / 1000000);
}

/* Nothing goes to it any more. What it has sent stays, until the port has taken it. */
static void stop_sending(struct ux_wire *u, uint32_t i)
{
	struct ux_link *l = u->links[i];

	/* By name: a child that the program forked keeps a copy of the socket, and epoll with it. */
	epoll_ctl(u->epoll_fd, EPOLL_CTL_DEL, l->sock, NULL);
	close(l->sock);
	l->sock = -1;
	l->state = UX_DRAIN;
	u->up &= ~UX_BIT(i);
	ux_switch_forget(u, i);
	say_dropped(u, l);
}

static void left(struct ux_wire *u, uint32_t i)
{
	struct ux_link *l = u->links[i];

	if (!u->place.is_host)
		sn_note(u->w.dev, GIN_LOG_WARNING,
			"soft: unix=%s: process %d, which hosted it, left: link down; open the NIC again to host it",
			path_of(u), (int)l->pid);
	else
		sn_note(u->w.dev, GIN_LOG_INFO, "soft: unix=%s: process %d left", path_of(u), (int)l->pid);
	ux_rx_stop(&l->rx);
	stop_sending(u, i);
}

static void cut(struct ux_wire *u, uint32_t i, const char *why)
{
	sn_note(u->w.dev, GIN_LOG_WARNING, "soft: unix=%s: process %d: %s: %s", path_of(u), (int)u->links[i]->pid, why,
		u->place.is_host ? "cut off" : "link down");
	stop_sending(u, i);
	ux_link_remove(u, i);
}

void ux_link_broken(struct ux_wire *u, uint32_t i)
{
	cut(u, i, "what it writes into the shared ring makes no sense");
}

void ux_link_late(struct ux_wire *u, uint32_t i)
{
	cut(u, i, "says nothing: it is stopped, or no ginet NIC");
}

static void up(struct ux_wire *u, uint32_t i, struct ux_ring *tx, struct ux_ring *rx)
{
	struct ux_link *l = u->links[i];

	l->tx.ring = tx;
	l->rx.ring = rx;
	l->state = UX_UP;
	u->up |= UX_BIT(i);
	sn_port_update_link(u->w.dev);
}

/* Host: make the rings and hand them over. */
static int welcome(struct ux_wire *u, uint32_t i)
{
	struct ux_link *l = u->links[i];
	int fd = ux_shared_create(&l->shared), err;

	if (fd < 0)
		return fd;
	err = ux_send_hello(l->sock, UX_OK, fd);
	close(fd);
	if (err)
		return err;
	up(u, i, &l->shared->to_guest, &l->shared->to_host);
	sn_note(u->w.dev, GIN_LOG_INFO, "soft: unix=%s: process %d joined, %d on the switch", path_of(u), (int)l->pid,
		__builtin_popcountll(u->up) + 1);
	return 0;
}

static void guest_said_hello(struct ux_wire *u, uint32_t i, const struct ux_hello *hello)
{
	struct ux_link *l = u->links[i];
	int err;

	if (hello->version != UX_VERSION || hello->ring_bytes != UX_RING_BYTES) {
		ux_send_hello(l->sock, UX_OTHER_VERSION, -1);
		cut(u, i, "its ginet is of another version");
		return;
	}
	err = welcome(u, i);
	if (err)
		cut(u, i, strerror(-err));
}

/* Guest: why the host does not take us, or NULL. */
static const char *refusal(struct ux_link *l, const struct ux_hello *hello, int fd)
{
	if (hello->version != UX_VERSION || hello->status == UX_OTHER_VERSION || hello->ring_bytes != UX_RING_BYTES)
		return "its ginet is of another version: build both from the same";
	if (hello->status == UX_FULL)
		return "the switch is full";
	if (hello->status != UX_OK || fd < 0)
		return "it hands over no memory";
	if (ux_shared_map(fd, &l->shared))
		return "the memory that it hands over is not safe to use";
	return NULL;
}

static void host_said_hello(struct ux_wire *u, uint32_t i, const struct ux_hello *hello, int fd)
{
	struct ux_link *l = u->links[i];
	const char *why = refusal(l, hello, fd);

	if (why)
		cut(u, i, why);
	else
		up(u, i, &l->shared->to_host, &l->shared->to_guest);
}

static void handshake(struct ux_wire *u, uint32_t i)
{
	struct ux_hello hello;
	int fd = -1, err = ux_recv_hello(u->links[i]->sock, &hello, &fd);

	if (err == -EAGAIN)
		return;
	if (err) {
		cut(u, i,
		    err == -EPROTO ? "speaks another language: it is no ginet NIC" : "hung up: it is no ginet NIC, or left");
		return;
	}
	if (u->place.is_host)
		guest_said_hello(u, i, &hello);
	else
		host_said_hello(u, i, &hello, fd);
	if (fd >= 0)
		close(fd);
}

/* Bytes that wake us say nothing else; descriptors that come along are closed by the kernel. */
static void read_pokes(struct ux_wire *u, uint32_t i)
{
	char bytes[16];
	int n;

	for (n = 0; n < MESSAGES; n++) {
		ssize_t len = recv(u->links[i]->sock, bytes, sizeof(bytes), MSG_DONTWAIT);

		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (len <= 0) {
			left(u, i);
			return;
		}
	}
}

void ux_link_control(struct ux_wire *u, uint32_t i)
{
	if (u->links[i]->state == UX_HELLO)
		handshake(u, i);
	else if (u->links[i]->state == UX_UP)
		read_pokes(u, i);
}
