/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who gets a frame of a "unix" wire: the station that its destination was last
 * heard from, else all but the sender. A frame goes on only when all who get
 * it have room, so nothing is lost and one who is slow slows the others down;
 * one who takes nothing at all is passed over after a while, when there are
 * others. A guest has one link and learns nothing.
 */
#include "wire_unix.h"
#include <errno.h>
#include <string.h>

#define MACS_EACH 64u /* learned from one link at most: the others' stay known */

static struct ux_mac *slot_of(struct ux_wire *u, const uint8_t *mac)
{
	uint32_t h = (uint32_t)mac[5] | (uint32_t)mac[4] << 8 | (uint32_t)mac[3] << 16 | (uint32_t)mac[2] << 24;

	return &u->macs[(h * 2654435761u) >> 23 & (UX_N_MACS - 1)];
}

static int is_same(const struct ux_mac *m, const uint8_t *mac)
{
	return m->known && !memcmp(m->mac, mac, 6);
}

static void forget(struct ux_wire *u, struct ux_mac *m)
{
	if (m->known)
		u->n_macs[m->where]--;
	m->known = 0;
}

static void learn(struct ux_wire *u, const uint8_t *mac, uint32_t where)
{
	struct ux_mac *m = slot_of(u, mac);

	if ((is_same(m, mac) && m->where == where) || mac[0] & 1)
		return;
	if (where != UX_PORT && !(u->up & UX_BIT(where))) /* it has left, its last frames come late */
		return;
	if (u->n_macs[where] == MACS_EACH && !(m->known && m->where == where))
		return;
	forget(u, m);
	memcpy(m->mac, mac, 6);
	m->where = (uint8_t)where;
	m->known = 1;
	u->n_macs[where]++;
}

void ux_switch_forget(struct ux_wire *u, uint32_t where)
{
	uint32_t i;

	for (i = 0; i < UX_N_MACS; i++)
		if (u->macs[i].where == where)
			forget(u, &u->macs[i]);
}

/* Bits of links; *to_port. from: a link, or UX_PORT. */
static uint64_t route(struct ux_wire *u, const uint8_t *frame, uint32_t from, uint8_t *to_port)
{
	const struct ux_mac *m = slot_of(u, frame);

	*to_port = from != UX_PORT;
	if (!u->place.is_host) /* the host has chosen already */
		return from == UX_PORT ? u->up : 0;
	learn(u, frame + 6, from);
	if (!is_same(m, frame))
		return u->up & ~(from == UX_PORT ? 0 : UX_BIT(from));
	*to_port = m->where == UX_PORT && from != UX_PORT;
	return m->where == UX_PORT || m->where == from ? 0 : u->up & UX_BIT(m->where);
}

/* With one link nobody else is held up: it is waited for as long as it takes. */
static int has_others(const struct ux_wire *u)
{
	return (u->up & (u->up - 1)) != 0;
}

static int is_stalled(const struct ux_wire *u, const struct ux_link *l)
{
	return l->full_since_ns && has_others(u) && gin_env_now(u->w.dev->env) - l->full_since_ns >= UX_STALL_NS;
}

/* 1, 0, or the link is gone: 1, and the caller's set must be looked at again. */
static int has_room(struct ux_wire *u, uint32_t i, uint32_t len)
{
	struct ux_link *l = u->links[i];
	int room = ux_tx_room(&l->tx, len);

	if (room < 0)
		ux_link_broken(u, i);
	else if (room)
		l->full_since_ns = 0;
	else if (!l->full_since_ns)
		l->full_since_ns = gin_env_now(u->w.dev->env);
	return room != 0;
}

static void pass_over(struct ux_wire *u, struct ux_link *l)
{
	l->dropped++;
	if (l->said_stalled)
		return;
	l->said_stalled = 1;
	sn_note(u->w.dev, GIN_LOG_WARNING,
		"soft: unix=%s: process %d takes no frames: while its ring is full, what others send to it is dropped",
		u->place.addr.sun_path, (int)l->pid);
}

/* Links of a set that have no room and are waited for. */
static uint64_t without_room(struct ux_wire *u, uint64_t set, uint32_t len)
{
	uint64_t full = 0;

	for (; set; set &= set - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(set);

		if (!has_room(u, i, len) && !is_stalled(u, u->links[i]))
			full |= UX_BIT(i);
	}
	return full;
}

static int put(struct ux_wire *u, struct ux_link *l, const struct sn_frame *frame)
{
	if (ux_tx_room(&l->tx, frame->len) <= 0) {
		pass_over(u, l);
		return 0;
	}
	ux_tx_put(&l->tx, frame);
	if (ux_tx_must_wake(&l->tx))
		ux_link_poke(l);
	return 1;
}

/* 0; -EAGAIN: *full has no room; -ENETDOWN: nobody got it. */
static int send_to(struct ux_wire *u, uint64_t set, const struct sn_frame *frame, uint64_t *full)
{
	int n = 0;

	*full = without_room(u, set, frame->len);
	if (*full)
		return -EAGAIN;
	for (set &= u->up; set; set &= set - 1)
		n += put(u, u->links[__builtin_ctzll(set)], frame);
	return n ? 0 : -ENETDOWN;
}

/* A guest's link, before the host has answered. */
static int is_joining(const struct ux_wire *u)
{
	return !u->place.is_host && u->known && u->links[0]->state == UX_HELLO;
}

int ux_switch_send(struct ux_wire *u, const struct sn_frame *frame)
{
	uint8_t unused;
	uint64_t set;

	if (is_joining(u)) {
		u->blocked = 1;
		return -EAGAIN;
	}
	if (!u->up)
		return -ENETDOWN;
	set = route(u, frame->data, UX_PORT, &unused);
	return set ? send_to(u, set, frame, &u->blocked) : 0; /* to a station on this side: no link's business */
}

static int awaits_room(struct ux_wire *u, uint64_t set, uint32_t len)
{
	for (set &= u->up; set; set &= set - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(set);
		int room = ux_tx_await_room(&u->links[i]->tx, len);

		if (!room && !is_stalled(u, u->links[i]))
			return 1;
	}
	return 0;
}

int ux_switch_can_send(struct ux_wire *u)
{
	if (is_joining(u))
		return 0;
	if (u->blocked && !awaits_room(u, u->blocked, SN_FRAME_MAX))
		u->blocked = 0;
	return !u->blocked;
}

/* 1: something happened. */
static int take(struct ux_wire *u, uint32_t i)
{
	struct ux_link *l = u->links[i];
	int len = ux_rx_take(&l->rx, l->buf);

	if (len == -EAGAIN)
		return 0;
	if (len < 0) {
		ux_link_broken(u, i);
		return 1;
	}
	if (ux_rx_must_wake(&l->rx))
		ux_link_poke(l);
	l->len = (uint32_t)len;
	l->to_links = route(u, l->buf, i, &l->to_port);
	return 1;
}

/* 1: they have it. */
static int pass_on(struct ux_wire *u, struct ux_link *l)
{
	struct sn_frame frame = { l->buf, l->len };
	uint64_t full;

	if (send_to(u, l->to_links, &frame, &full) == -EAGAIN)
		return 0;
	l->to_links = 0;
	return 1;
}

int ux_switch_serve(struct ux_wire *u, uint32_t i)
{
	struct ux_link *l = u->links[i];
	int n = 0;

	if (l->state == UX_HELLO)
		return 0;
	if (!l->to_links && !l->to_port)
		n = take(u, i);
	if (u->links[i] && l->to_links)
		n |= pass_on(u, l);
	return n;
}

int ux_switch_ready(struct ux_wire *u, uint32_t i)
{
	struct ux_link *l = u->links[i];

	if (l->state == UX_HELLO)
		return 0;
	if (l->to_port || (l->to_links && !awaits_room(u, l->to_links, l->len)))
		return 1;
	return !l->to_links && ux_rx_await(&l->rx); /* nonsense too: it will be seen */
}

/* Links that frames wait for. */
static uint64_t waited_for(const struct ux_wire *u)
{
	uint64_t set = u->known, waited = u->blocked;

	for (; set; set &= set - 1)
		waited |= u->links[__builtin_ctzll(set)]->to_links;
	return waited & u->up;
}

uint64_t ux_switch_next_ns(const struct ux_wire *u)
{
	uint64_t set, first = UINT64_MAX;

	if (!has_others(u))
		return first;
	for (set = waited_for(u); set; set &= set - 1) {
		const struct ux_link *l = u->links[__builtin_ctzll(set)];

		if (l->full_since_ns && l->full_since_ns + UX_STALL_NS < first)
			first = l->full_since_ns + UX_STALL_NS;
	}
	return first;
}
