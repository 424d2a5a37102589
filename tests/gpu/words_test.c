/* SPDX-License-Identifier: BSD-3-Clause */
/* The values stand in the CUDA C++ programming guide's words, worked out by hand. */
#include "words.h"
#include "run.h"

static struct words_lane lanes[2 * 3 * LANES];

static struct words_lane *one_block(void)
{
	struct gin_launch_config cfg = { .block.x = LANES };
	struct words_args args = { lanes };

	memset(lanes, 0, sizeof(lanes));
	run_kernel(&gin_kernel_words_collective, &cfg, &args, sizeof(args));
	return lanes;
}

START_TEST(threads_know_their_place)
{
	struct gin_launch_config cfg = { .grid = { 2, 3, 1 }, .block = { 8, 4, 2 } };
	struct words_args args = { lanes };
	uint32_t b, t;

	run_kernel(&gin_kernel_words_collective, &cfg, &args, sizeof(args));
	for (b = 0; b < 6; b++) {
		for (t = 0; t < LANES; t++) {
			const struct words_lane *l = &lanes[b * LANES + t];

			ck_assert_uint_eq(l->thread[0], t % 8);
			ck_assert_uint_eq(l->thread[1], t / 8 % 4);
			ck_assert_uint_eq(l->thread[2], t / 32);
			ck_assert_uint_eq(l->block[0], b % 2);
			ck_assert_uint_eq(l->block[1], b / 2);
			ck_assert_uint_eq(l->block[2], 0);
			ck_assert(l->block_dim[0] == 8 && l->block_dim[1] == 4 && l->block_dim[2] == 2);
			ck_assert(l->grid_dim[0] == 2 && l->grid_dim[1] == 3 && l->grid_dim[2] == 1);
		}
	}
}
END_TEST

START_TEST(shuffles_take_from_the_named_lane)
{
	const struct words_lane *l = one_block();
	int t, w;

	for (t = 0; t < LANES; t++) {
		w = t / 32 * 32; /* first thread of the warp */
		ck_assert_int_eq(l[t].shfl, (w + 5) * 10);
		ck_assert_int_eq(l[t].shfl_width, t / 8 * 8 + 3); /* 11 modulo 8 */
		ck_assert_int_eq(l[t].up, t - w < 3 ? t : t - 3);
		ck_assert_int_eq(l[t].up_width, t % 4 == 0 ? t : t - 1);
		ck_assert_int_eq(l[t].down, t - w > 28 ? t : t + 3);
		ck_assert_int_eq(l[t].down_width, t % 4 == 3 ? t : t + 1);
		ck_assert_int_eq(l[t].xor_all, w + 31 - (t - w));
		/* Lanes 4 to 7 reach down into the segment below, 0 to 3 not up. */
		ck_assert_int_eq(l[t].xor_width, t % 8 < 4 ? t : t - 4);
		ck_assert_uint_eq(l[t].shfl_u, 0xfffffff7u);
		ck_assert_int_eq(l[t].shfl_ll, -(int64_t)(w + 1) - ((int64_t)1 << 40));
		ck_assert_int_eq(l[t].shfl_long, -(w + 2));
		ck_assert_uint_eq(l[t].shfl_ull, (uint64_t)(w + 3) << 40);
		ck_assert(l[t].shfl_float == (float)(w + 4) + 0.5f);
		ck_assert(l[t].shfl_double == (double)(w + 6) + 0.25);
	}
}
END_TEST

START_TEST(votes_count_every_lane)
{
	const struct words_lane *l = one_block();
	int t;

	for (t = 0; t < LANES; t++) {
		/* 0, 3, ... 30 in warp 0; 33, 36, ... 63 in warp 1, that is lanes 1, 4, ... 31. */
		ck_assert_uint_eq(l[t].ballot, t < 32 ? 0x49249249u : 0x92492492u);
		ck_assert_int_eq(l[t].any, t < 32);
		ck_assert_int_eq(l[t].none, 0);
		ck_assert_int_eq(l[t].all, 1);
		ck_assert_int_eq(l[t].not_all, t >= 32);
		ck_assert_uint_eq(l[t].match, 0x11111111u << (t & 3));
		ck_assert_uint_eq(l[t].match_ll, 0x55555555u << (t & 1));
	}
}
END_TEST

START_TEST(reductions_keep_the_sign)
{
	const struct words_lane *l = one_block();
	int t;

	for (t = 0; t < LANES; t++) {
		ck_assert_uint_eq(l[t].reduce_add, 496); /* 0 + ... + 31 */
		ck_assert_int_eq(l[t].reduce_add_int, -496);
		ck_assert_uint_eq(l[t].reduce_min_u, 100);
		ck_assert_uint_eq(l[t].reduce_max_u, 0x8000001fu);
		ck_assert_int_eq(l[t].reduce_min, -7);
		ck_assert_int_eq(l[t].reduce_max, -1);
	}
}
END_TEST

START_TEST(halves_of_a_warp_meet_apart)
{
	const struct words_lane *l = one_block();
	int t, w;

	for (t = 0; t < LANES; t++) {
		w = t / 32 * 32;
		ck_assert_uint_eq(l[t].half_ballot, t - w < 16 ? 0xaaaau : 0xffff0000u);
		ck_assert_uint_eq(l[t].half_shfl, (uint32_t)(t - w < 16 ? w + 3 : t % 4 < 2 ? t + 2 : t));
	}
}
END_TEST

START_TEST(barriers_with_an_answer_give_it_to_all)
{
	const struct words_lane *l = one_block();
	int t;

	for (t = 0; t < LANES; t++) {
		ck_assert_int_eq(l[t].count, 16);
		ck_assert_int_eq(!!l[t].and_all, 1);
		ck_assert_int_eq(!!l[t].and_not, 0);
		ck_assert_int_eq(!!l[t].or_one, 1);
		ck_assert_int_eq(!!l[t].or_none, 0);
	}
}
END_TEST

START_TEST(bit_words_and_time)
{
	struct words_bits_out b;
	struct words_bits_args args = { &b };

	memset(&b, 0, sizeof(b));
	run_kernel(&gin_kernel_words_bits, NULL, &args, sizeof(args));
	ck_assert_int_eq(b.popc, 9);
	ck_assert_int_eq(b.popcll, 5);
	ck_assert_int_eq(b.ffs, 5);
	ck_assert_int_eq(b.ffs_0, 0);
	ck_assert_int_eq(b.ffsll, 41);
	ck_assert_int_eq(b.clz, 31);
	ck_assert_int_eq(b.clz_0, 32);
	ck_assert_int_eq(b.clzll, 23);
	ck_assert_int_eq(b.clzll_0, 64);
	ck_assert_uint_eq(b.brev, 0x68000000u);      /* ...00010110 read backwards */
	ck_assert_uint_eq(b.perm_swap, 0x44332211u); /* bytes 0 1 2 3, highest first */
	ck_assert_uint_eq(b.perm_mix, 0x55447788u);  /* bytes 7, 0, 5, 4 of 55667788 11223344 */
	ck_assert_uint_eq(b.warp_size, 32);
	ck_assert_int_eq(b.min_int, -3);
	ck_assert_int_eq(b.max_int, 2);
	ck_assert_uint_eq(b.min_mixed, 7);
	ck_assert(b.max_float == 1.5f);
	ck_assert_uint_gt(b.time_ns, 0);
	ck_assert_uint_ge(b.waited_ns, b.time_ns);
	ck_assert_int_ge(b.clock_step, 0);
}
END_TEST

START_TEST(atomics_lose_nothing)
{
	struct words_atomics_out at;
	struct words_atomics_args args = { &at };
	struct gin_launch_config cfg = { .grid.x = 4, .block.x = LANES }; /* 256 threads on 4 CPU threads */
	uint8_t seen[LANES * 4] = { 0 };
	uint32_t t;

	memset(&at, 0, sizeof(at));
	at.u_sub = 1000;
	at.i_and = at.u_and = 0xfff;
	at.u_min = at.min64 = 0xffffffff;
	at.min64 = UINT64_MAX;
	at.and64 = UINT64_MAX;
	at.i_cas = -5;
	at.cas64 = 3;
	run_kernel(&gin_kernel_words_atomics, &cfg, &args, sizeof(args));
	ck_assert_int_eq(at.i_add, -256);
	ck_assert_uint_eq(at.u_add, 256);
	for (t = 0; t < 256; t++) {
		ck_assert_uint_lt(at.old[t], 256);
		ck_assert_msg(!seen[at.old[t]], "two threads found the same value");
		seen[at.old[t]] = 1;
	}
	ck_assert_int_eq(at.i_sub, -512);
	ck_assert_uint_eq(at.u_sub, 744);
	ck_assert_int_eq(at.i_min, -250);
	ck_assert_int_eq(at.i_max, 250);
	ck_assert_uint_eq(at.u_min, 745);
	ck_assert_uint_eq(at.u_max, 0x800000ffu);
	ck_assert_int_eq(at.i_and, 0xf00);
	ck_assert_uint_eq(at.u_and, 0);
	ck_assert_int_eq(at.i_or, 0xff);
	ck_assert_uint_eq(at.u_or, 0xffff);
	ck_assert_int_eq(at.i_xor, 0); /* 0 ^ 1 ^ ... ^ 255 */
	ck_assert_uint_eq(at.u_xor, 0);
	ck_assert_int_eq(at.i_exch, 1);
	ck_assert_uint_eq(at.u_exch, 77);
	ck_assert_uint_eq(at.u_cas, 256);
	ck_assert_int_eq(at.i_cas, -6);
	ck_assert_uint_eq(at.add64, 1ull << 41);
	ck_assert_uint_eq(at.min64, (1ull << 40) - 255);
	ck_assert_uint_eq(at.max64, (1ull << 40) + 255);
	ck_assert_uint_eq(at.and64, 0);
	ck_assert_uint_eq(at.or64, UINT64_MAX);
	ck_assert_uint_eq(at.xor64, 0);
	ck_assert_uint_eq(at.cas64, 1ull << 50);
	ck_assert_uint_eq(at.exchange64, 1ull << 60);
}
END_TEST

START_TEST(shared_memory_is_the_blocks)
{
	static struct words_shared_out out;
	struct words_shared_args args = { &out };
	struct gin_launch_config cfg = { .block.x = LANES, .shared_bytes = LANES * 4 };
	uint32_t t;

	run_kernel(&gin_kernel_words_shared, &cfg, &args, sizeof(args));
	for (t = 0; t < LANES; t++) {
		static const uint32_t primes[] = { 2, 3, 5, 7 };

		ck_assert_uint_eq(out.from_array[t], (63 - t) * 2);
		ck_assert_uint_eq(out.from_dynamic[t], (63 - t) * 3);
		ck_assert_uint_eq(out.from_word[t], 42);
		ck_assert_uint_eq(out.from_table[t], primes[t % 4]);
		ck_assert_uint_eq(out.sums[t], t * (t + 1)); /* 2 x (0 + ... + t) */
	}
}
END_TEST

START_TEST(a_fence_publishes_what_was_stored_before)
{
	static struct words_fence_out at;
	struct words_fence_args args = { &at };
	struct gin_launch_config cfg = { .block.x = LANES };
	uint32_t t;

	memset(&at, 0, sizeof(at));
	run_kernel(&gin_kernel_words_fence, &cfg, &args, sizeof(args));
	for (t = 1; t < LANES; t++)
		ck_assert_uint_eq(at.seen[t], 1234);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("words");

	tcase_add_checked_fixture(tc, open_gpu, close_gpu);
	tcase_add_test(tc, threads_know_their_place);
	tcase_add_test(tc, shuffles_take_from_the_named_lane);
	tcase_add_test(tc, votes_count_every_lane);
	tcase_add_test(tc, reductions_keep_the_sign);
	tcase_add_test(tc, halves_of_a_warp_meet_apart);
	tcase_add_test(tc, barriers_with_an_answer_give_it_to_all);
	tcase_add_test(tc, bit_words_and_time);
	tcase_add_test(tc, atomics_lose_nothing);
	tcase_add_test(tc, shared_memory_is_the_blocks);
	tcase_add_test(tc, a_fence_publishes_what_was_stored_before);
	return run_cases(tc);
}
