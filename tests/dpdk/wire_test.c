/* SPDX-License-Identifier: BSD-3-Clause */
/* The ethdev wire on drivers that need no privileges: net_ring, net_null, net_pcap. The engine is stepped by hand. */
#include <errno.h>
#include <softnic/fixture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* self_lb_block: what comes back comes by the wire. */
#define CONFIG .scq_oi = 1, .rcq_oi = 1, .self_lb_block = 3

static void send_frame(struct bench *b, uint32_t len, uint32_t seq)
{
	make_frame(tx_frame(b, 0), b->profile.mac, len, seq);
	post_send(b, (uintptr_t)tx_frame(b, 0), len, 0);
	ring(b);
}

/* Frame n of all that came: that it is the one with seq. */
static void ck_came(struct bench *b, uint32_t n, uint32_t len, uint32_t seq)
{
	uint8_t want[SLOT_BYTES];

	make_frame(want, b->profile.mac, len, seq);
	ck_assert_msg(cqe_valid(b, 0, n), "frame %u", n);
	ck_assert_uint_eq(gin_from_be32(cqe_at(b, 0, n)->byte_cnt), len);
	ck_assert_msg(!memcmp(b->buf + n % N_RX_BUF * SLOT_BYTES, want, len), "frame %u", n);
}

START_TEST(every_size_passes_a_ring)
{
	struct bench_config cfg = { .name = "net_ring0", CONFIG };
	struct bench b;
	uint32_t len, n = 0;

	bench_open(&b, &cfg);
	for (len = 60; len <= 1514; len++, n++) {
		post_recv(&b, 1);
		send_frame(&b, len, len);
		run_idle();
		ck_came(&b, n, len, len);
	}
	ck_assert_uint_eq(stats(&b).rx_wire, 1455);
	ck_assert_uint_eq(stats(&b).tx_wire, 1455);
	ck_assert_uint_eq(stats(&b).tx_wire_bytes, 1145085); /* 1455 * (60 + 1514) / 2 */
	bench_close(&b);
}
END_TEST

/* One byte more than the MTU and a tag is dropped and counted by the sender. */
static void at_the_edge(const char *name, uint32_t mtu)
{
	struct bench_config cfg = { .name = name, CONFIG };
	struct bench b;

	bench_open(&b, &cfg);
	post_recv(&b, 4);
	send_frame(&b, 14 + mtu, 1);
	run_idle();
	ck_came(&b, 0, 14 + mtu, 1);
	send_frame(&b, 14 + mtu + 1, 2);
	run_idle();
	ck_assert_uint_eq(stats(&b).tx_drop_too_long, 1);
	make_frame(tx_frame(&b, 0), b.profile.mac, 18 + mtu, 3);
	memcpy(tx_frame(&b, 0) + 12, "\x81\x00\x00\x07", 4);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 18 + mtu, 0);
	ring(&b);
	run_idle();
	ck_assert(cqe_valid(&b, 0, 1));
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 1)->byte_cnt), 18 + mtu);
	ck_assert_uint_eq(stats(&b).rx_wire, 2);
	bench_close(&b);
}

START_TEST(the_mtu_has_two_sides)
{
	at_the_edge("net_ring0", 1500);
	at_the_edge("net_ring0,mtu=68", 68);
	at_the_edge("net_ring0,mtu=2000", 2000);
}
END_TEST

/* A step of the sending side, as long as there is one: the packets that come wait meanwhile. */
static void step_sends(void)
{
	uint32_t i;

	for (i = 0; i < 2; i++) /* the doorbell, the packet */
		if (sn_engine_n_ready(NULL))
			sn_engine_step(NULL, 0);
}

/*
 * The port reads nothing: 224 or more wait in the ring to the port, 1,023 in
 * net_ring's own (a ring of 1,024 holds one less), 256 in the ring to the
 * driver. Then the port stops fetching, and when it reads, all come in order.
 */
START_TEST(a_full_wire_stops_fetching_and_loses_nothing)
{
	struct bench_config cfg = { .name = "net_ring0", CONFIG };
	struct gin_nic_stats s;
	struct bench b;
	uint32_t sent = 0, came;

	bench_open(&b, &cfg);
	do {
		send_frame(&b, 60, sent++);
		step_sends();
		s = stats(&b);
		ck_assert_uint_lt(sent, 2000);
	} while (!s.tx_in_flight);
	ck_assert_uint_ge(s.tx_wire, 224 + 1023 + 256);
	ck_assert_uint_le(s.tx_wire, 256 + 1023 + 256);
	ck_assert_uint_eq(s.tx_wire, sent - 1);
	ck_assert_uint_eq(s.tx_drop_link_down + s.tx_drop_too_long + s.tx_drop_queue_error, 0);
	for (came = 0; came < sent; came++) {
		post_recv(&b, 1);
		while (!cqe_valid(&b, 0, came)) {
			ck_assert_uint_gt(sn_engine_n_ready(NULL), 0);
			sn_engine_step(NULL, 0);
		}
		ck_came(&b, came, 60, came);
	}
	s = stats(&b);
	ck_assert_uint_eq(s.rx_delivered, sent);
	ck_assert_uint_eq(s.tx_wire, sent);
	ck_assert_uint_eq(s.rx_in_flight + s.tx_in_flight, 0);
	bench_close(&b);
}
END_TEST

START_TEST(packets_that_did_not_leave_are_told_at_the_end)
{
	struct bench_config cfg = { .name = "net_ring0", CONFIG };
	struct bench b;
	uint32_t sent = 0;

	bench_open(&b, &cfg);
	do {
		send_frame(&b, 60, sent++);
		step_sends();
		ck_assert_uint_lt(sent, 2000);
	} while (!stats(&b).tx_in_flight);
	log_clear();
	bench_close(&b);
	ck_assert_uint_eq(log_lines(), 1);
	ck_assert(log_has("soft:net_ring0: 256 packets that were sent had not left"));
}
END_TEST

START_TEST(null_takes_all_and_gives_all)
{
	struct bench_config cfg = { .name = "net_null0,size=100", CONFIG };
	struct gin_nic_stats s;
	struct bench b;
	uint32_t i;

	bench_open(&b, &cfg);
	for (i = 0; i < 1000; i++) {
		send_frame(&b, 1514, i);
		step_sends();
		sn_engine_step(NULL, 0);
	}
	s = stats(&b);
	ck_assert_uint_eq(s.tx_wire, 1000);
	ck_assert_uint_ge(s.rx_wire, 1000);
	ck_assert_uint_eq(s.rx_wire_bytes, s.rx_wire * 100);
	bench_close(&b);
	cfg.name = "net_null0,no-rx=1";
	bench_open(&b, &cfg);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_wire, 0);
	bench_close(&b);
}
END_TEST

/* Capture files: libpcap's format, written and read here by hand. */

static char folder[] = "/tmp/ginet-dpdk-XXXXXX", in_path[64], out_path[64];

static void put_le32(FILE *f, uint32_t v)
{
	ck_assert_int_ne(fputc((int)(v & 0xff), f), EOF);
	fputc((int)(v >> 8 & 0xff), f);
	fputc((int)(v >> 16 & 0xff), f);
	fputc((int)(v >> 24), f);
}

static uint32_t get_le32(FILE *f)
{
	uint32_t v = (uint32_t)fgetc(f);

	v |= (uint32_t)fgetc(f) << 8;
	v |= (uint32_t)fgetc(f) << 16;
	return v | (uint32_t)fgetc(f) << 24;
}

static FILE *begin_capture(void)
{
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(in_path, sizeof(in_path), "%s/in", folder);
	snprintf(out_path, sizeof(out_path), "%s/out", folder);
	f = fopen(in_path, "w");
	ck_assert_ptr_nonnull(f);
	put_le32(f, 0xa1b2c3d4);
	put_le32(f, 2 | 4 << 16); /* version 2.4 */
	put_le32(f, 0);
	put_le32(f, 0);
	put_le32(f, 65535); /* longest */
	put_le32(f, 1);     /* Ethernet */
	return f;
}

static void add_record(FILE *f, const uint8_t *frame, uint32_t len)
{
	put_le32(f, 1);
	put_le32(f, 0);
	put_le32(f, len);
	put_le32(f, len);
	ck_assert_uint_eq(fwrite(frame, 1, len, f), len);
}

static void end_files(void)
{
	unlink(in_path);
	unlink(out_path);
	ck_assert_int_eq(rmdir(folder), 0);
}

static void ck_record(FILE *f, const uint8_t *frame, uint32_t len)
{
	uint8_t got[2048];

	get_le32(f);
	get_le32(f);
	ck_assert_uint_eq(get_le32(f), len);
	ck_assert_uint_eq(get_le32(f), len);
	ck_assert_uint_eq(fread(got, 1, len, f), len);
	ck_assert_int_eq(memcmp(got, frame, len), 0);
}

START_TEST(a_capture_file_comes_in_and_one_goes_out)
{
	struct bench_config cfg = { CONFIG };
	uint8_t frame[2048];
	char name[256];
	struct bench b;
	uint32_t i;
	FILE *f = begin_capture();

	for (i = 0; i < 6; i++) {
		make_frame(frame, broadcast, 60 + i * 290, i);
		add_record(f, frame, 60 + i * 290);
	}
	fclose(f);
	snprintf(name, sizeof(name), "net_pcap0,rx_pcap=%s,tx_pcap=%s", in_path, out_path);
	cfg.name = name;
	bench_open(&b, &cfg);
	ck_assert_int_eq(sn_input_ended(b.dev), -EAGAIN);
	sn_input_start(b.dev);
	post_recv(&b, 8);
	run_idle();
	for (i = 0; i < 6; i++) {
		ck_assert(cqe_valid(&b, 0, i));
		make_frame(frame, broadcast, 60 + i * 290, i);
		ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, i)->byte_cnt), 60 + i * 290);
		ck_assert_int_eq(memcmp(b.buf + i * SLOT_BYTES, frame, 60 + i * 290), 0);
	}
	ck_assert_int_eq(sn_input_ended(b.dev), 1);
	for (i = 0; i < 1455; i++) {
		send_frame(&b, 60 + i, i);
		run_idle();
	}
	ck_assert_uint_eq(stats(&b).tx_wire, 1455);
	f = fopen(out_path, "r");
	bench_close(&b);
	ck_assert_ptr_nonnull(f);
	fseek(f, 24, SEEK_SET);
	for (i = 0; i < 1455; i++) {
		make_frame(frame, b.profile.mac, 60 + i, i);
		ck_record(f, frame, 60 + i);
	}
	ck_assert_int_eq(fgetc(f), EOF);
	fclose(f);
	end_files();
}
END_TEST

/* It comes in several pieces of memory; longer than the longest that any port takes, it is cut. */
START_TEST(frames_above_the_mtu_are_dropped_by_their_cause)
{
	static const uint32_t lens[] = { 3000, 9000, 16384, 40000, 1514 };
	struct bench_config cfg = { CONFIG };
	struct gin_nic_counters c;
	uint8_t *frame = calloc(1, 65536);
	char name[256];
	struct bench b;
	uint32_t i;
	FILE *f = begin_capture();

	for (i = 0; i < 5; i++) {
		make_frame(frame, broadcast, lens[i], i);
		add_record(f, frame, lens[i]);
	}
	fclose(f);
	snprintf(name, sizeof(name), "net_pcap0,rx_pcap=%s", in_path);
	cfg.name = name;
	bench_open(&b, &cfg);
	sn_input_start(b.dev);
	post_recv(&b, 8);
	run_idle();
	ck_assert_int_eq(sn_counters(b.dev, &c), 0);
	ck_assert_uint_eq(c.stats.rx_drop_too_long, 4);
	ck_assert_uint_eq(c.stats.rx_wire_bytes, 3000 + 9000 + 16384 + 16384 + 1514);
	make_frame(frame, broadcast, 3000, 0);
	ck_assert_int_eq(memcmp(c.first_drop.head, frame, sizeof(c.first_drop.head)), 0);
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 0)->byte_cnt), 1514);
	bench_close(&b);
	free(frame);
	end_files();
}
END_TEST

START_TEST(two_names_are_two_wires_and_one_name_is_one)
{
	struct bench_config cfg = { .name = "net_ring0", CONFIG };
	struct sn_device *dev;
	struct bench a, b;

	bench_open(&a, &cfg);
	cfg.name = "net_ring1";
	bench_open(&b, &cfg);
	post_recv(&a, 1);
	post_recv(&b, 1);
	send_frame(&a, 100, 1);
	send_frame(&b, 200, 2);
	run_idle();
	ck_came(&a, 0, 100, 1);
	ck_came(&b, 0, 200, 2);
	log_clear();
	ck_assert_int_eq(sn_device_create(&b.profile, gin_env_real(), &dev), -EBUSY);
	ck_assert_uint_eq(log_lines(), 1);
	ck_assert(log_has("has a net_ring1 already: take another number"));
	bench_close(&a);
	send_frame(&b, 300, 3);
	post_recv(&b, 1);
	run_idle();
	ck_came(&b, 1, 300, 3);
	bench_close(&b);
}
END_TEST

/* What cannot be: which error, and what the one line says. */
START_TEST(refusals_are_one_line)
{
	static const struct { const char *name; int err; const char *part; } all[] = {
		{ "net_null0,mtu=9000", 0, "" }, /* it has no limit */
		{ "net_af_packet0,iface=nosuch0", -ENODEV, "no interface nosuch0" },
		{ "net_af_xdp0,iface=nosuch0", -ENODEV, "no interface nosuch0" },
		{ "net_pcap0,rx_iface=nosuch0", -ENODEV, "no interface nosuch0" },
		{ "net_tap0,iface=gin0,remote=nosuch0", -ENODEV, "no interface nosuch0" },
		{ "net_pcap0,rx_pcap=/nosuch/in", -ENOENT, "/nosuch/in" },
		{ "net_pcap0,rx_pcap=/dev/null/in", -ENOTDIR, "/dev/null/in" },
		{ "net_pcap0,tx_pcap=/nosuch/out", -ENOENT, "/nosuch" },
		{ "net_pcap0", -ENOENT, "No rx or tx queues" },
		{ "net_nosuch0", -ENODEV, "apt-get install librte-net-nosuch2" },
		{ "net_mlx9990", -ENODEV, "apt-get install librte-net-mlx2" },
		{ "net_virtio_user0,path=/nosuch/s", -EIO, "No such file or directory" },
		{ "net_bonding0", -EIO, "Mode must be specified" },
		{ "net_memif0,zero-copy=yes,role=client,id=0", -EIO, "Zero-copy" },
		{ "net_memif0,socket=m,socket-abstract=no", -EINVAL, "wants the socket's folder too: socket=./m" },
		{ "net_memif0,mtu=1501", -EINVAL, "mtu=1501, but this driver carries at most 1500" },
		{ "0000:99:00.0", -ENODEV, "no PCI device 0000:99:00.0" },
	};
	struct sn_profile profile;
	struct sn_device *dev;
	uint32_t i;
	int err;

	sn_engine_set_stepped(1);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		log_clear();
		ck_assert_int_eq(sn_profile_parse(all[i].name, gin_env_real(), &profile), 0);
		err = sn_device_create(&profile, gin_env_real(), &dev);
		ck_assert_msg(err == all[i].err, "%s: %d", all[i].name, err);
		ck_assert_msg(log_lines() == (err != 0) && log_has(all[i].part), "%s: %u lines", all[i].name, log_lines());
		if (!err)
			sn_device_destroy(dev);
	}
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, every_size_passes_a_ring);
	tcase_add_test(tc, the_mtu_has_two_sides);
	tcase_add_test(tc, a_full_wire_stops_fetching_and_loses_nothing);
	tcase_add_test(tc, packets_that_did_not_leave_are_told_at_the_end);
	tcase_add_test(tc, null_takes_all_and_gives_all);
	tcase_add_test(tc, a_capture_file_comes_in_and_one_goes_out);
	tcase_add_test(tc, frames_above_the_mtu_are_dropped_by_their_cause);
	tcase_add_test(tc, two_names_are_two_wires_and_one_name_is_one);
	tcase_add_test(tc, refusals_are_one_line);
}

int main(void)
{
	return run_suite("dpdk_wire", add);
}
