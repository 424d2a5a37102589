/* SPDX-License-Identifier: BSD-3-Clause */
/* The main() of the programs in this folder: one test case, run it, fail when a test fails. */
#ifndef TESTS_PRM_RUN_H
#define TESTS_PRM_RUN_H
#include <check.h>
#include <stdlib.h>

static int run_tests(TCase *tc)
{
	Suite *suite = suite_create("prm");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
#endif
