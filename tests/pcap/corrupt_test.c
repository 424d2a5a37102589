/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capture files with random damage as input: each is refused in one line, or
 * used up to where it can be read; kernels always end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../input/lines.h"
#include "port.h"
#include "sim/mix.h"

enum { NICS = 4, PACKETS = 40, FILE_MAX = 32768 };
#if defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 15 };
#else
enum { ROUNDS = 50 };
#endif

struct bytes {
	uint32_t n;
	uint8_t data[FILE_MAX];
};

static char dir[32];
static uint64_t seed;

static uint32_t draw(uint32_t n)
{
	seed += GIN_MIX_STEP;
	return (uint32_t)(gin_mix64(seed) % n);
}

static void add(struct bytes *b, const void *data, uint32_t n)
{
	ck_assert_uint_le(b->n + n, FILE_MAX);
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

static void add32(struct bytes *b, uint32_t v)
{
	add(b, &v, sizeof(v));
}

static uint32_t make_packet(uint32_t i, uint8_t frame[512])
{
	static const uint8_t head[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0 };
	uint32_t len = 60 + i * 37 % 400;

	memset(frame, (int)i, 512);
	memcpy(frame, head, sizeof(head));
	return len;
}

/* draft-ietf-opsawg-pcap, 4 and 5 */
static void make_pcap(struct bytes *b)
{
	uint8_t frame[512];
	uint32_t i, len;

	b->n = 0;
	add32(b, 0xa1b2c3d4);
	add32(b, 4u << 16 | 2);
	add32(b, 0);
	add32(b, 0);
	add32(b, 65535);
	add32(b, 1);
	for (i = 0; i < PACKETS; i++) {
		len = make_packet(i, frame);
		add32(b, i);
		add32(b, 0);
		add32(b, len);
		add32(b, len);
		add(b, frame, len);
	}
}

/* draft-ietf-opsawg-pcapng, 4.1 to 4.3 */
static void make_pcapng(struct bytes *b)
{
	static const uint32_t section[] = { 0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff, 28 };
	static const uint32_t interface[] = { 1, 20, 1, 65535, 20 };
	uint8_t frame[512];
	uint32_t i, len, size;

	b->n = 0;
	add(b, section, sizeof(section));
	add(b, interface, sizeof(interface));
	for (i = 0; i < PACKETS; i++) {
		len = make_packet(i, frame);
		size = 32 + ((len + 3) & ~3u);
		add32(b, 6);
		add32(b, size);
		add32(b, 0);
		add32(b, 0);
		add32(b, i);
		add32(b, len);
		add32(b, len);
		add(b, frame, size - 32);
		add32(b, size);
	}
}

static void overwrite_word(struct bytes *b)
{
	static const uint32_t words[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 65536, 262145, 12 };

	memcpy(b->data + draw(b->n / 4 - 1) * 4, &words[draw(8)], 4);
}

static void remove_some(struct bytes *b)
{
	uint32_t at = draw(b->n), n = 1 + draw(64);

	if (at + n > b->n)
		n = b->n - at;
	memmove(b->data + at, b->data + at + n, b->n - at - n);
	b->n -= n;
}

/* Half of them near the start, where the headers are. */
static void flip(struct bytes *b)
{
	b->data[draw(2) ? draw(b->n) : draw(b->n < 128 ? b->n : 128)] ^= (uint8_t)(1 + draw(255));
}

static void damage(struct bytes *b)
{
	uint32_t times = 1 + draw(4);

	while (times-- > 0 && b->n > 16) {
		switch (draw(4)) {
		case 0:
			overwrite_word(b);
			break;
		case 1:
			remove_some(b);
			break;
		case 2:
			b->n -= draw(b->n / 2);
			break;
		default:
			flip(b);
		}
	}
}

static void path_of(uint32_t i, char path[64])
{
	snprintf(path, 64, "%s/%u.pcap", dir, i);
}

static void write_damaged(uint32_t i)
{
	static struct bytes b;
	char path[64];
	FILE *f;

	if (draw(2))
		make_pcap(&b);
	else
		make_pcapng(&b);
	damage(&b);
	path_of(i, path);
	f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b.data, 1, b.n, f), b.n);
	fclose(f);
}

/* 1 if it opened; if not, it said why, once. */
static int try_open(struct port *p, uint32_t i)
{
	char name[256], path[64];
	int err;

	path_of(i, path);
	snprintf(name, sizeof(name), "soft:net_pcap%u,rx_pcap=%s,tx_pcap=%s.out,mac=02:00:00:00:00:01", i, path, path);
	lines_keep();
	err = gin_nic_open(name, &p->nic);
	ck_assert_msg(!err || err == -EINVAL, "round of seed 0x%llx: %d", (unsigned long long)seed, err);
	ck_assert_msg(lines_count(GIN_LOG_ERROR) == (err ? 1 : 0), "%d:\n%s", err, lines_text(GIN_LOG_ERROR));
	return !err;
}

static void ck_accounted(const struct port *p)
{
	struct gin_nic_stats s = stats(p);

	ck_assert_uint_le(s.rx_wire, PACKETS);
	ck_assert_uint_eq(s.rx_in_flight, 0);
	ck_assert_uint_eq(s.rx_wire, s.rx_delivered + s.rx_to_host + s.rx_drop_filter + s.rx_drop_too_long + s.rx_drop_bad_frame);
}

/* How many packets came of how many files. */
static uint64_t round_of(uint32_t *n_opened)
{
	struct port ports[NICS];
	uint64_t n_packets = 0;
	uint32_t i, n = 0;

	for (i = 0; i < NICS; i++) {
		write_damaged(i);
		n += (uint32_t)try_open(&ports[n], i);
	}
	for (i = 0; i < n; i++) {
		set_up_port(&ports[i], 16);
		launch(&ports[i], INPUT_ECHO);
	}
	ck_assert_msg(!gin_gpu_wait(gpu, 60000 * MS), "the kernels did not end; seed 0x%llx", (unsigned long long)seed);
	for (i = 0; i < n; i++) {
		ck_accounted(&ports[i]);
		n_packets += stats(&ports[i]).rx_delivered;
		gin_nic_close(ports[i].nic);
	}
	*n_opened += n;
	return n_packets;
}

START_TEST(damaged_files_never_crash_and_always_end)
{
	uint32_t round, i, n_opened = 0;
	uint64_t n_packets = 0;
	char path[64], out[80];

	strcpy(dir, "corrupt-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	open_gpu();
	for (round = 0; round < ROUNDS; round++)
		n_packets += round_of(&n_opened);
	/* Not all were refused, and not all stopped at once: else this saw little. */
	ck_assert_uint_gt(n_opened, ROUNDS * NICS / 4);
	ck_assert_uint_lt(n_opened, ROUNDS * NICS);
	ck_assert_uint_gt(n_packets, n_opened * 5);
	gin_gpu_close(gpu);
	for (i = 0; i < NICS; i++) {
		path_of(i, path);
		snprintf(out, sizeof(out), "%s.out", path);
		unlink(path);
		unlink(out);
	}
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("corrupt");
	TCase *tc = tcase_create("corrupt");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, damaged_files_never_crash_and_always_end);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
