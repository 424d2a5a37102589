/* SPDX-License-Identifier: BSD-3-Clause */
/* Each call to the NIC fails in turn, as the decorator of the seam makes it. */
#include "input/lines.h"
#include "left.h"
#include "nic/inject.h"
#include "scene.h"
#include <errno.h>

static const int errors[] = { -ENOMEM, -EREMOTEIO };

START_TEST(each_call_fails_once)
{
	struct left before, after;
	uint32_t n, n_calls, n_failed = 0;

	left_prepare();
	scene_run(0, gin_inject_disarm);
	scene_run(0, gin_inject_disarm);
	before = left_now();
	for (n = 0;; n += LEFT_STRIDE) {
		gin_inject_arm(n, errors[_i]);
		n_failed += (uint32_t)scene_run(errors[_i], gin_inject_disarm);
		if (gin_inject_calls() <= n)
			break;
		after = left_now();
		ck_same(before, after);
	}
	n_calls = gin_inject_calls();
	gin_inject_disarm();
	/* The last call is gin_gpu_wait()'s look at a counter, which is no failure to the user. */
	ck_assert_uint_eq(n_failed, (n_calls - 1 + LEFT_STRIDE - 1) / LEFT_STRIDE);
	ck_assert_msg(n_calls >= 30, "only %u calls could fail", n_calls);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("failing calls");
	TCase *tc = tcase_create("inject");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, each_call_fails_once, 0, 2);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
