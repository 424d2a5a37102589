/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Others on a "unix" wire who break its rules, by mistake or on purpose: they
 * lose their own connection, with one line; nobody else notices.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "proc.h"
#include "scene.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static uint8_t mac1[6], mac2[6];

static void set_up(void)
{
	scene_set_up();
	nic_mac(mac1, 1);
	nic_mac(mac2, 2);
}

static void set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* What a guest that sends writes: 72 bytes hold a frame of 60, for all, so that it would be seen if it were taken. */
static void record(struct guest *g, uint32_t len, uint32_t tail)
{
	memcpy(g->tx.ring->data, &len, sizeof(len));
	memcpy(g->tx.ring->data + 8, broadcast, 6);
	set(&g->tx.ring->tail, tail);
}

/* More than the ring holds, less than a record, lengths that no frame has, a record that is not all there. */
static const struct { uint32_t len, tail; } nonsense[] = {
	{ 60, 262145 }, { 60, 262152 }, { 60, 0x80000000 }, { 60, 0xffffffff }, { 60, 3 }, { 60, 8 }, { 60, 64 },
	{ 0, 72 }, { 13, 72 }, { 9239, 9256 }, { 9239, 262144 }, { 0xffffffff, 262144 },
	{ 0xfffffff9, 72 }, { 0x80000000, 72 },
};

static void ck_cut_off(struct guest *g)
{
	char byte;

	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("what it writes into the shared ring makes no sense: cut off"));
	while (recv(g->sock, &byte, 1, MSG_DONTWAIT) == 1)
		;
	ck_assert_int_eq(recv(g->sock, &byte, 1, MSG_DONTWAIT), 0);
}

static void ck_others_go_on(struct bench *a, struct bench *b)
{
	nic_send(a, mac2, 7);
	nic_send(b, mac1, 8);
	run_idle();
	ck_got(b, (uint32_t)stats(b).rx_delivered - 1, mac2, 1, 7);
	ck_got(a, (uint32_t)stats(a).rx_delivered - 1, mac1, 2, 8);
}

START_TEST(nonsense_in_the_senders_ring)
{
	struct bench a, b;
	struct guest g;

	nic_open(&a, 1);
	nic_open(&b, 2);
	guest_join(&g);
	guest_send(&g, broadcast, 3, 5);
	g.tx.ring->data[0] = 0; /* not yet: it has no length */
	run_idle();
	ck_cut_off(&g);
	guest_leave(&g);
	guest_join(&g);
	said_clear();
	record(&g, nonsense[_i].len, nonsense[_i].tail);
	run_idle();
	ck_cut_off(&g);
	ck_others_go_on(&a, &b);
	ck_assert_uint_eq(stats(&a).rx_wire, 1);
	guest_leave(&g);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

/* A frame that is all right, then nonsense: the first one arrives. */
START_TEST(nonsense_behind_a_good_frame)
{
	struct bench a;
	struct guest g;

	nic_open(&a, 1);
	guest_join(&g);
	guest_send(&g, mac1, 3, 5);
	set(&g.tx.ring->tail, g.tx.tail + 4);
	run_idle();
	ck_got(&a, 0, mac1, 3, 5);
	ck_cut_off(&g);
	guest_leave(&g);
	bench_close(&a);
}
END_TEST

/* "Taken" beyond what was sent, and from before that. */
START_TEST(nonsense_in_the_receivers_index)
{
	static const uint32_t heads[] = { 262144 + 8, 0x7fffffff, 0xffffff00 };
	struct bench a, b;
	struct guest g;
	uint32_t i;

	nic_open(&a, 1);
	nic_open(&b, 2);
	guest_join(&g);
	nic_send(&b, broadcast, 1);
	run_idle();
	set(&g.rx.ring->head, heads[_i]);
	for (i = 0; i < 2400 && !n_said(); i++) { /* 2,340 fit */
		nic_send(&a, broadcast, i);
		run_idle();
	}
	ck_cut_off(&g);
	ck_assert_uint_eq(stats(&a).tx_in_flight, 0);
	guest_leave(&g);
	post_recv(&b, 8);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

#define ROUNDS 800u

static uint32_t drawn;

static uint32_t draw(void)
{
	drawn = drawn * 1664525u + 1013904223u;
	return drawn >> 8;
}

static uint32_t *any_word(struct guest *g)
{
	struct ux_ring *r = draw() & 1 ? g->tx.ring : g->rx.ring;

	switch (draw() % 5) {
	case 0:
		return &r->tail;
	case 1:
		return &r->head;
	case 2:
		return &r->wants_frames;
	case 3:
		return &r->wants_room;
	default:
		return (uint32_t *)(void *)r->data + draw() % 64;
	}
}

static uint32_t any_value(void)
{
	return draw() >> draw() % 24;
}

/* Whatever is written, nothing is read or written out of bounds (ASan looks), and the sums stay right. */
START_TEST(anything_may_be_written)
{
	struct bench a, b;
	uint32_t i, k;

	drawn = 1;
	nic_open(&a, 1);
	nic_open(&b, 2);
	for (i = 0; i < ROUNDS; i++) {
		struct guest g;

		guest_join(&g);
		for (k = draw() % 16; k; k--) {
			set(any_word(&g), any_value() & (draw() & 1 ? ~7u : ~0u));
			nic_send(&a, broadcast, k);
			run_idle();
			stats(&a);
		}
		guest_leave(&g);
	}
	post_recv(&a, 8 - (uint32_t)(stats(&a).rx_delivered < 8 ? 8 - stats(&a).rx_delivered : 0));
	ck_assert_uint_eq(stats(&a).tx_in_flight, 0);
	ck_assert_uint_eq(stats(&b).rx_wire, stats(&a).tx_wire + stats(&a).rx_wire);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

/* Handshakes that are none */

static void ck_turned_away(struct bench *a, int sock, const char *part)
{
	struct gin_nic_port port;
	char byte;

	run_idle();
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said(part));
	while (recv(sock, &byte, 1, MSG_DONTWAIT) == 1)
		;
	ck_assert(recv(sock, &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET);
	ck_assert_int_eq(sn_port_query(a->dev, &port), 0);
	ck_assert_uint_eq(port.up, 0);
	close(sock);
}

START_TEST(guest_speaks_another_language)
{
	static const char hello[] = "GET / HTTP/1.1";
	struct bench a;
	int sock;

	nic_open(&a, 1);
	sock = guest_connect(scene_path);
	ck_assert_int_eq(send(sock, hello, sizeof(hello), 0), sizeof(hello));
	ck_turned_away(&a, sock, "speaks another language: it is no ginet NIC: cut off");
	bench_close(&a);
}
END_TEST

START_TEST(guest_hangs_up)
{
	struct bench a;

	nic_open(&a, 1);
	close(guest_connect(scene_path));
	run_idle();
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("hung up"));
	bench_close(&a);
}
END_TEST

START_TEST(guest_is_of_another_version)
{
	struct ux_hello hello;
	struct bench a;
	int sock, fd;

	nic_open(&a, 1);
	sock = guest_connect(scene_path);
	guest_say_hello(sock, 2);
	run_idle();
	ck_assert_int_eq(ux_recv_hello(sock, &hello, &fd), 0);
	ck_assert_uint_eq(hello.status, UX_OTHER_VERSION);
	ck_assert_int_eq(fd, -1);
	ck_turned_away(&a, sock, "its ginet is of another version: cut off");
	bench_close(&a);
}
END_TEST

START_TEST(guest_says_nothing)
{
	uint64_t at, now = gin_env_now(gin_env_real());
	struct bench a;
	int sock;

	nic_open(&a, 1);
	sock = guest_connect(scene_path);
	run_idle();
	at = sn_engine_next_ns(NULL);
	ck_assert_uint_ge(at, now + 2000000000);
	ck_assert_uint_le(at, gin_env_now(gin_env_real()) + 2000000000);
	while (gin_env_now(gin_env_real()) < at)
		usleep(10000);
	ck_turned_away(&a, sock, "says nothing: it is stopped, or no ginet NIC: cut off");
	ck_assert_uint_eq(sn_engine_next_ns(NULL), UINT64_MAX);
	bench_close(&a);
}
END_TEST

static void send_descriptors(int sock, const void *data, size_t len)
{
	union { struct cmsghdr head; char space[CMSG_SPACE(3 * sizeof(int))]; } rights = { .space = { 0 } };
	struct iovec iov = { (void *)(uintptr_t)data, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof(rights.space),
	};
	int fds[3] = { 0, 1, 2 };

	rights.head.cmsg_level = SOL_SOCKET;
	rights.head.cmsg_type = SCM_RIGHTS;
	rights.head.cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(&rights.head), fds, sizeof(fds));
	ck_assert_int_eq(sendmsg(sock, &msg, 0), (ssize_t)len);
}

/* With the hello and later: no descriptor stays with the host. */
START_TEST(guest_passes_descriptors)
{
	struct ux_hello hello = { .version = 1, .ring_bytes = 262144 };
	int sock, before, i, fd;
	struct bench a;

	nic_open(&a, 1);
	sock = guest_connect(scene_path);
	memcpy(hello.magic, "ginet-ux", 8);
	before = proc_n_fds();
	send_descriptors(sock, &hello, sizeof(hello));
	run_idle();
	ck_assert_int_eq(proc_n_fds(), before + 1); /* the host's end of the connection */
	for (i = 0; i < 10; i++)
		send_descriptors(sock, "x", 1);
	run_idle();
	ck_assert_int_eq(proc_n_fds(), before + 1);
	ck_assert_int_eq(ux_recv_hello(sock, &hello, &fd), 0);
	close(fd);
	close(sock);
	sock = guest_connect(scene_path);
	send_descriptors(sock, "nonsense", 8);
	run_idle();
	ck_assert(said("speaks another language"));
	ck_assert_int_eq(proc_n_fds(), before);
	close(sock);
	bench_close(&a);
}
END_TEST

START_TEST(switch_is_full)
{
	struct guest g[UX_MAX_LINKS];
	struct ux_hello hello;
	struct bench a, b;
	int fd, sock;
	uint32_t i;

	nic_open(&a, 1);
	for (i = 0; i < UX_MAX_LINKS; i++)
		guest_join(&g[i]);
	ck_assert_uint_eq(n_said(), 0);
	sock = guest_connect(scene_path);
	guest_say_hello(sock, 1);
	run_idle();
	ck_assert_int_eq(ux_recv_hello(sock, &hello, &fd), 0);
	ck_assert_uint_eq(hello.status, UX_FULL);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("turned away: there are 65 on the switch"));
	close(sock);
	nic_open(&b, 2);
	run_idle();
	ck_assert(said("the switch is full: link down"));
	bench_close(&b);
	nic_send(&a, broadcast, 1);
	run_idle();
	for (i = 0; i < UX_MAX_LINKS; i++) {
		uint8_t got[SN_FRAME_MAX];

		ck_assert_int_eq(guest_take(&g[i], got), FRAME_LEN);
		guest_leave(&g[i]);
	}
	guest_join(&g[0]); /* there is room again */
	guest_leave(&g[0]);
	bench_close(&a);
}
END_TEST

START_TEST(host_has_no_descriptor_left)
{
	struct rlimit old, now;
	struct gin_nic_port port;
	struct bench a;
	uint64_t at;
	int sock;

	nic_open(&a, 1);
	sock = guest_connect(scene_path);
	guest_say_hello(sock, 1);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	now = old;
	now.rlim_cur = (rlim_t)sock + 1;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &now), 0);
	run_idle();
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("cannot take a NIC in (Too many open files): raise ulimit -n"));
	ck_assert_uint_eq(sn_engine_n_ready(NULL), 0); /* it does not try all the time */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	at = sn_engine_next_ns(NULL);
	ck_assert_uint_ne(at, UINT64_MAX);
	while (gin_env_now(gin_env_real()) < at)
		usleep(1000);
	run_idle();
	ck_assert_int_eq(sn_port_query(a.dev, &port), 0);
	ck_assert_uint_eq(port.up, 1); /* the guest was taken in */
	close(sock);
	bench_close(&a);
}
END_TEST

/* Hosts that are none; the NIC is a guest */

static int host_socket(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(addr.sun_path, scene_path);
	ck_assert_int_eq(bind(s, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(s, 4), 0);
	return s;
}

static int host_accept(int listener)
{
	struct ux_hello hello;
	int sock = accept(listener, NULL, NULL), fd;

	ck_assert_int_ge(sock, 0);
	ck_assert_int_eq(ux_recv_hello(sock, &hello, &fd), 0);
	ck_assert_uint_eq(hello.version, 1);
	ck_assert_int_eq(fd, -1);
	return sock;
}

static int memory(unsigned int flags, size_t size, int seals)
{
	int fd = memfd_create("test", MFD_CLOEXEC | flags);

	if (fd < 0)
		return -1;
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	if (seals)
		ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int plain_file(void)
{
	FILE *f = tmpfile();
	int fd = dup(fileno(f));

	ck_assert_int_eq(ftruncate(fd, sizeof(struct ux_shared)), 0);
	fclose(f);
	return fd;
}

static int bad_memory(int i)
{
	size_t size = sizeof(struct ux_shared);

	switch (i) {
	case 0: /* it may shrink later */
		return memory(MFD_ALLOW_SEALING, size, 0);
	case 1:
		return memory(MFD_ALLOW_SEALING, size, F_SEAL_GROW);
	case 2:
		return memory(MFD_ALLOW_SEALING, size - 1, F_SEAL_SHRINK);
	case 3:
		return memory(MFD_ALLOW_SEALING, 0, F_SEAL_SHRINK);
	case 4: /* not to be written */
		return memory(MFD_ALLOW_SEALING, size, F_SEAL_SHRINK | F_SEAL_WRITE);
	case 5:
		return plain_file();
	case 6:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	default: /* huge pages, which may be gone when they are touched; where the kernel has them */
		return memory(MFD_ALLOW_SEALING | MFD_HUGETLB, 2 << 20, F_SEAL_SHRINK);
	}
}

static void ck_guest_gave_up(struct bench *b, int sock, const char *part)
{
	run_idle();
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said(part));
	ck_assert(said(": link down"));
	ck_event(b, GIN_EV_PORT_DOWN);
	nic_send(b, broadcast, 1);
	run_idle();
	ck_assert_uint_eq(stats(b).tx_drop_link_down, 1);
	ck_assert_uint_eq(sn_engine_next_ns(NULL), UINT64_MAX);
	close(sock);
	bench_close(b);
	unlink(scene_path);
}

START_TEST(host_hands_over_bad_memory)
{
	int listener = host_socket(), sock, fd = bad_memory(_i);
	struct bench b;

	nic_open(&b, 2);
	sock = host_accept(listener);
	ck_assert_int_eq(ux_send_hello(sock, UX_OK, fd), 0);
	if (fd >= 0)
		close(fd);
	close(listener);
	ck_guest_gave_up(&b, sock,
			 fd >= 0 ? "the memory that it hands over is not safe to use" : "it hands over no memory");
}
END_TEST

START_TEST(host_answers_badly)
{
	int listener = host_socket(), sock;
	const char *part = "hung up: it is no ginet NIC, or left";
	struct bench b;

	nic_open(&b, 2);
	sock = host_accept(listener);
	close(listener);
	if (_i == 0) {
		shutdown(sock, SHUT_RDWR);
	} else if (_i == 1) {
		ck_assert_int_eq(send(sock, "220 hello\r\n", 11, 0), 11);
		part = "speaks another language";
	} else {
		ck_assert_int_eq(ux_send_hello(sock, _i == 2 ? UX_OTHER_VERSION : UX_FULL, -1), 0);
		part = _i == 2 ? "its ginet is of another version" : "the switch is full";
	}
	ck_guest_gave_up(&b, sock, part);
}
END_TEST

/* A listener that takes nobody in: what is sent waits, until it is clear that nobody answers. */
START_TEST(host_does_not_answer)
{
	int listener = host_socket();
	struct bench b;
	uint64_t at;

	nic_open(&b, 2);
	nic_send(&b, broadcast, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).tx_in_flight, 1);
	at = sn_engine_next_ns(NULL);
	ck_assert_uint_ne(at, UINT64_MAX);
	while (gin_env_now(gin_env_real()) < at)
		usleep(10000);
	run_idle();
	ck_assert(said("says nothing: it is stopped, or no ginet NIC: link down"));
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 1);
	close(listener);
	bench_close(&b);
	unlink(scene_path);
}
END_TEST

START_TEST(host_writes_nonsense)
{
	int listener = host_socket(), sock, fd;
	struct ux_shared *shared;
	struct bench b;

	nic_open(&b, 2);
	sock = host_accept(listener);
	close(listener);
	fd = ux_shared_create(&shared);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ux_send_hello(sock, UX_OK, fd), 0);
	close(fd);
	run_idle();
	set(&shared->to_guest.tail, 12345);
	ck_guest_gave_up(&b, sock, "what it writes into the shared ring makes no sense");
	ux_shared_unmap(shared);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_loop_test(tc, nonsense_in_the_senders_ring, 0, (int)(sizeof(nonsense) / sizeof(nonsense[0])));
	tcase_add_test(tc, nonsense_behind_a_good_frame);
	tcase_add_loop_test(tc, nonsense_in_the_receivers_index, 0, 3);
	tcase_add_test(tc, anything_may_be_written);
	tcase_add_test(tc, guest_speaks_another_language);
	tcase_add_test(tc, guest_hangs_up);
	tcase_add_test(tc, guest_is_of_another_version);
	tcase_add_test(tc, guest_says_nothing);
	tcase_add_test(tc, guest_passes_descriptors);
	tcase_add_test(tc, switch_is_full);
	tcase_add_test(tc, host_has_no_descriptor_left);
	tcase_add_loop_test(tc, host_hands_over_bad_memory, 0, 8);
	tcase_add_loop_test(tc, host_answers_badly, 0, 4);
	tcase_add_test(tc, host_does_not_answer);
	tcase_add_test(tc, host_writes_nonsense);
}

int main(void)
{
	return run_suite("wires_unix_hostile", add);
}
