/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows, in order. */
#include "check.h"

const struct row rows[] = {
	{ "words: place, shuffles, votes, barriers, shared memory", row_words, 0, 0 },
	{ "atomics and fences, 4 blocks", row_atomics, 0, 0 },
	{ "loads and stores that a NIC sees", row_mem, 0, 0 },
	{ "launch: 1024 threads, 60 KiB shared; what is refused", row_launch, 0, 0 },
	{ "copies while a kernel runs", row_copy, 0, 0 },
	{ "send and receive by thread, loop", row_traffic, 0, 0 },
	{ "send and receive by warp, loop", row_traffic, 1, 0 },
	{ "send and receive by block, loop", row_traffic, 2, 0 },
	{ "send and receive by thread, cable", row_traffic, 3, 0 },
	{ "send and receive by warp, cable", row_traffic, 4, 0 },
	{ "send and receive by block, cable", row_traffic, 5, 0 },
	{ "rings of 64 and 256 entries, many laps", row_traffic, 6, 0 },
	{ "indices that pass 2^16", row_traffic, 7, 0 },
	{ "indices that pass 2^24", row_traffic, 8, 0 },
	{ "headers inline in the descriptor", row_traffic, 9, 0 },
	{ "one doorbell page for all queues", row_traffic, 10, 0 },
	{ "echo out of the slots by thread, deferred release", row_echo, CHK_THREAD, 0 },
	{ "echo out of the slots by warp, deferred release", row_echo, CHK_WARP, 0 },
	{ "echo out of the slots by block, deferred release", row_echo, CHK_BLOCK, 0 },
	{ "many blocks on one send queue", row_crowd, 0, 0 },
	{ "time-outs, full ring, odd frames, pieces, NIC's verdict", row_answers, 0, 0 },
	{ "stop ends every wait", row_stop, 0, 0 },
	{ "an error is -EIO everywhere, and says why", row_error, 0, 0 },
	{ "64 B, kernel -> NIC -> cable -> NIC -> kernel, thread", row_rate, CHK_THREAD, 0 },
	{ "64 B, kernel -> NIC -> cable -> NIC -> kernel, warp", row_rate, CHK_WARP, 0 },
	{ "64 B, kernel -> NIC -> cable -> NIC -> kernel, block", row_rate, CHK_BLOCK, 0 },
	{ "64 B round trip kernel -> NIC -> kernel", row_trip, 0, 0 },
	{ "kernel stop: gin_gpu_stop() to gin_gpu_wait() == 0", row_latency, 0, 0 },
	{ "sample icmp_echo", row_sample, 0, 1 },
	{ "sample rx_count thread", row_sample, 1, 1 },
	{ "sample rx_count warp", row_sample, 2, 1 },
	{ "sample rx_count block", row_sample, 3, 1 },
};
const int n_rows = (int)(sizeof(rows) / sizeof(rows[0]));
