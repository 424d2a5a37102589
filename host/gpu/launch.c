/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches on CPU threads. A launch starts when it stands first in its stream;
 * a block is one thread. Room is promised by gin_launch(): a stream holds what
 * its largest launch needs as long as that one is in it, so a launch that was
 * taken never waits for room that may not come. Launches with may_queue hold
 * nothing: their blocks start as room comes.
 *
 * Not instrumented by ThreadSanitizer, like fiber.c, since blocks start here.
 */
#include "cpu.h"
#include "log.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { SHARED_MAX = 232448 }; /* what a block of an H100 can have: 227 KiB */
enum { THREAD_STACK = 4 << 20 }; /* the helper runs here, and glibc takes __shared__ arrays out of it */

static struct gin_room room_of(const struct gin_launch_run *run)
{
	return (struct gin_room){ .lanes = run->n_blocks * run->block_lanes, .blocks = run->n_blocks };
}

static struct gin_room room_max(struct gin_room a, struct gin_room b)
{
	return (struct gin_room){ .lanes = a.lanes > b.lanes ? a.lanes : b.lanes,
				  .blocks = a.blocks > b.blocks ? a.blocks : b.blocks };
}

static void room_move(struct gin_room *used, struct gin_room from, struct gin_room to)
{
	used->lanes += to.lanes - from.lanes;
	used->blocks += to.blocks - from.blocks;
}

static const struct gin_room no_room = { 0, 0 };

/* --- blocks; under the lock --- */

static struct gin_stacks *take_stacks(struct gin_cpu_gpu *gpu, uint32_t n)
{
	struct gin_stacks **at, *stacks;

	for (at = &gpu->stacks; *at; at = &(*at)->next) {
		if ((*at)->n != n)
			continue;
		stacks = *at;
		*at = stacks->next;
		return stacks;
	}
	return gin_stacks_create(n, gpu->stack_bytes);
}

static void give_stacks(struct gin_cpu_gpu *gpu, struct gin_stacks *stacks)
{
	if (!stacks)
		return;
	stacks->next = gpu->stacks;
	gpu->stacks = stacks;
}

static void free_block(struct gin_block *block)
{
	free(block->dyn_shared);
	free(block->lanes);
	free(block);
}

/* splitmix64: seeds one bit apart give streams that have nothing in common. Not 0, which xorshift can't leave. */
static uint64_t mix_seed(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (x ^ x >> 31) | 1;
}

static struct gin_block *make_block(struct gin_launch_run *run)
{
	struct gin_block *block = calloc(1, sizeof(*block));
	size_t shared = run->cfg.shared_bytes;

	if (!block)
		return NULL;
	block->run = run;
	block->number = run->n_started;
	block->serial = run->gpu->n_serials++;
	block->n_lanes = run->block_lanes;
	block->n_warps = (run->block_lanes + GIN_WARP - 1) / GIN_WARP;
	block->rng = mix_seed(run->gpu->seed ^ mix_seed((uint64_t)run->number << 32 | block->number));
	block->stepped = run->gpu->sim != NULL;
	block->lanes = calloc(block->n_lanes, sizeof(*block->lanes));
	block->stacks = take_stacks(run->gpu, block->n_lanes);
	/* Exactly as long as asked for: AddressSanitizer then sees its end. */
	if (shared && !posix_memalign(&block->dyn_shared, 128, shared))
		memset(block->dyn_shared, 0, shared);
	if (block->lanes && block->stacks && (block->dyn_shared || !shared))
		return block;
	give_stacks(run->gpu, block->stacks);
	free_block(block);
	return NULL;
}

static void unlink_block(struct gin_cpu_gpu *gpu, const struct gin_block *block)
{
	struct gin_block **at = &gpu->blocks;

	while (*at != block)
		at = &(*at)->next;
	*at = block->next;
}

static void unlink_run(struct gin_cpu_gpu *gpu, const struct gin_launch_run *run)
{
	struct gin_launch_run **at = &gpu->runs;

	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
}

static void hold_for_stream(struct gin_cpu_gpu *gpu, struct gin_cpu_stream *stream)
{
	struct gin_room need = no_room;
	const struct gin_launch_run *run;

	for (run = gpu->runs; run; run = run->next)
		if (run->stream == stream && !run->cfg.may_queue)
			need = room_max(need, room_of(run));
	room_move(&gpu->used, stream->held, need);
	stream->held = need;
}

static void end_run(struct gin_launch_run *run)
{
	struct gin_cpu_gpu *gpu = run->gpu;

	unlink_run(gpu, run);
	if (run->failed && !run->refused) {
		gpu->crashed = true;
		if (run->stream)
			run->stream->crashed = true;
	}
	if (run->stream)
		hold_for_stream(gpu, run->stream);
	else if (!run->cfg.may_queue)
		room_move(&gpu->used, room_of(run), no_room);
	free(run->args);
	free(run);
	pthread_cond_broadcast(&gpu->ended);
}

static void start_what_can(struct gin_cpu_gpu *gpu);

static void end_block(struct gin_block *block)
{
	struct gin_launch_run *run = block->run;
	struct gin_cpu_gpu *gpu = run->gpu;

	unlink_block(gpu, block);
	give_stacks(gpu, block->stacks);
	if (run->cfg.may_queue)
		room_move(&gpu->used, (struct gin_room){ run->block_lanes, 1 }, no_room);
	run->n_running--;
	if (!run->n_running && (run->failed || run->n_started == run->n_blocks))
		end_run(run);
	start_what_can(gpu);
	block->next = gpu->gone;
	gpu->gone = block;
}

/* "icmp_echo/0": what gdb, top and perf show of a block. */
static void name_thread(const struct gin_block *block)
{
	char name[16], number[12];
	int n = snprintf(number, sizeof(number), "/%u", block->number);

	snprintf(name, sizeof(name), "%.*s%s", (int)sizeof(name) - 1 - n, block->run->kernel->name, number);
	prctl(PR_SET_NAME, name);
}

static void *block_main(void *arg)
{
	struct gin_block *block = arg;
	struct gin_launch_run *run = block->run;
	struct gin_cpu_gpu *gpu = run->gpu;

	prctl(PR_SET_TIMERSLACK, 1ul); /* naps of 30 us, not of 80 */
	name_thread(block);
	gin_block_init(block);
	if (gpu->sim) {
		gin_cpu_sim_block(block);
	} else {
		/* The gate: gin_launch() has the lock until all blocks are there. */
		pthread_mutex_lock(&gpu->lock);
		pthread_mutex_unlock(&gpu->lock);
		gin_block_loop(block);
	}
	gin_block_fini(block);
	if (block->failed && !__atomic_exchange_n(&run->failed, true, __ATOMIC_RELAXED))
		gin_error("%s", block->report);
	gin_cpu_reap(gpu); /* many small blocks one after the other leave no heap of threads behind */
	pthread_mutex_lock(&gpu->lock);
	end_block(block);
	pthread_mutex_unlock(&gpu->lock);
	if (gpu->sim)
		gin_cpu_sim_block_ended(gpu);
	return NULL;
}

/* Signals are for the program's threads; faults of the kernel's own must reach handlers (AddressSanitizer's). */
static int create_thread(struct gin_block *block)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int err;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGTRAP);
	sigdelset(&all, SIGABRT);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&block->tid, &attr, block_main, block);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

static int start_block(struct gin_launch_run *run)
{
	struct gin_cpu_gpu *gpu = run->gpu;
	struct gin_block *block = make_block(run);
	int err;

	if (!block) {
		gin_error("cpu: no memory for block %u of kernel %s (%u threads with %zu KiB of stack)",
			  run->n_started, run->kernel->name, run->block_lanes, gpu->stack_bytes >> 10);
		return -ENOMEM;
	}
	block->next = gpu->blocks;
	gpu->blocks = block;
	run->n_started++;
	run->n_running++;
	if (run->cfg.may_queue)
		room_move(&gpu->used, no_room, (struct gin_room){ run->block_lanes, 1 });
	err = create_thread(block);
	if (err)
		goto err_undo;
	if (gpu->sim)
		gin_cpu_sim_started(block);
	return 0;

err_undo:
	gin_error("cpu: cannot start a thread for block %u of kernel %s: %s; see ulimit -u and -v", block->number,
		  run->kernel->name, strerror(-err));
	if (run->cfg.may_queue)
		room_move(&gpu->used, (struct gin_room){ run->block_lanes, 1 }, no_room);
	run->n_running--;
	run->n_started--;
	gpu->blocks = block->next;
	give_stacks(gpu, block->stacks);
	free_block(block);
	return -ENOMEM;
}

static bool has_room(const struct gin_cpu_gpu *gpu, struct gin_room more)
{
	return (uint64_t)gpu->used.lanes + more.lanes <= gpu->max.lanes &&
	       (uint64_t)gpu->used.blocks + more.blocks <= gpu->max.blocks;
}

static bool is_first_in_stream(const struct gin_launch_run *run)
{
	const struct gin_launch_run *at;

	if (!run->stream)
		return true;
	for (at = run->gpu->runs; at->stream != run->stream; at = at->next)
		;
	return at == run;
}

static int start_blocks(struct gin_launch_run *run)
{
	const struct gin_room block = { run->block_lanes, 1 };
	int err = 0;

	while (!err && !run->failed && run->n_started < run->n_blocks &&
	       (!run->cfg.may_queue || has_room(run->gpu, block)))
		err = start_block(run);
	return err;
}

/* A launch whose blocks can't all start ends with those that did. */
static void give_up(struct gin_launch_run *run)
{
	__atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
	if (!run->n_running)
		end_run(run);
}

static void start_what_can(struct gin_cpu_gpu *gpu)
{
	struct gin_launch_run *run = gpu->runs, *next;

	for (; run; run = next) {
		next = run->next;
		if (is_first_in_stream(run) && start_blocks(run))
			give_up(run);
	}
}

/* --- gin_launch() --- */

static int refuse(const struct gin_launch_run *run, const char *what, uint64_t wanted, uint64_t used, uint64_t max,
		  const char *remedy)
{
	gin_error("cpu: kernel %s needs %llu %s at once; %llu of %llu are free; use a smaller grid%s", run->kernel->name,
		  (unsigned long long)wanted, what, (unsigned long long)(max - used), (unsigned long long)max, remedy);
	return -E2BIG;
}

/* Also for launches that may queue: one block must fit. */
static int check_room(const struct gin_launch_run *run, struct gin_room held)
{
	const struct gin_cpu_gpu *gpu = run->gpu;
	uint64_t blocks = run->cfg.may_queue ? 1 : run->n_blocks, lanes = blocks * run->block_lanes;
	struct gin_room used = run->cfg.may_queue ? no_room : gpu->used;

	used.lanes -= run->cfg.may_queue ? 0 : held.lanes;
	used.blocks -= run->cfg.may_queue ? 0 : held.blocks;
	if (used.lanes + lanes > gpu->max.lanes)
		return refuse(run, "threads", lanes, used.lanes, gpu->max.lanes,
			      ", set may_queue, or open the GPU as \"cpu:lanes=N\"");
	if (used.blocks + blocks > gpu->max.blocks)
		return refuse(run, "blocks", blocks, used.blocks, gpu->max.blocks, " or set may_queue");
	return 0;
}

static void append_run(struct gin_cpu_gpu *gpu, struct gin_launch_run *run)
{
	struct gin_launch_run **at = &gpu->runs;

	if (!*at)
		gpu->crashed = false;
	while (*at)
		at = &(*at)->next;
	*at = run;
	if (run->stream)
		hold_for_stream(gpu, run->stream);
	else if (!run->cfg.may_queue)
		room_move(&gpu->used, no_room, room_of(run));
}

static bool stream_is_empty(const struct gin_cpu_gpu *gpu, const struct gin_cpu_stream *stream)
{
	const struct gin_launch_run *run;

	for (run = gpu->runs; run; run = run->next)
		if (run->stream == stream)
			return false;
	return true;
}

static struct gin_launch_run *make_run(struct gin_cpu_gpu *gpu, const struct gin_kernel *kernel,
				       const struct gin_launch_config *cfg, const void *args)
{
	struct gin_launch_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	/* As CUDA aligns them; and AddressSanitizer sees the end. */
	if (posix_memalign(&run->args, 64, kernel->args_size)) {
		free(run);
		return NULL;
	}
	memcpy(run->args, args, kernel->args_size);
	run->gpu = gpu;
	run->stream = (struct gin_cpu_stream *)cfg->stream;
	run->kernel = kernel;
	run->cfg = *cfg;
	run->block_lanes = cfg->block.x * cfg->block.y * cfg->block.z;
	run->n_blocks = cfg->grid.x * cfg->grid.y * cfg->grid.z;
	return run;
}

/* Take it and start what can start; the run may have ended and be gone on return. */
static int take_run(struct gin_cpu_gpu *gpu, struct gin_launch_run *run)
{
	int err;

	run->number = gpu->n_launches++;
	if (run->stream && stream_is_empty(gpu, run->stream))
		run->stream->crashed = false;
	append_run(gpu, run);
	gin_watchdog_start(gpu);
	if (!is_first_in_stream(run))
		return 0;
	err = start_blocks(run);
	if (err) {
		run->refused = true;
		give_up(run);
	}
	return err;
}

int gin_cpu_launch(struct gin_gpu *base, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
		   const void *args)
{
	struct gin_cpu_gpu *gpu = gin_to_cpu(base);
	struct gin_launch_run *run;
	int err;

	if (!kernel->cpu) {
		gin_error("cpu: kernel %s is not compiled for CPU threads", kernel->name);
		return -ENOEXEC;
	}
	if (cfg->shared_bytes > SHARED_MAX) {
		gin_error("cpu: kernel %s: %u bytes of shared memory a block, at most %d", kernel->name, cfg->shared_bytes,
			  SHARED_MAX);
		return -E2BIG;
	}
	run = make_run(gpu, kernel, cfg, args);
	if (!run)
		return -ENOMEM;
	gin_cpu_reap(gpu);
	pthread_mutex_lock(&gpu->lock);
	err = check_room(run, run->stream ? run->stream->held : no_room);
	if (err) {
		free(run->args);
		free(run);
	} else {
		err = take_run(gpu, run);
	}
	pthread_mutex_unlock(&gpu->lock);
	return err;
}

/* --- waiting --- */

void gin_cpu_reap(struct gin_cpu_gpu *gpu)
{
	struct gin_block *block, *next;

	pthread_mutex_lock(&gpu->lock);
	block = gpu->gone;
	gpu->gone = NULL;
	pthread_mutex_unlock(&gpu->lock);
	for (; block; block = next) {
		next = block->next;
		pthread_join(block->tid, NULL);
		free_block(block);
	}
}

int gin_cpu_poll(struct gin_gpu *base, struct gin_stream *stream)
{
	struct gin_cpu_gpu *gpu = gin_to_cpu(base);
	struct gin_cpu_stream *of = (struct gin_cpu_stream *)stream;
	int err;

	pthread_mutex_lock(&gpu->lock);
	if (of ? of->crashed : gpu->crashed)
		err = -EIO;
	else if (of ? !stream_is_empty(gpu, of) : gpu->runs != NULL)
		err = -EAGAIN;
	else
		err = 0;
	pthread_mutex_unlock(&gpu->lock);
	gin_cpu_reap(gpu);
	return err;
}

int gin_cpu_wait_some(struct gin_gpu *base, uint64_t ns)
{
	struct gin_cpu_gpu *gpu = gin_to_cpu(base);
	struct timespec until;
	uint64_t at;

	if (gpu->sim)
		return gin_cpu_sim_wait(gpu, ns);
	clock_gettime(CLOCK_MONOTONIC, &until);
	at = (uint64_t)until.tv_nsec + ns;
	until.tv_sec += (time_t)(at / 1000000000u);
	until.tv_nsec = (long)(at % 1000000000u);
	pthread_mutex_lock(&gpu->lock);
	if (gpu->runs && !gpu->crashed)
		pthread_cond_timedwait(&gpu->ended, &gpu->lock, &until);
	pthread_mutex_unlock(&gpu->lock);
	return 0;
}

int gin_cpu_stream_create(struct gin_gpu *gpu, struct gin_stream **out)
{
	struct gin_cpu_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return -ENOMEM;
	stream->stream.gpu = gpu;
	*out = &stream->stream;
	return 0;
}

void gin_cpu_stream_destroy(struct gin_stream *stream)
{
	free(stream);
}

const char *gin_cpu_running(struct gin_gpu *base, char *buf, size_t size)
{
	struct gin_cpu_gpu *gpu = gin_to_cpu(base);
	const struct gin_launch_run *run;
	size_t used = 0;

	if (size)
		buf[0] = 0;
	pthread_mutex_lock(&gpu->lock);
	for (run = gpu->runs; run && used < size; run = run->next)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", run->kernel->name);
	pthread_mutex_unlock(&gpu->lock);
	return buf;
}
