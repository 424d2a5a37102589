/* SPDX-License-Identifier: BSD-3-Clause */
/* TAP and captures; formats: packet(7), and the savefile format of pcap-savefile(5). */
#define _GNU_SOURCE /* unshare() */
#include "peer.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ok;

	if (fd < 0)
		return -1;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok ? 0 : -1;
}

/* Root in a user namespace of its own: enough for interfaces in a network namespace of its own. */
static int become_root(void)
{
	char map[64];
	unsigned int uid = (unsigned int)geteuid(), gid = (unsigned int)getegid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -1;
	write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (write_text("/proc/self/uid_map", map))
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	return write_text("/proc/self/gid_map", map);
}

int tap_possible(char *why, size_t size)
{
	int fd;

	if (geteuid() ? become_root() : unshare(CLONE_NEWNET)) {
		snprintf(why, size, "no network namespace: %s", strerror(errno));
		return -1;
	}
	fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		snprintf(why, size, "/dev/net/tun: %s", strerror(errno));
		return -1;
	}
	close(fd);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (fd < 0) {
		snprintf(why, size, "no packet socket: %s", strerror(errno));
		return -1;
	}
	close(fd);
	return 0;
}

/* Up, and silent by itself: no IPv6. */
static int set_up(int sock, const char *ifname)
{
	struct ifreq req;
	char path[96];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", ifname);
	write_text(path, "1");
	memset(&req, 0, sizeof(req));
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", ifname);
	if (ioctl(sock, SIOCGIFFLAGS, &req))
		return -1;
	req.ifr_flags |= IFF_UP;
	return ioctl(sock, SIOCSIFFLAGS, &req);
}

int tap_open(const char *ifname, struct result *r)
{
	struct sockaddr_ll at = {
	    .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(ifname)};
	int sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (sock < 0)
		return bad(r, "no packet socket: %s", strerror(errno));
	if (set_up(sock, ifname) || bind(sock, (struct sockaddr *)&at, sizeof(at))) {
		bad(r, "%s: %s", ifname, strerror(errno));
		close(sock);
		return -1;
	}
	return sock;
}

int tap_put(int sock, const struct frame *f, struct result *r)
{
	return send(sock, f->bytes, f->len, 0) == (ssize_t)f->len ? 0
								  : bad(r, "cannot send a frame: %s", strerror(errno));
}

int tap_get(int sock, struct frame *f, uint32_t ms)
{
	uint64_t until = now_ns() + ms * 1000000ull, now;
	struct pollfd p = {.fd = sock, .events = POLLIN};
	struct sockaddr_ll from;
	socklen_t from_len;
	ssize_t len;

	while ((now = now_ns()) < until) {
		if (poll(&p, 1, (int)((until - now) / 1000000) + 1) <= 0)
			continue;
		from_len = sizeof(from);
		len = recvfrom(sock, f->bytes, sizeof(f->bytes), MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
		if (len <= 0 || from.sll_pkttype == PACKET_OUTGOING) /* our own, on their way out */
			continue;
		f->len = (uint32_t)len;
		return 1;
	}
	return 0;
}

uint64_t tap_taken(const char *ifname)
{
	char path[96];
	unsigned long long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/net/dev");
	f = fopen(path, "r");
	while (f && fgets(path, sizeof(path), f)) {
		char *at = strstr(path, ifname);

		if (at && sscanf(at + strlen(ifname), ": %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &n) == 1)
			break;
	}
	if (f)
		fclose(f);
	return n;
}

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, digits, snap, link_type;
};
struct record {
	uint32_t sec, usec, caplen, len;
};

int capture_write(const char *path, const struct frame *f, int n, struct result *r)
{
	struct file_header h = {0xa1b2c3d4u, 2, 4, 0, 0, 65535, 1 /* Ethernet */};
	FILE *file = fopen(path, "w");
	int i, failed;

	if (!file)
		return bad(r, "%s: %s", path, strerror(errno));
	failed = fwrite(&h, sizeof(h), 1, file) != 1;
	for (i = 0; i < n && !failed; i++) {
		struct record rec = {(uint32_t)i, 0, f[i].len, f[i].len};

		failed = fwrite(&rec, sizeof(rec), 1, file) != 1 || fwrite(f[i].bytes, f[i].len, 1, file) != 1;
	}
	return fclose(file) || failed ? bad(r, "cannot write %s", path) : 0;
}

int capture_read(const char *path, struct frame *f, int max, int *n, struct result *r)
{
	struct file_header h;
	struct record rec;
	FILE *file = fopen(path, "r");

	*n = 0;
	if (!file)
		return bad(r, "%s: %s", path, strerror(errno));
	if (fread(&h, sizeof(h), 1, file) != 1 || (h.magic != 0xa1b2c3d4u && h.magic != 0xa1b23c4du)) {
		fclose(file);
		return bad(r, "%s is no capture", path);
	}
	while (*n < max && fread(&rec, sizeof(rec), 1, file) == 1) {
		f[*n].len = rec.caplen;
		if (rec.caplen > FRAME_MAX || fread(f[*n].bytes, rec.caplen, 1, file) != 1)
			break;
		(*n)++;
	}
	fclose(file);
	return 0;
}
