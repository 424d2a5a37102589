/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs of both kinds: names, memory lists, launch checks, waiting. */
#include "gpu_priv.h"
#include "log.h"
#include "runner.h"

#include <errno.h>
#include <ginet/cpu.h>
#include <ginet/error.h>
#include <ginet/hw/queue.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_NS = 2000000, /* how often a wait asks the NICs whether a queue failed */
	LOOK_MAX_NS = 20000000, /* the same of a wait that lasts */
	BLOCK_THREADS_MAX = 1024,
};
static const uint64_t close_ns = 2000000000; /* for kernels to see the stop */

struct node { /* memory of a GPU */
	struct node *next;
	struct gin_mem mem;
};

struct shared { /* what gin_gpu.lock points to */
	pthread_mutex_t mutex;
	struct node *memory;
};

/* --- kernels --- */

static struct gin_kernel *kernels; /* registered by constructors, before any thread */

/* See version.h: what may be another struct altogether is never written to. */
static bool is_compatible(const struct gin_kernel *kernel)
{
	return kernel->version / 100 == GINET_VERSION / 100;
}

void gin_kernel_register(struct gin_kernel *kernel)
{
	if (!is_compatible(kernel))
		return; /* gin_launch() will say it */
	kernel->next = kernels;
	kernels = kernel;
}

struct gin_kernel *gin_kernel_list(void)
{
	return kernels;
}

/* --- open and close --- */

static bool is_hex(const char *s, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strchr("0123456789abcdefABCDEF", s[i]) || !s[i])
			return false;
	return true;
}

/* "0000:17:00.0" or "17:00.0" */
static bool is_pci_address(const char *s)
{
	if (strlen(s) == 12 && is_hex(s, 4) && s[4] == ':')
		s += 5;
	return strlen(s) == 7 && is_hex(s, 2) && s[2] == ':' && is_hex(s + 3, 2) && s[5] == '.' && is_hex(s + 6, 1);
}

/* Behind "kind:", or "" for "kind" alone; NULL: another kind. */
static const char *rest_of(const char *name, const char *kind)
{
	size_t len = strlen(kind);

	if (strncmp(name, kind, len) || (name[len] && name[len] != ':'))
		return NULL;
	return name[len] ? name + len + 1 : "";
}

static int open_named(const char *name, struct gin_gpu **out)
{
	const char *rest;

	if ((rest = rest_of(name, "cpu")))
		return gin_gpu_cpu.open(rest, out);
	if ((rest = rest_of(name, "cuda")))
		return gin_gpu_cuda.open(*rest ? rest : "0", out);
	if (is_pci_address(name))
		return gin_gpu_cuda.open(name, out);
	gin_error("GPU '%s' is not understood; names are \"cuda:N\", a PCI address such as \"0000:17:00.0\", and "
		  "\"cpu[:key=value,...]\"",
		  name);
	return -EINVAL;
}

static int open_default(struct gin_gpu **out)
{
	const char *name = getenv("GINET_GPU");

	if (name && *name) {
		gin_info("GPU: %s, by $GINET_GPU", name);
		return open_named(name, out);
	}
	if (gin_cuda_count() > 0) {
		gin_info("GPU: cuda:0, the first that CUDA sees");
		return open_named("cuda:0", out);
	}
	/* Without CUDA it has no more than an open() that says so. */
	gin_info("GPU: cpu, since %s", gin_gpu_cuda.launch ? "CUDA sees none" : "ginet was built without CUDA");
	return open_named("cpu", out);
}

static int open_any(const char *name, struct gin_gpu **out)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	struct gin_gpu *gpu = NULL;
	int err;

	if (!shared)
		return -ENOMEM;
	err = name ? open_named(name, &gpu) : open_default(&gpu);
	if (err) {
		free(shared);
		return err;
	}
	pthread_mutex_init(&shared->mutex, NULL);
	gpu->lock = shared;
	*out = gpu;
	return 0;
}

int gin_gpu_open(const char *name, struct gin_gpu **out)
{
	unsigned int before = gin_log_errors();
	int err = open_any(name, out);

	if (err)
		gin_error_if_untold(before, "cannot open GPU %s: %s", name ? name : "(default)", gin_strerror(err));
	return err;
}

const char *gin_gpu_name(const struct gin_gpu *gpu)
{
	return gpu->name;
}

static void lock(struct gin_gpu *gpu)
{
	pthread_mutex_lock(&((struct shared *)gpu->lock)->mutex);
}

static void unlock(struct gin_gpu *gpu)
{
	pthread_mutex_unlock(&((struct shared *)gpu->lock)->mutex);
}

const char *gin_gpu_running(struct gin_gpu *gpu, char *buf, size_t size)
{
	return gpu->ops->running(gpu, buf, size);
}

/* All have ended, also those that crashed. */
static bool is_idle(struct gin_gpu *gpu)
{
	char names[2];

	return !*gin_gpu_running(gpu, names, sizeof(names));
}

static uint64_t deadline(uint64_t timeout_ns)
{
	uint64_t now = gin_cpu_time_ns();

	return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

/* As long as until, but never beyond a look. */
static uint64_t next_look(uint64_t until, uint64_t look)
{
	uint64_t now = gin_cpu_time_ns();

	if (now >= until)
		return 0;
	return until - now < look ? until - now : look;
}

static bool stop_and_wait(struct gin_gpu *gpu)
{
	uint64_t until = deadline(close_ns), ns;

	gin_gpu_stop(gpu);
	while (!is_idle(gpu) && (ns = next_look(until, LOOK_NS)))
		if (gpu->ops->wait_some(gpu, ns))
			break;
	return is_idle(gpu);
}

static bool has_watches(struct gin_gpu *gpu)
{
	bool has;

	lock(gpu);
	has = gpu->watches != NULL;
	unlock(gpu);
	return has;
}

void gin_gpu_close(struct gin_gpu *gpu)
{
	struct shared *shared;
	struct node *node;
	char names[128];

	if (!gpu)
		return;
	if (!stop_and_wait(gpu)) {
		gin_error("%s: kernels did not end within 2 s of the stop: %s; the GPU's memory stays as it is, since they "
			  "may still use it",
			  gpu->name, gin_gpu_running(gpu, names, sizeof(names)));
		return;
	}
	if (has_watches(gpu)) {
		gin_error("%s: a NIC has queues on it: close the NIC first; until then the GPU stays open", gpu->name);
		return;
	}
	shared = gpu->lock;
	while ((node = shared->memory)) {
		shared->memory = node->next;
		gpu->ops->mem_free(gpu, &node->mem);
		free(node);
	}
	gpu->ops->close(gpu);
	pthread_mutex_destroy(&shared->mutex);
	free(shared);
}

/* --- memory --- */

int gin_mem_alloc(struct gin_gpu *gpu, enum gin_mem_kind kind, size_t size, struct gin_mem *out)
{
	struct shared *shared = gpu->lock;
	struct node *node;
	int err;

	if (!size || kind > GIN_MEM_CPU_GPU) {
		gin_error("%s: cannot allocate %zu bytes of memory kind %d", gpu->name, size, (int)kind);
		return -EINVAL;
	}
	node = calloc(1, sizeof(*node));
	if (!node) {
		gin_error("%s: no memory for %zu bytes", gpu->name, size);
		return -ENOMEM;
	}
	err = gpu->ops->mem_alloc(gpu, kind, size, &node->mem);
	if (err) {
		free(node);
		return err;
	}
	*out = node->mem;
	lock(gpu);
	node->next = shared->memory;
	shared->memory = node;
	unlock(gpu);
	return 0;
}

static struct node *take_node(struct gin_gpu *gpu, const struct gin_mem *mem)
{
	struct node **at, *node;

	lock(gpu);
	for (at = &((struct shared *)gpu->lock)->memory; *at && (*at)->mem.gpu != mem->gpu; at = &(*at)->next)
		;
	node = *at;
	if (node)
		*at = node->next;
	unlock(gpu);
	return node;
}

void gin_mem_free(struct gin_gpu *gpu, struct gin_mem *mem)
{
	struct node *node;

	if (!mem || !mem->gpu)
		return;
	node = take_node(gpu, mem);
	if (!node) {
		gin_error("%s: gin_mem_free() of memory at %p, which is not of this GPU or was freed before", gpu->name,
			  mem->gpu);
		return;
	}
	gpu->ops->mem_free(gpu, &node->mem);
	free(node);
	memset(mem, 0, sizeof(*mem));
}

int gin_gpu_mem_of(struct gin_gpu *gpu, const void *addr, size_t len, struct gin_mem *out)
{
	const struct node *node;
	size_t at;

	lock(gpu);
	for (node = ((struct shared *)gpu->lock)->memory; node; node = node->next) {
		at = (uintptr_t)addr - (uintptr_t)node->mem.gpu; /* below it: a number above any size */
		if (at < node->mem.size && len <= node->mem.size - at)
			break;
	}
	if (node)
		*out = node->mem;
	unlock(gpu);
	return node ? 0 : -ENOENT;
}

int gin_mem_copy(struct gin_gpu *gpu, void *dst, const void *src, size_t size)
{
	int err = size ? gpu->ops->copy(gpu, dst, src, size) : 0;

	gin_runner_happened(); /* kernels on CPU threads may wait for what was written */
	return err;
}

/* --- watches --- */

void gin_gpu_watch_add(struct gin_gpu *gpu, struct gin_gpu_watch *watch)
{
	lock(gpu);
	watch->next = gpu->watches;
	gpu->watches = watch;
	unlock(gpu);
}

void gin_gpu_watch_del(struct gin_gpu *gpu, struct gin_gpu_watch *watch)
{
	struct gin_gpu_watch **at;

	lock(gpu);
	for (at = &gpu->watches; *at && *at != watch; at = &(*at)->next)
		;
	if (*at)
		*at = watch->next;
	unlock(gpu);
}

int gin_gpu_watch_each(struct gin_gpu *gpu, int (*fn)(struct gin_gpu_watch *watch, void *arg), void *arg)
{
	struct gin_gpu_watch *watch;
	int ret = 0;

	lock(gpu);
	for (watch = gpu->watches; watch && !ret; watch = watch->next)
		ret = fn(watch, arg);
	unlock(gpu);
	return ret;
}

static int watch_failed(struct gin_gpu *gpu)
{
	struct gin_gpu_watch *watch;
	int err = 0;

	lock(gpu);
	for (watch = gpu->watches; watch && !err; watch = watch->next)
		if (watch->failed)
			err = watch->failed(watch);
	unlock(gpu);
	return err;
}

/* All are asked before one begins anything. */
static int watch_launch(struct gin_gpu *gpu, const struct gin_kernel *kernel)
{
	struct gin_gpu_watch *watch;
	int err = 0;

	lock(gpu);
	for (watch = gpu->watches; watch && !err; watch = watch->next)
		if (watch->may_launch)
			err = watch->may_launch(watch, kernel);
	for (watch = err ? NULL : gpu->watches; watch; watch = watch->next)
		if (watch->at_launch)
			watch->at_launch(watch);
	unlock(gpu);
	return err;
}

/* --- launch --- */

static int check_version(const struct gin_kernel *kernel)
{
	if (is_compatible(kernel) && kernel->rxq_size == sizeof(struct gin_dev_rxq) &&
	    kernel->txq_size == sizeof(struct gin_dev_txq))
		return 0;
	gin_error("kernel %s was built with ginet %u.%u.%u (handles of %u and %u bytes), the library is %u.%u.%u (%zu and "
		  "%zu bytes): build the kernel with the headers of that library",
		  kernel->name, kernel->version / 10000, kernel->version / 100 % 100, kernel->version % 100,
		  kernel->rxq_size, kernel->txq_size, GINET_VERSION_MAJOR, GINET_VERSION_MINOR, GINET_VERSION_PATCH,
		  sizeof(struct gin_dev_rxq), sizeof(struct gin_dev_txq));
	return -ESTALE;
}

static int check_args(const struct gin_kernel *kernel, const void *args, size_t args_size)
{
	if (args_size == kernel->args_size && args)
		return 0;
	gin_error("kernel %s takes %u bytes of arguments, %zu were given%s: is the struct the same on both sides?",
		  kernel->name, kernel->args_size, args_size, args ? "" : " by a NULL pointer");
	return -EINVAL;
}

static void read_zeros_as_one(struct gin_dim3 *d)
{
	d->x += !d->x;
	d->y += !d->y;
	d->z += !d->z;
}

static int check_shape(const struct gin_kernel *kernel, const struct gin_launch_config *cfg)
{
	const struct gin_dim3 *block = &cfg->block, *grid = &cfg->grid;
	/* Each factor is at most 2^32, but no product below can pass 2^64: sides above the limit are refused first. */
	bool block_fits = block->x <= BLOCK_THREADS_MAX && block->y <= BLOCK_THREADS_MAX && block->z <= 64 &&
			  (uint64_t)block->x * block->y * block->z <= BLOCK_THREADS_MAX;
	bool grid_fits = grid->x <= INT32_MAX && grid->y <= UINT16_MAX && grid->z <= UINT16_MAX;

	if (!block_fits) {
		gin_error("kernel %s: a block of %u x %u x %u threads; at most %d are possible", kernel->name, block->x,
			  block->y, block->z, BLOCK_THREADS_MAX);
		return -EINVAL;
	}
	if (!grid_fits || (uint64_t)grid->x * grid->y * grid->z > INT32_MAX) {
		gin_error("kernel %s: a grid of %u x %u x %u blocks; at most %d are possible", kernel->name, grid->x,
			  grid->y, grid->z, INT32_MAX);
		return -E2BIG;
	}
	return 0;
}

/* The first launch after all have ended starts afresh. */
static void clear_stop(struct gin_gpu *gpu)
{
	if (__atomic_load_n(gpu->stop, __ATOMIC_RELAXED) && is_idle(gpu))
		__atomic_store_n(gpu->stop, 0, __ATOMIC_RELEASE);
}

int gin_launch(struct gin_gpu *gpu, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
	       const void *args, size_t args_size)
{
	struct gin_launch_config full = { .stream = NULL };
	unsigned int before = gin_log_errors();
	int err;

	if (cfg)
		full = *cfg;
	read_zeros_as_one(&full.grid);
	read_zeros_as_one(&full.block);
	err = check_version(kernel);
	if (!err)
		err = check_args(kernel, args, args_size);
	if (!err)
		err = check_shape(kernel, &full);
	if (err)
		return err;
	if (full.stream && full.stream->gpu != gpu) {
		gin_error("kernel %s: the stream is of another GPU than %s", kernel->name, gpu->name);
		return -EINVAL;
	}
	err = watch_launch(gpu, kernel);
	if (err)
		return err;
	clear_stop(gpu);
	err = gpu->ops->launch(gpu, kernel, &full, args);
	if (err)
		gin_error_if_untold(before, "%s: cannot launch kernel %s: %s", gpu->name, kernel->name, gin_strerror(err));
	return err;
}

int gin_stream_create(struct gin_gpu *gpu, struct gin_stream **out)
{
	unsigned int before = gin_log_errors();
	int err = gpu->ops->stream_create(gpu, out);

	if (err)
		gin_error_if_untold(before, "%s: cannot create a stream: %s", gpu->name, gin_strerror(err));
	return err;
}

void gin_stream_destroy(struct gin_stream *stream)
{
	struct gin_gpu *gpu;

	if (!stream)
		return;
	gpu = stream->gpu;
	while (gpu->ops->poll(gpu, stream) == -EAGAIN)
		if (gpu->ops->wait_some(gpu, LOOK_NS))
			return; /* the simulation stands still: its kernels still use the stream */
	gpu->ops->stream_destroy(stream);
}

/* --- stop and wait --- */

void gin_gpu_stop(struct gin_gpu *gpu)
{
	if (!gpu)
		return;
	__atomic_store_n(gpu->stop, 1, __ATOMIC_RELEASE);
	gin_runner_happened(); /* kernels on CPU threads may sleep */
}

/* stream NULL: all of the GPU's. */
static int wait_for(struct gin_gpu *gpu, struct gin_stream *stream, uint64_t timeout_ns)
{
	uint64_t until = deadline(timeout_ns), look = LOOK_NS, ns;
	int err;

	for (;;) {
		err = watch_failed(gpu);
		if (err)
			return -EIO;
		err = gpu->ops->poll(gpu, stream);
		if (err != -EAGAIN)
			return err;
		gin_gpu_look_at_input(gpu);
		ns = timeout_ns == GIN_UNTIL_STOP ? look : next_look(until, look);
		if (!ns)
			return -EAGAIN;
		if (gpu->ops->wait_some(gpu, ns))
			return -EIO;
		look += look / 8 < LOOK_MAX_NS - look ? look / 8 : LOOK_MAX_NS - look;
	}
}

int gin_gpu_wait(struct gin_gpu *gpu, uint64_t timeout_ns)
{
	return wait_for(gpu, NULL, timeout_ns);
}

int gin_stream_wait(struct gin_stream *stream, uint64_t timeout_ns)
{
	return wait_for(stream->gpu, stream, timeout_ns);
}
