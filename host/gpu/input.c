/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of an input that ends, such as a capture file: when nothing will
 * come any more and the kernels have given everything back, they wait for
 * ever. Whoever waits for the GPU then stops them, and their waits return
 * -ECANCELED as after gin_gpu_stop().
 *
 * Kernels say nothing of what they still have to do, so time must: 50 ms in
 * which nothing moved, and 2 s if packets are still out. Time is counted in
 * looks, so that a stop in a debugger counts once.
 */
#include "gpu_priv.h"
#include "log.h"

#include <errno.h>
#include <ginet/cpu.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>

static const uint64_t settled_ns = 50000000, stalled_ns = 2000000000;
static const uint64_t look_max_ns = 40000000; /* twice the longest time between two looks, gpu.c */

struct input {
	uint32_t n; /* receive queues whose input ends */
	bool endless, more;
};

static int add_input(struct gin_gpu_watch *watch, void *arg)
{
	struct input *in = arg;
	int ended = watch->input ? watch->input(watch) : 1;

	if (!watch->input)
		return 0;
	in->n++;
	in->endless |= !ended;
	in->more |= ended == -EAGAIN;
	return in->endless;
}

static int add_traffic(struct gin_gpu_watch *watch, void *arg)
{
	if (watch->traffic)
		watch->traffic(watch, arg);
	return 0;
}

/* How long nothing has moved. */
static uint64_t quiet_ns(struct gin_gpu_quiet *quiet, uint64_t moved)
{
	uint64_t now = gin_cpu_time_ns(), since = now - quiet->looked_ns;

	if (moved != quiet->moved)
		quiet->ns = 0;
	else
		quiet->ns += since < look_max_ns ? since : look_max_ns;
	quiet->moved = moved;
	quiet->looked_ns = now;
	return quiet->ns;
}

static void stop(struct gin_gpu *gpu, bool more, const struct gin_gpu_traffic *traffic)
{
	char names[128];

	gin_gpu_running(gpu, names, sizeof(names));
	if (more || traffic->unreleased || traffic->in_flight)
		gin_warn("%s: nothing moved for 2 s, and the input is %s: %s has not released %" PRIu64 " packets, %" PRIu64
			 " sends are in flight; stopped",
			 gpu->name, more ? "not used up" : "used up", names, traffic->unreleased, traffic->in_flight);
	else
		gin_info("%s: the input is used up and every packet released: %s is stopped", gpu->name, names);
	gin_gpu_stop(gpu);
}

static void look(struct gin_gpu *gpu)
{
	struct gin_gpu_traffic traffic = { 0 };
	struct input in = { 0 };
	uint64_t ns;

	if (gin_gpu_watch_each(gpu, add_input, &in) || !in.n)
		return;
	gin_gpu_watch_each(gpu, add_traffic, &traffic);
	ns = quiet_ns(&gpu->quiet, traffic.moved);
	if (ns < settled_ns || (ns < stalled_ns && (in.more || traffic.unreleased || traffic.in_flight)))
		return;
	gpu->quiet.ns = 0;
	stop(gpu, in.more, &traffic);
}

void gin_gpu_look_at_input(struct gin_gpu *gpu)
{
	static pthread_mutex_t one_looks = PTHREAD_MUTEX_INITIALIZER;

	if (__atomic_load_n(gpu->stop, __ATOMIC_RELAXED) || pthread_mutex_trylock(&one_looks))
		return;
	look(gpu);
	pthread_mutex_unlock(&one_looks);
}
