/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene.h"
#include "proc.h"
#include <errno.h>
#include <ginet/log.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

char scene_dir[64], scene_path[96];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the engine's thread logs too */
static char lines[8192];
static uint32_t n_lines;
static int descriptors_before;

static void keep(enum gin_log_level level, const char *line, void *arg)
{
	size_t at;

	(void)arg;
	if (level > GIN_LOG_WARNING)
		return;
	pthread_mutex_lock(&lock);
	at = strlen(lines);
	snprintf(lines + at, sizeof(lines) - at, "%s\n", line);
	n_lines++;
	pthread_mutex_unlock(&lock);
}

void said_clear(void)
{
	pthread_mutex_lock(&lock);
	lines[0] = 0;
	n_lines = 0;
	pthread_mutex_unlock(&lock);
}

uint32_t n_said(void)
{
	uint32_t n;

	pthread_mutex_lock(&lock);
	n = n_lines;
	pthread_mutex_unlock(&lock);
	return n;
}

int said(const char *part)
{
	int has;

	pthread_mutex_lock(&lock);
	has = strstr(lines, part) != NULL;
	if (!has)
		fprintf(stderr, "said: %s", lines);
	pthread_mutex_unlock(&lock);
	return has;
}

void scene_set_up(void)
{
	fixture_log = keep;
	gin_log_to(keep, NULL);
	strcpy(scene_dir, "/tmp/ginet-unix-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scene_dir));
	snprintf(scene_path, sizeof(scene_path), "%s/s", scene_dir);
	descriptors_before = proc_n_fds();
}

void scene_tear_down(void)
{
	ck_assert_msg(!rmdir(scene_dir), "%s: %s", scene_dir, strerror(errno));
	ck_assert_int_eq(proc_n_fds(), descriptors_before);
}

void nic_mac(uint8_t mac[6], uint32_t n)
{
	memcpy(mac, "\x02\x00\x00\x00\x00", 5);
	mac[5] = (uint8_t)n;
}

void nic_open_at(struct bench *b, const char *path, uint32_t n, int threaded)
{
	struct bench_config cfg = { .scq_oi = 1, .rcq_oi = 1, .self_lb_block = 3, .threaded = (uint8_t)threaded };
	char name[256];

	snprintf(name, sizeof(name), "unix=%s,mac=02:00:00:00:00:%02x", path, n);
	cfg.name = name;
	bench_open(b, &cfg);
	said_clear();
	post_recv(b, 8);
}

void nic_open(struct bench *b, uint32_t n)
{
	nic_open_at(b, scene_path, n, 0);
}

void frame_of(uint8_t *frame, const uint8_t dst[6], uint32_t from, uint32_t len, uint32_t seq)
{
	make_frame(frame, dst, len, seq);
	nic_mac(frame + 6, from);
}

void nic_send(struct bench *b, const uint8_t dst[6], uint32_t seq)
{
	uint8_t *frame = tx_frame(b, seq % 8);

	frame_of(frame, dst, b->profile.mac[5], FRAME_LEN, seq);
	post_send(b, (uintptr_t)frame, FRAME_LEN, 2);
	ring(b);
}

void ck_got(struct bench *b, uint32_t index, const uint8_t dst[6], uint32_t from, uint32_t seq)
{
	uint8_t want[FRAME_LEN];

	frame_of(want, dst, from, FRAME_LEN, seq);
	ck_assert(cqe_valid(b, 0, index));
	ck_assert_uint_eq(gin_from_be32(cqe_at(b, 0, index)->byte_cnt), FRAME_LEN);
	ck_assert_int_eq(memcmp(b->buf + (index % N_RX_BUF) * SLOT_BYTES, want, FRAME_LEN), 0);
}

void ck_event(struct bench *b, enum gin_nic_event_kind kind)
{
	struct gin_nic_event event;

	ck_assert_int_eq(sn_event_next(b->ctx, &event), 0);
	ck_assert_int_eq(event.kind, kind);
}

void ck_no_event(struct bench *b)
{
	struct gin_nic_event event;

	ck_assert_int_eq(sn_event_next(b->ctx, &event), -EAGAIN);
}

void ck_refused(const char *path, int err, const char *part)
{
	struct sn_profile p;
	struct sn_device *dev;
	char name[320];

	sn_engine_set_stepped(1);
	said_clear();
	snprintf(name, sizeof(name), "unix=%s", path);
	ck_assert_int_eq(sn_profile_parse(name, gin_env_real(), &p), 0);
	ck_assert_int_eq(sn_device_create(&p, gin_env_real(), &dev), err);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said(part));
}

int guest_connect(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(addr.sun_path, path);
	ck_assert_int_eq(connect(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return sock;
}

void guest_say_hello(int sock, uint32_t version)
{
	struct ux_hello hello = { .version = version, .ring_bytes = 262144 };

	memcpy(hello.magic, "ginet-ux", 8);
	ck_assert_int_eq(send(sock, &hello, sizeof(hello), 0), sizeof(hello));
}

void guest_join(struct guest *g)
{
	struct ux_hello hello;
	int fd;

	memset(g, 0, sizeof(*g));
	g->sock = guest_connect(scene_path);
	guest_say_hello(g->sock, 1);
	run_idle();
	ck_assert_int_eq(ux_recv_hello(g->sock, &hello, &fd), 0);
	ck_assert_uint_eq(hello.status, 0);
	ck_assert_int_eq(ux_shared_map(fd, &g->shared), 0);
	close(fd);
	g->tx.ring = &g->shared->to_host;
	g->rx.ring = &g->shared->to_guest;
}

void guest_leave(struct guest *g)
{
	close(g->sock);
	ux_shared_unmap(g->shared);
	run_idle();
}

void guest_send(struct guest *g, const uint8_t dst[6], uint32_t from, uint32_t seq)
{
	uint8_t bytes[FRAME_LEN];
	struct sn_frame frame = { bytes, FRAME_LEN };

	frame_of(bytes, dst, from, FRAME_LEN, seq);
	ck_assert_int_eq(ux_tx_room(&g->tx, FRAME_LEN), 1);
	ux_tx_put(&g->tx, &frame);
}

int guest_take(struct guest *g, uint8_t *frame)
{
	return ux_rx_take(&g->rx, frame);
}
