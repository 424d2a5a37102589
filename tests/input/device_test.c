/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of NICs and GPUs that are wrong: one line each, with what is possible instead. */
#include "lines.h"
#include <errno.h>
#include <ginet/ginet.h>
#include <stdlib.h>

static const char *const bad_keys[] = {
	"soft:loop,",
	"soft:loop,mtu",
	"soft:loop,mtu=",
	"soft:loop,mtu=67",
	"soft:loop,mtu=9217",
	"soft:loop,mtu=1e3",
	"soft:loop,mtu=-1",
	"soft:loop,mtu= 1500",
	"soft:loop,mtu=99999999999999999999",
	"soft:loop,mac=",
	"soft:loop,mac=02:00:00:00:00",
	"soft:loop,mac=02:00:00:00:00:00:00",
	"soft:loop,mac=02-00-00-00-00-00",
	"soft:loop,mac=0x:00:00:00:00:00",
	"soft:loop,mac=01:00:5e:00:00:01",
	"soft:loop,mac=00:00:00:00:00:00",
	"soft:loop,model=cx8",
	"soft:loop,inline=ip",
	"soft:loop,uar=none",
	"soft:loop,promisc=2",
	"soft:loop,time=",
	"soft:loop,adversary=yes",
	"soft:loop,first_index=16777216",
	"soft:loop,caps=",
	"soft:loop,caps=cq_oi",
	"soft:loop,caps=no_cq_oi+",
	"soft:loop,host=eth0",
	"soft:loop,host=tap=",
	"soft:loop,mtu=1500,,promisc=1",
	"soft:loop,colour=blue",
	"soft:loop,=1",
	"soft:loop,MTU=1500",
};

START_TEST(bad_key_lists_the_known_ones)
{
	struct gin_nic *nic = (struct gin_nic *)&bad_keys;

	lines_keep();
	ck_assert_int_eq(gin_nic_open(bad_keys[_i], &nic), -EINVAL);
	ck_assert_msg(strstr(lines_text(GIN_LOG_ERROR), "mtu=68..9216"), "%s", lines_text(GIN_LOG_ERROR));
	ck_assert_msg(strstr(lines_text(GIN_LOG_ERROR), bad_keys[_i]), "%s", lines_text(GIN_LOG_ERROR));
	ck_one_error("model=cx4lx|cx5|cx6dx|cx7, mac=");
	ck_assert_ptr_eq(nic, (struct gin_nic *)&bad_keys);
}
END_TEST

static const char *const bad_wires[] = { "soft:", "soft:,mtu=1500", "soft:lop", "soft:loop=x", "soft:tap", "soft:tap=", "soft:cable=",
					 "soft:eth0", "soft:tap,mtu=1500" };

START_TEST(bad_wire_lists_the_known_ones)
{
	struct gin_nic *nic;

	lines_keep();
	ck_assert_int_eq(gin_nic_open(bad_wires[_i], &nic), -EINVAL);
	ck_one_error("wires: loop, cable=NAME, tap=IFNAME");
}
END_TEST

static const char *const bad_nics[] = { "", "soft", "loop", "mlx5:0", "Soft:loop", "0000:03:00.0" };

START_TEST(unknown_nic_says_how_names_begin)
{
	struct gin_nic *nic;

	lines_keep();
	ck_assert_int_eq(gin_nic_open(bad_nics[_i], &nic), -EINVAL);
	ck_one_error("names begin with 'soft:'");
}
END_TEST

static const char *const bad_names[] = { "soft:tap=sixteen_letters_", "soft:tap=gin%d", "soft:tap=a/b", "soft:tap=a b", "soft:tap=.." };

START_TEST(interface_name_says_what_is_allowed)
{
	struct gin_nic *nic;

	lines_keep();
	ck_assert_int_eq(gin_nic_open(bad_names[_i], &nic), -EINVAL);
	ck_one_error("at most 15 characters, no '/', ':', '%' or space");
}
END_TEST

START_TEST(endless_names_are_refused)
{
	char name[70000];
	struct gin_nic *nic;
	struct gin_gpu *gpu;

	lines_keep();
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	memcpy(name, "soft:cable=", 11);
	ck_assert_int_eq(gin_nic_open(name, &nic), -EINVAL);
	ck_one_error("soft:cable=xxx");
	name[11 + 64] = 0; /* 64 characters: one too many for a cable, not for a wire */
	ck_assert_int_eq(gin_nic_open(name, &nic), -EINVAL);
	ck_one_error("more than 63 characters");
	ck_assert_int_eq(gin_gpu_open(name, &gpu), -EINVAL);
	ck_one_error("is not understood");
}
END_TEST

START_TEST(cable_with_three_ends)
{
	struct gin_nic *nic[3];

	lines_keep();
	ck_assert_int_eq(gin_nic_open("soft:cable=a", &nic[0]), 0);
	ck_assert_int_eq(gin_nic_open("soft:cable=a", &nic[1]), 0);
	ck_no_error();
	ck_assert_int_eq(gin_nic_open("soft:cable=a", &nic[2]), -EBUSY);
	ck_one_error("use another name");
	gin_nic_close(nic[0]);
	ck_assert_int_eq(gin_nic_open("soft:cable=a", &nic[0]), 0);
	gin_nic_close(nic[1]);
	gin_nic_close(nic[0]);
	ck_no_error();
}
END_TEST

static const struct { const char *name, *words; } lacking[] = {
	{ "soft:loop,caps=no_cq_oi", "CQ overrun ignore" },
	{ "soft:loop,caps=no_eth_net_offloads", "is not an Ethernet port" },
	{ "soft:loop,caps=no_wqe_vlan_insert+no_cq_oi", "CQ overrun ignore" },
};

START_TEST(card_that_lacks_what_is_needed)
{
	struct gin_nic *nic;

	lines_keep();
	ck_assert_int_eq(gin_nic_open(lacking[_i].name, &nic), -ENOTSUP);
	ck_one_error(lacking[_i].words);
	ck_assert_int_eq(gin_nic_open("soft:loop,caps=no_wqe_vlan_insert", &nic), 0);
	gin_nic_close(nic);
	ck_no_error();
}
END_TEST

START_TEST(promiscuous_without_the_right)
{
	struct gin_nic *nic;

	lines_keep();
	ck_assert_int_eq(gin_nic_open("soft:loop,promisc=0", &nic), 0);
	ck_assert_int_eq(gin_nic_promisc(nic, 1), -EPERM);
	ck_one_error("promisc=0");
	ck_assert_int_eq(gin_nic_promisc(nic, 0), 0);
	gin_nic_close(nic);
	ck_no_error();
}
END_TEST

/* Without CUDA, or without a GPU. */
static const struct { const char *name; int err; const char *words; } bad_gpus[] = {
	{ "", -EINVAL, "\"cuda:N\"" },
	{ "gpu", -EINVAL, "\"cuda:N\"" },
	{ "cpux", -EINVAL, "\"cuda:N\"" },
	{ "CPU", -EINVAL, "\"cuda:N\"" },
	{ "0000:17:00", -EINVAL, "\"cuda:N\"" },
	{ "cpu:lane=1", -EINVAL, "known: seed=N, lanes=N, stack=KiB" },
	{ "cpu:lanes", -EINVAL, "known: seed=N, lanes=N, stack=KiB" },
	{ "cpu:lanes=", -EINVAL, "1 to 1048576" },
	{ "cpu:lanes=0", -EINVAL, "1 to 1048576" },
	{ "cpu:lanes=-1", -EINVAL, "1 to 1048576" },
	{ "cpu:lanes=1048577", -EINVAL, "1 to 1048576" },
	{ "cpu:help=2", -EINVAL, "help: 0 or 1" },
	{ "cpu:seed=x", -EINVAL, "no number" },
	{ "cpu:seed=1,stack=15", -EINVAL, "16 to 65536 KiB" },
};

START_TEST(bad_gpu_says_what_is_possible)
{
	struct gin_gpu *gpu = (struct gin_gpu *)&bad_gpus;

	lines_keep();
	ck_assert_int_eq(gin_gpu_open(bad_gpus[_i].name, &gpu), bad_gpus[_i].err);
	ck_one_error(bad_gpus[_i].words);
	ck_assert_ptr_eq(gpu, (struct gin_gpu *)&bad_gpus);
}
END_TEST

START_TEST(simulation_needs_another_build)
{
	struct gin_gpu *gpu;

	lines_keep();
	ck_assert_int_eq(gin_gpu_open("cpu:sim", &gpu), -ENOTSUP);
	ck_one_error("link with ginet_sim");
}
END_TEST

static const char *const absent_gpus[] = { "cuda:0", "cuda", "cuda:99", "cuda:x", "cuda:-1", "ff:1f.7" };

/* One line wherever this runs: built without CUDA, no driver, no such GPU, or not a number. */
START_TEST(absent_gpu_is_one_line)
{
	struct gin_gpu *gpu = NULL;
	int err;

	lines_keep();
	err = gin_gpu_open(absent_gpus[_i], &gpu);
	if (!err) {
		gin_gpu_close(gpu);
		return;
	}
	ck_assert_msg(err == -ENOTSUP || err == -ENODEV || err == -EINVAL, "%d", err);
	ck_one_error("");
}
END_TEST

START_TEST(names_from_the_environment)
{
	struct gin_nic *nic;
	struct gin_gpu *gpu;

	lines_keep();
	setenv("GINET_NIC", "soft:lop", 1);
	setenv("GINET_GPU", "cpu:lane=1", 1);
	ck_assert_int_eq(gin_nic_open(NULL, &nic), -EINVAL);
	ck_assert_ptr_nonnull(strstr(lines_text(GIN_LOG_INFO), "$GINET_NIC"));
	ck_one_error("'lop' is no known wire");
	ck_assert_int_eq(gin_gpu_open(NULL, &gpu), -EINVAL);
	ck_assert_ptr_nonnull(strstr(lines_text(GIN_LOG_INFO), "$GINET_GPU"));
	ck_one_error("'lane=1'");
	setenv("GINET_NIC", "", 1);
	ck_assert_int_eq(gin_nic_open(NULL, &nic), 0);
	ck_assert_ptr_nonnull(strstr(lines_text(GIN_LOG_INFO), "soft:loop"));
	gin_nic_close(nic);
}
END_TEST

START_TEST(null_is_taken_where_promised)
{
	gin_nic_close(NULL);
	gin_gpu_close(NULL);
	gin_flow_destroy(NULL);
	gin_mr_destroy(NULL);
	gin_stream_destroy(NULL);
	ck_assert_int_eq(gin_rxq_destroy(NULL), 0);
	ck_assert_int_eq(gin_txq_destroy(NULL), 0);
}
END_TEST

#define N(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *s = suite_create("device names");
	TCase *tc = tcase_create("names");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, bad_key_lists_the_known_ones, 0, N(bad_keys));
	tcase_add_loop_test(tc, bad_wire_lists_the_known_ones, 0, N(bad_wires));
	tcase_add_loop_test(tc, unknown_nic_says_how_names_begin, 0, N(bad_nics));
	tcase_add_loop_test(tc, interface_name_says_what_is_allowed, 0, N(bad_names));
	tcase_add_test(tc, endless_names_are_refused);
	tcase_add_test(tc, cable_with_three_ends);
	tcase_add_loop_test(tc, card_that_lacks_what_is_needed, 0, N(lacking));
	tcase_add_test(tc, promiscuous_without_the_right);
	tcase_add_loop_test(tc, bad_gpu_says_what_is_possible, 0, N(bad_gpus));
	tcase_add_test(tc, simulation_needs_another_build);
	tcase_add_loop_test(tc, absent_gpu_is_one_line, 0, N(absent_gpus));
	tcase_add_test(tc, names_from_the_environment);
	tcase_add_test(tc, null_is_taken_where_promised);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
