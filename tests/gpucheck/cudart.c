/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CUDA runtime whose kernels run on CPU threads: so that the whole CUDA back
 * end, and all that stands on it, runs where there is no GPU. As strict as the
 * real one may be: what could wait for a running kernel ends the program, and
 * GPU memory has no address on the CPU. Kernels do not help the NIC.
 */
#include "gpu/gpu_priv.h"
#include <cuda_runtime_api.h>
#include <errno.h>
#include <ginet/cpu.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUstream_st { struct gin_stream *cpu; };
struct CUevent_st { cudaStream_t stream; };

static struct gin_gpu *runner;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_runner(void)
{
	if (gin_gpu_cpu.open("help=0", &runner))
		abort();
}

static struct gin_gpu *cpu(void)
{
	pthread_once(&once, open_runner);
	return runner;
}

/* In calls that may wait for the kernels that run. */
static void must_be_idle(const char *call)
{
	if (gin_gpu_cpu.poll(cpu(), NULL) != -EAGAIN)
		return;
	fprintf(stderr, "%s() while a kernel runs: it could wait for ever\n", call);
	abort();
}

cudaError_t cudaGetDeviceCount(int *n)
{
	*n = 1;
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *address)
{
	(void)device;
	(void)address;
	return cudaErrorInvalidDevice;
}

cudaError_t cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	(void)device;
	memset(prop, 0, sizeof(*prop));
	snprintf(prop->name, sizeof(prop->name), "made-up GPU on CPU threads");
	prop->major = 9;
	prop->multiProcessorCount = 8;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	(void)device;
	*value = attr == cudaDevAttrComputeCapabilityMajor	       ? 9
		 : attr == cudaDevAttrMultiProcessorCount	       ? 8
		 : attr == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
								       : 0;
	return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t err)
{
	return err == cudaErrorNotReady ? "cudaErrorNotReady" : "cudaErrorOther";
}

const char *cudaGetErrorString(cudaError_t err)
{
	(void)err;
	return "made up";
}

cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
	(void)flags;
	*out = calloc(1, sizeof(**out));
	return gin_gpu_cpu.stream_create(cpu(), &(*out)->cpu) ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	must_be_idle("cudaStreamDestroy");
	gin_gpu_cpu.stream_destroy(stream->cpu);
	free(stream);
	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	while (gin_gpu_cpu.poll(cpu(), stream->cpu) == -EAGAIN)
		gin_gpu_cpu.wait_some(cpu(), 1000000);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	(void)limit;
	*value = 1024;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	(void)limit;
	(void)value;
	must_be_idle("cudaDeviceSetLimit");
	return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned int flags)
{
	(void)flags;
	*out = calloc(1, sizeof(**out));
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	free(event);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	event->stream = stream;
	return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	int err = gin_gpu_cpu.poll(cpu(), event->stream->cpu);

	return err == -EAGAIN ? cudaErrorNotReady : err ? cudaErrorLaunchFailure : cudaSuccess;
}

static cudaError_t allocate(void **out, size_t size, const char *call)
{
	must_be_idle(call);
	if (posix_memalign(out, 256, size))
		return cudaErrorMemoryAllocation;
	memset(*out, 0xa5, size);
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t size)
{
	return allocate(out, size, "cudaMalloc");
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned int flags)
{
	(void)flags;
	return allocate(out, size, "cudaMallocManaged");
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned int flags)
{
	(void)flags;
	return allocate(out, size, "cudaHostAlloc");
}

cudaError_t cudaFree(void *p)
{
	must_be_idle("cudaFree");
	free(p);
	return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p)
{
	must_be_idle("cudaFreeHost");
	free(p);
	return cudaSuccess;
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
	(void)p;
	(void)size;
	(void)flags;
	must_be_idle("cudaHostRegister");
	return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p)
{
	(void)p;
	must_be_idle("cudaHostUnregister");
	return cudaSuccess;
}

/* One address for both, as on 64-bit Linux. */
cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned int flags)
{
	(void)flags;
	*out = p;
	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)kind;
	(void)stream;
	return gin_gpu_cpu.copy(cpu(), dst, src, size) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream)
{
	(void)stream;
	memset(p, value, size);
	return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *function)
{
	(void)function;
	memset(attr, 0, sizeof(*attr));
	attr->maxThreadsPerBlock = 1024;
	attr->maxDynamicSharedSizeBytes = 49152;
	return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
	(void)function;
	(void)attr;
	(void)value;
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *function, int threads, size_t shared)
{
	(void)function;
	(void)shared;
	*n = 2048 / threads < 32 ? 2048 / threads : 32; /* sm_90 */
	return cudaSuccess;
}

/* The handle is the kernel's descriptor, see HALF() below. */
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
			     cudaStream_t stream)
{
	struct gin_launch_config cfg = { .grid = { grid.x, grid.y, grid.z }, .block = { block.x, block.y, block.z },
					 .shared_bytes = (uint32_t)shared, .stream = stream->cpu };

	return gin_gpu_cpu.launch(cpu(), function, &cfg, args[0]) ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

/* In place of what nvcc makes of a kernel file. */
#define HALF(name)                                                                                                     \
	GIN_KERNEL_DECLARE(name);                                                                                      \
	const void *gin_cuda_##name(void);                                                                             \
	const void *gin_cuda_##name(void)                                                                              \
	{                                                                                                              \
		return &gin_kernel_##name;                                                                             \
	}
#define HALF_OF(macro) HALF(macro)
#ifdef KERNEL
HALF_OF(KERNEL)
#else
HALF(chk_words)
HALF(chk_atomics)
HALF(chk_mem)
HALF(chk_big)
HALF(chk_send)
HALF(chk_recv)
HALF(chk_echo)
HALF(chk_crowd)
HALF(chk_answers)
HALF(chk_stop)
HALF(chk_error)
HALF(chk_flag)
HALF(chk_trip)
HALF(chk_idle)
#endif
