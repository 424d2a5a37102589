/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation of the library fails in turn. */
#include "alloc.h"
#include "input/lines.h"
#include "left.h"
#include "scene.h"

START_TEST(each_allocation_fails_once)
{
	struct left before, after;
	int n, n_told = 0;
	long live;

	left_prepare();
	scene_run(0, alloc_disarm);
	scene_run(0, alloc_disarm);
	before = left_now();
	live = alloc_live();
	for (n = 0;; n += LEFT_STRIDE) {
		alloc_arm(n);
		/* The engine's thread goes on without some, so no step need fail. */
		n_told += scene_run(0, alloc_disarm);
		if (!alloc_fired())
			break;
		after = left_now();
		ck_same(before, after);
		ck_assert_int_eq(alloc_live(), live);
	}
	ck_assert_msg(n_told >= 40 / LEFT_STRIDE, "only %d steps failed", n_told);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("failing allocations");
	TCase *tc = tcase_create("alloc");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, each_allocation_fails_once);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
