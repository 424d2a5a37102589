/* SPDX-License-Identifier: BSD-3-Clause */
/* capture=FILE: what is in the file, and what happens when it cannot be written. */
#define _GNU_SOURCE /* usleep() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../input/lines.h"
#include "pcapng.h"
#include "port.h"
#include "proc.h"
#include "softnic/sn.h"

static char dir[32], file[64], name[128];

/* The file in the test's folder, and a NIC name that captures to it. */
static const char *captured(const char *wire)
{
	snprintf(name, sizeof(name), "soft:%s,capture=%s", wire, file);
	return name;
}

static void setup(void)
{
	lines_keep();
	strcpy(dir, "capture-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/file.pcapng", dir);
	open_gpu();
}

static void teardown(void)
{
	gin_gpu_close(gpu);
	unlink(file);
	ck_assert_int_eq(rmdir(dir), 0); /* nothing else is left */
}

static uint64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The kernel sends it back: waits for the answer. */
static void echo(struct port *p, const uint8_t *frame, uint32_t len)
{
	uint8_t answer[2048];
	int got;

	ck_assert_int_eq(sn_test_put(p->dev, frame, len), 0);
	while ((got = sn_test_take(p->dev, answer, sizeof(answer))) == -EAGAIN)
		ck_assert_int_eq(gin_gpu_wait(gpu, MS / 10), -EAGAIN);
	ck_assert_int_eq(got, (int)(len < 60 ? 60 : len));
}

static void ck_frame(const struct pcapng_packet *k, int sent, const uint8_t *frame, uint32_t len)
{
	ck_assert_int_eq(k->sent, sent);
	ck_assert_uint_eq(k->len, len);
	ck_assert_uint_eq(k->caplen, len);
	ck_assert_mem_eq(k->data, frame, len);
}

START_TEST(both_directions_are_in_the_file)
{
	static const uint32_t lens[] = { 60, 61, 62, 63, 64, 1513, 1514 };
	uint64_t begin = wall_ns(), last = begin - 1000000;
	uint8_t frame[1514];
	struct pcapng got;
	struct port p;
	uint32_t i;

	open_port(&p, captured("test"), 0);
	launch(&p, INPUT_ECHO);
	for (i = 0; i < 7; i++) {
		fill_frame(&p, frame, lens[i], i);
		echo(&p, frame, lens[i]);
	}
	gin_nic_close(p.nic);
	pcapng_read(file, &got);
	ck_assert_uint_eq(got.n, 14);
	for (i = 0; i < 7; i++) {
		fill_frame(&p, frame, lens[i], i);
		ck_frame(&got.packets[2 * i], 0, frame, lens[i]);
		memcpy(frame, "\x02\0\0\0\0\x99", 6);
		memcpy(frame + 6, p.mac, 6);
		ck_frame(&got.packets[2 * i + 1], 1, frame, lens[i]);
	}
	for (i = 0; i < got.n; i++) {
		ck_assert_uint_ge(got.packets[i].ns, last);
		last = got.packets[i].ns;
	}
	ck_assert_uint_le(last, wall_ns() + 1000000);
	pcapng_free(&got);
	ck_no_error();
}
END_TEST

/* What no queue gets has been on the wire too: for others, too short, too long. */
START_TEST(frames_that_are_dropped_are_in_the_file)
{
	uint8_t frame[1600];
	struct pcapng got;
	struct port p;

	open_port(&p, captured("test"), 0);
	fill_frame(&p, frame, sizeof(frame), 1);
	ck_assert_int_eq(sn_test_put(p.dev, frame, 13), 0);
	ck_assert_int_eq(sn_test_put(p.dev, frame, 1600), 0);
	frame[5] ^= 1;
	ck_assert_int_eq(sn_test_put(p.dev, frame, 100), 0);
	while (stats(&p).rx_in_flight)
		sn_engine_help(NULL);
	gin_nic_close(p.nic);
	pcapng_read(file, &got);
	ck_assert_uint_eq(got.n, 3);
	ck_assert_uint_eq(got.packets[0].len, 13);
	ck_assert_uint_eq(got.packets[1].len, 1600);
	ck_frame(&got.packets[2], 0, frame, 100);
	pcapng_free(&got);
}
END_TEST

/* On a cable a frame arrives before send() returns. */
START_TEST(a_frame_leaves_before_it_arrives)
{
	struct port loop;
	struct pcapng got;
	uint8_t frame[60];
	uint32_t i;

	open_port(&loop, captured("loop"), 0);
	launch(&loop, INPUT_ECHO);
	fill_frame(&loop, frame, sizeof(frame), 1);
	memcpy(frame + 6, loop.mac, 6); /* it goes round and round */
	sn_lock(loop.dev);
	ck_assert_int_eq(sn_port_send(loop.dev, &(struct sn_frame){ frame, sizeof(frame) }, NULL, NULL), 0);
	sn_unlock(loop.dev);
	while (stats(&loop).rx_wire < 3)
		ck_assert_int_eq(gin_gpu_wait(gpu, MS / 10), -EAGAIN);
	gin_nic_close(loop.nic);
	pcapng_read(file, &got);
	ck_assert_uint_ge(got.n, 6);
	for (i = 0; i < 6; i++)
		ck_frame(&got.packets[i], !(i % 2), frame, sizeof(frame));
	pcapng_free(&got);
}
END_TEST

static void ck_refused(int err, const char *path, const char *words)
{
	struct gin_nic *nic;

	snprintf(name, sizeof(name), "soft:loop,capture=%s", path);
	ck_assert_int_eq(gin_nic_open(name, &nic), err);
	ck_one_error(words);
}

START_TEST(paths_that_cannot_be_written_are_refused)
{
	char path[80];

	ck_refused(-EISDIR, dir, "Is a directory: name a file in it");
	snprintf(path, sizeof(path), "%s/none/file", dir);
	ck_refused(-ENOENT, path, "make the folder first");
	ck_assert_int_eq(mkfifo(file, 0600), 0);
	ck_refused(-ENOTSUP, file, "not a regular file");
	ck_refused(-ENOTSUP, "/dev/null", "not a regular file");
	snprintf(path, sizeof(path), "%s/below", file);
	ck_refused(-ENOTDIR, path, "make the folder first");
}
END_TEST

START_TEST(a_file_without_rights_is_refused)
{
	if (geteuid() == 0) {
		ck_assert_int_eq(setegid(65534), 0);
		ck_assert_int_eq(seteuid(65534), 0);
	}
	ck_refused(-EACCES, "/etc/passwd", "take a folder that you may write to");
	ck_refused(-EACCES, "/etc/capture-of-a-test", "take a folder that you may write to");
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(two_nics_cannot_write_one_file)
{
	struct gin_nic *a, *b;

	ck_assert_int_eq(gin_nic_open(captured("loop"), &a), 0);
	ck_assert_int_eq(gin_nic_open(name, &b), -EBUSY);
	ck_one_error("another NIC or program writes to it");
	gin_nic_close(a);
	ck_assert_int_eq(gin_nic_open(name, &b), 0);
	gin_nic_close(b);
	ck_assert_uint_eq(pcapng_count(file), 0);
}
END_TEST

static void write_file(const char *text)
{
	FILE *f = fopen(file, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(a_nic_that_does_not_open_spares_the_file)
{
	struct gin_nic *nic;
	char text[16];
	FILE *f;

	write_file("of value");
	ck_assert_int_eq(gin_nic_open(captured("tap=a/b"), &nic), -EINVAL);
	ck_one_error("no '/'");
	f = fopen(file, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), f));
	fclose(f);
	ck_assert_str_eq(text, "of value");
}
END_TEST

START_TEST(an_old_file_is_emptied)
{
	struct gin_nic *nic;

	write_file("some text that is no capture, and longer than the blocks in front of packets, of which there are two, "
		   "one for the section and one for each interface: so it would show behind them if it had stayed; "
		   "therefore a little more of it, and this is enough");
	ck_assert_int_eq(gin_nic_open(captured("loop"), &nic), 0);
	gin_nic_close(nic);
	ck_assert_uint_eq(pcapng_count(file), 0);
}
END_TEST

/* Without anybody who waits, and without a doorbell. */
START_TEST(a_packet_shows_while_the_nic_runs)
{
	uint8_t frame[60];
	struct port p;
	uint32_t i;

	open_port(&p, captured("test"), 0);
	fill_frame(&p, frame, sizeof(frame), 1);
	for (i = 1; i < 4; i++) {
		ck_assert_int_eq(sn_test_put(p.dev, frame, sizeof(frame)), 0);
		while (pcapng_count(file) != i)
			usleep(1000); /* CTest's limit ends it */
	}
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(nothing_is_left_open)
{
	struct gin_nic *nic;
	uint32_t i;
	int n;

	ck_assert_int_eq(gin_nic_open(captured("loop"), &nic), 0); /* DPDK's own */
	gin_nic_close(nic);
	n = proc_n_fds();
	for (i = 0; i < 50; i++) {
		ck_assert_int_eq(gin_nic_open(name, &nic), 0);
		gin_nic_close(nic);
		ck_assert_int_eq(gin_nic_open("soft:tap=a/b,capture=x", &nic), -EINVAL);
	}
	ck_assert_int_eq(proc_n_fds(), n);
}
END_TEST

/*
 * Disks that are full: a limit on the size of files does as well, and anybody
 * may set it. Check writes a file too, at each assertion: far below these limits.
 */

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		abort(); /* not by an assertion, which writes */
	limit.rlim_cur = bytes;
	if (setrlimit(RLIMIT_FSIZE, &limit))
		abort();
}

static void put_many(struct port *p, uint32_t n, uint32_t len)
{
	uint8_t frame[1514];
	uint32_t i;

	ck_assert_int_eq(sn_test_input(p->dev, 1), 0); /* waits for slots */
	fill_frame(p, frame, len, 1);
	for (i = 0; i < n; i++)
		while (sn_test_put(p->dev, frame, len) == -EAGAIN)
			sn_engine_help(NULL);
	while (stats(p).rx_in_flight)
		sn_engine_help(NULL);
}

/* The line that the user reads, with the number of packets that are in the file. */
static void ck_ended(void)
{
	char words[64];

	snprintf(words, sizeof(words), "ends after %u packets", pcapng_count(file));
	ck_one_error(words);
}

START_TEST(a_full_disk_ends_the_capture_alone)
{
	struct port p;

	open_port(&p, captured("test"), 0);
	launch(&p, INPUT_RELEASE);
	limit_files(1000000);
	put_many(&p, 1100, 1000);
	limit_files(RLIM_INFINITY);
	ck_assert_uint_ge(pcapng_count(file), 940); /* of 1,000 bytes and about 50 around them, and two blocks in front */
	ck_assert_uint_le(pcapng_count(file), 962);
	ck_ended();
	put_many(&p, 10, 1000);
	ck_assert_uint_eq(stats(&p).rx_delivered, 1110);
	gin_nic_close(p.nic);
	ck_no_error();
}
END_TEST

START_TEST(a_disk_that_is_full_at_the_end_is_told_of)
{
	struct port p;

	open_port(&p, captured("test"), 0);
	launch(&p, INPUT_RELEASE);
	limit_files(1000000);
	put_many(&p, 970, 1000);
	gin_nic_close(p.nic);
	limit_files(RLIM_INFINITY);
	ck_assert_uint_ge(pcapng_count(file), 940);
	ck_ended();
}
END_TEST

START_TEST(a_disk_that_is_full_from_the_start_refuses)
{
	struct gin_nic *nic;
	int err;

	ck_assert_int_eq(gin_nic_open(captured("loop"), &nic), 0); /* DPDK has its memory */
	gin_nic_close(nic);
	unlink(file);
	limit_files(20);
	err = gin_nic_open(name, &nic);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(err, -EFBIG);
	ck_one_error("make room");
	ck_assert_int_eq(access(file, F_OK), -1);
}
END_TEST

START_TEST(without_the_plugin_it_says_what_is_missing)
{
	struct gin_nic *nic;

	ck_assert_int_eq(setenv("GINET_PLUGIN_DIR", dir, 1), 0);
	ck_assert_int_eq(gin_nic_open(captured("loop"), &nic), -ENOENT);
	ck_one_error("GINET_PLUGIN_DIR");
	ck_assert_int_eq(access(file, F_OK), -1);
}
END_TEST

START_TEST(values_that_cannot_be)
{
	char path[400];
	struct gin_nic *nic;

	ck_refused(-EINVAL, "", "is not a value of capture");
	memset(path, 'x', sizeof(path));
	memcpy(path, "soft:loop,capture=", 18);
	path[399] = 0;
	ck_assert_int_eq(gin_nic_open(path, &nic), -EINVAL);
	ck_one_error("is not a value of capture");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture");
	TCase *tc = tcase_create("capture");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, both_directions_are_in_the_file);
	tcase_add_test(tc, frames_that_are_dropped_are_in_the_file);
	tcase_add_test(tc, a_frame_leaves_before_it_arrives);
	tcase_add_test(tc, paths_that_cannot_be_written_are_refused);
	tcase_add_test(tc, a_file_without_rights_is_refused);
	tcase_add_test(tc, two_nics_cannot_write_one_file);
	tcase_add_test(tc, a_nic_that_does_not_open_spares_the_file);
	tcase_add_test(tc, an_old_file_is_emptied);
	tcase_add_test(tc, a_packet_shows_while_the_nic_runs);
	tcase_add_test(tc, nothing_is_left_open);
	tcase_add_test(tc, a_full_disk_ends_the_capture_alone);
	tcase_add_test(tc, a_disk_that_is_full_at_the_end_is_told_of);
	tcase_add_test(tc, a_disk_that_is_full_from_the_start_refuses);
	tcase_add_test(tc, without_the_plugin_it_says_what_is_missing);
	tcase_add_test(tc, values_that_cannot_be);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
