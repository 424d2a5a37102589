/* SPDX-License-Identifier: BSD-3-Clause */
/* How long things take: medians of short runs, what is compared taken in turn. */
#include "rig.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { MAX_NS = 150000000 }; /* of one run */
enum { LINE = 256 };	     /* bytes between words that different sides write */

/* The host's half of the bare ping-pong: as soon as a word moves, the other follows. */
struct ponger {
	const uint32_t *ping; /* the kernel's */
	uint32_t *pong, *give_up;
	pthread_t thread;
};

static void *answer_pings(void *arg)
{
	struct ponger *p = arg;
	uint32_t seen, idle = 0, at = 0;

	while (!__atomic_load_n(p->give_up, __ATOMIC_RELAXED)) {
		seen = __atomic_load_n(p->ping, __ATOMIC_ACQUIRE);
		if (seen != at) {
			__atomic_store_n(p->pong, seen, __ATOMIC_RELEASE);
			at = seen;
			idle = 0;
		} else if (++idle % 2048 == 0) {
			sched_yield(); /* on a machine with fewer CPUs than threads */
		}
	}
	return NULL;
}

static void *host_word(const struct rig *g, int i)
{
	return (uint8_t *)g->host.cpu + i * LINE;
}

static void *gpu_word(const struct rig *g, int i)
{
	return (uint8_t *)g->host.gpu + i * LINE;
}

/* n times a word to the host and one back; nanoseconds of one. */
static int flags(struct rig *g, struct result *r, uint32_t n, double *ns)
{
	struct chk_flag_args args = {.to_host = gpu_word(g, 0),
				     .to_gpu = gpu_word(g, 1),
				     .give_up = gpu_word(g, 2),
				     .ns = g->words.gpu,
				     .n = n,
				     .max_ns = MAX_NS};
	struct ponger p = {.ping = host_word(g, 0), .pong = host_word(g, 1), .give_up = host_word(g, 2)};
	uint64_t all[2] = {0};
	int err;

	memset(g->host.cpu, 0, g->host.size);
	if (gin_mem_copy(g->gpu, g->words.gpu, all, sizeof(all)))
		return bad(r, "%s", last_error_line());
	if (pthread_create(&p.thread, NULL, answer_pings, &p))
		return bad(r, "no thread");
	err = gin_launch(g->gpu, &gin_kernel_chk_flag, NULL, &args, sizeof(args)) ? bad(r, "%s", last_error_line()) : 0;
	if (!err)
		err = gin_gpu_wait(g->gpu, 15000000000ull) ? bad(r, "the flags did not come to an end in 15 s") : 0;
	__atomic_store_n(p.give_up, 1, __ATOMIC_RELAXED);
	pthread_join(p.thread, NULL);
	if (err) {
		gin_gpu_wait(g->gpu, 2000000000);
		return -1;
	}
	if (rig_read(g, r, all, 0, sizeof(all)))
		return -1;
	*ns = (double)all[0] / (double)all[1];
	return all[0] && all[1] ? 0 : bad(r, "the GPU's clock stands still");
}

/* n times a frame to the NIC and back to the same kernel. */
static int trips(struct rig *g, struct result *r, uint32_t n, double *ns, uint64_t *frames)
{
	struct chk_trip_args args = {
	    .frame = g->frames.gpu, .ns = g->words.gpu, .err = (int32_t *)g->words.gpu + 16, .n = n, .max_ns = MAX_NS};
	uint64_t all[2];
	int32_t err = -1;

	args.rxq = gin_rxq_dev(g->end[0].rxq);
	args.txq = gin_txq_dev(g->end[0].txq);
	args.lkey = rig_lkey(g);
	if (gin_launch(g->gpu, &gin_kernel_chk_trip, NULL, &args, sizeof(args)))
		return bad(r, "%s", last_error_line());
	if (rig_wait(g->gpu, r, 15000) || rig_read(g, r, all, 0, sizeof(all)) ||
	    rig_read(g, r, &err, 64, sizeof(err)) || want(r, "round trip", err, 0))
		return -1;
	*ns = (double)all[0] / (double)all[1];
	*frames += all[1];
	return 0;
}

static void address_frame(struct rig *g)
{
	uint8_t *frame = g->frames.cpu;

	memcpy(frame, g->end[0].info.mac, 6);
	memcpy(frame + 6, g->end[0].info.mac, 6);
	frame[12] = 0x88;
	frame[13] = 0xb5;
}

static void tell_trips(struct result *r, double *trip, double *flag, int rounds)
{
	double ours = median(trip, rounds), bare = median(flag, rounds);

	note(r, "%.2f us (%.2f to %.2f); bare flags %.2f us (%.2f to %.2f); ratio %.2f", ours / 1e3, trip[0] / 1e3,
	     trip[rounds - 1] / 1e3, bare / 1e3, flag[0] / 1e3, flag[rounds - 1] / 1e3, ours / bare);
	add_metric(r, "round_trip_ns", ours);
	add_metric(r, "round_trip_ns_min", trip[0]);
	add_metric(r, "round_trip_ns_max", trip[rounds - 1]);
	add_metric(r, "flag_ns", bare);
	add_metric(r, "flag_ns_min", flag[0]);
	add_metric(r, "flag_ns_max", flag[rounds - 1]);
	add_metric(r, "ratio", ours / bare);
}

int row_trip(const struct setting *s, struct result *r, int arg)
{
	struct rig_config cfg = {.near = "soft:loop", .frame_bytes = 4096};
	uint32_t n = s->quick ? 100 : 3000, first = s->quick ? 20 : 100;
	int i, rounds = s->quick ? 3 : 9, err;
	double trip[9], flag[9], warm;
	uint64_t frames = 0;
	struct rig g;

	(void)arg;
	err = rig_open(&g, s, r, &cfg);
	if (!err) {
		address_frame(&g);
		err = trips(&g, r, first, &warm, &frames) || flags(&g, r, first, &warm);
	}
	for (i = 0; !err && i < rounds; i++)
		err = trips(&g, r, n, &trip[i], &frames) || flags(&g, r, n, &flag[i]);
	if (!err)
		err = rig_sums(&g.end[0], r, frames, frames);
	rig_close(&g);
	if (err)
		return -1;
	tell_trips(r, trip, flag, rounds);
	return 0;
}

/* From gin_gpu_stop() to gin_gpu_wait() == 0, of a kernel that waits for a packet. */
static int one_stop(struct rig *g, struct result *r, double *ns)
{
	struct gin_launch_config warp = {.block.x = 32};
	struct chk_idle_args args = {.ready = gpu_word(g, 0), .beats = g->words.gpu};
	uint64_t start, until = now_ns() + 5000000000ull;

	args.rxq = gin_rxq_dev(g->end[0].rxq);
	__atomic_store_n((uint32_t *)host_word(g, 0), 0, __ATOMIC_RELEASE);
	if (gin_launch(g->gpu, &gin_kernel_chk_idle, &warp, &args, sizeof(args)))
		return bad(r, "%s", last_error_line());
	while (!__atomic_load_n((uint32_t *)host_word(g, 0), __ATOMIC_ACQUIRE))
		if (now_ns() > until)
			return bad(r, "the kernel did not start within 5 s");
		else
			gin_gpu_wait(g->gpu, 50000);
	gin_gpu_wait(g->gpu, 300000); /* by now it waits */
	start = now_ns();
	gin_gpu_stop(g->gpu);
	if (rig_wait(g->gpu, r, 5000))
		return -1;
	*ns = (double)(now_ns() - start);
	return 0;
}

int row_latency(const struct setting *s, struct result *r, int arg)
{
	enum { STOPS = 40 };
	struct rig_config cfg = {.near = "soft:loop", .frame_bytes = 4096};
	int i, n = s->quick ? STOPS / 2 : STOPS, err;
	double ns[STOPS], middle;
	struct rig g;

	(void)arg;
	err = rig_open(&g, s, r, &cfg);
	for (i = 0; !err && i < n; i++)
		err = one_stop(&g, r, &ns[i]);
	rig_close(&g);
	if (err)
		return -1;
	middle = median(ns, n);
	note(r, "median %.0f us, max %.0f us, %d stops", middle / 1e3, ns[n - 1] / 1e3, n);
	add_metric(r, "stop_ns", middle);
	add_metric(r, "stop_ns_max", ns[n - 1]);
	add_metric(r, "stops", n);
	return 0;
}
