/* SPDX-License-Identifier: BSD-3-Clause */
/* The service thread: sleeping and waking, helping, snapshots while it runs. */
#include "fixture.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct bench_config loop = {
	.name = "loop", .scq_oi = 1, .rcq_oi = 1, .self_lb_block = 3, .threaded = 1,
};

static void post_one(struct bench *b)
{
	make_frame(tx_frame(b, 0), b->profile.mac, 100, 1);
	post_recv(b, 1);
	post_send(b, (uintptr_t)tx_frame(b, 0), 100, 2);
}

static void await_both(struct bench *b, uint32_t i)
{
	/* A lost doorbell ends in the case's time-out. */
	while (!cqe_valid(b, 1, i) || !cqe_valid(b, 0, i))
		sched_yield();
}

/* Pauses of 0 to 200 us: the engine is found awake, going to sleep and asleep. */
START_TEST(no_doorbell_is_missed)
{
	struct bench b;
	uint32_t i;

	bench_open(&b, &loop);
	for (i = 0; i < 3000; i++) {
		struct timespec pause = { 0, (i * 7919) % 200000 };

		post_one(&b);
		ring(&b);
		await_both(&b, i);
		nanosleep(&pause, NULL);
	}
	ck_assert_uint_eq(stats(&b).tx_wire, 3000);
	ck_assert_uint_eq(stats(&b).refused, 0);
	bench_close(&b);
}
END_TEST

#ifndef __SANITIZE_THREAD__ /* it starts a thread of its own */
/* A field of /proc/self/task/TID/status, of the thread that is not the main one. */
static void thread_status(const char *field, char *value, size_t size)
{
	char path[300], line[256];
	struct dirent *e;
	DIR *d = opendir("/proc/self/task");
	FILE *f;

	ck_assert_ptr_nonnull(d);
	value[0] = 0;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || atoi(e->d_name) == (int)getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		f = fopen(path, "r");
		ck_assert_ptr_nonnull(f);
		while (fgets(line, sizeof(line), f))
			if (!strncmp(line, field, strlen(field)))
				snprintf(value, size, "%s", line + strlen(field));
		fclose(f);
	}
	closedir(d);
	ck_assert_uint_ne(strlen(value), 0);
}

static unsigned long n_switches(void)
{
	char v[256];

	thread_status("voluntary_ctxt_switches:", v, sizeof(v));
	return strtoul(v, NULL, 10);
}

START_TEST(idle_engine_sleeps_without_a_period)
{
	struct timespec pause = { 0, 100000000 };
	unsigned long before;
	struct bench b;
	char v[256];

	bench_open(&b, &loop);
	post_one(&b);
	ring(&b);
	await_both(&b, 0);
	do
		thread_status("State:", v, sizeof(v));
	while (!strchr(v, 'S'));
	nanosleep(&pause, NULL);
	before = n_switches();
	nanosleep(&pause, NULL); /* time has to pass, nothing else */
	ck_assert_uint_eq(n_switches(), before);
	bench_close(&b);
}
END_TEST

START_TEST(engine_takes_no_signals)
{
	struct bench b;
	char v[256];

	bench_open(&b, &loop);
	thread_status("SigBlk:", v, sizeof(v));
	/* Signals 1 to 31 but KILL (9) and STOP (19), which nobody can block. */
	ck_assert_uint_eq(strtoull(v, NULL, 16) & 0x7fffffff, 0x7fffffff & ~(1u << 8 | 1u << 18));
	bench_close(&b);
}
END_TEST
#endif

/* A kernel on a GPU writes the word and cannot call anybody. */
START_TEST(doorbell_of_a_gpu_is_found_by_napping)
{
	struct bench b;
	uint32_t i;

	bench_open(&b, &loop);
	sn_engine_gpu_active(1);
	for (i = 0; i < 30; i++) {
		struct timespec pause = { 0, 2000000 }; /* the engine has gone to sleep */
		uint64_t raw = (uint64_t)gin_to_be32(b.sqn << 8).raw << 32 | gin_to_be32((i + 1) << 8).raw;

		post_one(&b);
		set_record(&b, b.sq_pi);
		nanosleep(&pause, NULL);
		__atomic_store_n((uint64_t *)(void *)(b.uar_page + 0x800), raw, __ATOMIC_SEQ_CST);
		await_both(&b, i);
	}
	sn_engine_gpu_active(-1);
	bench_close(&b);
}
END_TEST

START_TEST(wire_that_has_room_again_wakes_the_engine)
{
	struct bench_config cfg = loop;
	struct bench b;
	uint8_t got[2048];
	uint32_t i, taken = 0;

	cfg.name = "test";
	bench_open(&b, &cfg);
	for (i = 0; i < 24; i++) {
		make_frame(tx_frame(&b, i % 8), other_mac, 100, i);
		post_send(&b, (uintptr_t)tx_frame(&b, i % 8), 100, 2);
		ring(&b);
		if (i < 16)
			while (!cqe_valid(&b, 1, i))
				sched_yield();
	}
	while (taken < 24) {
		if (sn_test_take(b.dev, got, sizeof(got)) == 100)
			taken++;
		else
			sched_yield();
	}
	while (!cqe_valid(&b, 1, 23))
		sched_yield();
	stats(&b);
	bench_close(&b);
}
END_TEST

struct helper { pthread_t thread; struct bench *b; int stop; };

static void *help(void *arg)
{
	struct helper *h = arg;

	while (!__atomic_load_n(&h->stop, __ATOMIC_RELAXED))
		if (!sn_engine_help(NULL))
			sched_yield();
	return NULL;
}

static void *watch(void *arg)
{
	struct helper *h = arg;
	struct gin_nic_queue_counters q;

	while (!__atomic_load_n(&h->stop, __ATOMIC_RELAXED)) {
		stats(h->b); /* both sums, at any moment */
		sn_queue_counters(h->b->ctx, h->b->sqn, 1, &q);
		sched_yield();
	}
	return NULL;
}

START_TEST(helpers_commands_and_the_thread_share_the_work)
{
	struct helper helpers[2] = { { 0 } };
	struct bench b;
	uint32_t i;

	bench_open(&b, &loop);
	for (i = 0; i < 2; i++) {
		helpers[i].b = &b;
		ck_assert_int_eq(pthread_create(&helpers[i].thread, NULL, i ? watch : help, &helpers[i]), 0);
	}
	for (i = 0; i < 5000; i++) {
		post_one(&b);
		ring(&b);
		await_both(&b, i);
	}
	for (i = 0; i < 2; i++) {
		__atomic_store_n(&helpers[i].stop, 1, __ATOMIC_RELAXED);
		pthread_join(helpers[i].thread, NULL);
	}
	ck_assert_uint_eq(stats(&b).rx_delivered, 5000);
	bench_close(&b);
}
END_TEST

/* One device comes and goes while another works. */
START_TEST(devices_come_and_go_beside_one_that_works)
{
	struct bench_config other = loop;
	struct bench b, c;
	uint32_t i;

	other.name = "cable=z";
	bench_open(&b, &loop);
	for (i = 0; i < 300; i++) {
		bench_open(&c, &other);
		post_one(&b);
		ring(&b);
		bench_close(&c);
		await_both(&b, i);
	}
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, no_doorbell_is_missed);
#ifndef __SANITIZE_THREAD__
	tcase_add_test(tc, idle_engine_sleeps_without_a_period);
	tcase_add_test(tc, engine_takes_no_signals);
#endif
	tcase_add_test(tc, doorbell_of_a_gpu_is_found_by_napping);
	tcase_add_test(tc, wire_that_has_room_again_wakes_the_engine);
	tcase_add_test(tc, helpers_commands_and_the_thread_share_the_work);
	tcase_add_test(tc, devices_come_and_go_beside_one_that_works);
}

int main(void)
{
	return run_suite("softnic_engine", add);
}
