/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CUDA back end: launches, and what still runs. Kernels here may run for
 * days, so nothing waits by a call that synchronises: the end of a kernel is an
 * event behind it, and we look at events.
 */
#include "gpu/cuda_priv.h"
#include "gpu/runner.h"
#include "log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Kernels.
 */

/*
 * Local memory for all threads of the GPU grows at the launch of a kernel that
 * needs more than any before it, and that waits for those which run. So it
 * grows now. If it can't, the launch will say so.
 */
static void make_room_for_stacks(struct cuda_gpu *gpu, size_t bytes)
{
	size_t now = 0;

	if (gin_cuda_busy(gpu) || gin_cuda_errno(cudaDeviceGetLimit(&now, cudaLimitStackSize)) || bytes <= now)
		return;
	gin_cuda_errno(cudaDeviceSetLimit(cudaLimitStackSize, bytes));
}

int gin_cuda_load(struct cuda_gpu *gpu, const struct gin_kernel *kernel, struct cuda_kernel **out)
{
	struct cuda_kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->kernel = kernel;
	k->handle = kernel->cuda();
	k->err = cudaFuncGetAttributes(&k->attr, k->handle);
	if (!gin_cuda_errno(k->err))
		make_room_for_stacks(gpu, k->attr.localSizeBytes);
	k->next = gpu->kernels;
	gpu->kernels = k;
	*out = k;
	return 0;
}

static int say_not_built(const struct cuda_gpu *gpu, const struct gin_kernel *kernel, cudaError_t why)
{
	if (!kernel->cuda)
		gin_error("%s: kernel %s is built for CPU threads only; build it with nvcc too (GINET_CUDA=ON)",
			  gpu->base.name, kernel->name);
	else
		gin_error("%s: kernel %s is not built for this GPU: %s (%s); build with GINET_CUDA_ARCHS=all",
			  gpu->base.name, kernel->name, cudaGetErrorName(why), cudaGetErrorString(why));
	return -ENOEXEC;
}

static int find_kernel(struct cuda_gpu *gpu, const struct gin_kernel *kernel, struct cuda_kernel **out)
{
	struct cuda_kernel *k;
	char names[128];
	int err;

	if (!kernel->cuda)
		return say_not_built(gpu, kernel, cudaSuccess);
	for (k = gpu->kernels; k && k->kernel != kernel; k = k->next)
		;
	if (!k) { /* out of a library that was loaded after the GPU was opened */
		if (gin_cuda_busy(gpu)) {
			gin_error("%s: kernel %s came after the GPU was opened, and loading it may wait for those that "
				  "run (%s); "
				  "load its library first",
				  gpu->base.name, kernel->name, gin_cuda_names(gpu, names, sizeof(names)));
			return -EBUSY;
		}
		err = gin_cuda_load(gpu, kernel, &k);
		if (err)
			return err;
	}
	if (k->err)
		return say_not_built(gpu, kernel, k->err);
	*out = k;
	return 0;
}

/*
 * What runs.
 */

static void end_first_launch(struct cuda_gpu *gpu, struct cuda_stream *stream)
{
	struct cuda_launch *launch = stream->launches;

	gpu->ended = 1;
	stream->launches = launch->next;
	if (launch->told) /* and nobody who came later: it never heard of the start */
		launch->told->gpu_active(-1);
	cudaEventDestroy(launch->end);
	free(launch);
}

/* A crash ends every kernel of the device, and CUDA refuses it from then on. */
static void fail_device(struct cuda_gpu *gpu, cudaError_t err)
{
	struct cuda_stream *stream;
	char names[128];

	gin_error("%s: a kernel crashed (%s ran): %s (%s); this process cannot use the GPU any more; run it under "
		  "compute-sanitizer, or on cpu under gdb",
		  gpu->base.name, gin_cuda_names(gpu, names, sizeof(names)), cudaGetErrorName(err),
		  cudaGetErrorString(err));
	gpu->failed = 1;
	for (stream = gpu->streams; stream; stream = stream->next)
		while (stream->launches)
			end_first_launch(gpu, stream);
}

/* Look at the events of one gin_gpu; returns 1 if kernels of it still run. */
static int reap(struct cuda_gpu *gpu)
{
	struct cuda_stream *stream;
	int before = gin_cuda_enter(gpu), running = 0;
	cudaError_t err = cudaSuccess;

	for (stream = gpu->streams; stream; stream = stream->next) {
		while (stream->launches && (err = cudaEventQuery(stream->launches->end)) == cudaSuccess)
			end_first_launch(gpu, stream);
		gin_cuda_errno(err);
		if (stream->launches && err != cudaErrorNotReady) {
			fail_device(gpu, err);
			break;
		}
		running |= stream->launches != NULL;
		err = cudaSuccess;
	}
	gin_cuda_leave(before);
	return gpu->failed ? 0 : running;
}

int gin_cuda_busy(struct cuda_gpu *gpu)
{
	struct cuda_gpu *other;
	int busy = 0;

	for (other = gin_cuda_gpus; other; other = other->next)
		if (other->device == gpu->device)
			busy |= reap(other);
	return busy;
}

int gin_cuda_any_busy(void)
{
	struct cuda_gpu *gpu;
	int busy = 0;

	for (gpu = gin_cuda_gpus; gpu; gpu = gpu->next)
		busy |= reap(gpu);
	return busy;
}

/* Names of what runs on the device, or with device -1 on any; with only, of that one gin_gpu. */
static const char *list_names(int device, const struct cuda_gpu *only, char *buf, size_t size)
{
	const struct cuda_gpu *gpu;
	const struct cuda_stream *stream;
	const struct cuda_launch *l;
	size_t n = 0;

	buf[0] = 0;
	for (gpu = gin_cuda_gpus; gpu; gpu = gpu->next)
		for (stream = gpu->streams; stream; stream = stream->next)
			for (l = stream->launches; l && n < size; l = l->next)
				if ((device < 0 || gpu->device == device) && (!only || gpu == only))
					n +=
					    (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", l->kernel->name);
	return buf;
}

const char *gin_cuda_names(const struct cuda_gpu *gpu, char *buf, size_t size)
{
	return list_names(gpu ? gpu->device : -1, NULL, buf, size);
}

const char *gin_cuda_running(struct gin_gpu *base, char *buf, size_t size)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;

	pthread_mutex_lock(&gin_cuda_lock);
	reap(gpu);
	list_names(gpu->device, gpu, buf, size);
	pthread_mutex_unlock(&gin_cuda_lock);
	return buf;
}

static unsigned int n_running(const struct cuda_gpu *gpu)
{
	const struct cuda_stream *stream;
	const struct cuda_launch *l;
	unsigned int n = 0;

	for (stream = gpu->streams; stream; stream = stream->next)
		for (l = stream->launches; l; l = l->next)
			n++;
	return n;
}

/*
 * What kernels printed stands in a buffer that CUDA only shows when something
 * synchronises. No kernel of ours runs, and that stream has none: no wait.
 */
static void show_prints(struct cuda_gpu *gpu)
{
	int before;

	if (!gpu->ended || gpu->failed)
		return;
	gpu->ended = 0;
	before = gin_cuda_enter(gpu);
	gin_cuda_errno(cudaStreamSynchronize(gpu->copies));
	gin_cuda_leave(before);
}

int gin_cuda_poll(struct gin_gpu *base, struct gin_stream *stream)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	int err, running;

	pthread_mutex_lock(&gin_cuda_lock);
	running = reap(gpu);
	if (stream)
		running = ((struct cuda_stream *)stream)->launches != NULL;
	err = gpu->failed ? -EIO : running ? -EAGAIN : 0;
	if (!gin_cuda_busy(gpu)) {
		show_prints(gpu);
		gin_cuda_sweep(gpu);
	}
	pthread_mutex_unlock(&gin_cuda_lock);
	return err;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int gin_cuda_wait_some(struct gin_gpu *base, uint64_t ns)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	uint64_t start = now_ns(), waited, nap = 20000;
	unsigned int before, now;

	pthread_mutex_lock(&gin_cuda_lock);
	before = n_running(gpu);
	for (;;) {
		reap(gpu);
		now = n_running(gpu);
		waited = now_ns() - start;
		if (!now || now < before || waited >= ns)
			break;
		pthread_mutex_unlock(&gin_cuda_lock);
		gin_cuda_nap(nap < ns - waited ? nap : ns - waited);
		nap = nap < 500000 ? 2 * nap : nap; /* up to 1 ms */
		pthread_mutex_lock(&gin_cuda_lock);
	}
	pthread_mutex_unlock(&gin_cuda_lock);
	return 0;
}

/*
 * Streams.
 */

int gin_cuda_stream_new(struct cuda_gpu *gpu, struct cuda_stream **out)
{
	struct cuda_stream *stream = calloc(1, sizeof(*stream));
	cudaError_t err;

	if (!stream)
		return -ENOMEM;
	err = cudaStreamCreateWithFlags(&stream->handle, cudaStreamNonBlocking);
	if (err) {
		gin_error("%s: cannot create a stream: %s (%s)", gpu->base.name, cudaGetErrorName(err),
			  cudaGetErrorString(err));
		gin_cuda_errno(err);
		free(stream);
		return -ENOMEM;
	}
	if (++gpu->n_streams + 1 == GIN_CUDA_QUEUES) /* one is for copies */
		gin_warn("%s: %d streams, as many as the GPU has work queues: kernels and copies of further ones may "
			 "wait for others to end",
			 gpu->base.name, gpu->n_streams + 1);
	stream->base.gpu = &gpu->base;
	stream->spare = 1;
	stream->next = gpu->streams;
	gpu->streams = stream;
	*out = stream;
	return 0;
}

void gin_cuda_streams_free(struct cuda_gpu *gpu)
{
	struct cuda_stream *stream;

	while ((stream = gpu->streams)) {
		gpu->streams = stream->next;
		cudaStreamDestroy(stream->handle);
		free(stream);
	}
}

static int idle_stream(struct cuda_gpu *gpu, struct cuda_stream **out)
{
	struct cuda_stream *stream;

	for (stream = gpu->streams; stream; stream = stream->next)
		if (stream->spare && !stream->launches) {
			*out = stream;
			return 0;
		}
	return gin_cuda_stream_new(gpu, out);
}

int gin_cuda_stream_create(struct gin_gpu *base, struct gin_stream **out)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	struct cuda_stream *stream;
	int err, before = gin_cuda_enter(gpu);

	pthread_mutex_lock(&gin_cuda_lock);
	err = idle_stream(gpu, &stream);
	if (!err) {
		stream->spare = 0;
		*out = &stream->base;
	}
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
	return err;
}

/* The stream joins the spare ones: the next launch needs one, and cudaStreamDestroy() may wait for other kernels. */
void gin_cuda_stream_destroy(struct gin_stream *base)
{
	struct cuda_stream *stream = (struct cuda_stream *)base;

	while (gin_cuda_poll(base->gpu, base) == -EAGAIN)
		gin_cuda_nap(100000);
	pthread_mutex_lock(&gin_cuda_lock);
	stream->spare = 1;
	pthread_mutex_unlock(&gin_cuda_lock);
}

/*
 * Launch.
 */

struct shape { /* of a launch */
	dim3 grid, block;
	uint64_t blocks;
	uint64_t threads; /* a block's */
	uint32_t shared;
};

static dim3 no_zero(struct gin_dim3 d)
{
	dim3 r = { .x = d.x ? d.x : 1, .y = d.y ? d.y : 1, .z = d.z ? d.z : 1 };

	return r;
}

static void shape_of(const struct gin_launch_config *cfg, struct shape *s)
{
	s->grid = no_zero(cfg->grid);
	s->block = no_zero(cfg->block);
	s->blocks = (uint64_t)s->grid.x * s->grid.y * s->grid.z;
	s->threads = (uint64_t)s->block.x * s->block.y * s->block.z;
	s->shared = cfg->shared_bytes;
}

/* Blocks of this kernel that fit on one multiprocessor when nothing else runs. */
static int fit_on_sm(const struct cuda_gpu *gpu, struct cuda_kernel *k, const struct shape *s, uint64_t *per_sm)
{
	cudaError_t err = cudaSuccess;
	int n = 0;

	if (s->threads > (uint64_t)k->attr.maxThreadsPerBlock) {
		gin_error("%s: kernel %s: block of %llu threads, at most %d with the registers it uses", gpu->base.name,
			  k->kernel->name, (unsigned long long)s->threads, k->attr.maxThreadsPerBlock);
		return -EINVAL;
	}
	if (s->shared + k->attr.sharedSizeBytes > (size_t)gpu->max_shared) {
		gin_error("%s: kernel %s: %zu bytes of shared memory a block, at most %d", gpu->base.name,
			  k->kernel->name, s->shared + k->attr.sharedSizeBytes, gpu->max_shared);
		return -E2BIG;
	}
	if (s->shared > (size_t)k->attr.maxDynamicSharedSizeBytes) { /* 48 KiB, until more is asked for */
		err = cudaFuncSetAttribute(k->handle, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s->shared);
		if (!err)
			k->attr.maxDynamicSharedSizeBytes = (int)s->shared;
	}
	if (!err)
		err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k->handle, (int)s->threads, s->shared);
	if (err) {
		gin_error("%s: kernel %s: cannot tell how many blocks fit: %s (%s)", gpu->base.name, k->kernel->name,
			  cudaGetErrorName(err), cudaGetErrorString(err));
		return gin_cuda_errno(err);
	}
	*per_sm = (uint64_t)n;
	return 0;
}

/* Of the launches on a stream only one runs at a time: the largest counts. */
static uint64_t places_taken(const struct cuda_stream *stream, uint64_t per_sm)
{
	const struct cuda_launch *l;
	uint64_t taken, most = 0;

	for (l = stream->launches; l; l = l->next) {
		taken = l->blocks * ((per_sm + l->per_sm - 1) / l->per_sm);
		most = taken > most ? taken : most;
	}
	return most;
}

/*
 * Blocks that fit at once beside what runs on the device. A running block, of
 * which q fit on a multiprocessor, holds at most 1/q of each resource of one;
 * so it takes the place of at most ceil(per_sm / q) of ours, wherever it
 * stands. Launches on the stream that we are queued on have ended by then.
 */
static uint64_t room(const struct cuda_gpu *gpu, const struct cuda_stream *ours, uint64_t per_sm)
{
	uint64_t left = per_sm * (uint64_t)gpu->n_sms, taken;
	const struct cuda_gpu *other;
	const struct cuda_stream *stream;

	for (other = gin_cuda_gpus; other; other = other->next)
		for (stream = other->streams; stream; stream = stream->next) {
			taken = other->device == gpu->device && stream != ours ? places_taken(stream, per_sm) : 0;
			left -= taken < left ? taken : left;
		}
	return left;
}

static int check_resident(struct cuda_gpu *gpu, const struct cuda_stream *stream, const struct cuda_kernel *k,
			  const struct shape *s, uint64_t per_sm)
{
	uint64_t fit = room(gpu, stream, per_sm);

	if (s->blocks <= fit)
		return 0;
	gin_error(
	    "%s: kernel %s needs %llu blocks at once; %llu of %llu are free; use a smaller grid, or set may_queue",
	    gpu->base.name, k->kernel->name, (unsigned long long)s->blocks, (unsigned long long)fit,
	    (unsigned long long)(per_sm * (uint64_t)gpu->n_sms));
	return -E2BIG;
}

static int start(struct cuda_gpu *gpu, struct cuda_stream *stream, struct cuda_launch *launch, const struct shape *s,
		 const void *args)
{
	void *params[] = { (void *)args }; /* CUDA's signature; it copies them */
	struct cuda_launch **tail;
	cudaError_t err = cudaEventCreateWithFlags(&launch->end, cudaEventDisableTiming);

	if (err)
		goto err_say;
	err = cudaLaunchKernel(launch->handle, s->grid, s->block, params, s->shared, stream->handle);
	if (!err)
		err = cudaEventRecord(launch->end, stream->handle);
	if (err)
		goto err_event;
	launch->told = gin_runner_get_helper();
	if (launch->told)
		launch->told->gpu_active(1);
	for (tail = &stream->launches; *tail; tail = &(*tail)->next)
		;
	*tail = launch;
	return 0;

err_event:
	cudaEventDestroy(launch->end);
err_say:
	gin_error("%s: kernel %s does not start: %s (%s)", gpu->base.name, launch->kernel->name, cudaGetErrorName(err),
		  cudaGetErrorString(err));
	return gin_cuda_errno(err);
}

static int launch_locked(struct cuda_gpu *gpu, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
			 const void *args)
{
	struct cuda_stream *stream = (struct cuda_stream *)cfg->stream;
	struct cuda_launch *launch;
	struct cuda_kernel *k = NULL;
	struct shape s;
	uint64_t per_sm = 0;
	int err;

	gin_cuda_busy(gpu); /* so that what has ended counts no more */
	if (gpu->failed) {
		gin_error("%s: kernel %s does not start: an earlier kernel crashed, restart the process",
			  gpu->base.name, kernel->name);
		return -EIO;
	}
	shape_of(cfg, &s);
	if ((err = find_kernel(gpu, kernel, &k)) || (err = fit_on_sm(gpu, k, &s, &per_sm)))
		return err;
	if (!per_sm || !cfg->may_queue)
		err = check_resident(gpu, stream, k, &s, per_sm);
	if (!err && !stream)
		err = idle_stream(gpu, &stream);
	if (err)
		return err;
	launch = calloc(1, sizeof(*launch));
	if (!launch)
		return -ENOMEM;
	launch->kernel = kernel;
	launch->handle = k->handle;
	launch->per_sm = per_sm;
	launch->blocks = s.blocks;
	err = start(gpu, stream, launch, &s, args);
	if (err)
		free(launch);
	return err;
}

int gin_cuda_launch(struct gin_gpu *base, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
		    const void *args)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	int before = gin_cuda_enter(gpu), err;

	pthread_mutex_lock(&gin_cuda_lock);
	err = launch_locked(gpu, kernel, cfg, args);
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
	return err;
}
