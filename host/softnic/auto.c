/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "auto,iface=X": the fastest way to an interface that works for this user, on
 * this kernel, with what is installed. Nothing is guessed: each way is tried,
 * what stopped it is told. An interface that does not exist, and one that is a
 * TAP, is opened as a TAP.
 */
#include "auto.h"
#include "sn.h"
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PREFIX "auto="
#define CAUSE 140 /* characters of each */

struct way {
	const char *name;
	int by_dpdk;       /* net_NAME<index>,iface=X; else NAME=X */
	const char *about;
};

static const struct way af_xdp = { "af_xdp", 1, "AF_XDP: frames go past the kernel's network stack" };
static const struct way af_packet = { "af_packet", 1,
				      "AF_PACKET by DPDK: the kernel's network stack sees the frames too" };
static const struct way packet = { "packet", 0, "a packet socket: the kernel's network stack sees the frames too" };
static const struct way tap = { "tap", 0, "a TAP interface" };

static const struct way *const for_tap[] = { &tap, &af_packet, &packet, NULL };
static const struct way *const for_none[] = { &tap, NULL };
static const struct way *const for_others[] = { &af_xdp, &af_packet, &packet, NULL };

int sn_auto_is(const char *wire)
{
	return !strcmp(wire, SN_AUTO) || !strncmp(wire, PREFIX, strlen(PREFIX));
}

int sn_auto_is_complete(const char *wire)
{
	return strcmp(wire, SN_AUTO) != 0;
}

int sn_auto_set(char *wire, size_t size, const char *key, const char *value)
{
	if (strcmp(key, "iface") || !*value || strlen(value) >= IFNAMSIZ || strpbrk(value, "/:% \t"))
		return -EINVAL;
	snprintf(wire, size, PREFIX "%s", value);
	return 0;
}

/* Not from /sys, which shows another network namespace's interfaces after unshare(). */
static int ask(const char *iface, void *command)
{
	struct ifreq ifr = { .ifr_data = command };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (s < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", iface);
	err = ioctl(s, SIOCETHTOOL, &ifr) ? -errno : 0;
	close(s);
	return err;
}

/* bus: "tap" of a TAP, which has "tun" for a driver; NULL: any. */
static int is_of(const char *iface, const char *driver, const char *bus)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	return !ask(iface, &info) && !strcmp(info.driver, driver) && (!bus || !strcmp(info.bus_info, bus));
}

static const struct way *const *ways_to(const char *iface)
{
	if (!if_nametoindex(iface))
		return for_none;
	return is_of(iface, "tun", "tap") ? for_tap : for_others;
}

static uint32_t n_receive_queues(const char *iface)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };

	return ask(iface, &channels) ? 1 : channels.rx_count + channels.combined_count;
}

/* A veth leaves checksums, and cutting into packets, to a card that is not there. */
static const char finish_veth[] =
	"; the other end of this veth must finish its frames: sudo ethtool -K PEER tx off tso off gso off";

struct search {
	const char *iface;
	char refused[640]; /* "; not af_xdp: why" for each */
};

static void add_refusal(struct search *s, const char *name, const char *why)
{
	size_t at = strlen(s->refused);

	snprintf(s->refused + at, sizeof(s->refused) - at, "; not %s: %.*s%s", name, CAUSE, why,
		 strlen(why) > CAUSE ? "..." : "");
}

/* The cause in a line such as "soft:net_tap0,iface=x: cause". */
static const char *cause_of(const struct gin_log_kept *kept, int err)
{
	const char *line, *colon;
	uint32_t i;

	for (i = 0; i < kept->n; i++) {
		if (kept->lines[i].level != GIN_LOG_ERROR)
			continue;
		line = kept->lines[i].text;
		colon = strncmp(line, "soft:", 5) ? NULL : strstr(line + 6, ": ");
		return colon ? colon + 2 : line;
	}
	return strerror(-err);
}

static void say_now(const struct gin_log_kept *kept)
{
	uint32_t i;

	for (i = 0; i < kept->n; i++)
		gin_log(kept->lines[i].level, "%s", kept->lines[i].text);
}

/* A queue of the card that nobody reads would swallow its share of the frames. */
static int sees_all(struct search *s, const struct way *way)
{
	uint32_t n = way == &af_xdp ? n_receive_queues(s->iface) : 1;
	char why[128];

	if (n <= 1)
		return 1;
	snprintf(why, sizeof(why), "it would see one of %u receive queues (sudo ethtool -L %s combined 1)", n,
		 s->iface);
	add_refusal(s, way->name, why);
	return 0;
}

/* The interface's index in a DPDK device's name: two NICs of one program must differ. */
static void fill_wire(char *wire, size_t size, const struct way *way, const char *iface)
{
	if (way->by_dpdk)
		snprintf(wire, size, "net_%s%u,iface=%s", way->name, if_nametoindex(iface), iface);
	else
		snprintf(wire, size, "%s=%s", way->name, iface);
}

static int try_way(struct search *s, const struct way *way, struct sn_profile *p, const struct gin_env *env,
		   struct sn_device **out)
{
	struct gin_log_kept kept;
	int err;

	if (!sees_all(s, way))
		return -ENOTSUP;
	fill_wire(p->wire, sizeof(p->wire), way, s->iface);
	gin_log_keep(&kept);
	err = sn_device_create(p, env, out);
	gin_log_keep(NULL);
	if (err) {
		add_refusal(s, way->name, cause_of(&kept, err));
		return err;
	}
	say_now(&kept);
	gin_info("soft:auto,iface=%s: by %s (%s)%s%s", s->iface, p->wire, way->about, s->refused,
		 way->by_dpdk && is_of(s->iface, "veth", NULL) ? finish_veth : "");
	return 0;
}

int sn_auto_create(const struct sn_profile *profile, const struct gin_env *env, struct sn_device **out)
{
	struct search s = { .iface = profile->wire + strlen(PREFIX) };
	const struct way *const *way = ways_to(s.iface);
	struct sn_profile p = *profile;
	int err = -ENODEV;

	for (; *way; way++) {
		err = try_way(&s, *way, &p, env, out);
		if (!err)
			return 0;
	}
	gin_error("soft:auto,iface=%s: no way to it%s", s.iface, s.refused);
	return err;
}
