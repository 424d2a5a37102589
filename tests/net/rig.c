/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"
#include <errno.h>

void ck_quiet_sums(struct gin_nic *nic)
{
	struct gin_nic_stats s;

	ck_assert_int_eq(gin_nic_stats(nic, &s), 0);
	ck_assert_uint_eq(s.rx_wire + s.rx_duplicated,
			  s.rx_delivered + s.rx_to_host + s.rx_drop_filter + s.rx_drop_by_rule + s.rx_drop_no_buffer +
				  s.rx_drop_too_long + s.rx_drop_bad_frame + s.rx_drop_queue_error + s.rx_drop_link_down);
	ck_assert_uint_eq(s.tx_posted, s.tx_wire + s.tx_drop_too_long + s.tx_drop_link_down + s.tx_drop_queue_error);
	ck_assert_uint_eq(s.rx_in_flight + s.tx_in_flight, 0);
}

void await_counter(struct gin_gpu *gpu, const uint64_t *counter, uint64_t n)
{
	uint64_t now = 0;
	int ms;

	for (ms = 0; now < n; ms++) {
		ck_assert_msg(ms < 60000, "%llu of %llu after a minute", (unsigned long long)now, (unsigned long long)n);
		ck_assert_int_eq(gin_gpu_wait(gpu, 1000000), -EAGAIN);
		ck_assert_int_eq(gin_mem_copy(gpu, &now, counter, sizeof(now)), 0);
	}
}
