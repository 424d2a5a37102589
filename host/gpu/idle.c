/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one helper of the process: the engine of the software NICs, which
 * waiting threads run. It may be taken away while threads wait: each caller
 * counts itself in before it looks, and who takes it away waits until none is
 * inside. The counters stand on lines of their own, one for a few threads, so
 * that doorbells of different blocks do not meet.
 *
 * Who sleeps is woken by what a NIC does and by a stop: each moves "events", on
 * which sleepers wait as a futex, if it has not moved since before their last
 * look. Kernels also wait for words that other kernels or the host write, of
 * which nobody hears: so no nap is longer than a part of the silence before it.
 *
 * Not instrumented by ThreadSanitizer, like fiber.c: the counters would order
 * lanes that ring, and hide their races.
 */
#include "idle.h"
#include "fiber.h"
#include "runner.h"

#include <errno.h>
#include <ginet/cpu.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef GINET_SIM
#include "sim/sim.h"
#endif

enum {
	SLOTS = 16,
	YIELDS = 2000, /* about 1 ms of passes that did nothing, then naps */
	NAP_MIN_NS = 30000,
	NAP_MAX_NS = 10000000,
	NAP_PART = 8, /* of the silence before it */
};

static struct slot {
	_Alignas(64) uint32_t inside;
} slots[SLOTS];
static uint32_t n_threads;
static uint32_t events, sleepers;
static const struct gin_runner_helper *helper;
static __thread struct slot *my_slot;
static __thread uint32_t doorbells; /* of this thread's lanes, since it was last idle */

static const struct gin_runner_helper *enter(void)
{
	if (!my_slot)
		my_slot = &slots[__atomic_fetch_add(&n_threads, 1, __ATOMIC_RELAXED) % SLOTS];
	__atomic_fetch_add(&my_slot->inside, 1, __ATOMIC_SEQ_CST);
	gin_order_acquire(&helper);
	return __atomic_load_n(&helper, __ATOMIC_SEQ_CST);
}

static void leave(void)
{
	__atomic_fetch_sub(&my_slot->inside, 1, __ATOMIC_RELEASE);
}

void gin_runner_set_helper(const struct gin_runner_helper *new_helper)
{
	uint32_t i;

	gin_order_release(&helper);
	__atomic_store_n(&helper, new_helper, __ATOMIC_SEQ_CST);
	for (i = 0; i < SLOTS; i++)
		while (__atomic_load_n(&slots[i].inside, __ATOMIC_SEQ_CST))
			sched_yield();
}

const struct gin_runner_helper *gin_runner_get_helper(void)
{
	return __atomic_load_n(&helper, __ATOMIC_SEQ_CST);
}

static int help(void)
{
	const struct gin_runner_helper *h = enter();
	int did = h && h->help ? h->help(h->ctx) : 0;

	leave();
	return did;
}

void gin_cpu_rang(void)
{
	const struct gin_runner_helper *h = enter();

	if (h && h->rang)
		h->rang(h->ctx);
	leave();
	doorbells++;
}

/*
 * A kernel that only polls does the same in every pass; a doorbell, or another
 * number of collectives, says that it found something to do.
 */
static int saw_work(struct gin_idle *idle, uint32_t collectives)
{
	uint32_t step = collectives - idle->collectives;
	int other = step != idle->step || doorbells;

	idle->collectives = collectives;
	idle->step = step;
	doorbells = 0;
	return other;
}

static uint64_t nap_ns(const struct gin_idle *idle)
{
	uint64_t ns = (gin_cpu_time_ns() - idle->since_ns) / NAP_PART;

	return ns < NAP_MIN_NS ? NAP_MIN_NS : ns > NAP_MAX_NS ? NAP_MAX_NS : ns;
}

/* Sequentially consistent: either it sees the sleeper, or the sleeper sees it. */
void gin_runner_happened(void)
{
	int err = errno;

	__atomic_add_fetch(&events, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &events, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = err;
}

static void nap(struct gin_idle *idle)
{
	struct timespec limit = { .tv_nsec = NAP_MIN_NS };

	if (idle->disturbed) {
		idle->disturbed = 0;
		nanosleep(&limit, NULL); /* traffic of others wakes no more often than that */
		return;
	}
	if (!idle->since_ns)
		idle->since_ns = gin_cpu_time_ns();
	limit.tv_nsec = (long)nap_ns(idle);
	__atomic_add_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
	idle->disturbed = !syscall(SYS_futex, &events, FUTEX_WAIT_PRIVATE, idle->events, &limit, NULL, 0) || errno == EAGAIN;
	__atomic_sub_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
}

void gin_idle(struct gin_idle *idle, uint32_t collectives)
{
	int worked = saw_work(idle, collectives);

	if ((!idle->alone && help()) || worked) {
		idle->n = 0;
		idle->since_ns = 0;
		idle->disturbed = 0;
	} else if (idle->n < YIELDS) {
		idle->n++;
		sched_yield();
	} else {
		nap(idle);
	}
	idle->events = __atomic_load_n(&events, __ATOMIC_SEQ_CST);
}

#ifdef GINET_SIM
static int never(void *arg)
{
	(void)arg;
	return 0;
}

/* In a simulation whoever waits must let it take steps. */
static int step_simulation(void)
{
	struct gin_sim *sim = gin_sim_current();

	if (sim)
		gin_sim_run(sim, never, NULL, 1);
	return sim != NULL;
}
#else
static int step_simulation(void)
{
	return 0;
}
#endif

void gin_idle_host(void)
{
	if (!step_simulation() && !help())
		sched_yield();
}
