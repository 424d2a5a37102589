/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "packet=IFNAME": an interface that is there already, by a packet socket (see
 * packet(7)). The kernel sees the same frames: an interface without addresses
 * keeps it from answering too.
 *
 * Two things a wire would not do, and the kernel does: it takes the outermost
 * VLAN tag off and reports it beside the frame, and hands over frames of local
 * senders before their checksums are filled in. Both are made good here.
 */
#define _GNU_SOURCE /* recvmmsg() */
#include "sn.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 16u
#define VLAN_TAG 4u
#define MACS 12u
#define PACKET_BUF 16384u            /* above any frame that the port takes; longer ones are cut and dropped */
#define RECEIVE_BUF (4 << 20)        /* what the kernel keeps while we are busy; it may grant less */
#define LOOK_NS 100000000ull         /* how often the link is looked at */
#define PASSES 256u                  /* and no clock before that */

struct slot {
	_Alignas(struct cmsghdr) char aux[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	uint8_t buf[VLAN_TAG + PACKET_BUF]; /* room in front: the tag comes back */
};

struct packet {
	struct sn_wire w;
	int fd;
	int up;
	uint8_t gone, said_long;
	uint64_t look_ns;  /* when to look at the link again */
	uint32_t n_passes;
	uint32_t first, n; /* frames of the last batch that wait */
	uint64_t missed;  /* by the kernel */
	char name[IFNAMSIZ];
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	struct sn_frame frames[BATCH];
	struct slot slots[BATCH];
};

static int fail(struct sn_device *dev, const char *name, int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
		sn_note(dev, GIN_LOG_ERROR,
			"soft: packet=%s: no right to a packet socket: run as root, or: sudo setcap cap_net_raw+ep PROGRAM",
			name);
		return -EPERM;
	case ENODEV:
	case ENXIO:
		sn_note(dev, GIN_LOG_ERROR,
			"soft: packet=%s: no such interface here: ip -br link shows those that are", name);
		return -ENODEV;
	case EMFILE:
	case ENFILE:
		sn_note(dev, GIN_LOG_ERROR, "soft: packet=%s: no descriptor is left: raise ulimit -n", name);
		return -err;
	default:
		sn_note(dev, GIN_LOG_ERROR, "soft: packet=%s: %s", name, strerror(err));
		return -err;
	}
}

static int ask(const struct packet *t, unsigned long what, struct ifreq *ifr)
{
	memset(ifr, 0, sizeof(*ifr));
	memcpy(ifr->ifr_name, t->name, sizeof(ifr->ifr_name));
	return ioctl(t->fd, what, ifr) ? errno : 0;
}

static int is_up(const struct packet *t)
{
	struct ifreq ifr;

	return !ask(t, SIOCGIFFLAGS, &ifr) && (ifr.ifr_flags & IFF_UP) && (ifr.ifr_flags & IFF_RUNNING);
}

/* What the interface cannot carry is said now, not packet by packet. */
static int check_mtu(struct packet *t)
{
	uint32_t mtu = t->w.dev->profile.mtu;
	struct ifreq ifr;
	int err = ask(t, SIOCGIFMTU, &ifr);

	if (err)
		return fail(t->w.dev, t->name, err);
	if ((uint32_t)ifr.ifr_mtu >= mtu)
		return 0;
	sn_note(t->w.dev, GIN_LOG_ERROR,
		"soft: packet=%s: the interface's MTU is %d, the NIC's %u: say mtu=%d, or: sudo ip link set %s mtu %u",
		t->name, ifr.ifr_mtu, mtu, ifr.ifr_mtu, t->name, mtu);
	return -EINVAL;
}

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? errno : 0;
}

/* All frames, as the port's own filter chooses; but not those that leave. */
static int attach(struct packet *t)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	struct packet_mreq all = { .mr_type = PACKET_MR_PROMISC };
	int err;

	addr.sll_ifindex = all.mr_ifindex = (int)if_nametoindex(t->name);
	if (!addr.sll_ifindex)
		return ENODEV;
	set(t->fd, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUF);
	set(t->fd, SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUF); /* only root may have more than the system's limit */
	err = set(t->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	if (!err)
		err = set(t->fd, SOL_PACKET, PACKET_AUXDATA, 1);
	if (!err && bind(t->fd, (struct sockaddr *)&addr, sizeof(addr)))
		err = errno;
	if (!err && setsockopt(t->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)))
		err = errno;
	return err;
}

static void prepare_batch(struct packet *t)
{
	uint32_t i;

	for (i = 0; i < BATCH; i++) {
		t->iov[i].iov_base = t->slots[i].buf + VLAN_TAG;
		t->iov[i].iov_len = PACKET_BUF;
		t->msgs[i].msg_hdr.msg_iov = &t->iov[i];
		t->msgs[i].msg_hdr.msg_iovlen = 1;
		t->msgs[i].msg_hdr.msg_control = t->slots[i].aux;
	}
}

static int start(struct packet *t)
{
	int err;

	/* No protocol: nothing comes before bind(). */
	t->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0)
		return fail(t->w.dev, t->name, errno);
	err = attach(t);
	if (err)
		return fail(t->w.dev, t->name, err);
	return check_mtu(t);
}

static int packet_open(struct sn_device *dev, const char *name, struct sn_wire **out)
{
	struct packet *t;
	int err;

	if (strlen(name) >= IFNAMSIZ)
		return fail(dev, name, ENODEV);
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->w.ops = &sn_wire_packet;
	t->w.dev = dev;
	strcpy(t->name, name);
	prepare_batch(t);
	err = start(t);
	if (err) {
		if (t->fd >= 0)
			close(t->fd);
		free(t);
		return err;
	}
	t->up = is_up(t);
	if (!t->up)
		sn_note(dev, GIN_LOG_WARNING,
			"soft: packet=%s: the interface is down: link down until: ip link set %s up", name, name);
	*out = &t->w;
	return 0;
}

static void count_missed(struct packet *t)
{
	struct tpacket_stats stats;
	socklen_t len = sizeof(stats);

	if (!getsockopt(t->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len)) /* since the last call */
		t->missed += stats.tp_drops;
}

static void packet_close(struct sn_wire *w)
{
	struct packet *t = (struct packet *)w;

	count_missed(t);
	if (t->missed)
		sn_note(w->dev, GIN_LOG_WARNING,
			"soft: packet=%s: the kernel had no room for %llu frames: sudo sysctl net.core.rmem_max=%d gives more",
			t->name, (unsigned long long)t->missed, RECEIVE_BUF);
	close(t->fd);
	free(t);
}

/* The kernel takes the socket off an interface that goes down, and on again when it comes up; not one that is deleted. */
static void look_at_link(struct packet *t)
{
	int up = is_up(t);

	if (!up && !t->gone && !if_nametoindex(t->name)) {
		t->gone = 1;
		sn_note(t->w.dev, GIN_LOG_ERROR,
			"soft: packet=%s: the interface was deleted: link down; open the NIC again", t->name);
	}
	t->up = up && !t->gone;
	t->look_ns = gin_env_now(t->w.dev->env) + LOOK_NS;
	sn_port_update_link(t->w.dev);
}

static int packet_send(struct sn_wire *w, const struct sn_frame *frame)
{
	struct packet *t = (struct packet *)w;

	if (send(t->fd, frame->data, frame->len, MSG_DONTWAIT) >= 0)
		return 0;
	switch (errno) {
	case EAGAIN:
		return -EAGAIN;
	case ENOMEM:
	case EINTR:
		return -ENOBUFS;
	case ENOBUFS: /* the queue is full, or there is no carrier */
		look_at_link(t);
		return t->up ? -ENOBUFS : -ENETDOWN;
	case ENETDOWN:
	case ENXIO:
	case ENODEV:
		look_at_link(t);
		return -ENETDOWN;
	default: /* EMSGSIZE: the interface's MTU was made smaller */
		return -ENETDOWN;
	}
}

static const struct tpacket_auxdata *auxdata(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);

	return c && c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA ?
		       (const struct tpacket_auxdata *)(const void *)CMSG_DATA(c) :
		       NULL;
}

static void put_tag_back(struct slot *s, const struct tpacket_auxdata *aux, struct sn_frame *frame)
{
	uint16_t tpid = aux->tp_status & TP_STATUS_VLAN_TPID_VALID ? aux->tp_vlan_tpid : ETH_P_8021Q;

	memmove(s->buf, s->buf + VLAN_TAG, MACS);
	s->buf[MACS] = (uint8_t)(tpid >> 8);
	s->buf[MACS + 1] = (uint8_t)tpid;
	s->buf[MACS + 2] = (uint8_t)(aux->tp_vlan_tci >> 8);
	s->buf[MACS + 3] = (uint8_t)aux->tp_vlan_tci;
	frame->data = s->buf;
	frame->len += VLAN_TAG;
}

/* A sender of this machine leaves cutting into packets to the last one in the row, which here is us. */
static void say_long(struct packet *t, uint32_t len)
{
	if (t->said_long)
		return;
	t->said_long = 1;
	sn_note(t->w.dev, GIN_LOG_WARNING,
		"soft: packet=%s: a frame of %u bytes is above the NIC's MTU and dropped; if its sender's interface leaves "
		"the cutting to others: sudo ethtool -K IFNAME tso off gso off, and gro off here",
		t->name, len);
}

/* The frame of a message, as it was on the wire. */
static void finish(struct packet *t, struct slot *s, const struct tpacket_auxdata *aux, struct sn_frame *frame)
{
	if (frame->len > sn_max_frame(t->w.dev, frame->data, frame->len)) {
		say_long(t, aux && aux->tp_len > frame->len ? aux->tp_len : frame->len);
		return;
	}
	if (!aux)
		return;
	if (aux->tp_status & TP_STATUS_CSUMNOTREADY)
		sn_csum_insert(s->buf + VLAN_TAG, frame->len, GIN_ETH_L4_CSUM);
	if (aux->tp_status & TP_STATUS_VLAN_VALID && frame->len >= MACS)
		put_tag_back(s, aux, frame);
}

static void fetch(struct packet *t)
{
	uint32_t i;
	int n;

	for (i = 0; i < BATCH; i++)
		t->msgs[i].msg_hdr.msg_controllen = sizeof(t->slots[i].aux);
	n = recvmmsg(t->fd, t->msgs, BATCH, MSG_DONTWAIT, NULL);
	t->first = 0;
	t->n = n > 0 ? (uint32_t)n : 0;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		look_at_link(t);
	for (i = 0; i < t->n; i++) {
		t->frames[i].data = t->slots[i].buf + VLAN_TAG;
		t->frames[i].len = t->msgs[i].msg_len;
		finish(t, &t->slots[i], auxdata(&t->msgs[i].msg_hdr), &t->frames[i]);
		sn_port_arrived(t->w.dev, t->frames[i].len);
	}
}

static int packet_receive(struct sn_wire *w, struct sn_frame *frame)
{
	struct packet *t = (struct packet *)w;

	if (t->first == t->n)
		fetch(t);
	if (t->first == t->n)
		return -EAGAIN;
	*frame = t->frames[t->first];
	return 0;
}

static void packet_taken(struct sn_wire *w)
{
	((struct packet *)w)->first++;
}

static uint32_t packet_held(struct sn_wire *w)
{
	const struct packet *t = (const struct packet *)w;

	return t->n - t->first;
}

static int has_event(const struct packet *t, short events)
{
	struct pollfd p = { .fd = t->fd, .events = events };

	return poll(&p, 1, 0) > 0;
}

static int packet_can_send(struct sn_wire *w)
{
	return has_event((const struct packet *)w, POLLOUT);
}

static int packet_can_receive(struct sn_wire *w)
{
	return packet_held(w) || has_event((const struct packet *)w, POLLIN);
}

static int packet_link(struct sn_wire *w)
{
	return ((const struct packet *)w)->up;
}

static int packet_fd(struct sn_wire *w)
{
	return ((const struct packet *)w)->fd;
}

/* The carrier comes and goes without telling the socket. */
static uint32_t packet_poll(struct sn_wire *w)
{
	struct packet *t = (struct packet *)w;
	int up = t->up;

	if (t->gone || (up && ++t->n_passes % PASSES) || gin_env_now(w->dev->env) < t->look_ns)
		return 0;
	look_at_link(t);
	return t->up != up;
}

static uint64_t packet_next_ns(struct sn_wire *w)
{
	const struct packet *t = (const struct packet *)w;

	return t->up || t->gone ? UINT64_MAX : t->look_ns;
}

const struct sn_wire_ops sn_wire_packet = {
	.name = "packet", .arg = "IFNAME", .open = packet_open, .close = packet_close, .send = packet_send,
	.receive = packet_receive, .taken = packet_taken, .can_send = packet_can_send,
	.can_receive = packet_can_receive, .held = packet_held, .link = packet_link, .fd = packet_fd, .poll = packet_poll, .next_ns = packet_next_ns,
};
