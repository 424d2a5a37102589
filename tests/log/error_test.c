/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/error.h>
#include <check.h>
#include <limits.h>
#include <stdlib.h>

START_TEST(results_of_the_data_path)
{
	ck_assert_str_eq(gin_strerror(0), "success");
	ck_assert_str_eq(gin_strerror(-EAGAIN), "not yet");
	ck_assert_str_eq(gin_strerror(-ECANCELED), "stopped");
	ck_assert_str_eq(gin_strerror(-EIO), "queue error");
}
END_TEST

START_TEST(either_sign)
{
	ck_assert_str_eq(gin_strerror(EIO), "queue error");
	ck_assert_str_eq(gin_strerror(EREMOTEIO), gin_strerror(-EREMOTEIO));
}
END_TEST

START_TEST(other_codes_have_the_systems_text)
{
	ck_assert_str_eq(gin_strerror(-ENOSPC), "No space left on device");
}
END_TEST

START_TEST(never_null)
{
	for (int err = -5000; err <= 5000; err++)
		ck_assert_ptr_nonnull(gin_strerror(err));
	ck_assert_str_eq(gin_strerror(INT_MIN), "unknown error");
	ck_assert_str_eq(gin_strerror(INT_MAX), "unknown error");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("error");
	Suite *suite = suite_create("error");
	SRunner *runner;
	int n_failed;

	tcase_add_test(tc, results_of_the_data_path);
	tcase_add_test(tc, either_sign);
	tcase_add_test(tc, other_codes_have_the_systems_text);
	tcase_add_test(tc, never_null);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
