/* SPDX-License-Identifier: BSD-3-Clause */
/* Device strings, numbers, contexts, and that nothing stays behind. */
#include "fixture.h"
#include "proc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct bench_config plain = { .scq_oi = 1, .rcq_oi = 1 };

START_TEST(profile_defaults)
{
	struct sn_profile p;

	ck_assert_int_eq(sn_profile_parse("loop", gin_env_real(), &p), 0);
	ck_assert_int_eq(p.model, SN_CX6DX);
	ck_assert_uint_eq(p.mtu, 1500);
	ck_assert_uint_eq(p.inline_mode, 0);
	ck_assert_uint_eq(p.promisc_allowed, 1);
	ck_assert_uint_eq(p.mac[0] & 3, 2); /* local, one station */
	ck_assert_str_eq(p.wire, "loop");
	ck_assert_str_eq(p.host, "");
}
END_TEST

START_TEST(profile_keys)
{
	struct sn_profile p;

	ck_assert_int_eq(sn_profile_parse("tap=gin0,model=cx7,mac=02:aB:cd:00:01:ff,mtu=9216,inline=l2,uar=shared,adversary=1,"
					  "time=0,promisc=0,first_index=65535,host=tap=h0",
					  gin_env_real(), &p),
			 0);
	ck_assert_str_eq(p.wire, "tap=gin0");
	ck_assert_int_eq(p.model, SN_CX7);
	ck_assert_int_eq(memcmp(p.mac, "\x02\xab\xcd\x00\x01\xff", 6), 0);
	ck_assert_uint_eq(p.mtu, 9216);
	ck_assert_uint_eq(p.inline_mode, 1);
	ck_assert_uint_eq(p.shared_uar, 1);
	ck_assert_uint_eq(p.adversary, 1);
	ck_assert_uint_eq(p.no_time, 1);
	ck_assert_uint_eq(p.promisc_allowed, 0);
	ck_assert_uint_eq(p.first_index, 65535);
	ck_assert_str_eq(p.host, "tap=h0");
	ck_assert_int_eq(sn_profile_parse("loop,model=cx4lx", gin_env_real(), &p), 0);
	ck_assert_uint_eq(p.inline_mode, 1);
	ck_assert_int_eq(sn_profile_parse("loop,inline=none,model=cx4lx", gin_env_real(), &p), 0);
	ck_assert_uint_eq(p.inline_mode, 0);
}
END_TEST

START_TEST(malformed_profile_is_one_line_with_the_choices)
{
	static const char *const bad[][2] = {
		{ "", "''" },
		{ "lop", "'lop'" },
		{ "loop=1", "'loop=1'" },
		{ "loop2", "'loop2'" },
		{ "tap", "'tap'" },
		{ "tap=", "'tap='" },
		{ "cable=", "'cable='" },
		{ "loop,mtu", "'mtu'" },
		{ "loop,,mtu=100", "''" },
		{ "loop,mtu=67", "'67'" },
		{ "loop,mtu=9217", "'9217'" },
		{ "loop,mtu=1500x", "'1500x'" },
		{ "loop,mtu=-1", "'-1'" },
		{ "loop,mtu=", "''" },
		{ "loop,mac=02:00:00:00:00", "'02:00:00:00:00'" },
		{ "loop,mac=02:00:00:00:00:0g", "'02:00:00:00:00:0g'" },
		{ "loop,mac=02:00:00:00:00:01:02", "'02:00:00:00:00:01:02'" },
		{ "loop,mac=01:00:00:00:00:01", "'01:00:00:00:00:01'" },
		{ "loop,inline=ip", "'ip'" },
		{ "loop,model=cx9", "'cx9'" },
		{ "loop,uar=both", "'both'" },
		{ "loop,adversary=2", "'2'" },
		{ "loop,time=no", "'no'" },
		{ "loop,promisc=", "''" },
		{ "loop,first_index=16777216", "'16777216'" },
		{ "loop,host=eth0", "'eth0'" },
		{ "loop,host=tap=", "'tap='" },
		{ "loop,speed=10", "'speed'" },
	};
	struct sn_profile p;

	memset(&p, 0x77, sizeof(p));
	log_clear();
	ck_assert_int_eq(sn_profile_parse(bad[_i][0], gin_env_real(), &p), -EINVAL);
	ck_assert_uint_eq(log_lines(), 1);
	ck_assert(log_has(bad[_i][1]));
	ck_assert(log_has("loop, cable=NAME, tap=IFNAME"));
	ck_assert(log_has("mtu=68..9216"));
	ck_assert_uint_eq(p.mtu, 0x77777777); /* untouched */
}
END_TEST

/* Numbers come from the environment's random stream: made up here. */
static uint64_t seed;

static uint64_t fake_now(void *ctx)
{
	(void)ctx;
	return 5000000000ull;
}

static uint64_t fake_random(void *ctx, enum gin_rng stream)
{
	(void)ctx;
	ck_assert_int_eq(stream, GIN_RNG_NUMBERS);
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed >> 33;
}

static const struct gin_env fake = { fake_now, fake_random, NULL };

START_TEST(numbers_differ_between_kinds_and_devices)
{
	struct sn_profile p;
	struct sn_device *dev;
	struct bench b;
	struct bench_config cfg = plain;
	uint32_t first = 0, i, j;

	sn_engine_set_stepped(1);
	for (seed = 1; seed < 4; seed++) {
		uint64_t keep = seed;

		ck_assert_int_eq(sn_profile_parse("test", &fake, &p), 0);
		ck_assert_int_eq(sn_device_create(&p, &fake, &dev), 0);
		cfg.dev = dev;
		bench_open(&b, &cfg);
		{
			uint32_t n[] = { b.pdn, b.uar, b.umem, b.lkey >> 8, b.td, b.tisn, b.scq, b.sqn, b.rqn, b.tirn, b.rule };

			for (i = 0; i < 11; i++) {
				ck_assert_uint_ne(n[i], 0);
				ck_assert_uint_lt(n[i], 1u << 24);
				for (j = 0; j < i; j++)
					ck_assert_uint_ne(n[i], n[j]);
			}
		}
		ck_assert_uint_ne(b.sqn, first);
		first = b.sqn;
		bench_close_ctx(&b);
		sn_device_destroy(dev);
		seed = keep;
	}
}
END_TEST

START_TEST(freed_number_is_not_given_again_soon)
{
	struct bench b;
	uint32_t pdn, next;

	bench_open(&b, &plain);
	ck_assert_int_eq(sn_pd_alloc(b.ctx, &pdn), 0);
	ck_assert_int_eq(sn_pd_free(b.ctx, pdn), 0);
	ck_assert_int_eq(sn_pd_alloc(b.ctx, &next), 0);
	ck_assert_uint_ne(pdn, next);
	bench_close(&b);
}
END_TEST

START_TEST(closing_one_context_leaves_the_other_working)
{
	struct bench a, b;
	struct bench_config cfg = plain;

	bench_open(&a, &plain);
	cfg.dev = a.dev;
	cfg.no_rule = 1;
	bench_open(&b, &cfg);
	/* b dies with WQEs posted and covered */
	make_frame(tx_frame(&b, 0), other_mac, 100, 1);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 2);
	ring(&b);
	sn_engine_step(NULL, 0);
	bench_close_ctx(&b);
	ck_assert_uint_eq(stats(&a).tx_drop_queue_error, 1);
	post_recv(&a, 1);
	arrive(&a, 100, 1);
	make_frame(tx_frame(&a, 0), other_mac, 100, 1);
	post_send(&a, (uintptr_t)tx_frame(&a, 0), 100, 2);
	ring(&a);
	run_idle();
	ck_assert_uint_eq(stats(&a).tx_wire, 1);
	ck_assert_uint_eq(stats(&a).rx_delivered, 1);
	bench_close(&a);
}
END_TEST

START_TEST(memory_without_a_cpu_address_is_refused)
{
	struct gin_mem_ref ref = { .va = 0x7f0000000000, .len = 4096, .dmabuf_fd = 7, .gpu = 1 };
	struct bench b;
	uint32_t id, lkey, rkey;

	bench_open(&b, &plain);
	ck_assert_int_eq(sn_umem_reg(b.ctx, &ref, &id), -ENOTSUP);
	ck_assert(log_has("pinned host memory"));
	ck_assert_int_eq(sn_mr_reg(b.ctx, b.pdn, &ref, 0, &lkey, &rkey), -ENOTSUP);
	ref.cpu = &ref;
	ref.len = 0;
	ck_assert_int_eq(sn_umem_reg(b.ctx, &ref, &id), -EINVAL);
	ref.len = 4096;
	ref.va = ~0ull - 100;
	ck_assert_int_eq(sn_umem_reg(b.ctx, &ref, &id), -EINVAL);
	ref.va = 0;
	ref.len = sizeof(ref); /* all of it is there: only the PD and the right are wrong */
	ck_assert_int_eq(sn_mr_reg(b.ctx, b.pdn + 1, &ref, 0, &lkey, &rkey), -EINVAL);
	ck_assert_int_eq(sn_mr_reg(b.ctx, b.pdn, &ref, 8, &lkey, &rkey), -EINVAL);
	bench_close(&b);
}
END_TEST

/* A GPU has the page pinned: it must stay where it is when a program forks. */
START_TEST(doorbell_page_is_not_copied_by_fork)
{
	struct bench b;
	uint32_t id;
	void *page;
	pid_t pid;
	int status;

	bench_open(&b, &plain);
	ck_assert_int_eq(sn_uar_alloc(b.ctx, &id, &page), 0);
	pid = fork();
	if (!pid) {
		*(volatile uint32_t *)page = 1234; /* not the doorbell's word */
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_uint_eq(*(volatile uint32_t *)page, 1234);
	ck_assert_int_eq(sn_uar_free(b.ctx, id), 0);
	bench_close(&b);
}
END_TEST

START_TEST(port_says_what_it_is)
{
	struct bench_config cfg = plain;
	struct gin_nic_port port;
	struct bench b;

	cfg.name = "test,mac=02:00:00:00:00:07,mtu=4000,model=cx7";
	bench_open(&b, &cfg);
	ck_assert_int_eq(sn_port_query(b.dev, &port), 0);
	ck_assert_int_eq(memcmp(port.mac, "\x02\0\0\0\0\x07", 6), 0);
	ck_assert_uint_eq(port.mtu, 4000);
	ck_assert_uint_eq(port.up, 1);
	ck_assert_uint_eq(port.mbps, 200000);
	bench_close(&b);
}
END_TEST

/* With the service thread: 20 rounds first, so that allocators and stacks have what they keep. */
START_TEST(thousand_open_close_cycles_leave_nothing)
{
	struct bench_config cfg = { .name = "loop", .threaded = 1 };
	int fds = 0, tasks = 0, maps = 0;
	uint32_t i;
	struct bench b;

	for (i = 0; i < 1020; i++) {
		bench_open(&b, &cfg);
		post_recv(&b, 1);
		make_frame(tx_frame(&b, 0), b.profile.mac, 60, 1);
		post_send(&b, (uintptr_t)tx_frame(&b, 0), 60, 2);
		ring(&b);
		bench_close(&b);
		if (i == 19) {
			fds = proc_n_fds();
			tasks = proc_n_threads();
			maps = proc_n_maps();
			ck_assert_int_ne(maps, 0);
		}
	}
	ck_assert_int_eq(proc_n_fds(), fds);
	ck_assert_int_eq(proc_n_threads(), tasks);
#ifndef __SANITIZE_ADDRESS__ /* it keeps freed memory for long */
	ck_assert_int_le(proc_n_maps(), maps + 4); /* an allocator may keep a piece; 1000 leaks would show */
#endif
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, profile_defaults);
	tcase_add_test(tc, profile_keys);
	tcase_add_loop_test(tc, malformed_profile_is_one_line_with_the_choices, 0, 28);
	tcase_add_test(tc, numbers_differ_between_kinds_and_devices);
	tcase_add_test(tc, freed_number_is_not_given_again_soon);
	tcase_add_test(tc, closing_one_context_leaves_the_other_working);
	tcase_add_test(tc, memory_without_a_cpu_address_is_refused);
	tcase_add_test(tc, doorbell_page_is_not_copied_by_fork);
	tcase_add_test(tc, port_says_what_it_is);
	tcase_add_test(tc, thousand_open_close_cycles_leave_nothing);
}

int main(void)
{
	return run_suite("softnic_device", add);
}
