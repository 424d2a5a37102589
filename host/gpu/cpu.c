/* SPDX-License-Identifier: BSD-3-Clause */
/* The back end "cpu": its options, its memory. Launches are in launch.c. */
#include "cpu.h"
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef GINET_TSAN
enum { LANES_MAX = 4096, STACK_KIB = 128 }; /* each lane is a thread to ThreadSanitizer */
#else
enum { LANES_MAX = 65536 };
#if defined(__SANITIZE_ADDRESS__)
enum { STACK_KIB = 256 }; /* red zones make frames several times larger */
#else
enum { STACK_KIB = 64 };
#endif
#endif
enum { BLOCKS_MAX = 2048 }; /* one thread each; an H100 has room for 132 x 16 blocks of 128 threads */

static const char keys[] = "seed=N, lanes=N, stack=KiB, help=0|1, sim";

struct option {
	uint64_t seed, lanes, stack_kib, help;
	bool sim;
};

static int parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (end == text || *end || errno || *text == '-' || v < low || v > high)
		return -EINVAL;
	*out = v;
	return 0;
}

static int parse_option(const char *word, struct option *o)
{
	int err = -ENOENT;

	if (!strcmp(word, "sim")) {
		o->sim = true;
		return 0;
	}
	if (!strncmp(word, "seed=", 5))
		err = parse_number(word + 5, 0, UINT64_MAX, &o->seed);
	else if (!strncmp(word, "lanes=", 6))
		err = parse_number(word + 6, 1, 1 << 20, &o->lanes);
	else if (!strncmp(word, "stack=", 6))
		err = parse_number(word + 6, 16, 65536, &o->stack_kib);
	else if (!strncmp(word, "help=", 5))
		err = parse_number(word + 5, 0, 1, &o->help);
	if (err == -ENOENT)
		gin_error("cpu: unknown key '%s'; known: %s", word, keys);
	else if (err)
		gin_error("cpu: '%s' is no number that fits (lanes: 1 to 1048576, stack: 16 to 65536 KiB, help: 0 or 1)", word);
	return err ? -EINVAL : 0;
}

static int parse_options(const char *rest, struct option *o)
{
	char *text = strdup(rest), *word, *save = NULL;
	int err = 0;

	if (!text)
		return -ENOMEM;
	for (word = strtok_r(text, ",", &save); word && !err; word = strtok_r(NULL, ",", &save))
		err = parse_option(word, o);
	free(text);
	return err;
}

static uint64_t clock_seed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int init_sync(struct gin_cpu_gpu *gpu)
{
	pthread_condattr_t attr;
	int err = -pthread_condattr_init(&attr);

	if (err)
		return err;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&gpu->lock, NULL);
	pthread_cond_init(&gpu->ended, &attr);
	pthread_cond_init(&gpu->watchdog_wake, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

static void fini_sync(struct gin_cpu_gpu *gpu)
{
	pthread_cond_destroy(&gpu->watchdog_wake);
	pthread_cond_destroy(&gpu->ended);
	pthread_mutex_destroy(&gpu->lock);
}

static int cpu_open(const char *rest, struct gin_gpu **out)
{
	struct option o = { .seed = clock_seed(), .lanes = LANES_MAX, .stack_kib = STACK_KIB, .help = 1 };
	struct gin_cpu_gpu *gpu;
	int err = parse_options(rest, &o);

	if (err)
		return err;
	gpu = calloc(1, sizeof(*gpu));
	if (!gpu)
		return -ENOMEM;
	gpu->max.lanes = (uint32_t)o.lanes;
	gpu->max.blocks = BLOCKS_MAX;
	gpu->stack_bytes = o.stack_kib << 10;
	gpu->seed = o.seed;
	gpu->helps = o.help;
	gpu->gpu.stop = calloc(1, 64);
	if (!gpu->gpu.stop) {
		err = -ENOMEM;
		goto err_free;
	}
	gpu->gpu.stop_gpu = gpu->gpu.stop;
	gpu->gpu.ops = &gin_gpu_cpu;
	snprintf(gpu->gpu.name, sizeof(gpu->gpu.name), "cpu");
	err = init_sync(gpu);
	if (err)
		goto err_free_stop;
	if (o.sim) {
		err = gin_cpu_sim_create(gpu, gpu->seed);
		if (err)
			goto err_sync;
	}
	gin_debug("cpu: seed=%" PRIu64 " lanes=%u stack=%zu KiB%s", gpu->seed, gpu->max.lanes, gpu->stack_bytes >> 10,
		  o.sim ? " sim" : "");
	*out = &gpu->gpu;
	return 0;

err_sync:
	fini_sync(gpu);
err_free_stop:
	free(gpu->gpu.stop);
err_free:
	free(gpu);
	return err;
}

/* Plain memory, exactly as long as asked for: sanitizers see its end. */
static int cpu_mem_alloc(struct gin_gpu *gpu, enum gin_mem_kind kind, size_t size, struct gin_mem *out)
{
	void *p;

	(void)gpu;
	if (posix_memalign(&p, 4096, size)) {
		gin_error("cpu: no memory for %zu bytes", size);
		return -ENOMEM;
	}
	memset(p, 0, size);
	out->gpu = p;
	out->cpu = p;
	out->size = size;
	out->kind = kind;
	return 0;
}

static void cpu_mem_free(struct gin_gpu *gpu, struct gin_mem *mem)
{
	(void)gpu;
	free(mem->cpu);
}

/*
 * As a DMA engine would: word by word, whole words where the addresses allow,
 * so that a counter that a kernel moves is never seen torn.
 */
static int cpu_copy(struct gin_gpu *gpu, void *dst, const void *src, size_t size)
{
	uint8_t *d = dst;
	const uint8_t *s = src;
	size_t i = 0;

	(void)gpu;
	if (!(((uintptr_t)d | (uintptr_t)s) & 7))
		for (; i + 8 <= size; i += 8)
			__atomic_store_n((uint64_t *)(void *)(d + i),
					 __atomic_load_n((const uint64_t *)(const void *)(s + i), __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
	for (; i < size; i++)
		__atomic_store_n(d + i, __atomic_load_n(s + i, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	return 0;
}

static int cpu_map_host(struct gin_gpu *gpu, void *cpu, size_t size, int is_mmio, void **gpu_addr)
{
	(void)gpu;
	(void)size;
	(void)is_mmio;
	*gpu_addr = cpu;
	return 0;
}

static void cpu_unmap_host(struct gin_gpu *gpu, void *cpu)
{
	(void)gpu;
	(void)cpu;
}

static void cpu_close(struct gin_gpu *base)
{
	struct gin_cpu_gpu *gpu = gin_to_cpu(base);
	struct gin_stacks *stacks;

	gin_watchdog_stop(gpu);
	gin_cpu_reap(gpu);
	gin_cpu_sim_destroy(gpu);
	while ((stacks = gpu->stacks)) {
		gpu->stacks = stacks->next;
		gin_stacks_destroy(stacks);
	}
	fini_sync(gpu);
	free(gpu->gpu.stop);
	free(gpu);
}

const struct gin_gpu_ops gin_gpu_cpu = {
	.kind = "cpu",
	.open = cpu_open,
	.close = cpu_close,
	.mem_alloc = cpu_mem_alloc,
	.mem_free = cpu_mem_free,
	.copy = cpu_copy,
	.launch = gin_cpu_launch,
	.poll = gin_cpu_poll,
	.wait_some = gin_cpu_wait_some,
	.stream_create = gin_cpu_stream_create,
	.stream_destroy = gin_cpu_stream_destroy,
	.map_host = cpu_map_host,
	.unmap_host = cpu_unmap_host,
	.running = gin_cpu_running,
};
