/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream FRAMES one|two [GPU]
 *
 * Source and sink as two threads of one block (one CPU thread runs both) or as
 * two kernels. Runs once to warm up, once measured, and prints what the run
 * took as "key value" lines. 1: frames are missing or out of order.
 */
#include "stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct stream {
	struct gin_gpu *gpu;
	struct gin_nic *out, *in;
	struct gin_txq *txq;
	struct gin_rxq *rxq;
	struct gin_flow *flow;
	struct gin_mem frames, words;
	struct gin_mr *mr;
	int two;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* IPv4 header checksum. */
static void put_csum(uint8_t *ip)
{
	uint32_t sum = 0, i;

	for (i = 0; i < 20; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

/* UDP over IPv4 without UDP checksum, as testpmd's txonly builds them. */
static void put_headers(uint8_t *frame, const uint8_t *from, const uint8_t *to)
{
	static const uint8_t ip_udp[28] = {
		0x45, 0, 0, STREAM_FRAME - 14, 0, 0, 0, 0, 64, 17, 0, 0, 198, 18, 0, 1, 198, 18, 0, 2, /* RFC 2544 */
		0, 9, 0, 9, 0, STREAM_FRAME - 34, 0, 0,
	};

	memcpy(frame, to, 6);
	memcpy(frame + 6, from, 6);
	frame[12] = 8;
	memcpy(frame + 14, ip_udp, sizeof(ip_udp));
	put_csum(frame + 14);
}

static int open_frames(struct stream *s)
{
	struct gin_nic_info from, to;
	uint32_t i;
	int err;

	if ((err = gin_nic_info(s->out, &from)) ||
	    (err = gin_nic_info(s->in, &to)) ||
	    (err = gin_mem_alloc(s->gpu, GIN_MEM_CPU_GPU, STREAM_SLOTS * STREAM_FRAME, &s->frames)) ||
	    (err = gin_mr_create(s->out, s->gpu, s->frames.cpu, s->frames.size, 0, &s->mr)))
		return err;
	for (i = 0; i < STREAM_SLOTS; i++)
		put_headers((uint8_t *)s->frames.cpu + i * STREAM_FRAME, from.mac, to.mac);
	return 0;
}

static int open_all(struct stream *s, const char *gpu)
{
	struct gin_txq_config tx = { .n_wqes = STREAM_SLOTS };
	struct gin_rxq_config rx = { .n_slots = STREAM_SLOTS };
	int err;

	if ((err = gin_gpu_open(gpu, &s->gpu)) ||
	    (err = gin_nic_open("soft:cable=bench", &s->out)) ||
	    (err = gin_nic_open("soft:cable=bench", &s->in)) ||
	    (err = gin_txq_create(s->out, s->gpu, &tx, &s->txq)) ||
	    (err = gin_rxq_create(s->in, s->gpu, &rx, &s->rxq)) ||
	    (err = gin_flow_all(s->in, &s->rxq, 1, &s->flow)) ||
	    (err = gin_mem_alloc(s->gpu, GIN_MEM_GPU, sizeof(struct stream_words), &s->words)))
		return err;
	return open_frames(s);
}

static void close_all(struct stream *s)
{
	gin_nic_close(s->out);
	gin_nic_close(s->in);
	gin_gpu_close(s->gpu);
}

static int launch(struct stream *s, struct stream_args *args)
{
	struct gin_launch_config both = { .block.x = 2 };
	int err;

	if (!s->two)
		return gin_launch(s->gpu, &gin_kernel_stream, &both, args, sizeof(*args));
	args->first = 1;
	err = gin_launch(s->gpu, &gin_kernel_stream, NULL, args, sizeof(*args));
	args->first = 0;
	return err ? err : gin_launch(s->gpu, &gin_kernel_stream, NULL, args, sizeof(*args));
}

/* 0, *bad: frames that were not what they should be, or never came. */
static int run(struct stream *s, uint64_t n, uint64_t *bad)
{
	struct stream_args args = { .frames = s->frames.gpu, .words = s->words.gpu, .n = n };
	struct stream_words words = { 0 };
	int err = gin_mem_copy(s->gpu, s->words.gpu, &words, sizeof(words));

	args.txq = gin_txq_dev(s->txq);
	args.rxq = gin_rxq_dev(s->rxq);
	args.lkey = gin_mr_local(s->mr).key;
	if (err || (err = launch(s, &args)) || (err = gin_gpu_wait(s->gpu, GIN_UNTIL_STOP)) ||
	    (err = gin_mem_copy(s->gpu, &words, s->words.gpu, sizeof(words))))
		return err;
	*bad = words.bad + (n - words.seen);
	return 0;
}

static int measure(struct stream *s, uint64_t n, uint64_t *bad)
{
	uint64_t cpu, wall;
	int err = run(s, n / 10 + 1, bad);

	if (err || *bad)
		return err;
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	wall = clock_ns(CLOCK_MONOTONIC);
	err = run(s, n, bad);
	printf("packets %llu\nerrors %llu\ncpu_ns %llu\nwall_ns %llu\n", (unsigned long long)n, (unsigned long long)*bad,
	       (unsigned long long)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu),
	       (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - wall));
	return err;
}

int main(int argc, char **argv)
{
	struct stream s = { 0 };
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, bad = 0;
	int err;

	if (argc < 3 || argc > 4 || !n || (strcmp(argv[2], "one") && strcmp(argv[2], "two"))) {
		fprintf(stderr, "usage: stream FRAMES one|two [GPU]\n");
		return 2;
	}
	s.two = !strcmp(argv[2], "two");
	err = open_all(&s, argc > 3 ? argv[3] : "cpu");
	if (!err)
		err = measure(&s, n, &bad);
	close_all(&s);
	return err || bad ? 1 : 0;
}
