/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of an input: who notices, when, and when not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../input/lines.h"
#include "port.h"

/* Frames of 60 bytes, numbered in byte 14. */
static void put(struct port *p, uint32_t n)
{
	uint8_t frame[60];
	uint32_t i;

	fill_frame(p, frame, sizeof(frame), 0);
	for (i = 0; i < n; i++) {
		frame[14] = (uint8_t)i;
		ck_assert_int_eq(sn_test_put(p->dev, frame, sizeof(frame)), 0);
	}
}

/* The whole input: n frames. */
static void put_all(struct port *p, uint32_t n)
{
	ck_assert_int_eq(sn_test_input(p->dev, 1), 0);
	put(p, n);
	ck_assert_int_eq(sn_test_input(p->dev, 0), 0);
}

static void setup(void)
{
	lines_keep();
	open_gpu();
}

static void teardown(void)
{
	gin_gpu_close(gpu);
}

START_TEST(a_used_up_input_ends_the_kernel)
{
	struct port p;
	int i;

	open_port(&p, "soft:test", 0);
	put_all(&p, 5);
	for (i = 0; i < 100; i++)
		sn_engine_help(NULL);
	ck_assert_uint_eq(stats(&p).rx_in_flight, 5); /* nothing before the launch */
	ck_assert_uint_eq(stats(&p).rx_delivered, 0);
	launch(&p, INPUT_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_uint_eq(sums().taken, 5);
	ck_assert_uint_eq(sums().ended_with, ECANCELED);
	ck_assert_uint_eq(stats(&p).rx_delivered, 5);
	ck_assert_msg(strstr(lines_text(GIN_LOG_INFO), "input is used up") != NULL, "%s", lines_text(GIN_LOG_INFO));
	ck_assert_int_eq(lines_count(GIN_LOG_WARNING), 0);
	ck_no_error();
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(an_empty_input_ends_it_too)
{
	struct port p;

	open_port(&p, "soft:test", 0);
	put_all(&p, 0);
	launch(&p, INPUT_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_uint_eq(sums().taken, 0);
	ck_assert_uint_eq(sums().ended_with, ECANCELED);
	launch(&p, INPUT_RELEASE); /* and the next one */
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	gin_nic_close(p.nic);
}
END_TEST

/* 16 frames through 4 slots. */
START_TEST(an_input_waits_for_slots)
{
	struct port p;

	open_port(&p, "soft:test", 4);
	put_all(&p, 16);
	launch(&p, INPUT_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_uint_eq(sums().taken, 16);
	ck_assert_uint_eq(stats(&p).rx_drop_no_buffer, 0);
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(every_answer_is_on_the_wire_before_the_stop)
{
	struct port p;
	uint8_t frame[60];
	uint32_t i;

	open_port(&p, "soft:test", 4);
	put_all(&p, 16);
	launch(&p, INPUT_ECHO);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	for (i = 0; i < 16; i++) {
		ck_assert_int_eq(sn_test_take(p.dev, frame, sizeof(frame)), 60);
		ck_assert_uint_eq(frame[14], i);
		ck_assert_uint_eq(frame[0], 2);
	}
	ck_assert_uint_eq(stats(&p).tx_in_flight, 0);
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(more_to_come_keeps_it_running)
{
	struct port p;

	open_port(&p, "soft:test", 0);
	ck_assert_int_eq(sn_test_input(p.dev, 1), 0);
	put(&p, 3);
	launch(&p, INPUT_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, 200 * MS), -EAGAIN);
	put(&p, 2);
	ck_assert_int_eq(sn_test_input(p.dev, 0), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_uint_eq(sums().taken, 5);
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(packets_never_released_end_it_with_a_warning)
{
	struct port p;

	open_port(&p, "soft:test", 8);
	put_all(&p, 3);
	launch(&p, INPUT_KEEP);
	ck_assert_int_eq(gin_gpu_wait(gpu, 1000 * MS), -EAGAIN); /* 2 s it gets */
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_uint_eq(sums().taken, 3);
	ck_assert_msg(strstr(lines_text(GIN_LOG_WARNING), "the input is used up: input has not released 3 packets") != NULL, "%s",
		      lines_text(GIN_LOG_WARNING));
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(an_input_that_cannot_go_on_ends_it_with_a_warning)
{
	struct port p;

	open_port(&p, "soft:test", 4);
	put_all(&p, 10);
	launch(&p, INPUT_KEEP);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_uint_eq(sums().taken, 4);
	ck_assert_uint_eq(stats(&p).rx_in_flight, 6);
	ck_assert_msg(strstr(lines_text(GIN_LOG_WARNING), "the input is not used up: input has not released 4 packets") != NULL,
		      "%s", lines_text(GIN_LOG_WARNING));
	gin_nic_close(p.nic);
}
END_TEST

/* The wire takes 16 answers; 4 more wait in the ring. */
START_TEST(sends_that_cannot_leave_end_it_with_a_warning)
{
	struct port p;

	open_port(&p, "soft:test", 0);
	ck_assert_int_eq(sn_test_input(p.dev, 1), 0);
	put(&p, 16);
	make_answer(&p);
	launch(&p, INPUT_ANSWER);
	while (stats(&p).tx_wire < 16)
		ck_assert_int_eq(gin_gpu_wait(gpu, MS), -EAGAIN);
	put(&p, 4);
	ck_assert_int_eq(sn_test_input(p.dev, 0), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, 1000 * MS), -EAGAIN);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_msg(strstr(lines_text(GIN_LOG_WARNING), "has not released 0 packets, 4 sends are in flight") != NULL, "%s", lines_text(GIN_LOG_WARNING));
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(an_endless_input_beside_it_keeps_it_running)
{
	struct port p, endless;

	open_port(&p, "soft:test", 0);
	open_port(&endless, "soft:loop", 0);
	put_all(&p, 3);
	launch(&p, INPUT_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, 200 * MS), -EAGAIN);
	ck_assert_uint_eq(sums().taken, 3);
	gin_nic_close(endless.nic); /* stops the GPU */
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(a_nic_that_only_sends_has_no_input)
{
	struct gin_nic *nic;
	struct gin_txq *txq;
	struct port p;

	open_port(&p, "soft:test", 0);
	ck_assert_int_eq(gin_nic_open("soft:loop", &nic), 0);
	ck_assert_int_eq(gin_txq_create(nic, gpu, NULL, &txq), 0);
	put_all(&p, 3);
	launch(&p, INPUT_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, 60000 * MS), 0);
	ck_assert_uint_eq(sums().taken, 3);
	gin_nic_close(nic);
	gin_nic_close(p.nic);
}
END_TEST

START_TEST(of_two_inputs_both_must_end)
{
	struct port a, b;

	open_port(&a, "soft:test", 0);
	open_port(&b, "soft:test", 0);
	put_all(&a, 3);
	ck_assert_int_eq(sn_test_input(b.dev, 1), 0);
	launch(&a, INPUT_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(gpu, 200 * MS), -EAGAIN);
	ck_assert_int_eq(sn_test_input(b.dev, 0), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_UNTIL_STOP), 0);
	ck_assert_uint_eq(sums().taken, 3);
	gin_nic_close(a.nic);
	gin_nic_close(b.nic);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("input");
	TCase *tc = tcase_create("input");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_used_up_input_ends_the_kernel);
	tcase_add_test(tc, an_empty_input_ends_it_too);
	tcase_add_test(tc, an_input_waits_for_slots);
	tcase_add_test(tc, every_answer_is_on_the_wire_before_the_stop);
	tcase_add_test(tc, more_to_come_keeps_it_running);
	tcase_add_test(tc, packets_never_released_end_it_with_a_warning);
	tcase_add_test(tc, an_input_that_cannot_go_on_ends_it_with_a_warning);
	tcase_add_test(tc, sends_that_cannot_leave_end_it_with_a_warning);
	tcase_add_test(tc, an_endless_input_beside_it_keeps_it_running);
	tcase_add_test(tc, a_nic_that_only_sends_has_no_input);
	tcase_add_test(tc, of_two_inputs_both_must_end);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
