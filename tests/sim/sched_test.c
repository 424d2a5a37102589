/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler: what a seed decides, and what it must not. */
#include "../../host/log.h"
#include "../../host/sim/sim.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An actor that counts its steps. */
struct counter {
	struct gin_actor actor;
	uint32_t n_ready;
	uint64_t next_ns, steps, last_which;
	uint64_t seen_ns; /* clock at its last step */
	uint64_t ready_from_ns; /* not ready before */
};

static struct gin_sim *sim;

static uint64_t now(void)
{
	return gin_env_now(gin_sim_env(sim));
}

static uint32_t counter_ready(void *ctx)
{
	const struct counter *c = ctx;

	return now() >= c->ready_from_ns ? c->n_ready : 0;
}

static void counter_step(void *ctx, uint32_t which)
{
	struct counter *c = ctx;

	if (which >= c->n_ready || now() <= c->seen_ns) /* an assert writes to its parent process: not per step */
		ck_abort_msg("step %u of %u", which, c->n_ready);
	c->steps++;
	c->last_which = which;
	c->seen_ns = now();
}

static uint64_t counter_next(void *ctx)
{
	const struct counter *c = ctx;

	return c->next_ns;
}

static void counter_add(struct counter *c, uint32_t n_ready)
{
	*c = (struct counter){ .n_ready = n_ready, .next_ns = GIN_SIM_NEVER };
	c->actor = (struct gin_actor){ "counter", counter_ready, counter_step, counter_next, c, NULL };
	gin_sim_add(sim, &c->actor);
}

static int never(void *arg)
{
	(void)arg;
	return 0;
}

static int after_one_step(void *arg)
{
	const struct counter *c = arg;

	return c->steps > 0;
}

static void start(uint64_t seed)
{
	ck_assert_int_eq(gin_sim_create(seed, &sim), 0);
}

static void stop(void)
{
	gin_sim_destroy(sim);
	sim = NULL;
}

/* Two actors for many steps; the trace, and how often each came. */
static uint64_t run_two(uint64_t seed, uint64_t steps[2])
{
	struct counter a, b;
	uint64_t trace;

	start(seed);
	counter_add(&a, 1);
	counter_add(&b, 3);
	ck_assert_int_eq(gin_sim_run(sim, never, NULL, 5000), -ETIME);
	ck_assert_uint_eq(gin_sim_steps(sim), 5000);
	trace = gin_sim_trace(sim);
	steps[0] = a.steps;
	steps[1] = b.steps;
	stop();
	return trace;
}

START_TEST(a_seed_replays_and_another_differs)
{
	uint64_t first[2], again[2], other[2];
	uint64_t trace = run_two(1, first);

	ck_assert_uint_eq(run_two(1, again), trace);
	ck_assert_uint_eq(first[0], again[0]);
	ck_assert_uint_eq(first[1], again[1]);
	ck_assert_uint_ne(run_two(2, other), trace);
	ck_assert_uint_gt(first[0], 0);
	ck_assert_uint_eq(first[0] + first[1], 5000);
}
END_TEST

START_TEST(neighbouring_seeds_all_differ)
{
	uint64_t traces[32], steps[2];

	for (uint64_t s = 0; s < 32; s++) {
		traces[s] = run_two(s, steps);
		for (uint64_t t = 0; t < s; t++)
			ck_assert_uint_ne(traces[s], traces[t]);
	}
}
END_TEST

START_TEST(the_trace_knows_which_step_and_what_was_noted)
{
	struct counter a;
	uint64_t before;

	start(3);
	counter_add(&a, 1);
	gin_sim_run(sim, never, NULL, 1);
	before = gin_sim_trace(sim);
	gin_sim_note(sim, 0);
	ck_assert_uint_ne(gin_sim_trace(sim), before);
	before = gin_sim_trace(sim);
	gin_sim_run(sim, never, NULL, 1);
	ck_assert_uint_ne(gin_sim_trace(sim), before);
	ck_assert_uint_eq(gin_sim_seed(sim), 3);
	stop();
}
END_TEST

/* The order of notes counts: a hash that adds would not see two swapped steps. */
START_TEST(the_trace_knows_the_order)
{
	uint64_t ab;

	start(1);
	gin_sim_note(sim, 10);
	gin_sim_note(sim, 20);
	ab = gin_sim_trace(sim);
	stop();
	start(1);
	gin_sim_note(sim, 20);
	gin_sim_note(sim, 10);
	ck_assert_uint_ne(gin_sim_trace(sim), ab);
	stop();
}
END_TEST

START_TEST(using_one_stream_does_not_shift_another)
{
	uint64_t traffic[100];

	start(7);
	for (int i = 0; i < 100; i++)
		traffic[i] = gin_env_random(gin_sim_env(sim), GIN_RNG_TRAFFIC);
	stop();
	start(7);
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < i % 5; k++)
			gin_env_random(gin_sim_env(sim), GIN_RNG_FAULTS);
		gin_env_random(gin_sim_env(sim), GIN_RNG_SCHEDULE);
		ck_assert_uint_eq(gin_env_random(gin_sim_env(sim), GIN_RNG_TRAFFIC), traffic[i]);
	}
	stop();
}
END_TEST

/* More faults drawn by actors must not change the schedule either. */
static uint64_t steps_of_first(int faults)
{
	struct counter a, b;

	start(11);
	counter_add(&a, 2);
	counter_add(&b, 2);
	for (int i = 0; i < 1000; i++) {
		gin_sim_run(sim, never, NULL, 1);
		for (int k = 0; k < faults; k++)
			gin_env_random(gin_sim_env(sim), GIN_RNG_FAULTS);
	}
	uint64_t trace = gin_sim_trace(sim);

	stop();
	return trace;
}

START_TEST(faults_do_not_shift_the_schedule)
{
	ck_assert_uint_eq(steps_of_first(0), steps_of_first(3));
}
END_TEST

START_TEST(streams_are_different)
{
	uint64_t first[GIN_RNG_COUNT];

	start(0);
	for (int i = 0; i < GIN_RNG_COUNT; i++) {
		first[i] = gin_env_random(gin_sim_env(sim), (enum gin_rng)i);
		for (int k = 0; k < i; k++)
			ck_assert_uint_ne(first[i], first[k]);
	}
	stop();
}
END_TEST

START_TEST(the_clock_jumps_to_the_earliest_actor)
{
	struct counter late, early;

	start(1);
	counter_add(&late, 1);
	counter_add(&early, 1);
	late.ready_from_ns = late.next_ns = 9000000000u;
	early.ready_from_ns = early.next_ns = 5000000000u;
	ck_assert_int_eq(gin_sim_run(sim, after_one_step, &early, 10), 0);
	ck_assert_uint_eq(late.steps, 0);
	ck_assert_uint_ge(early.seen_ns, 5000000000u);
	ck_assert_uint_lt(early.seen_ns, 5000010000u);
	ck_assert_uint_eq(gin_sim_steps(sim), 2); /* the jump and the step */
	stop();
}
END_TEST

START_TEST(nothing_that_can_run_is_a_deadlock)
{
	struct counter a;

	start(1);
	ck_assert_int_eq(gin_sim_run(sim, never, NULL, 10), -EDEADLK);
	counter_add(&a, 0);
	ck_assert_int_eq(gin_sim_run(sim, never, NULL, 10), -EDEADLK);
	ck_assert_uint_eq(gin_sim_steps(sim), 0);
	stop();
}
END_TEST

/* An actor that is never ready though its time has come: the run ends by its steps. */
START_TEST(an_idle_actor_in_the_past_does_not_stop_time)
{
	struct counter a;
	uint64_t before;

	start(1);
	counter_add(&a, 0);
	a.next_ns = 0;
	before = now();
	ck_assert_int_eq(gin_sim_run(sim, never, NULL, 10), -ETIME);
	ck_assert_uint_ge(now(), before + 10);
	stop();
}
END_TEST

START_TEST(done_is_asked_before_the_first_step)
{
	struct counter a;

	start(1);
	counter_add(&a, 1);
	a.steps = 1;
	ck_assert_int_eq(gin_sim_run(sim, after_one_step, &a, 0), 0);
	ck_assert_uint_eq(gin_sim_steps(sim), 0);
	a.steps = 0;
	ck_assert_int_eq(gin_sim_run(sim, after_one_step, &a, 0), -ETIME);
	ck_assert_int_eq(gin_sim_run(sim, after_one_step, &a, UINT64_MAX), 0);
	stop();
}
END_TEST

START_TEST(each_step_takes_a_little_time)
{
	struct counter a;
	uint64_t before;

	start(5);
	counter_add(&a, 4);
	before = now();
	gin_sim_run(sim, never, NULL, 10000);
	ck_assert_uint_ge(now() - before, 10000);
	ck_assert_uint_le(now() - before, 10000 * 1024);
	before = now();
	gin_sim_now_add(sim, 77);
	ck_assert_uint_eq(now() - before, 77);
	stop();
}
END_TEST

static uint64_t longest_run_of_one(uint64_t seed)
{
	struct counter a, b;
	uint64_t longest = 0, run = 0, last = 0;

	start(seed);
	counter_add(&a, 1);
	counter_add(&b, 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t before = a.steps;

		gin_sim_run(sim, never, NULL, 1);
		uint64_t who = a.steps > before;
		run = who == last ? run + 1 : 1;
		last = who;
		longest = run > longest ? run : longest;
	}
	/* Starving is not stopping. */
	ck_assert_uint_gt(a.steps, 1000);
	ck_assert_uint_gt(b.steps, 1000);
	stop();
	return longest;
}

/* By fair choice, 20,000 steps without a change for 64 in a row have odds of 1 in 10^15. */
START_TEST(an_actor_starves_for_a_while)
{
	for (uint64_t s = 0; s < 4; s++)
		ck_assert_uint_gt(longest_run_of_one(s), 64);
}
END_TEST

/* Of eight ready steps of one actor, each comes up, and sometimes one many times in a row. */
START_TEST(a_step_of_an_actor_is_favoured_for_a_while)
{
	struct counter a;
	uint64_t came[8] = { 0 }, run = 0, longest = 0, last = 0;

	start(2);
	counter_add(&a, 8);
	for (int i = 0; i < 20000; i++) {
		gin_sim_run(sim, never, NULL, 1);
		came[a.last_which]++;
		run = a.last_which == last ? run + 1 : 1;
		last = a.last_which;
		longest = run > longest ? run : longest;
	}
	for (int i = 0; i < 8; i++)
		ck_assert_uint_gt(came[i], 500);
	ck_assert_uint_gt(longest, 16); /* 8^-16 otherwise */
	stop();
}
END_TEST

static int busy_lines;

static void count_lines(enum gin_log_level level, const char *line, void *arg)
{
	(void)arg;
	if (level == GIN_LOG_ERROR && strstr(line, "seed 41"))
		busy_lines++;
}

START_TEST(a_second_simulation_is_refused)
{
	struct gin_sim *other = NULL;

	ck_assert_ptr_null(gin_sim_current());
	start(41);
	ck_assert_ptr_eq(gin_sim_current(), sim);
	gin_log_to(count_lines, NULL);
	ck_assert_int_eq(gin_sim_create(42, &other), -EBUSY);
	gin_log_to(NULL, NULL);
	ck_assert_int_eq(busy_lines, 1);
	ck_assert_ptr_null(other);
	stop();
	ck_assert_ptr_null(gin_sim_current());
	gin_sim_destroy(NULL);
	start(42);
	stop();
}
END_TEST

static void remove_self(void *ctx, uint32_t which)
{
	struct counter *c = ctx;

	counter_step(ctx, which);
	gin_sim_remove(sim, &c->actor);
}

START_TEST(an_actor_may_leave_in_its_own_step)
{
	struct counter a, b;

	start(1);
	counter_add(&a, 1);
	a.actor.step = remove_self;
	counter_add(&b, 1);
	gin_sim_run(sim, never, NULL, 10000);
	ck_assert_uint_eq(a.steps, 1);
	ck_assert_uint_eq(b.steps, 9999);
	gin_sim_remove(sim, &b.actor);
	ck_assert_int_eq(gin_sim_run(sim, never, NULL, 1), -EDEADLK);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sched");
	TCase *tc = tcase_create("sched");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_seed_replays_and_another_differs);
	tcase_add_test(tc, neighbouring_seeds_all_differ);
	tcase_add_test(tc, the_trace_knows_which_step_and_what_was_noted);
	tcase_add_test(tc, the_trace_knows_the_order);
	tcase_add_test(tc, using_one_stream_does_not_shift_another);
	tcase_add_test(tc, faults_do_not_shift_the_schedule);
	tcase_add_test(tc, streams_are_different);
	tcase_add_test(tc, the_clock_jumps_to_the_earliest_actor);
	tcase_add_test(tc, nothing_that_can_run_is_a_deadlock);
	tcase_add_test(tc, an_idle_actor_in_the_past_does_not_stop_time);
	tcase_add_test(tc, done_is_asked_before_the_first_step);
	tcase_add_test(tc, each_step_takes_a_little_time);
	tcase_add_test(tc, an_actor_starves_for_a_while);
	tcase_add_test(tc, a_step_of_an_actor_is_favoured_for_a_while);
	tcase_add_test(tc, a_second_simulation_is_refused);
	tcase_add_test(tc, an_actor_may_leave_in_its_own_step);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
