/* SPDX-License-Identifier: BSD-3-Clause */
/* The "unix" wire, stepped: two and more NICs on a switch, full rings, who leaves and comes. */
#include "scene.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint8_t mac1[6], mac2[6], mac3[6];

static void set_up(void)
{
	scene_set_up();
	nic_mac(mac1, 1);
	nic_mac(mac2, 2);
	nic_mac(mac3, 3);
}

START_TEST(frames_pass_both_ways)
{
	struct bench a, b;
	uint32_t i;

	nic_open(&a, 1);
	nic_open(&b, 2);
	for (i = 0; i < 3; i++) {
		nic_send(&a, mac2, i);
		nic_send(&b, mac1, 100 + i);
		run_idle();
		ck_got(&b, i, mac2, 1, i);
		ck_got(&a, i, mac1, 2, 100 + i);
	}
	ck_assert_uint_eq(stats(&a).tx_wire, 3);
	ck_assert_uint_eq(stats(&a).rx_wire, 3);
	ck_assert_uint_eq(stats(&b).rx_wire_bytes, 3 * FRAME_LEN);
	ck_assert_uint_eq(n_said(), 0);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

START_TEST(all_sizes_pass_whole)
{
	struct bench a, b;
	uint32_t len, i = 0;

	nic_open(&a, 1);
	nic_open(&b, 2);
	for (len = 60; len <= 1514; len++, i++) {
		uint8_t want[1514];

		frame_of(want, mac2, 1, len, len);
		memcpy(tx_frame(&a, 0), want, len);
		post_send(&a, (uintptr_t)tx_frame(&a, 0), len, 2);
		ring(&a);
		run_idle();
		ck_assert(cqe_valid(&b, 0, i));
		ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, i)->byte_cnt), len);
		ck_assert_int_eq(memcmp(b.buf + (i % N_RX_BUF) * SLOT_BYTES, want, len), 0);
		post_recv(&b, 1);
	}
	ck_assert_uint_eq(stats(&b).rx_delivered, 1455);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

START_TEST(link_is_up_while_somebody_is_there)
{
	struct gin_nic_port port;
	struct bench a, b;

	nic_open(&a, 1);
	ck_assert_int_eq(sn_port_query(a.dev, &port), 0);
	ck_assert_uint_eq(port.up, 0);
	nic_send(&a, broadcast, 0);
	run_idle();
	ck_assert_uint_eq(stats(&a).tx_drop_link_down, 1);
	nic_open(&b, 2);
	run_idle();
	ck_event(&a, GIN_EV_PORT_UP);
	bench_close(&b);
	run_idle();
	ck_event(&a, GIN_EV_PORT_DOWN);
	ck_no_event(&a);
	nic_open(&b, 2);
	run_idle();
	ck_event(&a, GIN_EV_PORT_UP);
	bench_close(&a);
	run_idle();
	ck_event(&b, GIN_EV_PORT_DOWN);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("which hosted it, left: link down; open the NIC again"));
	nic_send(&b, broadcast, 0);
	run_idle();
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 1);
	bench_close(&b);
}
END_TEST

/* The next one hosts the switch; who saw the old host leave comes back by opening again. */
START_TEST(next_one_takes_over)
{
	struct bench a, b, c;

	nic_open(&a, 1);
	nic_open(&b, 2);
	run_idle();
	bench_close(&a);
	run_idle();
	nic_open(&c, 3);
	bench_close(&b);
	nic_open(&b, 2);
	run_idle();
	nic_send(&c, mac2, 6);
	run_idle();
	ck_got(&b, 0, mac2, 3, 6);
	ck_assert_uint_eq(stats(&c).tx_wire, 1);
	bench_close(&b);
	bench_close(&c);
}
END_TEST

/* What a guest sends before the host has answered waits for the answer. */
START_TEST(nothing_is_lost_while_joining)
{
	struct bench a, b;

	nic_open(&a, 1);
	nic_open(&b, 2);
	nic_send(&b, mac1, 7);
	sn_engine_step(NULL, 0);
	ck_assert_uint_eq(stats(&b).tx_wire, 0);
	run_idle();
	ck_got(&a, 0, mac1, 2, 7);
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 0);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

START_TEST(last_frames_of_one_who_left_arrive)
{
	struct bench a;
	struct guest g;
	uint32_t i;

	nic_open(&a, 1);
	guest_join(&g);
	for (i = 0; i < 8; i++)
		guest_send(&g, mac1, 2, i);
	guest_leave(&g);
	for (i = 0; i < 8; i++)
		ck_got(&a, i, mac1, 2, i);
	ck_event(&a, GIN_EV_PORT_UP);
	ck_event(&a, GIN_EV_PORT_DOWN);
	ck_assert_uint_eq(stats(&a).rx_drop_link_down, 0);
	bench_close(&a);
}
END_TEST

/* Length and padding to eights: 112 bytes of the ring's 262,144 for each frame of 100, so 2,340 fit. */
#define FIT 2340u

START_TEST(full_ring_loses_nothing)
{
	uint8_t got[SN_FRAME_MAX], want[FRAME_LEN], byte;
	struct bench a;
	struct guest g;
	uint32_t i;

	nic_open(&a, 1);
	guest_join(&g);
	for (i = 0; i < FIT + 4; i++) {
		nic_send(&a, mac2, i);
		run_idle();
	}
	ck_assert_uint_eq(stats(&a).tx_wire, FIT);
	ck_assert_uint_eq(stats(&a).tx_in_flight, 4);
	for (i = 0; i < FIT / 2 - 10; i++)
		ck_assert_int_eq(guest_take(&g, got), FRAME_LEN);
	ck_assert_int_eq(ux_rx_must_wake(&g.rx), 0);
	for (; i < FIT / 2 + 10; i++)
		ck_assert_int_eq(guest_take(&g, got), FRAME_LEN);
	ck_assert_int_eq(ux_rx_must_wake(&g.rx), 1); /* half is free, and the NIC waits */
	ck_assert_int_eq(ux_rx_must_wake(&g.rx), 0);
	run_idle();
	ck_assert_uint_eq(stats(&a).tx_in_flight, 0);
	for (; i < FIT + 4; i++) {
		frame_of(want, mac2, 1, FRAME_LEN, i);
		ck_assert_int_eq(guest_take(&g, got), FRAME_LEN);
		ck_assert_int_eq(memcmp(got, want, FRAME_LEN), 0);
	}
	ck_assert_int_eq(guest_take(&g, got), -EAGAIN);
	/* A guest that sleeps is woken by one byte, not by one for each frame. */
	while (recv(g.sock, &byte, 1, MSG_DONTWAIT) == 1)
		;
	ck_assert_int_eq(ux_rx_await(&g.rx), 0);
	nic_send(&a, mac2, 1);
	nic_send(&a, mac2, 2);
	run_idle();
	ck_assert_int_eq(recv(g.sock, &byte, 1, MSG_DONTWAIT), 1);
	ck_assert_int_eq(recv(g.sock, &byte, 1, MSG_DONTWAIT), -1);
	guest_leave(&g);
	bench_close(&a);
}
END_TEST

/* Index and memory wrap: sizes that do not divide the ring's, 8 times around it. */
START_TEST(ring_wraps_at_any_place)
{
	uint8_t got[SN_FRAME_MAX], want[SN_FRAME_MAX];
	struct bench a;
	struct guest g;
	uint32_t i, len, sum = 0;

	nic_open(&a, 1);
	guest_join(&g);
	for (i = 0; sum < 8u * 262144; i++, sum += len) {
		len = 60 + (i * 97) % 1455;
		frame_of(want, mac2, 1, len, i);
		memcpy(tx_frame(&a, i % 8), want, len);
		post_send(&a, (uintptr_t)tx_frame(&a, i % 8), len, 2);
		ring(&a);
		run_idle();
		ck_assert_int_eq(guest_take(&g, got), (int)len);
		ck_assert_int_eq(memcmp(got, want, len), 0);
	}
	guest_leave(&g);
	bench_close(&a);
}
END_TEST

/* The switch: a is the host, b and c are guests */

START_TEST(switch_learns_where_stations_are)
{
	struct bench a, b, c;

	nic_open(&a, 1);
	nic_open(&b, 2);
	nic_open(&c, 3);
	run_idle();
	nic_send(&b, broadcast, 1);
	run_idle();
	ck_got(&a, 0, broadcast, 2, 1);
	ck_got(&c, 0, broadcast, 2, 1);
	ck_assert_uint_eq(stats(&b).rx_wire, 0);
	nic_send(&c, mac2, 2); /* b has been heard */
	run_idle();
	ck_got(&b, 0, mac2, 3, 2);
	ck_assert_uint_eq(stats(&a).rx_wire, 1);
	nic_send(&c, mac1, 3); /* a has not: b gets it too, and its filter drops it */
	run_idle();
	ck_got(&a, 1, mac1, 3, 3);
	ck_assert_uint_eq(stats(&b).rx_drop_filter, 1);
	nic_send(&a, mac3, 4);
	nic_send(&c, mac1, 5);
	run_idle();
	ck_got(&c, 1, mac3, 1, 4);
	ck_got(&a, 2, mac1, 3, 5);
	ck_assert_uint_eq(stats(&b).rx_wire, 2);
	bench_close(&c);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

START_TEST(station_that_moves_is_found_again)
{
	struct bench a, b;
	struct guest g;
	uint8_t got[SN_FRAME_MAX];

	nic_open(&a, 1);
	nic_open(&b, 2);
	guest_join(&g);
	guest_send(&g, mac1, 3, 1);
	run_idle();
	nic_send(&a, mac3, 2);
	run_idle();
	ck_assert_int_eq(guest_take(&g, got), FRAME_LEN);
	ck_assert_uint_eq(stats(&b).rx_wire, 1); /* the guest's frame: a was not known */
	nic_send(&b, mac1, 3);
	run_idle();
	guest_send(&g, mac1, 2, 4); /* b's station is the guest's now */
	run_idle();
	nic_send(&a, mac2, 5);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_wire, 1);
	nic_send(&b, mac1, 6); /* and b's again */
	run_idle();
	nic_send(&a, mac2, 7);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_wire, 2);
	guest_leave(&g);
	nic_send(&a, mac3, 8); /* forgotten with the one who left: flooded */
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_wire, 3);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

/* One link's stations do not push all others out of the table. */
START_TEST(one_link_cannot_fill_the_table)
{
	struct bench a, b;
	struct guest g;
	uint32_t i;

	nic_open(&a, 1);
	nic_open(&b, 2);
	guest_join(&g);
	nic_send(&b, broadcast, 1);
	run_idle();
	for (i = 0; i < 1000; i++) {
		uint8_t bytes[60] = { 2, 0, 0, 0, 0, 1, 6, 0, 0, 0, (uint8_t)(i >> 8), (uint8_t)i };
		struct sn_frame frame = { bytes, sizeof(bytes) };

		ck_assert_int_eq(ux_tx_room(&g.tx, 60), 1);
		ux_tx_put(&g.tx, &frame);
		run_idle();
	}
	ck_assert_uint_eq(((struct ux_wire *)a.dev->wire)->n_macs[1], 64); /* links are numbered as they come */
	guest_leave(&g);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

/* b waits for a guest that is slow, and goes on when that has taken something: nobody loses anything. */
START_TEST(slow_one_slows_others_down)
{
	uint8_t got[SN_FRAME_MAX], want[FRAME_LEN];
	struct bench a, b;
	struct guest g;
	uint32_t i;

	nic_open(&a, 1);
	nic_open(&b, 2);
	guest_join(&g);
	for (i = 0; i < FIT; i++) {
		nic_send(&b, mac3, i);
		run_idle();
	}
	nic_send(&b, mac3, FIT);
	sn_engine_step(NULL, 0);
	sn_engine_step(NULL, 0);
	ck_assert_uint_eq(stats(&b).tx_wire, FIT + 1); /* one waits with the switch */
	for (i = 0; i <= FIT; i++) {
		run_idle();
		frame_of(want, mac3, 2, FRAME_LEN, i);
		ck_assert_int_eq(guest_take(&g, got), FRAME_LEN);
		ck_assert_int_eq(memcmp(got, want, FRAME_LEN), 0);
	}
	ck_assert_uint_eq(n_said(), 0);
	guest_leave(&g);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

static void let_time_pass(void)
{
	uint64_t at = sn_engine_next_ns(NULL);

	ck_assert_uint_ne(at, UINT64_MAX);
	while (gin_env_now(gin_env_real()) < at)
		usleep(1000);
}

/* One that takes nothing at all holds the others up for a tenth of a second, not for ever. */
START_TEST(stopped_one_is_passed_over)
{
	struct bench a, b, c;
	struct guest g;
	uint32_t i;

	nic_open(&a, 1);
	nic_open(&b, 2);
	guest_join(&g);
	for (i = 0; i < FIT + 1; i++) {
		nic_send(&a, mac3, i);
		run_idle();
	}
	ck_assert_uint_eq(stats(&a).tx_in_flight, 1);
	ck_assert_uint_eq(stats(&b).rx_drop_filter + stats(&b).rx_drop_no_buffer, FIT);
	let_time_pass();
	run_idle();
	ck_assert_uint_eq(stats(&a).tx_in_flight, 0);
	ck_assert_uint_eq(sn_engine_next_ns(NULL), UINT64_MAX); /* and nobody waits any more */
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said("takes no frames: while its ring is full, what others send to it is dropped"));
	guest_send(&g, broadcast, 3, 1); /* now only it is asked for its station's frames */
	run_idle();
	nic_send(&a, mac3, 9);
	run_idle();
	ck_assert_uint_eq(stats(&a).tx_drop_link_down, 1);
	said_clear();
	guest_leave(&g);
	ck_assert_uint_eq(n_said(), 1);
	ck_assert(said(" 2 frames for process "));
	bench_close(&b);
	nic_open(&c, 3); /* and everything goes on */
	run_idle();
	nic_send(&a, mac3, 10);
	run_idle();
	ck_got(&c, 0, mac3, 1, 10);
	bench_close(&c);
	bench_close(&a);
}
END_TEST

/* With only two on the switch nobody else waits: a program that is stopped in a debugger loses nothing. */
START_TEST(only_other_one_is_waited_for)
{
	struct bench a;
	struct guest g;
	uint32_t i;

	nic_open(&a, 1);
	guest_join(&g);
	for (i = 0; i < FIT + 1; i++) {
		nic_send(&a, mac2, i);
		run_idle();
	}
	usleep(150000); /* longer than a stopped one among others is waited for */
	run_idle();
	ck_assert_uint_eq(stats(&a).tx_in_flight, 1);
	ck_assert_uint_eq(sn_engine_next_ns(NULL), UINT64_MAX);
	guest_leave(&g);
	ck_assert_uint_eq(stats(&a).tx_drop_link_down, 1);
	bench_close(&a);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, scene_tear_down);
	tcase_add_test(tc, frames_pass_both_ways);
	tcase_add_test(tc, all_sizes_pass_whole);
	tcase_add_test(tc, link_is_up_while_somebody_is_there);
	tcase_add_test(tc, next_one_takes_over);
	tcase_add_test(tc, nothing_is_lost_while_joining);
	tcase_add_test(tc, last_frames_of_one_who_left_arrive);
	tcase_add_test(tc, full_ring_loses_nothing);
	tcase_add_test(tc, ring_wraps_at_any_place);
	tcase_add_test(tc, switch_learns_where_stations_are);
	tcase_add_test(tc, station_that_moves_is_found_again);
	tcase_add_test(tc, one_link_cannot_fill_the_table);
	tcase_add_test(tc, slow_one_slows_others_down);
	tcase_add_test(tc, stopped_one_is_passed_over);
	tcase_add_test(tc, only_other_one_is_waited_for);
}

int main(void)
{
	return run_suite("wires_unix", add);
}
