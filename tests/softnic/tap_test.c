/* SPDX-License-Identifier: BSD-3-Clause */
/* The TAP wire and the host end, in a network namespace of the test's own. Needs root; else skipped. */
#define _GNU_SOURCE /* unshare() */
#include "fixture.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct bench_config tap = { .name = "tap=gt0", .scq_oi = 1, .rcq_oi = 1, .self_lb_block = 3 };

/* No IPv6, so that the kernel sends nothing by itself. */
static void no_ipv6(void)
{
	int fd = open("/proc/sys/net/ipv6/conf/default/disable_ipv6", O_WRONLY);

	if (fd < 0)
		return; /* a kernel without IPv6 */
	ck_assert_int_eq(write(fd, "1", 1), 1);
	close(fd);
}

static void own_namespace(void)
{
	ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
	no_ipv6();
}

static void set_up(const char *name)
{
	struct ifreq ifr = { 0 };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(ifr.ifr_name, name);
	ifr.ifr_flags = IFF_UP | IFF_NOARP;
	ck_assert_int_eq(ioctl(s, SIOCSIFFLAGS, &ifr), 0);
	close(s);
}

/* A socket that sees and sends whole frames on the interface. */
static int packet_socket(const char *name)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int s = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));

	ck_assert_int_ge(s, 0);
	addr.sll_ifindex = (int)if_nametoindex(name);
	ck_assert_int_ne(addr.sll_ifindex, 0);
	ck_assert_int_eq(bind(s, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return s;
}

/* Next frame that came in (not one that this side sent). */
static int read_frame(int s, uint8_t *buf, size_t size)
{
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	struct pollfd p = { .fd = s, .events = POLLIN };
	ssize_t n;

	do {
		ck_assert_int_eq(poll(&p, 1, 5000), 1);
		n = recvfrom(s, buf, size, 0, (struct sockaddr *)&from, &len);
	} while (from.sll_pkttype == PACKET_OUTGOING);
	return (int)n;
}

START_TEST(frames_pass_both_ways)
{
	struct bench b;
	uint8_t frame[1518], got[2048];
	int s;

	own_namespace();
	bench_open(&b, &tap);
	set_up("gt0");
	s = packet_socket("gt0");
	post_recv(&b, 8);
	make_frame(frame, b.profile.mac, 42, 1);
	ck_assert_int_eq(send(s, frame, 42, 0), 42);
	run_idle();
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 0)->byte_cnt), 60); /* padded, as a MAC would */
	ck_assert_int_eq(memcmp(b.buf, frame, 42), 0);
	ck_assert_uint_eq(stats(&b).rx_wire, 1);

	make_frame(frame, broadcast, 1514, 2);
	memcpy(tx_frame(&b, 0), frame, 1514);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 1514, 2);
	ring(&b);
	run_idle();
	ck_assert_int_eq(read_frame(s, got, sizeof(got)), 1514);
	ck_assert_int_eq(memcmp(got, frame, 1514), 0);
	ck_assert(cqe_valid(&b, 1, 0));
	ck_assert_uint_eq(stats(&b).tx_wire, 1);
	close(s);
	bench_close(&b);
}
END_TEST

START_TEST(vlan_tagged_frames_pass)
{
	struct bench b;
	uint8_t frame[100];
	int s;

	own_namespace();
	bench_open(&b, &tap);
	set_up("gt0");
	s = packet_socket("gt0");
	post_recv(&b, 8);
	make_frame(frame, b.profile.mac, 100, 1);
	memcpy(frame + 12, "\x81\x00\x00\x07\x88\xb5", 6);
	ck_assert_int_eq(send(s, frame, 100, 0), 100);
	run_idle();
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 0)->byte_cnt), 100);
	ck_assert_int_eq(memcmp(b.buf, frame, 100), 0);
	close(s);
	bench_close(&b);
}
END_TEST

START_TEST(interface_that_is_not_up_drops_and_counts)
{
	struct bench b;

	own_namespace();
	bench_open(&b, &tap);
	make_frame(tx_frame(&b, 0), broadcast, 100, 2);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 2);
	ring(&b);
	run_idle();
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 1);
	ck_assert(cqe_valid(&b, 1, 0));
	bench_close(&b);
}
END_TEST

START_TEST(interface_has_its_own_mac_and_goes_away)
{
	struct ifreq ifr = { 0 };
	struct bench b;
	int s;

	own_namespace();
	bench_open(&b, &tap);
	s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	strcpy(ifr.ifr_name, "gt0");
	ck_assert_int_eq(ioctl(s, SIOCGIFHWADDR, &ifr), 0);
	ck_assert_int_ne(memcmp(ifr.ifr_hwaddr.sa_data, b.profile.mac, 6), 0);
	close(s);
	bench_close(&b);
	ck_assert_uint_eq(if_nametoindex("gt0"), 0);
}
END_TEST

static void refused(const char *name, int err, const char *part)
{
	struct sn_profile p;
	struct sn_device *dev;

	log_clear();
	ck_assert_int_eq(sn_profile_parse(name, gin_env_real(), &p), 0);
	ck_assert_int_eq(sn_device_create(&p, gin_env_real(), &dev), err);
	ck_assert_uint_eq(log_lines(), 1);
	ck_assert(log_has(part));
}

START_TEST(names_that_cannot_be_had_are_told)
{
	struct bench b;

	own_namespace();
	bench_open(&b, &tap);
	refused("tap=gt0", -EBUSY, "another program");
	refused("tap=lo", -EBUSY, "no TAP");
	refused("tap=gt%d", -EINVAL, "gt%d");
	refused("tap=sixteen_or_more_", -EINVAL, "15 characters");
	refused("loop,host=tap=gt0", -EBUSY, "another program");
	bench_close(&b);
}
END_TEST

START_TEST(without_the_right_it_says_how_to_get_it)
{
	sn_engine_set_stepped(1);
	own_namespace();
	ck_assert_int_eq(setgid(65534), 0);
	ck_assert_int_eq(setuid(65534), 0);
	refused("tap=gt0", -EPERM, "ip tuntap add dev gt0");
}
END_TEST

/* RTM_DELLINK: what "ip link del" sends. */
static void delete_interface(const char *name)
{
	struct { struct nlmsghdr h; struct ifinfomsg i; } m = { 0 };
	uint8_t answer[512];
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	m.h.nlmsg_len = sizeof(m);
	m.h.nlmsg_type = RTM_DELLINK;
	m.h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	m.i.ifi_index = (int)if_nametoindex(name);
	ck_assert_int_eq(send(s, &m, sizeof(m), 0), sizeof(m));
	ck_assert_int_gt(recv(s, answer, sizeof(answer), 0), 0);
	close(s);
}

START_TEST(deleted_interface_is_link_down)
{
	struct gin_nic_event event;
	struct bench b;

	own_namespace();
	bench_open(&b, &tap);
	set_up("gt0");
	delete_interface("gt0");
	make_frame(tx_frame(&b, 0), broadcast, 100, 2);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 2);
	ring(&b);
	run_idle();
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 1);
	ck_assert_int_eq(sn_event_next(b.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_DOWN);
	ck_assert(log_has("deleted"));
	bench_close(&b);
}
END_TEST

START_TEST(host_end_takes_and_gives_frames)
{
	struct bench_config cfg = { .name = "test,host=tap=gh0", .no_rule = 1 };
	struct ifreq ifr = { 0 };
	struct bench b;
	uint8_t frame[100], got[2048];
	int s;

	own_namespace();
	bench_open(&b, &cfg);
	set_up("gh0");
	s = packet_socket("gh0");
	strcpy(ifr.ifr_name, "gh0");
	ck_assert_int_eq(ioctl(s, SIOCGIFHWADDR, &ifr), 0);
	ck_assert_int_eq(memcmp(ifr.ifr_hwaddr.sa_data, b.profile.mac, 6), 0); /* it is the port's interface */
	arrive(&b, 100, 5);
	run_idle();
	make_frame(frame, b.profile.mac, 100, 5);
	ck_assert_int_eq(read_frame(s, got, sizeof(got)), 100);
	ck_assert_int_eq(memcmp(got, frame, 100), 0);
	ck_assert_uint_eq(stats(&b).rx_to_host, 1);

	make_frame(frame, other_mac, 80, 6);
	ck_assert_int_eq(send(s, frame, 80, 0), 80);
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 80);
	ck_assert_int_eq(memcmp(got, frame, 80), 0);
	ck_assert_uint_eq(stats(&b).tx_posted, 1);
	close(s);
	bench_close(&b);
}
END_TEST

START_TEST(frame_of_the_host_waits_for_a_full_wire)
{
	struct bench_config cfg = { .name = "test,host=tap=gh0", .no_rule = 1 };
	struct bench b;
	uint8_t frame[100], got[2048];
	uint32_t i;
	int s;

	own_namespace();
	bench_open(&b, &cfg);
	set_up("gh0");
	s = packet_socket("gh0");
	for (i = 0; i < 20; i++) {
		make_frame(frame, other_mac, 80, i);
		ck_assert_int_eq(send(s, frame, 80, 0), 80);
		run_idle();
		stats(&b);
	}
	ck_assert_uint_eq(stats(&b).tx_wire, 16);
	ck_assert_uint_eq(stats(&b).tx_in_flight, 1);
	for (i = 0; i < 20; i++) {
		make_frame(frame, other_mac, 80, i);
		ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 80);
		ck_assert_int_eq(memcmp(got, frame, 80), 0);
		run_idle();
	}
	ck_assert_uint_eq(stats(&b).tx_wire, 20);
	close(s);
	bench_close(&b);
}
END_TEST

/* The service thread sleeps in poll(); a frame wakes it. */
START_TEST(frame_wakes_the_sleeping_engine)
{
	struct bench_config cfg = tap;
	struct bench b;
	uint8_t frame[100];
	uint32_t i;
	int s;

	own_namespace();
	cfg.threaded = 1;
	bench_open(&b, &cfg);
	set_up("gt0");
	s = packet_socket("gt0");
	for (i = 0; i < 200; i++) {
		post_recv(&b, 1);
		make_frame(frame, b.profile.mac, 100, i);
		ck_assert_int_eq(send(s, frame, 100, 0), 100);
		while (!cqe_valid(&b, 0, i)) /* the case's time-out ends it */
			sched_yield();
	}
	ck_assert_uint_eq(stats(&b).rx_delivered, 200);
	close(s);
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, frames_pass_both_ways);
	tcase_add_test(tc, vlan_tagged_frames_pass);
	tcase_add_test(tc, interface_that_is_not_up_drops_and_counts);
	tcase_add_test(tc, interface_has_its_own_mac_and_goes_away);
	tcase_add_test(tc, names_that_cannot_be_had_are_told);
	tcase_add_test(tc, without_the_right_it_says_how_to_get_it);
	tcase_add_test(tc, deleted_interface_is_link_down);
	tcase_add_test(tc, host_end_takes_and_gives_frames);
	tcase_add_test(tc, frame_of_the_host_waits_for_a_full_wire);
	tcase_add_test(tc, frame_wakes_the_sleeping_engine);
}

static int can_run(void)
{
	int fd;

	if (geteuid() || access("/dev/net/tun", R_OK | W_OK))
		return 0;
	fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	close(fd);
	return !unshare(CLONE_NEWNET);
}

int main(void)
{
	if (!can_run()) {
		printf("skipped: needs root, /dev/net/tun and a network namespace\n");
		return 77;
	}
	return run_suite("softnic_tap", add);
}
