/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CUDA back end: opening a GPU and closing it. CUDA's runtime API and the
 * primary context, so a program's own CUDA code shares memory and streams with
 * us; the context is never reset, since it is not ours alone.
 */
#include "gpu/cuda_priv.h"
#include "log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_SPARE_STREAMS = 4 }; /* made at open: making one may allocate on the device, while kernels run */

pthread_mutex_t gin_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
struct cuda_gpu *gin_cuda_gpus;

int gin_cuda_enter(const struct cuda_gpu *gpu)
{
	int before = gpu->device;

	if (cudaGetDevice(&before) || before != gpu->device)
		cudaSetDevice(gpu->device);
	return before;
}

void gin_cuda_leave(int before)
{
	int now = before;

	if (cudaGetDevice(&now) || now != before)
		cudaSetDevice(before);
}

int gin_cuda_errno(cudaError_t err)
{
	if (err == cudaSuccess)
		return 0;
	cudaGetLastError(); /* else the program's next look at errors would find ours */
	switch (err) {
	case cudaErrorMemoryAllocation:
	case cudaErrorLaunchOutOfResources:
		return -ENOMEM;
	case cudaErrorInvalidValue:
	case cudaErrorInvalidConfiguration:
		return -EINVAL;
	case cudaErrorNotPermitted:
		return -EPERM;
	case cudaErrorNotSupported:
		return -ENOTSUP;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorNoKernelImageForDevice:
	case cudaErrorUnsupportedPtxVersion:
	case cudaErrorInvalidKernelImage:
		return -ENOEXEC;
	default:
		return -EIO;
	}
}

void gin_cuda_nap(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

/*
 * A GPU has work queues, 8 unless more are asked for before CUDA starts (CUDA
 * C++ programming guide, "CUDA Environment Variables"). Streams that share one
 * wait for each other: a copy could wait for a kernel that runs for days.
 */
static cudaError_t count_devices(int *n)
{
	char text[8];

	snprintf(text, sizeof(text), "%d", GIN_CUDA_QUEUES);
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", text, 0);
	return cudaGetDeviceCount(n);
}

int gin_cuda_count(void)
{
	int n = 0;
	cudaError_t err = count_devices(&n);

	return gin_cuda_errno(err) ? 0 : n;
}

/* Why there is no GPU at all. */
static void say_no_driver(const char *rest, cudaError_t err)
{
	int driver = 0, runtime = 0;

	cudaDriverGetVersion(&driver); /* 0: there is none */
	cudaRuntimeGetVersion(&runtime);
	if (err == cudaErrorInsufficientDriver && !driver)
		gin_error("cuda:%s: no NVIDIA driver (%s): install the driver, or use cpu", rest,
			  cudaGetErrorName(err));
	else if (err == cudaErrorInsufficientDriver)
		gin_error("cuda:%s: the NVIDIA driver is too old (%s): it is for CUDA %d.%d, this program is built "
			  "with %d.%d; "
			  "update the driver, or use cpu",
			  rest, cudaGetErrorName(err), driver / 1000, driver % 1000 / 10, runtime / 1000,
			  runtime % 1000 / 10);
	else if (err == cudaErrorNoDevice)
		gin_error("cuda:%s: the NVIDIA driver sees no GPU (%s): check nvidia-smi and CUDA_VISIBLE_DEVICES, or "
			  "use cpu",
			  rest, cudaGetErrorName(err));
	else
		gin_error("cuda:%s: the NVIDIA driver does not start: %s (%s); check nvidia-smi and the kernel log, or "
			  "use cpu",
			  rest, cudaGetErrorName(err), cudaGetErrorString(err));
}

static int find_by_number(const char *rest, int n, int *device)
{
	char *end = NULL;
	unsigned long number = 0;

	if (*rest) {
		number = strtoul(rest, &end, 10);
		if (*rest < '0' || *rest > '9' || *end) {
			gin_error("cuda:%s: expected a number (cuda:0) or a PCI address (0000:17:00.0)", rest);
			return -EINVAL;
		}
	}
	if (number >= (unsigned long)n) {
		if (n == 1)
			gin_error("cuda:%s: no such GPU: there is one, cuda:0; nvidia-smi lists it", rest);
		else
			gin_error("cuda:%s: no such GPU: there are %d, cuda:0 to cuda:%d; nvidia-smi lists them", rest,
				  n, n - 1);
		return -ENODEV;
	}
	*device = (int)number;
	return 0;
}

/* rest: "", "N" or a PCI address. */
static int find_device(const char *rest, int *device)
{
	int n = 0;
	cudaError_t err = count_devices(&n);

	if (err || !n) {
		say_no_driver(rest, err ? err : cudaErrorNoDevice);
		gin_cuda_errno(err);
		return -ENODEV;
	}
	if (!strchr(rest, ':'))
		return find_by_number(rest, n, device);
	err = cudaDeviceGetByPCIBusId(device, rest);
	if (err) {
		gin_error("%s: no CUDA GPU has this PCI address (%s); nvidia-smi lists them", rest,
			  cudaGetErrorName(err));
		gin_cuda_errno(err);
		return -ENODEV;
	}
	return 0;
}

/* Read what we need to know of the device, refuse what can't work, warn of what will hurt. */
static int look_at_device(struct cuda_gpu *gpu)
{
	int major = 0, minor = 0, timeout = 0;
	cudaError_t err;

	if ((err = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu->device)) ||
	    (err = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu->device)) ||
	    (err = cudaDeviceGetAttribute(&gpu->n_sms, cudaDevAttrMultiProcessorCount, gpu->device)) ||
	    (err = cudaDeviceGetAttribute(&gpu->max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu->device)) ||
	    (err = cudaDeviceGetAttribute(&timeout, cudaDevAttrKernelExecTimeout, gpu->device))) {
		gin_error("%s: cannot be asked what it is: %s (%s)", gpu->base.name, cudaGetErrorName(err),
			  cudaGetErrorString(err));
		gin_cuda_errno(err);
		return -ENODEV;
	}
	if (major * 10 + minor < 75) {
		gin_error("%s: compute capability %d.%d, at least 7.5 (Turing) is needed; use cpu", gpu->base.name,
			  major, minor);
		return -ENODEV;
	}
	if (timeout)
		gin_warn("%s drives a display: the driver kills kernels that run longer than a few seconds; "
			 "use another GPU, or stop the display server",
			 gpu->base.name);
	return 0;
}

static int open_streams(struct cuda_gpu *gpu)
{
	struct cuda_stream *stream;
	cudaError_t err;
	int i, rc = 0;

	if ((err = cudaStreamCreateWithFlags(&gpu->copies, cudaStreamNonBlocking)) ||
	    (err = cudaEventCreateWithFlags(&gpu->copied, cudaEventDisableTiming))) {
		gin_error("%s: cannot create a stream: %s (%s)", gpu->base.name, cudaGetErrorName(err),
			  cudaGetErrorString(err));
		return gin_cuda_errno(err) == -ENOMEM ? -ENOMEM : -ENODEV;
	}
	for (i = 0; i < N_SPARE_STREAMS && !rc; i++)
		rc = gin_cuda_stream_new(gpu, &stream);
	return rc;
}

static int open_stop_word(struct cuda_gpu *gpu)
{
	struct gin_mem mem;
	int err = gin_cuda_mem_alloc(&gpu->base, GIN_MEM_CPU_GPU, sizeof(uint32_t), &mem);

	if (err)
		return err;
	gpu->base.stop = mem.cpu;
	gpu->base.stop_gpu = mem.gpu;
	return 0;
}

/* Now, since a kernel that is loaded when first used may have to wait for one that runs, for ever. */
static int load_kernels(struct cuda_gpu *gpu)
{
	const struct gin_kernel *k;
	struct cuda_kernel *loaded;
	int err = 0;

	for (k = gin_kernel_list(); k && !err; k = k->next)
		if (k->cuda)
			err = gin_cuda_load(gpu, k, &loaded);
	return err;
}

static void free_gpu(struct cuda_gpu *gpu)
{
	struct cuda_kernel *k;

	gin_cuda_streams_free(gpu);
	gin_cuda_mem_free_all(gpu);
	if (gpu->copied)
		cudaEventDestroy(gpu->copied);
	if (gpu->copies)
		cudaStreamDestroy(gpu->copies);
	while ((k = gpu->kernels)) {
		gpu->kernels = k->next;
		free(k);
	}
	pthread_mutex_destroy(&gpu->copy_lock);
	free(gpu);
}

static int fill_gpu(struct cuda_gpu *gpu)
{
	int err = look_at_device(gpu);

	if (!err)
		err = open_streams(gpu);
	if (!err)
		err = open_stop_word(gpu);
	if (err)
		return err;
	pthread_mutex_lock(&gin_cuda_lock);
	err = load_kernels(gpu);
	pthread_mutex_unlock(&gin_cuda_lock);
	return err;
}

static int open_cuda(const char *rest, struct gin_gpu **out)
{
	struct cuda_gpu *gpu;
	int device = 0, before, err = find_device(rest, &device);

	if (err)
		return err;
	gpu = calloc(1, sizeof(*gpu));
	if (!gpu)
		return -ENOMEM;
	gpu->base.ops = &gin_gpu_cuda;
	gpu->device = device;
	snprintf(gpu->base.name, sizeof(gpu->base.name), "cuda:%d", device);
	pthread_mutex_init(&gpu->copy_lock, NULL);
	before = gin_cuda_enter(gpu);
	err = fill_gpu(gpu);
	pthread_mutex_lock(&gin_cuda_lock);
	if (err) {
		free_gpu(gpu);
	} else {
		gpu->next = gin_cuda_gpus;
		gin_cuda_gpus = gpu;
		*out = &gpu->base;
	}
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
	return err;
}

/* gpu.c has stopped the kernels and waited. What still runs keeps its memory: freeing it would wait for ever. */
static void close_cuda(struct gin_gpu *base)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base, **p;
	int before = gin_cuda_enter(gpu);
	char names[128];

	pthread_mutex_lock(&gin_cuda_lock);
	if (gin_cuda_busy(gpu)) {
		gin_error("%s: closed while kernels run (%s): their memory stays until the process ends", base->name,
			  gin_cuda_names(gpu, names, sizeof(names)));
	} else {
		for (p = &gin_cuda_gpus; *p != gpu; p = &(*p)->next)
			;
		*p = gpu->next;
		free_gpu(gpu);
	}
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
}

const struct gin_gpu_ops gin_gpu_cuda = {
    .kind = "cuda",
    .open = open_cuda,
    .close = close_cuda,
    .mem_alloc = gin_cuda_mem_alloc,
    .mem_free = gin_cuda_mem_free,
    .copy = gin_cuda_copy,
    .launch = gin_cuda_launch,
    .poll = gin_cuda_poll,
    .wait_some = gin_cuda_wait_some,
    .running = gin_cuda_running,
    .stream_create = gin_cuda_stream_create,
    .stream_destroy = gin_cuda_stream_destroy,
    .map_host = gin_cuda_map_host,
    .unmap_host = gin_cuda_unmap_host,
};
