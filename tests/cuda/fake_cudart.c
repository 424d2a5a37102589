/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_cudart.h"
#include <stdlib.h>
#include <string.h>

struct fake fake;

struct CUstream_st { int device; };
struct CUevent_st { int launch, is_copy, looks; }; /* launch: the last one before it on its stream, or -1 */

struct range { uintptr_t first, end; void *base; struct range *next; };
static struct range *device_memory, *pinned, *registered;

static void drop_all(struct range **list)
{
	struct range *r;

	while ((r = *list)) {
		*list = r->next;
		free(r->base);
		free(r);
	}
}

void fake_reset(void)
{
	drop_all(&device_memory);
	drop_all(&pinned);
	drop_all(&registered);
	memset(&fake, 0, sizeof(fake));
	fake.n_devices = 2;
	fake.driver_version = 13000;
	fake.sms = 4;
	fake.major = 9;
	fake.max_shared = 232448; /* sm_90: 227 KiB */
	fake.cuda_threads = 1024;
	fake.per_sm = 2;
	fake.stack_limit = 1024;
}

void fake_end(int launch)
{
	fake.launches[launch].ended = 1;
}

static cudaError_t result(cudaError_t err)
{
	if (err)
		fake.last_error = err;
	return err;
}

static cudaError_t step(enum fake_call call)
{
	int n = fake.calls[call]++;

	if (fake.fail[call] && n >= fake.fail_after[call])
		return result(fake.fail[call]);
	return cudaSuccess;
}

static void waits_for_kernels(void)
{
	int i;

	for (i = 0; i < fake.n_launches; i++)
		fake.would_wait += !fake.launches[i].ended;
}

cudaError_t cudaGetDeviceCount(int *n)
{
	cudaError_t err = step(FAKE_GET_DEVICE_COUNT);

	if (!err)
		*n = fake.n_devices;
	return err;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = fake.driver_version;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = 13010;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *address)
{
	cudaError_t err = step(FAKE_BY_PCI);

	if (err)
		return err;
	if (strcmp(address, "0000:17:00.0"))
		return result(cudaErrorInvalidDevice);
	*device = 1;
	return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
	*device = fake.device;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	fake.device = device;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	cudaError_t err = step(FAKE_GET_ATTRIBUTE);

	(void)device;
	if (err)
		return err;
	switch (attr) {
	case cudaDevAttrComputeCapabilityMajor:
		*value = fake.major;
		break;
	case cudaDevAttrComputeCapabilityMinor:
		*value = fake.minor;
		break;
	case cudaDevAttrMultiProcessorCount:
		*value = fake.sms;
		break;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin:
		*value = fake.max_shared;
		break;
	case cudaDevAttrKernelExecTimeout:
		*value = fake.display;
		break;
	case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
	case cudaDevAttrDirectManagedMemAccessFromHost:
		*value = fake.coherent;
		break;
	default:
		return result(cudaErrorInvalidValue);
	}
	return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t err)
{
	switch (err) {
	case cudaErrorInsufficientDriver:
		return "cudaErrorInsufficientDriver";
	case cudaErrorNotPermitted:
		return "cudaErrorNotPermitted";
	case cudaErrorIllegalAddress:
		return "cudaErrorIllegalAddress";
	default:
		return "cudaErrorOther";
	}
}

const char *cudaGetErrorString(cudaError_t err)
{
	(void)err;
	return "what the driver says";
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t err = fake.last_error;

	fake.last_error = cudaSuccess;
	return err;
}

/*
 * Streams and events.
 */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
	cudaError_t err = step(FAKE_STREAM_CREATE);

	if (err)
		return err;
	if (flags != cudaStreamNonBlocking) /* the other kind waits for the default stream */
		return result(cudaErrorInvalidValue);
	*out = calloc(1, sizeof(**out));
	(*out)->device = fake.device;
	fake.live++;
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	waits_for_kernels();
	free(stream);
	fake.live--;
	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	int i;

	for (i = 0; i < fake.n_launches; i++)
		fake.would_wait += fake.launches[i].stream == stream && !fake.launches[i].ended;
	fake.syncs++;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	if (limit != cudaLimitStackSize)
		return result(cudaErrorUnsupportedLimit);
	*value = fake.stack_limit;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	cudaError_t err = step(FAKE_SET_LIMIT);

	waits_for_kernels();
	if (limit != cudaLimitStackSize)
		return result(cudaErrorUnsupportedLimit);
	if (!err)
		fake.stack_limit = value;
	return err;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned int flags)
{
	cudaError_t err = step(FAKE_EVENT_CREATE);

	(void)flags;
	if (err)
		return err;
	*out = calloc(1, sizeof(**out));
	(*out)->launch = -1;
	fake.live++;
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	free(event);
	fake.live--;
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	cudaError_t err = step(FAKE_EVENT_RECORD);
	int i;

	if (err)
		return err;
	event->launch = -1;
	event->looks = 0;
	for (i = 0; i < fake.n_launches; i++)
		if (fake.launches[i].stream == stream)
			event->launch = i;
	return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	cudaError_t err = step(FAKE_EVENT_QUERY);

	if (err)
		return err;
	if (fake.crash)
		return result(fake.crash);
	event->looks++;
	if (event->launch == 0 && fake.end_after_queries && event->looks >= fake.end_after_queries)
		fake_end(0);
	if (event->launch < 0 ? event->looks < fake.copy_queries : !fake.launches[event->launch].ended)
		return result(cudaErrorNotReady);
	return cudaSuccess;
}

/*
 * Memory.
 */

/* As badly aligned as CUDA's promise allows (256), and full of old bytes. */
static void *allocate(size_t size, struct range **list)
{
	size_t all = (size + 8191) & ~(size_t)4095;
	struct range *r = calloc(1, sizeof(*r));

	r->base = aligned_alloc(4096, all);
	memset(r->base, 0xa5, all);
	r->first = (uintptr_t)r->base + 256;
	r->end = r->first + size;
	r->next = *list;
	*list = r;
	fake.live++;
	return (void *)r->first;
}

static int release(uintptr_t first, struct range **list)
{
	struct range **p, *r;

	for (p = list; (r = *p); p = &r->next)
		if (r->first == first) {
			*p = r->next;
			free(r->base);
			free(r);
			fake.live--;
			return 1;
		}
	return 0;
}

static int contains(const struct range *list, uintptr_t addr)
{
	for (; list; list = list->next)
		if (list->first <= addr && addr < list->end)
			return 1;
	return 0;
}

cudaError_t cudaMalloc(void **out, size_t size)
{
	cudaError_t err = step(FAKE_MALLOC);

	waits_for_kernels();
	if (!err)
		*out = allocate(size, &device_memory);
	return err;
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned int flags)
{
	cudaError_t err = step(FAKE_MALLOC_MANAGED);

	(void)flags;
	waits_for_kernels();
	if (!err)
		*out = allocate(size, &device_memory);
	return err;
}

cudaError_t cudaFree(void *p)
{
	waits_for_kernels();
	return release((uintptr_t)p, &device_memory) ? cudaSuccess : result(cudaErrorInvalidValue);
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned int flags)
{
	cudaError_t err = step(FAKE_HOST_ALLOC);

	waits_for_kernels();
	fake.alloc_flags = flags;
	if (!err)
		*out = allocate(size, &pinned);
	return err;
}

cudaError_t cudaFreeHost(void *p)
{
	waits_for_kernels();
	return release((uintptr_t)p, &pinned) ? cudaSuccess : result(cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
	cudaError_t err = step(FAKE_HOST_REGISTER);
	uintptr_t first = (uintptr_t)p;
	struct range *r;

	waits_for_kernels();
	fake.register_flags = flags;
	if (err)
		return err;
	if (contains(registered, first) || contains(pinned, first) || contains(registered, first + size - 1))
		return result(cudaErrorHostMemoryAlreadyRegistered);
	r = calloc(1, sizeof(*r));
	r->first = first;
	r->end = first + size;
	r->next = registered;
	registered = r;
	fake.live++;
	return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p)
{
	waits_for_kernels();
	return release((uintptr_t)p, &registered) ? cudaSuccess : result(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned int flags)
{
	cudaError_t err = step(FAKE_GET_POINTER);

	(void)flags;
	if (err)
		return err;
	if (!contains(registered, (uintptr_t)p) && !contains(pinned, (uintptr_t)p))
		return result(cudaErrorInvalidValue);
	*out = (char *)p + FAKE_DEVICE_OFFSET;
	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	cudaError_t err = step(FAKE_MEMCPY);

	(void)stream;
	if (err)
		return err;
	if (kind != cudaMemcpyDefault)
		return result(cudaErrorInvalidValue);
	memcpy(dst, src, size);
	return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream)
{
	cudaError_t err = step(FAKE_MEMSET);

	(void)stream;
	if (!err)
		memset(p, value, size);
	return err;
}

/*
 * Kernels.
 */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *function)
{
	cudaError_t err = step(FAKE_FUNC_ATTRIBUTES);

	(void)function;
	waits_for_kernels(); /* loading */
	memset(attr, 0, sizeof(*attr));
	attr->maxThreadsPerBlock = fake.cuda_threads;
	attr->maxDynamicSharedSizeBytes = 49152;
	attr->localSizeBytes = fake.local_bytes;
	return err;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
	cudaError_t err = step(FAKE_FUNC_SET);

	(void)function;
	if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize)
		fake.set_shared = (unsigned int)value;
	return err;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *function, int threads, size_t shared)
{
	cudaError_t err = step(FAKE_OCCUPANCY);

	(void)function;
	(void)threads;
	(void)shared;
	if (!err)
		*n = fake.per_sm;
	return err;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
			     cudaStream_t stream)
{
	cudaError_t err = step(FAKE_LAUNCH);
	struct fake_launch *l = &fake.launches[fake.n_launches];

	if (err)
		return err;
	l->function = function;
	l->grid = grid;
	l->block = block;
	l->shared = shared;
	l->stream = stream;
	l->device = fake.device;
	memcpy(l->args, args[0], sizeof(l->args));
	fake.n_launches++;
	return cudaSuccess;
}
