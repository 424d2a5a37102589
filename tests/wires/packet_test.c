/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "packet=IFNAME" on one end of a veth pair, the kernel or a raw socket at the
 * other. In a network namespace of its own, by tests/net/namespace.sh.
 */
#include "scene.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "net/raw.h"

static const struct bench_config on_va = {
	.name = "packet=va,mac=02:00:00:00:00:01", .scq_oi = 1, .rcq_oi = 1, .self_lb_block = 3,
};
static uint8_t mac1[6];

static void run(const char *command)
{
	ck_assert_msg(system(command) == 0, "%s", command);
}

static void set_up(void)
{
	scene_set_up();
	nic_mac(mac1, 1);
	run("ip link add va type veth peer name vb && ip link set va addrgenmode none && ip link set vb addrgenmode none && "
	    "ip link set vb address 02:00:00:00:00:02 && ip link set va up && ip link set vb up");
}

static void tear_down(void)
{
	run("ip link del va 2>/dev/null; true");
	scene_tear_down();
}

static void va_open(struct bench *b)
{
	bench_open(b, &on_va);
	post_recv(b, 8);
}

/* The kernel's part may come a moment later; the case's time-out ends it. */
#define AWAIT(condition)               \
	do {                           \
		run_idle();            \
		if (condition)         \
			break;         \
		sched_yield();         \
	} while (1)

static uint8_t *slot(struct bench *b, uint32_t i)
{
	return b->buf + (i % N_RX_BUF) * SLOT_BYTES;
}

static uint32_t len_at(struct bench *b, uint32_t i)
{
	return gin_from_be32(cqe_at(b, 0, i)->byte_cnt);
}

START_TEST(frames_pass_both_ways)
{
	uint8_t frame[1518], got[2048];
	uint32_t len, n = 0;
	struct bench b;
	int s;

	va_open(&b);
	s = raw_open("vb");
	for (len = 60; len <= 1514; len += 97, n++) {
		frame_of(frame, mac1, 2, len, len);
		ck_assert_int_eq(raw_send(s, frame, len), 0);
		AWAIT(stats(&b).rx_delivered == n + 1);
		ck_assert_uint_eq(len_at(&b, n), len);
		ck_assert_int_eq(memcmp(slot(&b, n), frame, len), 0);
		post_recv(&b, 1);

		frame_of(frame, broadcast, 1, len, len + 1);
		memcpy(tx_frame(&b, 0), frame, len);
		post_send(&b, (uintptr_t)tx_frame(&b, 0), len, 2);
		ring(&b);
		run_idle();
		ck_assert_int_eq(recv(s, got, sizeof(got), 0), (ssize_t)len);
		ck_assert_int_eq(memcmp(got, frame, len), 0);
	}
	ck_assert_uint_eq(stats(&b).tx_wire, n);
	ck_assert_uint_eq(stats(&b).rx_wire, n); /* its own frames do not come back */
	close(s);
	s = raw_open("va");
	frame_of(frame, mac1, 2, 100, 1);
	ck_assert_int_eq(raw_send(s, frame, 100), 0); /* nor do others' that leave by the interface */
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_wire, n);
	ck_assert_uint_eq(n_said(), 0);
	close(s);
	bench_close(&b);
}
END_TEST

/* The kernel takes the outermost tag off; the NIC must see it where it was. _i: how many there are. */
START_TEST(tags_stay_on)
{
	static const uint8_t tags[] = { 0x81, 0x00, 0x20, 0x07, 0x81, 0x00, 0x00, 0x09 };
	uint8_t frame[100];
	struct bench b;
	int s;

	va_open(&b);
	s = raw_open("vb");
	frame_of(frame, mac1, 2, 100, 1);
	memcpy(frame + 12, tags, (size_t)_i * 4);
	memcpy(frame + 12 + _i * 4, "\x88\xb5", 2);
	ck_assert_int_eq(raw_send(s, frame, 100), 0);
	AWAIT(stats(&b).rx_delivered == 1);
	ck_assert_uint_eq(len_at(&b, 0), 100);
	ck_assert_int_eq(memcmp(slot(&b, 0), frame, 100), 0);
	ck_assert_uint_eq(stats(&b).rx_wire_bytes, 100);
	close(s);
	bench_close(&b);
}
END_TEST

static uint32_t sum16(const uint8_t *p, uint32_t len, uint32_t sum)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		sum += (uint32_t)p[i] << (i & 1 ? 0 : 8);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* A datagram of the kernel at the other end of a veth pair, which leaves checksums to the "hardware". */
START_TEST(checksums_are_filled_in)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4000) };
	struct bench b;
	const uint8_t *f;
	int s;

	run("ip addr add 10.77.0.1/24 dev vb && ip neigh add 10.77.0.2 lladdr 02:00:00:00:00:01 dev vb");
	va_open(&b);
	s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, "10.77.0.2", &to.sin_addr);
	ck_assert_int_eq(sendto(s, "what is it worth?", 17, 0, (struct sockaddr *)&to, sizeof(to)), 17);
	AWAIT(stats(&b).rx_delivered == 1);
	ck_assert_uint_eq(len_at(&b, 0), 60); /* 14 + 20 + 8 + 17 and a byte of padding */
	f = slot(&b, 0);
	ck_assert_int_eq(memcmp(f + 42, "what is it worth?", 17), 0);
	ck_assert(f[40] || f[41]);
	/* RFC 768: pseudo header (addresses, protocol, length) and datagram add up to all ones. */
	ck_assert_uint_eq(sum16(f + 34, 25, sum16(f + 26, 8, 17 + 25)), 0xffff);
	close(s);
	bench_close(&b);
}
END_TEST

START_TEST(frames_above_the_mtu_are_counted_and_explained)
{
	uint8_t frame[3000];
	struct bench b;
	int s;

	run("ip link set vb mtu 3000 && ip link set va mtu 3000");
	va_open(&b);
	said_clear();
	s = raw_open("vb");
	frame_of(frame, mac1, 2, 1515, 1);
	ck_assert_int_eq(raw_send(s, frame, 1515), 0);
	frame_of(frame, mac1, 2, 3000, 1);
	ck_assert_int_eq(raw_send(s, frame, 3000), 0);
	AWAIT(stats(&b).rx_wire == 2);
	ck_assert_uint_eq(stats(&b).rx_drop_too_long, 2);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("a frame of 1515 bytes is above the NIC's MTU and dropped"));
	close(s);
	bench_close(&b);
}
END_TEST

static void await_event(struct bench *b, enum gin_nic_event_kind kind)
{
	struct gin_nic_event event;

	AWAIT(!sn_event_next(b->ctx, &event));
	ck_assert_int_eq(event.kind, kind);
}

static void pass_until(struct bench *b, enum gin_nic_event_kind kind)
{
	struct gin_nic_event event;

	while (sn_event_next(b->ctx, &event)) { /* the carrier is looked at once in so many passes */
		sn_engine_n_ready(NULL);
		usleep(100);
	}
	ck_assert_int_eq(event.kind, kind);
}

START_TEST(link_follows_the_interface)
{
	struct bench b;

	run("ip link set va down");
	bench_open(&b, &on_va);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("the interface is down: link down until: ip link set va up"));
	ck_assert_uint_ne(sn_engine_next_ns(NULL), UINT64_MAX);
	nic_send(&b, broadcast, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 1);
	run("ip link set va up");
	await_event(&b, GIN_EV_PORT_UP);
	ck_assert_uint_eq(sn_engine_next_ns(NULL), UINT64_MAX);
	run("ip link set va down");
	await_event(&b, GIN_EV_PORT_DOWN);
	run("ip link set va up");
	await_event(&b, GIN_EV_PORT_UP);
	run("ip link set vb down"); /* the cable is pulled at the other end */
	pass_until(&b, GIN_EV_PORT_DOWN);
	nic_send(&b, broadcast, 2);
	run_idle();
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 2);
	ck_assert_uint_eq(n_said(), 1);
	bench_close(&b);
}
END_TEST

START_TEST(deleted_interface_is_link_down)
{
	struct bench b;

	va_open(&b);
	said_clear();
	run("ip link del va");
	await_event(&b, GIN_EV_PORT_DOWN);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("the interface was deleted: link down; open the NIC again"));
	run_idle();
	ck_assert_uint_eq(sn_engine_next_ns(NULL), UINT64_MAX);
	bench_close(&b);
}
END_TEST

static void refused(const char *name, int err, const char *part)
{
	struct sn_profile p;
	struct sn_device *dev;

	sn_engine_set_stepped(1);
	said_clear();
	ck_assert_int_eq(sn_profile_parse(name, gin_env_real(), &p), 0);
	ck_assert_int_eq(sn_device_create(&p, gin_env_real(), &dev), err);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said(part));
}

START_TEST(interfaces_that_cannot_be_had)
{
	refused("packet=vx", -ENODEV, "packet=vx: no such interface here");
	refused("packet=a_name_of_more_than_15", -ENODEV, "no such interface here");
	refused("packet=va,mtu=9000", -EINVAL, "the interface's MTU is 1500, the NIC's 9000: say mtu=1500, or: sudo ip link set va mtu 9000");
}
END_TEST

START_TEST(without_the_right_it_says_so)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { .effective = 0 }, { .effective = 0 } }, old[2];

	ck_assert_int_eq(syscall(SYS_capget, &head, old), 0);
	none[0].permitted = old[0].permitted;
	none[1].permitted = old[1].permitted;
	ck_assert_int_eq(syscall(SYS_capset, &head, none), 0);
	refused("packet=va", -EPERM, "no right to a packet socket: run as root, or: sudo setcap cap_net_raw+ep PROGRAM");
	ck_assert_int_eq(syscall(SYS_capset, &head, old), 0);
}
END_TEST

/* What the kernel has no room for is its loss, not ours; but it is told. */
START_TEST(frames_that_the_kernel_lost_are_told)
{
	uint8_t frame[1514];
	struct bench b;
	int i, s;

	va_open(&b);
	said_clear();
	s = raw_open("vb");
	frame_of(frame, mac1, 2, 1514, 1);
	for (i = 0; i < 6000; i++) /* 4 MiB hold about 2,000: the kernel counts its own overhead too */
		ck_assert_int_eq(raw_send(s, frame, 1514), 0);
	run_idle();
	ck_assert_uint_lt(stats(&b).rx_wire, 6000);
	ck_assert_uint_ge(stats(&b).rx_wire, 8);
	bench_close(&b);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("the kernel had no room for "));
	close(s);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, frames_pass_both_ways);
	tcase_add_loop_test(tc, tags_stay_on, 0, 3);
	tcase_add_test(tc, checksums_are_filled_in);
	tcase_add_test(tc, frames_above_the_mtu_are_counted_and_explained);
	tcase_add_test(tc, link_follows_the_interface);
	tcase_add_test(tc, deleted_interface_is_link_down);
	tcase_add_test(tc, interfaces_that_cannot_be_had);
	tcase_add_test(tc, without_the_right_it_says_so);
	tcase_add_test(tc, frames_that_the_kernel_lost_are_told);
}

int main(void)
{
	return run_suite("wires_packet", add);
}
