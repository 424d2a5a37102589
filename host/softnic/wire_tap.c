/* SPDX-License-Identifier: BSD-3-Clause */
/* "tap=IFNAME": a network interface of this machine at the other end. It goes away with the device. */
#include "sn.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TAP_BUF 16384u /* above any frame that the port takes; longer ones are cut and then dropped as too long */

struct tap {
	struct sn_wire w;
	int fd;
	uint8_t gone; /* somebody deleted the interface */
	char name[IFNAMSIZ];
	uint8_t buf[TAP_BUF];
};

static int open_error(struct sn_device *dev, const char *name, int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
		sn_note(dev, GIN_LOG_ERROR,
			"soft: tap=%s: no right to make the interface: run as root (CAP_NET_ADMIN), or once: "
			"sudo ip tuntap add dev %s mode tap user $USER",
			name, name);
		return -EPERM;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		sn_note(dev, GIN_LOG_ERROR,
			"soft: tap=%s: no /dev/net/tun: sudo modprobe tun; in a container: --device /dev/net/tun", name);
		return -ENODEV;
	case EBUSY:
		sn_note(dev, GIN_LOG_ERROR, "soft: tap=%s: another program holds this interface: take another name", name);
		return -EBUSY;
	case EINVAL:
		sn_note(dev, GIN_LOG_ERROR, "soft: tap=%s: an interface of that name is there, and it is no TAP of one queue: take another",
			name);
		return -EBUSY;
	case EMFILE:
	case ENFILE:
		sn_note(dev, GIN_LOG_ERROR, "soft: tap=%s: no descriptor (%s): raise ulimit -n", name, strerror(err));
		return -err;
	default:
		sn_note(dev, GIN_LOG_ERROR, "soft: tap=%s: %s", name, strerror(err));
		return -err;
	}
}

static int attach(struct tap *t)
{
	struct ifreq ifr;

	t->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return errno;
	memset(&ifr, 0, sizeof(ifr));
	ifr.ifr_flags = IFF_TAP | IFF_NO_PI;
	memcpy(ifr.ifr_name, t->name, sizeof(ifr.ifr_name));
	if (!ioctl(t->fd, TUNSETIFF, &ifr))
		return 0;
	return errno;
}

/* As dev_valid_name() of the kernel; and '%' would ask it to choose a number. */
static int is_interface_name(const char *name)
{
	return strlen(name) < IFNAMSIZ && !strpbrk(name, "/:% \t\n\v\f\r") && strcmp(name, ".") && strcmp(name, "..");
}

static int tap_open(struct sn_device *dev, const char *name, struct sn_wire **out)
{
	struct tap *t;
	int err;

	if (!is_interface_name(name)) {
		sn_note(dev, GIN_LOG_ERROR,
			"soft: tap=%s: an interface name has at most %d characters, no '/', ':', '%%' or space, and is not '.' or '..'",
			name, IFNAMSIZ - 1);
		return -EINVAL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->w.ops = &sn_wire_tap;
	t->w.dev = dev;
	strcpy(t->name, name);
	err = attach(t);
	if (err) {
		if (t->fd >= 0)
			close(t->fd);
		free(t);
		return open_error(dev, name, err);
	}
	*out = &t->w;
	return 0;
}

static void tap_close(struct sn_wire *w)
{
	struct tap *t = (struct tap *)w;

	close(t->fd);
	free(t);
}

static void is_gone(struct tap *t)
{
	if (t->gone)
		return;
	t->gone = 1;
	sn_note(t->w.dev, GIN_LOG_ERROR, "soft: tap=%s: the interface was deleted: link down; open the NIC again", t->name);
	sn_port_update_link(t->w.dev);
}

static int tap_send(struct sn_wire *w, const struct sn_frame *frame)
{
	struct tap *t = (struct tap *)w;

	if (t->gone)
		return -ENETDOWN;
	if (write(t->fd, frame->data, frame->len) >= 0)
		return 0;
	switch (errno) {
	case EAGAIN:
		return -EAGAIN;
	case ENOMEM:
	case ENOBUFS:
	case EINTR:
		return -ENOBUFS;
	case EBADFD:
		is_gone(t);
		return -ENETDOWN;
	default: /* EIO: the interface is not up */
		return -ENETDOWN;
	}
}

static int tap_receive(struct sn_wire *w, struct sn_frame *frame)
{
	struct tap *t = (struct tap *)w;
	ssize_t n;

	if (t->gone)
		return -EAGAIN;
	n = read(t->fd, t->buf, sizeof(t->buf));
	if (n < 0) {
		if (errno == EBADFD)
			is_gone(t);
		return -EAGAIN;
	}
	frame->data = t->buf;
	frame->len = (uint32_t)n;
	if (w == w->dev->wire)
		sn_port_arrived(w->dev, frame->len);
	return 0;
}

static void tap_taken(struct sn_wire *w)
{
	(void)w; /* read() took it */
}

static int tap_poll(const struct tap *t, short events)
{
	struct pollfd p = { .fd = t->gone ? -1 : t->fd, .events = events };

	return poll(&p, 1, 0) > 0;
}

static int tap_can_send(struct sn_wire *w)
{
	return tap_poll((const struct tap *)w, POLLOUT);
}

static int tap_can_receive(struct sn_wire *w)
{
	return tap_poll((const struct tap *)w, POLLIN);
}

static int tap_link(struct sn_wire *w)
{
	return !((const struct tap *)w)->gone;
}

static int tap_fd(struct sn_wire *w)
{
	const struct tap *t = (const struct tap *)w;

	return t->gone ? -1 : t->fd;
}

int sn_tap_set_mac(struct sn_wire *w, const uint8_t mac[6])
{
	struct tap *t = (struct tap *)w;
	struct ifreq ifr;

	memset(&ifr, 0, sizeof(ifr));
	ifr.ifr_hwaddr.sa_family = ARPHRD_ETHER;
	memcpy(ifr.ifr_hwaddr.sa_data, mac, 6);
	if (!ioctl(t->fd, SIOCSIFHWADDR, &ifr))
		return 0;
	return open_error(t->w.dev, t->name, errno);
}

const struct sn_wire_ops sn_wire_tap = {
	.name = "tap", .arg = "IFNAME", .open = tap_open, .close = tap_close, .send = tap_send, .receive = tap_receive,
	.taken = tap_taken, .can_send = tap_can_send, .can_receive = tap_can_receive, .link = tap_link, .fd = tap_fd,
};
