/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lane that spins without gin_pause() keeps its whole block from running. It
 * can't be stopped; but it can be named. One thread for each GPU looks at the
 * blocks that run, and sleeps while there are none.
 *
 * Not instrumented by ThreadSanitizer: it looks on while blocks run.
 */
#include "cpu.h"
#include "log.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

enum { LOOK_MS = 250, LOOKS = 8 }; /* 2 s; counted in looks, so that a stop in a debugger counts once */

static void look(struct gin_block *block)
{
	struct gin_lane *lane = __atomic_load_n(&block->current, __ATOMIC_RELAXED);
	uint64_t turns = __atomic_load_n(&block->turns, __ATOMIC_RELAXED);
	const char *where;

	if (!lane || turns != block->watched_turns) {
		block->watched_turns = turns;
		block->watched_looks = 0;
		return;
	}
	if (++block->watched_looks != LOOKS)
		return;
	where = __atomic_load_n(&lane->where, __ATOMIC_RELAXED);
	gin_warn("%s: kernel %s, block %u, thread %u (lane %u) %s for 2 s; it spins without gin_pause(), and its "
		 "block stands still",
		 where ? where : block->run->kernel->name, block->run->kernel->name, block->number, lane->index,
		 lane->self.lane, where ? "has not come back from here" : "has not paused since it started");
}

static void sleep_until_next_look(struct gin_cpu_gpu *gpu)
{
	struct timespec until;

	if (!gpu->blocks) {
		pthread_cond_wait(&gpu->watchdog_wake, &gpu->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_MS * 1000000l;
	until.tv_sec += until.tv_nsec / 1000000000l;
	until.tv_nsec %= 1000000000l;
	pthread_cond_timedwait(&gpu->watchdog_wake, &gpu->lock, &until);
}

static void *watch(void *arg)
{
	struct gin_cpu_gpu *gpu = arg;
	struct gin_block *block;

	prctl(PR_SET_NAME, "gin watchdog");
	pthread_mutex_lock(&gpu->lock);
	while (!gpu->closing) {
		for (block = gpu->blocks; block; block = block->next)
			look(block);
		sleep_until_next_look(gpu);
	}
	pthread_mutex_unlock(&gpu->lock);
	return NULL;
}

void gin_watchdog_start(struct gin_cpu_gpu *gpu)
{
	sigset_t all, before;

	if (gpu->watched) {
		if (!gpu->blocks)
			pthread_cond_signal(&gpu->watchdog_wake);
		return;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	gpu->watched = !pthread_create(&gpu->watchdog, NULL, watch, gpu);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!gpu->watched)
		gin_warn("cpu: no thread for the watchdog: lanes that spin without gin_pause() will not be named");
}

void gin_watchdog_stop(struct gin_cpu_gpu *gpu)
{
	if (!gpu->watched)
		return;
	pthread_mutex_lock(&gpu->lock);
	gpu->closing = true;
	pthread_cond_signal(&gpu->watchdog_wake);
	pthread_mutex_unlock(&gpu->lock);
	pthread_join(gpu->watchdog, NULL);
}
