/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of counters: what it shows, and that its sum check can say no. */
#include <check.h>
#include <ginet/ginet.h>
#include <stdlib.h>
#include <string.h>
#include "nic/counters.h"
#include "nic/nic_priv.h"

static struct gin_nic_stats made_up;
static struct gin_nic *nic;
static struct gin_nic_ops ops;

static int made_up_counters(struct gin_nic_dev *dev, struct gin_nic_counters *out)
{
	(void)dev;
	memset(out, 0, sizeof(*out));
	out->stats = made_up;
	return 0;
}

/* A NIC that counts what the test says. */
static void setup(void)
{
	ck_assert_int_eq(gin_nic_open("soft:loop,mac=02:00:00:00:00:07", &nic), 0);
	ops = *nic->ops;
	ops.counters = made_up_counters;
	nic->ops = &ops;
	memset(&made_up, 0, sizeof(made_up));
}

static void teardown(void)
{
	gin_nic_close(nic);
}

static char *table(void)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	gin_nic_print_stats(nic, to);
	fclose(to);
	return text;
}

static void ck_last_line(const char *end)
{
	char *text = table();
	size_t n = strlen(text);

	ck_assert_msg(n > strlen(end) && !strcmp(text + n - strlen(end), end), "%s", text);
	free(text);
}

/* Every counter once, all different. */
START_TEST(sums_take_each_counter_in)
{
	made_up.rx_wire = 100;
	made_up.rx_duplicated = 23;
	made_up.rx_delivered = 50;
	made_up.rx_to_host = 1;
	made_up.rx_in_flight = 2;
	made_up.rx_drop_filter = 3;
	made_up.rx_drop_by_rule = 4;
	made_up.rx_drop_no_buffer = 5;
	made_up.rx_drop_too_long = 6;
	made_up.rx_drop_bad_frame = 7;
	made_up.rx_drop_queue_error = 8;
	made_up.rx_drop_link_down = 37;
	made_up.tx_posted = 60;
	made_up.tx_wire = 10;
	made_up.tx_in_flight = 11;
	made_up.tx_drop_too_long = 12;
	made_up.tx_drop_link_down = 13;
	made_up.tx_drop_queue_error = 14;
	ck_last_line("  sums: rx 123 in, 123 accounted for; tx 60 posted, 60 accounted for: ok\n");
}
END_TEST

START_TEST(a_lost_packet_is_a_mismatch)
{
	made_up.rx_wire = 10;
	made_up.rx_delivered = 9;
	ck_last_line("  sums: rx 10 in, 9 accounted for; tx 0 posted, 0 accounted for: MISMATCH\n");
	made_up.rx_delivered = 10;
	made_up.tx_posted = 1;
	made_up.tx_wire = 2;
	ck_last_line("  sums: rx 10 in, 10 accounted for; tx 1 posted, 2 accounted for: MISMATCH\n");
}
END_TEST

START_TEST(drops_show_when_there_are_any)
{
	char *text = table();

	ck_assert_ptr_nonnull(strstr(text, "(soft) 02:00:00:00:00:07, MTU 1500, link up\n"));
	ck_assert_ptr_nonnull(strstr(text, "rx_wire                           0\n"));
	ck_assert_ptr_null(strstr(text, "rx_drop_no_buffer"));
	free(text);
	made_up.rx_drop_no_buffer = 7;
	text = table();
	ck_assert_ptr_nonnull(strstr(text, "rx_drop_no_buffer                 7\n"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("print");
	TCase *tcase = tcase_create("table");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, sums_take_each_counter_in);
	tcase_add_test(tcase, a_lost_packet_is_a_mismatch);
	tcase_add_test(tcase, drops_show_when_there_are_any);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
