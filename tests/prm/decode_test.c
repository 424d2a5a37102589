/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers in words. */
#include "prm/prm.h"
#include "run.h"
#include <string.h>

START_TEST(parts_of_an_answer)
{
	static const uint8_t out[16] = { 0x0f, 0xff, 0xff, 0xff, 0xde, 0xad, 0xbe, 0xef, 0xee, 0x12, 0x34, 0x56 };

	ck_assert_uint_eq(prm_out_status(out), 0x0f); /* 0x00 31:24 */
	ck_assert_uint_eq(prm_out_syndrome(out), 0xdeadbeef);
	ck_assert_uint_eq(prm_out_number(out), 0x123456); /* 0x08 23:0 */
}
END_TEST

static const char *decode(uint32_t opcode, uint8_t status)
{
	static char buf[256];
	const uint8_t out[16] = { status, 0, 0, 0, 0x00, 0x5a, 0xb1, 0x0c };

	ck_assert_ptr_eq(prm_decode(opcode, out, buf, sizeof(buf)), buf);
	return buf;
}

START_TEST(command_status_syndrome_and_cause)
{
	ck_assert_str_eq(decode(0x904, 0x03),
			 "CREATE_SQ: bad parameter (status 0x03, syndrome 0x005ab10c); likely: a value or bit that "
			 "this device or firmware does not support");
	ck_assert_str_eq(decode(0x906, 0x06), "DESTROY_SQ: busy (status 0x06, syndrome 0x005ab10c); likely: another "
					      "object still refers to this one");
}
END_TEST

START_TEST(without_a_known_cause_none_is_made_up)
{
	ck_assert_str_eq(decode(0x80d, 0x00), "NOP: ok (status 0x00, syndrome 0x005ab10c)");
	ck_assert_str_eq(decode(0x909, 0x77), "MODIFY_RQ: unknown status (status 0x77, syndrome 0x005ab10c)");
}
END_TEST

START_TEST(an_unknown_command_is_a_number)
{
	ck_assert_str_eq(decode(0xbcd, 0x10), "command 0xbcd: bad QP state (status 0x10, syndrome 0x005ab10c)");
}
END_TEST

START_TEST(every_status_has_its_name)
{
	static const struct { uint8_t status; const char *name; } names[] = {
		{ 0x01, "internal error" }, { 0x02, "bad opcode" }, { 0x04, "bad system state" },
		{ 0x05, "bad resource (" }, { 0x07, "not ready" }, { 0x08, "limit exceeded" },
		{ 0x09, "bad resource state" }, { 0x0a, "bad index" }, { 0x0f, "no resources" },
		{ 0x30, "bad packet" }, { 0x40, "bad size" }, { 0x50, "bad input length" },
		{ 0x51, "bad output length" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(strstr(decode(0x400, names[i].status), names[i].name) != NULL, "0x%02x: %s",
			      names[i].status, decode(0x400, names[i].status));
}
END_TEST

START_TEST(a_short_buffer_is_cut_and_terminated)
{
	const uint8_t out[16] = { 0x03 };
	char buf[12];

	memset(buf, 'x', sizeof(buf));
	prm_decode(0x904, out, buf, 10);
	ck_assert_str_eq(buf, "CREATE_SQ");
	ck_assert_int_eq(buf[10], 'x');
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("decode");

	tcase_add_test(tc, parts_of_an_answer);
	tcase_add_test(tc, command_status_syndrome_and_cause);
	tcase_add_test(tc, without_a_known_cause_none_is_made_up);
	tcase_add_test(tc, an_unknown_command_is_a_number);
	tcase_add_test(tc, every_status_has_its_name);
	tcase_add_test(tc, a_short_buffer_is_cut_and_terminated);
	return run_tests(tc);
}
