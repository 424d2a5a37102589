/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sample rx_count counts what is put on the interface, exactly, for
 * whomever it is. Run by namespace.sh.
 */
#include "../../samples/rx_count/rx_count.h"
#include "raw.h"
#include "rig.h"
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
enum { ROUNDS = 3 };
#else
enum { ROUNDS = 20 };
#endif
enum { ROUND = 400 }; /* fits into the interface's queue and into the receive ring */

/* Up, and silent by itself. */
static void set_up(const char *name)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0), f;
	struct ifreq ifr;
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", name);
	f = open(path, O_WRONLY);
	if (f >= 0) {
		ck_assert_int_eq(write(f, "1", 1), 1);
		close(f);
	}
	memset(&ifr, 0, sizeof(ifr));
	strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
	ifr.ifr_flags = IFF_UP;
	ck_assert_int_eq(ioctl(s, SIOCSIFFLAGS, &ifr), 0);
	close(s);
}

/* For the NIC, for others, for groups, for all; 60 to 1,514 bytes. */
static size_t frame(uint8_t *b, const uint8_t *mac, uint32_t i)
{
	static const uint8_t others[][6] = { { 0x02, 9, 9, 9, 9, 9 }, { 0x01, 0, 0x5e, 0, 0, 1 }, { 255, 255, 255, 255, 255, 255 } };
	size_t len = 60 + i * 7 % 1455;

	memset(b, (int)i, len);
	memcpy(b, i % 4 ? others[i % 4 - 1] : mac, 6);
	memcpy(b + 6, raw_me, 6);
	b[12] = 0x88;
	b[13] = 0xb5;
	return len;
}

static uint64_t send_round(int fd, const uint8_t *mac, uint32_t first)
{
	uint8_t b[RAW_MAX];
	uint64_t bytes = 0;
	uint32_t i;

	for (i = first; i < first + ROUND; i++) {
		size_t len = frame(b, mac, i);

		ck_assert_int_eq(raw_send(fd, b, len), 0);
		bytes += len;
	}
	return bytes;
}

START_TEST(counts_exactly)
{
	static const uint32_t threads[] = { 1, 32, 256 };
	struct gin_launch_config cfg = { .block.x = threads[_i % 3] };
	struct rx_count_args args = { .scope = (uint32_t)_i % 3 };
	struct rx_count_sums sums;
	struct gin_nic_info info;
	struct gin_nic_stats s;
	struct gin_gpu *gpu;
	struct gin_nic *nic;
	struct gin_rxq *rxq;
	struct gin_flow *flow;
	struct gin_mem mem;
	uint64_t bytes = 0;
	uint32_t i;
	int fd;

	ck_assert_int_eq(gin_gpu_open(_i < 3 ? "cpu" : "cpu:help=0", &gpu), 0);
	ck_assert_int_eq(gin_nic_open("soft:tap=gin0", &nic), 0);
	ck_assert_int_eq(gin_nic_promisc(nic, 1), 0);
	ck_assert_int_eq(gin_nic_info(nic, &info), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(sums), &mem), 0);
	ck_assert_int_eq(gin_rxq_create(nic, gpu, NULL, &rxq), 0);
	ck_assert_int_eq(gin_flow_all(nic, &rxq, 1, &flow), 0);
	args.rxq = gin_rxq_dev(rxq);
	args.sums = mem.gpu;
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_rx_count, &cfg, &args, sizeof(args)), 0);
	set_up("gin0");
	fd = raw_open("gin0");
	ck_assert_int_ge(fd, 0);
	for (i = 0; i < ROUNDS; i++) {
		bytes += send_round(fd, info.mac, i * ROUND);
		await_counter(gpu, &args.sums->packets, (i + 1) * ROUND);
	}
	close(fd);
	gin_gpu_stop(gpu);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_int_eq(gin_mem_copy(gpu, &sums, mem.gpu, sizeof(sums)), 0);
	ck_assert_uint_eq(sums.packets, ROUNDS * ROUND);
	ck_assert_uint_eq(sums.bytes, bytes);
	ck_quiet_sums(nic);
	ck_assert_int_eq(gin_nic_stats(nic, &s), 0);
	ck_assert_uint_eq(s.rx_wire, ROUNDS * ROUND);
	ck_assert_uint_eq(s.rx_wire_bytes, bytes);
	ck_assert_uint_eq(s.rx_delivered, ROUNDS * ROUND);
	gin_nic_close(nic);
	gin_gpu_close(gpu);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rx_count");
	TCase *tc = tcase_create("count");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, counts_exactly, 0, 6); /* scope, and whether kernels help the NIC */
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
