/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each fence and barrier of sq.h and txq.h is needed: with it the plans of
 * every seed pass; without it some seed among a few fails. Each test is named
 * for the line that is taken out; CMakeLists.txt says which line that is.
 */
#include <stdio.h>
#include <stdlib.h>
#include "send_rig.h"
#include "send_order_list.h"

enum { MOST_SEEDS = 60, STEPS = 100000 };

static const char *try(const struct gin_kernel *kernel, uint64_t seed, enum send_scope scope, uint32_t own,
		       uint32_t depth, uint32_t flags, const char *options)
{
	struct rig_cfg cfg = {.seed = seed,
			      .options = options,
			      .depth = depth,
			      .scope = scope,
			      .own = own,
			      .blocks = 1,
			      .threads = scope == SEND_THREAD ? 1
					 : scope == SEND_WARP ? 32
							      : 64,
			      .n_calls = scope == SEND_THREAD ? 40
					 : scope == SEND_WARP ? 4
							      : 8,
			      .flags = flags,
			      .max_steps = STEPS,
			      .kernel = kernel};
	uint64_t hash;

	return rig_run(&cfg, &hash);
}

static void is_missed(const char *name, const struct gin_kernel *broken, enum send_scope scope, uint32_t own,
		      uint32_t depth, uint32_t flags, const char *options)
{
	const char *why = NULL;
	uint64_t seed;

	for (seed = 1; seed <= MOST_SEEDS && !why; seed++) {
		why = try(NULL, seed, scope, own, depth, flags, options);
		ck_assert_msg(!why, "seed %llu, with nothing taken out: %s", (unsigned long long)seed, why);
		why = try(broken, seed, scope, own, depth, flags, options);
	}
	ck_assert_msg(why != NULL, "%s is not missed by any of %d seeds", name, MOST_SEEDS);
	fprintf(stderr, "without %s, seed %llu: %s\n", name, (unsigned long long)seed - 1, why);
}

#define ORDER_TEST(name, ...)                                                 \
	START_TEST(name)                                                      \
	{                                                                     \
		is_missed(#name, &gin_kernel_send_order_##name, __VA_ARGS__); \
	}                                                                     \
	END_TEST
ORDER_LIST(ORDER_TEST)

#define ADD_TEST(name, ...) tcase_add_test(tcase, name);

int main(void)
{
	Suite *suite = suite_create("send_order");
	TCase *tcase = tcase_create("what is taken out is missed");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_set_timeout(tcase, 240);
	ORDER_LIST(ADD_TEST)
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
