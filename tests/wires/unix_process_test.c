/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The "unix" wire between processes, each with an engine of its own: order and
 * content, one who is stopped, killed, comes again; many who come at once. All
 * processes are forked before there is any NIC, so none inherits one.
 */
#include "scene.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 500 };
#else
enum { FRAMES = 3000 };
#endif
enum { WINDOW = 4, CROWD = 6 };
#define FIT 2340u /* frames of FRAME_LEN in a ring, see unix_test.c */

struct process {
	pid_t pid;
	int fd; /* one letter at a time, both ways */
};

static void tell(int fd, char what)
{
	ck_assert_int_eq(send(fd, &what, 1, MSG_NOSIGNAL), 1);
}

static char hear(int fd)
{
	char what = 0;

	ck_assert_int_eq(recv(fd, &what, 1, 0), 1);
	return what;
}

static int has_news(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static struct process start(void (*role)(int fd, int arg), int arg)
{
	struct process p;
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	p.pid = fork();
	ck_assert_int_ge(p.pid, 0);
	if (!p.pid) {
		close(pair[0]);
		role(pair[1], arg);
		_exit(0);
	}
	close(pair[1]);
	p.fd = pair[0];
	return p;
}

static int ended(struct process *p)
{
	int status;

	ck_assert_int_eq(waitpid(p->pid, &status, 0), p->pid);
	close(p->fd);
	return status;
}

static void stop(struct process *p)
{
	tell(p->fd, 'q');
	ck_assert_int_eq(ended(p), 0);
}

static void kill_it(struct process *p)
{
	ck_assert_int_eq(kill(p->pid, SIGKILL), 0);
	ck_assert(WIFSIGNALED(ended(p)));
}

static void become_nobody(void)
{
	if (geteuid())
		return;
	ck_assert_int_eq(setgid(65534), 0);
	ck_assert_int_eq(setuid(65534), 0);
}

/* Waiting for what an engine does; the case's time-out ends it. */
#define AWAIT(condition)               \
	do {                           \
		while (!(condition))   \
			sched_yield(); \
	} while (0)

static void await_event(struct bench *b, enum gin_nic_event_kind kind)
{
	struct pollfd p = { .fd = sn_event_fd(b->ctx), .events = POLLIN };

	ck_assert_int_eq(poll(&p, 1, 60000), 1);
	ck_event(b, kind);
}

static uint32_t len_of(uint32_t seq)
{
	return 60 + seq * 131 % 1455;
}

static void send_numbered(struct bench *b, const uint8_t dst[6], uint32_t seq)
{
	uint8_t *frame = tx_frame(b, seq % WINDOW);

	frame_of(frame, dst, b->profile.mac[5], len_of(seq), seq);
	post_send(b, (uintptr_t)frame, len_of(seq), 2);
	ring(b);
}

static void ck_numbered(struct bench *b, uint32_t from, uint32_t seq)
{
	uint8_t want[1514];

	frame_of(want, b->profile.mac, from, len_of(seq), seq);
	ck_assert_uint_eq(gin_from_be32(cqe_at(b, 0, seq)->byte_cnt), len_of(seq));
	ck_assert_int_eq(memcmp(b->buf + (seq % N_RX_BUF) * SLOT_BYTES, want, len_of(seq)), 0);
}

/* Station 2 sends back what station 1 sends, after a look at it; arg: 1 as an ordinary user. */
static void echo(int fd, int arg)
{
	struct bench b;
	uint8_t mac1[6];
	uint32_t i = 0;

	if (arg)
		become_nobody();
	nic_mac(mac1, 1);
	ck_assert_int_eq(hear(fd), 'g');
	nic_open_at(&b, scene_path, 2, 1);
	tell(fd, 'r');
	while (!has_news(fd)) {
		if (!cqe_valid(&b, 0, i)) {
			sched_yield();
			continue;
		}
		ck_numbered(&b, 1, i);
		send_numbered(&b, mac1, i);
		AWAIT(cqe_valid(&b, 1, i));
		post_recv(&b, 1);
		i++;
	}
	ck_assert_int_eq(hear(fd), 'q');
	bench_close(&b);
}

static void ping(struct bench *b, uint32_t n)
{
	uint8_t mac2[6];
	uint32_t i;

	nic_mac(mac2, 2);
	for (i = 0; i < n + WINDOW; i++) {
		if (i >= WINDOW) {
			AWAIT(cqe_valid(b, 0, i - WINDOW));
			ck_numbered(b, 2, i - WINDOW);
			post_recv(b, 1);
		}
		if (i < n)
			send_numbered(b, mac2, i);
	}
}

static void await_link(struct bench *b)
{
	struct gin_nic_port port;

	AWAIT(!sn_port_query(b->dev, &port) && port.up);
}

static void go(struct process *p)
{
	tell(p->fd, 'g');
	ck_assert_int_eq(hear(p->fd), 'r');
}

/* _i: 1: the other process hosts the switch; 2: and is an ordinary user's. */
START_TEST(all_arrive_in_order)
{
	struct process p = start(echo, _i == 2);
	struct bench b;

	ck_assert_int_eq(chmod(scene_dir, 0777), 0);
	if (_i)
		go(&p);
	nic_open_at(&b, scene_path, 1, 1);
	if (!_i)
		go(&p);
	await_link(&b);
	ping(&b, FRAMES);
	ck_assert_uint_eq(stats(&b).tx_wire, FRAMES);
	ck_assert_uint_eq(stats(&b).rx_delivered, FRAMES);
	ck_assert_uint_eq(n_said(), 0);
	if (_i)
		bench_close(&b);
	stop(&p);
	if (!_i)
		bench_close(&b);
}
END_TEST

/* Both engines sleep in between; each frame wakes them. */
START_TEST(frame_wakes_the_sleeping_engines)
{
	struct process p = start(echo, 0);
	struct timespec pause = { 0, 0 };
	uint8_t mac2[6];
	struct bench b;
	uint32_t i;

	nic_open_at(&b, scene_path, 1, 1);
	go(&p);
	await_link(&b);
	nic_mac(mac2, 2);
	for (i = 0; i < 200; i++) {
		send_numbered(&b, mac2, i);
		AWAIT(cqe_valid(&b, 0, i));
		ck_numbered(&b, 2, i);
		post_recv(&b, 1);
		pause.tv_nsec = (i * 7919) % 400000; /* found awake, going to sleep, asleep */
		nanosleep(&pause, NULL);
	}
	stop(&p);
	bench_close(&b);
}
END_TEST

static int n_up(struct bench *b)
{
	const struct ux_wire *u = (const struct ux_wire *)b->dev->wire;
	uint64_t up;

	sn_lock(b->dev);
	up = u->up;
	sn_unlock(b->dev);
	return __builtin_popcountll(up);
}

static int is_host(struct bench *b)
{
	return ((const struct ux_wire *)b->dev->wire)->place.is_host;
}

/* Takes what comes, without receive slots for all of it; says what became of it when asked. */
static void sink(int fd, int n)
{
	struct gin_nic_stats s;
	struct bench b;

	ck_assert_int_eq(hear(fd), 'g');
	nic_open_at(&b, scene_path, 2, 1);
	await_link(&b);
	AWAIT(n_up(&b));
	tell(fd, 'r');
	AWAIT(stats(&b).rx_wire == (uint64_t)n);
	s = stats(&b);
	ck_assert_uint_eq(s.rx_delivered + s.rx_drop_no_buffer, (uint64_t)n);
	tell(fd, 'd');
	ck_assert_int_eq(hear(fd), 'q');
	bench_close(&b);
}

/* The other process is stopped: the ring fills, then WQEs wait; it goes on: everything arrives. */
START_TEST(stopped_process_loses_nothing)
{
	struct process p = start(sink, FIT + 3);
	uint8_t mac2[6];
	struct bench b;
	uint32_t i;

	nic_mac(mac2, 2);
	nic_open_at(&b, scene_path, 1, 1);
	go(&p);
	ck_assert_int_eq(kill(p.pid, SIGSTOP), 0);
	ck_assert_int_eq(waitpid(p.pid, NULL, WUNTRACED), p.pid);
	for (i = 0; i < FIT; i++) {
		nic_send(&b, mac2, i);
		AWAIT(cqe_valid(&b, 1, i));
	}
	for (; i < FIT + 3; i++)
		nic_send(&b, mac2, i);
	for (i = 0; i < 200; i++) {
		ck_assert_uint_eq(stats(&b).tx_wire, FIT);
		sched_yield();
	}
	ck_assert_int_eq(kill(p.pid, SIGCONT), 0);
	AWAIT(stats(&b).tx_wire == FIT + 3);
	ck_assert_int_eq(hear(p.fd), 'd');
	stop(&p);
	bench_close(&b);
}
END_TEST

START_TEST(killed_guest_is_link_down)
{
	struct process first = start(echo, 0), second = start(echo, 0);
	struct bench b;

	nic_open_at(&b, scene_path, 1, 1);
	go(&first);
	await_event(&b, GIN_EV_PORT_UP);
	ping(&b, 100);
	kill_it(&first);
	await_event(&b, GIN_EV_PORT_DOWN);
	ck_assert_uint_eq(n_said(), 0);
	bench_close(&b); /* a fresh NIC: the frames are numbered from 0 again */
	nic_open_at(&b, scene_path, 1, 1);
	go(&second);
	await_event(&b, GIN_EV_PORT_UP);
	ping(&b, 100);
	stop(&second);
	await_event(&b, GIN_EV_PORT_DOWN);
	bench_close(&b);
}
END_TEST

/* The socket of a host that was killed stays, and the next to open removes it. */
START_TEST(killed_host_is_link_down)
{
	struct process first = start(echo, 0), second = start(echo, 0);
	struct bench b;

	go(&first);
	nic_open_at(&b, scene_path, 1, 1);
	ping(&b, 100);
	kill_it(&first);
	await_event(&b, GIN_EV_PORT_DOWN);
	AWAIT(n_said()); /* lines follow when the lock is free */
	ck_assert(said("which hosted it, left: link down; open the NIC again to host it"));
	ck_assert_uint_eq(n_said(), 1);
	ck_assert_int_eq(access(scene_path, F_OK), 0);
	bench_close(&b);
	nic_open_at(&b, scene_path, 1, 1);
	go(&second);
	await_event(&b, GIN_EV_PORT_UP);
	ping(&b, 100);
	stop(&second);
	bench_close(&b);
}
END_TEST

static void member(int fd, int n)
{
	struct bench b;

	ck_assert_int_eq(hear(fd), 'g');
	nic_open_at(&b, scene_path, (uint32_t)n, 1);
	AWAIT(n_up(&b) == (is_host(&b) ? CROWD - 1 : 1));
	tell(fd, is_host(&b) ? 'h' : 'r');
	ck_assert_int_eq(hear(fd), 'q');
	bench_close(&b);
}

/* A dead program's socket, and many who find it at the same moment: one of them hosts all the others. */
START_TEST(one_of_many_hosts)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct process p[CROWD];
	int i, s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), host = -1;

	strcpy(addr.sun_path, scene_path);
	ck_assert_int_eq(bind(s, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(s);
	for (i = 0; i < CROWD; i++)
		p[i] = start(member, i + 1);
	for (i = 0; i < CROWD; i++)
		tell(p[i].fd, 'g');
	for (i = 0; i < CROWD; i++) {
		char role = hear(p[i].fd);

		ck_assert(role == 'r' || (role == 'h' && host < 0));
		if (role == 'h')
			host = i;
	}
	ck_assert_int_ge(host, 0);
	for (i = 0; i < CROWD; i++)
		if (i != host)
			stop(&p[i]);
	stop(&p[host]);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, scene_set_up, scene_tear_down);
	tcase_add_loop_test(tc, all_arrive_in_order, 0, 3);
	tcase_add_test(tc, frame_wakes_the_sleeping_engines);
	tcase_add_test(tc, stopped_process_loses_nothing);
	tcase_add_test(tc, killed_guest_is_link_down);
	tcase_add_test(tc, killed_host_is_link_down);
	tcase_add_loop_test(tc, one_of_many_hosts, 0, 8);
}

int main(void)
{
	return run_suite("wires_unix_process", add);
}
