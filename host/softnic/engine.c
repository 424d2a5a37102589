/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: who runs the NICs, and when it may sleep. One per process. A
 * shard owns devices with their pages, queues and wires; whoever holds its lock
 * makes a pass: a kernel that waits (helping), the service thread, or a test
 * that steps. All run the same code.
 *
 * Sleeping without missing a doorbell: the thread sets "asleep", looks at every
 * page once more, and polls. A doorbell is stored, then "asleep" is read. All
 * four are sequentially consistent, so either the thread sees the doorbell or
 * the ringer sees "asleep" and writes the eventfd.
 *
 * While kernels help, the thread would only be in their way, and for the lock it
 * would cost more than it does: it naps, NAP_NS each time, until a nap in which
 * no helper found anything to do.
 */
#define _GNU_SOURCE /* ppoll() */
#include "sn.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#define N_SHARDS 1u
#define N_NOTES 16u
#define NOTE_LEN 448u
#define IDLE_PASSES 64u     /* before the thread goes to sleep */
#define NAP_NS 200000l      /* how long a doorbell may wait whose ringer helped until then and now does something else */
#define GPU_NAP_NS 50000ull /* how long a doorbell of a GPU, which cannot wake us, may wait */

struct notes {
	uint32_t n, lost;
	enum gin_log_level level[N_NOTES];
	char line[N_NOTES][NOTE_LEN];
};

struct sn_shard {
	pthread_mutex_t lock;
	pthread_cond_t left_poll;
	int waiting;            /* atomic: commands that want the lock; passes let them go first */
	int asleep;             /* atomic, see above */
	int quit, polling;
	uint64_t n_polls;
	uint64_t n_helped;      /* passes of helpers that did something */
	int wake_fd;
	pthread_t thread;
	TAILQ_HEAD(, sn_device) devices;
	uint32_t n_devices;
	struct pollfd *fds;
	uint32_t fds_max;
	struct notes notes;
	struct sn_clock clock;
	uint8_t tx_buf[SN_FRAME_MAX];
};

static struct sn_shard shards[N_SHARDS] = { {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.left_poll = PTHREAD_COND_INITIALIZER,
	.wake_fd = -1,
	.devices = TAILQ_HEAD_INITIALIZER(shards[0].devices),
} };

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* starting and ending of threads */
static int running, stepped;                             /* under life; stepped is set before any device */
static int gpu_kernels;                                  /* atomic */
static void (*on_work)(void);                            /* set before any device */

void sn_engine_on_work(void (*fn)(void))
{
	on_work = fn;
}

void sn_engine_set_stepped(int on)
{
	stepped = on;
}

int sn_engine_is_stepped(void)
{
	return stepped;
}

void sn_engine_gpu_active(int delta)
{
	__atomic_add_fetch(&gpu_kernels, delta, __ATOMIC_SEQ_CST);
	sn_engine_rang(); /* a sleeping thread would never look */
}

uint8_t *sn_tx_buf(struct sn_device *dev)
{
	return dev->shard->tx_buf;
}

/* Locks and lines */

void sn_note(struct sn_device *dev, enum gin_log_level level, const char *fmt, ...)
{
	struct notes *notes = &dev->shard->notes;
	va_list ap;

	if (notes->n == N_NOTES) {
		notes->lost++;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(notes->line[notes->n], NOTE_LEN, fmt, ap);
	va_end(ap);
	notes->level[notes->n++] = level;
}

static void unlock_and_log(struct sn_shard *s)
{
	struct notes notes;
	uint32_t i;

	if (!s->notes.n) {
		pthread_mutex_unlock(&s->lock);
		return;
	}
	notes = s->notes;
	s->notes.n = s->notes.lost = 0;
	pthread_mutex_unlock(&s->lock);
	for (i = 0; i < notes.n; i++)
		gin_log(notes.level[i], "%s", notes.line[i]);
	if (notes.lost)
		gin_warn("soft: %u more lines at the same moment", notes.lost);
}

void sn_lock(struct sn_device *dev)
{
	struct sn_shard *s = dev->shard;

	__atomic_add_fetch(&s->waiting, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&s->lock);
	__atomic_sub_fetch(&s->waiting, 1, __ATOMIC_RELAXED);
}

void sn_unlock(struct sn_device *dev)
{
	unlock_and_log(dev->shard);
}

/* Passes */

static int pass(struct sn_shard *s)
{
	struct sn_device *dev;
	int n = 0;

	TAILQ_FOREACH(dev, &s->devices, in_shard)
		n += sn_dev_pass(dev);
	if (n && on_work)
		on_work();
	return n;
}

int sn_engine_help(void *unused)
{
	int i, did, n = 0;

	(void)unused;
	if (stepped)
		return 0;
	for (i = 0; i < (int)N_SHARDS; i++) {
		struct sn_shard *s = &shards[i];

		if (__atomic_load_n(&s->waiting, __ATOMIC_RELAXED) || pthread_mutex_trylock(&s->lock))
			continue;
		did = pass(s);
		s->n_helped += did > 0;
		unlock_and_log(s);
		n += did;
	}
	return n > 0;
}

static void wake(struct sn_shard *s)
{
	uint64_t one = 1;

	/* A full counter wakes too, so the result says nothing. */
	if (write(s->wake_fd, &one, sizeof(one)) < 0)
		return;
}

void sn_engine_rang(void)
{
	uint32_t i;

	for (i = 0; i < N_SHARDS; i++)
		if (__atomic_load_n(&shards[i].asleep, __ATOMIC_SEQ_CST) &&
		    __atomic_exchange_n(&shards[i].asleep, 0, __ATOMIC_SEQ_CST))
			wake(&shards[i]);
}

/* Sleep */

static void add_fd(struct sn_shard *s, uint32_t *n, struct sn_wire *w, short events)
{
	int fd = w && w->ops->fd ? w->ops->fd(w) : -1;

	if (fd < 0 || !events)
		return;
	s->fds[*n].fd = fd;
	s->fds[*n].events = events;
	s->fds[(*n)++].revents = 0;
}

/* One eventfd, and at most two descriptors for each device. */
static int grow_fds(struct sn_shard *s)
{
	uint32_t need = 1 + 2 * s->n_devices;
	struct pollfd *fds;

	if (need <= s->fds_max)
		return 0;
	fds = realloc(s->fds, need * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	s->fds = fds;
	s->fds_max = need;
	return 0;
}

static uint32_t collect_fds(struct sn_shard *s)
{
	struct sn_device *dev;
	uint32_t n = 1;

	s->fds[0].fd = s->wake_fd;
	s->fds[0].events = POLLIN;
	TAILQ_FOREACH(dev, &s->devices, in_shard) {
		int blocked = dev->tx_blocked, asks_room = blocked && !dev->retry_ns && !dev->wire->ops->poll;

		/* A wire that is pumped has room when its poll() made some. */
		add_fd(s, &n, dev->wire, (short)(POLLIN | (asks_room ? POLLOUT : 0)));
		add_fd(s, &n, dev->host, blocked ? 0 : POLLIN);
	}
	return n;
}

static uint64_t next_ns(const struct sn_shard *s)
{
	const struct sn_device *dev;
	uint64_t t, first = UINT64_MAX;

	TAILQ_FOREACH(dev, &s->devices, in_shard) {
		t = sn_dev_next_ns(dev);
		if (t < first)
			first = t;
	}
	return first;
}

static uint32_t n_ready(struct sn_shard *s)
{
	struct sn_device *dev;
	uint32_t n = 0;

	TAILQ_FOREACH(dev, &s->devices, in_shard)
		n += sn_dev_n_ready(dev);
	return n;
}

/* NULL: for ever. */
static struct timespec *timeout(const struct sn_shard *s, struct timespec *ts)
{
	const struct sn_device *dev = TAILQ_FIRST(&s->devices);
	uint64_t at = next_ns(s), now = dev ? gin_env_now(dev->env) : 0, ns = at == UINT64_MAX ? at : at > now ? at - now : 0;

	if (__atomic_load_n(&gpu_kernels, __ATOMIC_SEQ_CST) && ns > GPU_NAP_NS)
		ns = GPU_NAP_NS;
	if (ns == UINT64_MAX)
		return NULL;
	ts->tv_sec = (time_t)(ns / 1000000000);
	ts->tv_nsec = (long)(ns % 1000000000);
	return ts;
}

static void sleep_until_rung(struct sn_shard *s)
{
	struct timespec ts, *limit;
	uint64_t count;
	uint32_t n;

	__atomic_store_n(&s->asleep, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&s->lock);
	if (s->quit || n_ready(s) || grow_fds(s)) { /* without memory it stays awake */
		__atomic_store_n(&s->asleep, 0, __ATOMIC_SEQ_CST);
		unlock_and_log(s);
		return;
	}
	n = collect_fds(s);
	limit = timeout(s, &ts);
	s->polling = 1;
	pthread_mutex_unlock(&s->lock);

	ppoll(s->fds, n, limit, NULL);

	__atomic_store_n(&s->asleep, 0, __ATOMIC_SEQ_CST);
	if (s->fds[0].revents && read(s->wake_fd, &count, sizeof(count)) < 0)
		count = 0; /* read by nobody else: cannot be */
	pthread_mutex_lock(&s->lock);
	s->polling = 0;
	s->n_polls++;
	pthread_cond_broadcast(&s->left_poll);
	pthread_mutex_unlock(&s->lock);
}

/* The lock is held. 1: others do the work. */
static int is_helped(const struct sn_shard *s, uint64_t *seen)
{
	int others = s->n_helped != *seen && !__atomic_load_n(&gpu_kernels, __ATOMIC_RELAXED);

	*seen = s->n_helped;
	return others;
}

static void nap(struct sn_shard *s)
{
	const struct timespec ts = { .tv_nsec = NAP_NS };
	struct pollfd fd = { .fd = s->wake_fd, .events = POLLIN };
	uint64_t count;

	if (ppoll(&fd, 1, &ts, NULL) > 0 && read(s->wake_fd, &count, sizeof(count)) < 0)
		count = 0; /* read by nobody else: cannot be */
}

static void *serve(void *arg)
{
	struct sn_shard *s = arg;
	uint64_t helped = 0;
	uint32_t idle = 0;
	int n, quit, others;

	prctl(PR_SET_TIMERSLACK, 1ul); /* naps of 50 us, not of 100 */
	do {
		while (__atomic_load_n(&s->waiting, __ATOMIC_RELAXED))
			sched_yield();
		pthread_mutex_lock(&s->lock);
		quit = s->quit;
		others = is_helped(s, &helped);
		n = quit || others ? 0 : pass(s);
		unlock_and_log(s);
		if (others) {
			nap(s);
		} else if (n) {
			idle = 0;
		} else if (++idle < IDLE_PASSES) {
			sched_yield();
		} else {
			sleep_until_rung(s);
			idle = IDLE_PASSES - 1; /* one look; with nothing there it sleeps on */
		}
	} while (!quit);
	return NULL;
}

/* Devices come and go */

/* Signals belong to the program's own threads. */
static int start_thread(struct sn_shard *s)
{
	sigset_t all, old;
	int err;

	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->wake_fd < 0) {
		err = -errno;
		gin_error("soft: no descriptor for the engine (%s): raise ulimit -n", strerror(-err));
		return err;
	}
	s->quit = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(&s->thread, NULL, serve, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err) {
		pthread_setname_np(s->thread, "gin soft NIC"); /* for gdb, top and perf */
		return 0;
	}
	gin_error("soft: no thread for the engine (%s): raise ulimit -u and -v", strerror(-err));
	close(s->wake_fd);
	s->wake_fd = -1;
	return err;
}

static void stop_thread(struct sn_shard *s)
{
	pthread_mutex_lock(&s->lock);
	s->quit = 1;
	pthread_mutex_unlock(&s->lock);
	wake(s);
	pthread_join(s->thread, NULL);
	close(s->wake_fd);
	s->wake_fd = -1;
	free(s->fds);
	s->fds = NULL;
	s->fds_max = 0;
}

int sn_engine_add(struct sn_device *dev)
{
	struct sn_shard *s = &shards[0];
	int err = 0;

	dev->shard = s;
	dev->clock = &s->clock;
	pthread_mutex_lock(&life);
	if (!running && !stepped) {
		err = start_thread(s);
		running = !err;
	}
	pthread_mutex_unlock(&life);
	return err;
}

void sn_engine_enlist(struct sn_device *dev)
{
	TAILQ_INSERT_TAIL(&dev->shard->devices, dev, in_shard);
	dev->shard->n_devices++;
}

void sn_engine_quiet(struct sn_device *dev)
{
	struct sn_shard *s = dev->shard;
	uint64_t seen = s->n_polls;

	TAILQ_REMOVE(&s->devices, dev, in_shard);
	s->n_devices--;
	if (s->polling)
		wake(s);
	while (s->polling && s->n_polls == seen)
		pthread_cond_wait(&s->left_poll, &s->lock);
}

void sn_engine_remove(struct sn_device *dev)
{
	struct sn_shard *s = dev->shard;
	uint32_t left;

	pthread_mutex_lock(&life);
	sn_lock(dev);
	left = s->n_devices;
	sn_unlock(dev);
	if (!left && running) {
		stop_thread(s);
		running = 0;
	}
	pthread_mutex_unlock(&life);
}

/* Stepped by a test */

uint32_t sn_engine_n_ready(void *unused)
{
	uint32_t n;

	(void)unused;
	pthread_mutex_lock(&shards[0].lock);
	n = n_ready(&shards[0]);
	pthread_mutex_unlock(&shards[0].lock);
	return n;
}

void sn_engine_step(void *unused, uint32_t which)
{
	struct sn_shard *s = &shards[0];
	struct sn_device *dev;

	(void)unused;
	pthread_mutex_lock(&s->lock);
	TAILQ_FOREACH(dev, &s->devices, in_shard) {
		uint32_t n = sn_dev_n_ready(dev);

		if (which < n) {
			sn_dev_step(dev, which);
			break;
		}
		which -= n;
	}
	unlock_and_log(s);
}

uint64_t sn_engine_next_ns(void *unused)
{
	uint64_t t;

	(void)unused;
	pthread_mutex_lock(&shards[0].lock);
	t = next_ns(&shards[0]);
	pthread_mutex_unlock(&shards[0].lock);
	return t;
}

void sn_engine_loaded(uint64_t reader, const void *p)
{
	struct sn_device *dev;

	if (!stepped)
		return;
	pthread_mutex_lock(&shards[0].lock);
	TAILQ_FOREACH(dev, &shards[0].devices, in_shard)
		sn_adv_loaded(dev, reader, p);
	pthread_mutex_unlock(&shards[0].lock);
}

void sn_engine_acquired(uint64_t reader)
{
	struct sn_device *dev;

	if (!stepped)
		return;
	pthread_mutex_lock(&shards[0].lock);
	TAILQ_FOREACH(dev, &shards[0].devices, in_shard)
		sn_adv_acquired(dev, reader);
	pthread_mutex_unlock(&shards[0].lock);
}
