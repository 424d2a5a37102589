/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CUDA back end: memory. CUDA may let cudaMalloc, cudaFree, cudaHostAlloc
 * and cudaHostRegister wait for the kernels that run (CUDA C programming guide,
 * "Implicit Synchronization"), and ours run until they are stopped. So what is
 * asked for while one runs is refused with -EBUSY, and what is given back then
 * goes later.
 */
#include "gpu/cuda_priv.h"
#include "log.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Host memory that kernels see. By page; one registration per page and process, as CUDA demands. */
struct host_mapping {
	uintptr_t first, end;
	unsigned int refs; /* 0: to be unregistered when no kernel runs */
	int ours;	   /* 0: was registered already, by someone else */
	struct host_mapping *next;
};
static struct host_mapping *mappings; /* under gin_cuda_lock */

static uintptr_t round_up(uintptr_t v, uintptr_t to)
{
	return (v + to - 1) & ~(to - 1);
}

/* Wait for what is queued on the stream for copies. */
static cudaError_t finish_copies(struct cuda_gpu *gpu)
{
	cudaError_t err = cudaEventRecord(gpu->copied, gpu->copies);
	uint64_t nap = 1000;

	while (!err && (err = cudaEventQuery(gpu->copied)) == cudaErrorNotReady) {
		gin_cuda_errno(err);
		gin_cuda_nap(nap);
		nap = nap < 100000 ? 2 * nap : nap;
		err = cudaSuccess;
	}
	return err;
}

static cudaError_t clear_gpu(struct cuda_gpu *gpu, void *p, size_t size)
{
	cudaError_t err;

	pthread_mutex_lock(&gpu->copy_lock);
	err = cudaMemsetAsync(p, 0, size, gpu->copies);
	if (!err)
		err = finish_copies(gpu);
	pthread_mutex_unlock(&gpu->copy_lock);
	return err;
}

/*
 * The three kinds. Each is bigger than asked for, to align it: CUDA promises
 * 256 bytes only.
 */

static cudaError_t alloc_gpu(struct cuda_gpu *gpu, size_t size, struct cuda_alloc *a)
{
	size_t all = round_up(size, GIN_CUDA_PAGE) + GIN_CUDA_PAGE;
	cudaError_t err = cudaMalloc(&a->base, all);

	if (err)
		return err;
	a->gpu = (void *)round_up((uintptr_t)a->base, GIN_CUDA_PAGE);
	err = clear_gpu(gpu, a->base, all);
	if (err)
		cudaFree(a->base);
	return err;
}

/* Never write-combined: the CPU reads it. */
static cudaError_t alloc_host(size_t size, struct cuda_alloc *a)
{
	size_t all = round_up(size, GIN_CUDA_PAGE) + GIN_CUDA_PAGE;
	cudaError_t err = cudaHostAlloc(&a->base, all, cudaHostAllocPortable | cudaHostAllocMapped);

	if (err)
		return err;
	memset(a->base, 0, all);
	a->cpu = (void *)round_up((uintptr_t)a->base, GIN_CUDA_PAGE);
	err = cudaHostGetDevicePointer(&a->gpu, a->cpu, 0);
	if (err)
		cudaFreeHost(a->base);
	return err;
}

/* Machines whose CPU reads GPU memory in place, such as Grace Hopper: managed memory stays where first written. */
static int is_coherent(const struct cuda_gpu *gpu)
{
	int host_tables = 0, direct = 0;

	cudaDeviceGetAttribute(&host_tables, cudaDevAttrPageableMemoryAccessUsesHostPageTables, gpu->device);
	cudaDeviceGetAttribute(&direct, cudaDevAttrDirectManagedMemAccessFromHost, gpu->device);
	return host_tables && direct;
}

static cudaError_t alloc_coherent(struct cuda_gpu *gpu, size_t size, struct cuda_alloc *a)
{
	size_t all = round_up(size, GIN_CUDA_PAGE) + GIN_CUDA_PAGE;
	cudaError_t err = cudaMallocManaged(&a->base, all, cudaMemAttachGlobal);

	if (err)
		return err;
	err = clear_gpu(gpu, a->base, all);
	a->gpu = a->cpu = (void *)round_up((uintptr_t)a->base, GIN_CUDA_PAGE);
	if (err)
		cudaFree(a->base);
	return err;
}

static cudaError_t alloc_gdr(struct cuda_gpu *gpu, size_t size, struct cuda_alloc *a, int *rc)
{
	size_t mapped = round_up(size, GIN_CUDA_GPU_PAGE), all = mapped + GIN_CUDA_GPU_PAGE;
	cudaError_t err = cudaMalloc(&a->base, all);

	if (err)
		return err;
	a->gpu = (void *)round_up((uintptr_t)a->base, GIN_CUDA_GPU_PAGE);
	err = clear_gpu(gpu, a->base, all);
	if (!err)
		*rc = gin_cuda_gdr_map((uint64_t)(uintptr_t)a->gpu, mapped, &a->gdr, &a->cpu);
	if (err || *rc)
		cudaFree(a->base);
	return err;
}

static cudaError_t alloc_gpu_cpu(struct cuda_gpu *gpu, size_t size, struct cuda_alloc *a, int *rc)
{
	cudaError_t err;

	if (is_coherent(gpu))
		return alloc_coherent(gpu, size, a);
	err = alloc_gdr(gpu, size, a, rc);
	if (!err && *rc == -ENOTSUP)
		gin_error("%s: GPU memory mapped to the CPU needs gdrcopy, and %s; install it, or use GIN_MEM_CPU_GPU",
			  gpu->base.name, gin_cuda_gdr_missing());
	return err;
}

static int alloc_locked(struct cuda_gpu *gpu, enum gin_mem_kind kind, size_t size, struct cuda_alloc *a)
{
	cudaError_t err = cudaErrorInvalidValue;
	char names[128];
	int rc = 0;

	if (gin_cuda_busy(gpu)) {
		gin_error("%s: cannot allocate %zu bytes while kernels run (%s): CUDA may wait for their end; allocate "
			  "before "
			  "gin_launch()",
			  gpu->base.name, size, gin_cuda_names(gpu, names, sizeof(names)));
		return -EBUSY;
	}
	gin_cuda_sweep(gpu);
	a->kind = kind;
	switch (kind) {
	case GIN_MEM_GPU:
		err = alloc_gpu(gpu, size, a);
		break;
	case GIN_MEM_CPU_GPU:
		err = alloc_host(size, a);
		break;
	case GIN_MEM_GPU_CPU:
		err = alloc_gpu_cpu(gpu, size, a, &rc);
		break;
	}
	if (err) {
		gin_error("%s: cannot allocate %zu bytes of %s memory: %s (%s)", gpu->base.name, size,
			  kind == GIN_MEM_CPU_GPU ? "pinned host" : "GPU", cudaGetErrorName(err),
			  cudaGetErrorString(err));
		return gin_cuda_errno(err);
	}
	if (rc)
		return rc;
	a->next = gpu->allocs;
	gpu->allocs = a;
	return 0;
}

int gin_cuda_mem_alloc(struct gin_gpu *base, enum gin_mem_kind kind, size_t size, struct gin_mem *out)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	struct cuda_alloc *a;
	int before, err;

	if (size > SIZE_MAX - 2 * GIN_CUDA_GPU_PAGE)
		return -ENOMEM;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	before = gin_cuda_enter(gpu);
	pthread_mutex_lock(&gin_cuda_lock);
	err = alloc_locked(gpu, kind, size, a);
	if (err) {
		free(a);
	} else {
		out->gpu = a->gpu;
		out->cpu = a->cpu;
		out->size = size;
		out->kind = kind;
	}
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
	return err;
}

static void free_alloc(struct cuda_alloc *a)
{
	if (a->gdr)
		gin_cuda_gdr_unmap(a->gdr);
	if (a->kind == GIN_MEM_CPU_GPU)
		cudaFreeHost(a->base);
	else
		cudaFree(a->base);
	free(a);
}

static void unregister(struct host_mapping **p)
{
	struct host_mapping *m = *p;

	*p = m->next;
	if (m->ours)
		gin_cuda_errno(cudaHostUnregister((void *)m->first));
	free(m);
}

static void sweep_mappings(void)
{
	struct host_mapping **p = &mappings;

	while (*p)
		if ((*p)->refs)
			p = &(*p)->next;
		else
			unregister(p);
}

void gin_cuda_sweep(struct cuda_gpu *gpu)
{
	struct cuda_alloc **p = &gpu->allocs, *a;

	while ((a = *p))
		if (a->freed) {
			*p = a->next;
			free_alloc(a);
		} else {
			p = &a->next;
		}
	if (!gin_cuda_any_busy())
		sweep_mappings();
}

void gin_cuda_mem_free_all(struct cuda_gpu *gpu)
{
	struct cuda_alloc *a;

	for (a = gpu->allocs; a; a = a->next)
		a->freed = 1;
	gin_cuda_sweep(gpu);
}

void gin_cuda_mem_free(struct gin_gpu *base, struct gin_mem *mem)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	struct cuda_alloc *a;
	int before = gin_cuda_enter(gpu);

	pthread_mutex_lock(&gin_cuda_lock);
	for (a = gpu->allocs; a && a->gpu != mem->gpu; a = a->next)
		;
	if (a)
		a->freed = 1;
	if (!gin_cuda_busy(gpu))
		gin_cuda_sweep(gpu);
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
	memset(mem, 0, sizeof(*mem));
}

int gin_cuda_copy(struct gin_gpu *base, void *dst, const void *src, size_t size)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	int before = gin_cuda_enter(gpu);
	cudaError_t err;

	pthread_mutex_lock(&gpu->copy_lock);
	err = cudaMemcpyAsync(dst, src, size, cudaMemcpyDefault, gpu->copies);
	if (!err)
		err = finish_copies(gpu);
	pthread_mutex_unlock(&gpu->copy_lock);
	gin_cuda_leave(before);
	if (!err)
		return 0;
	gin_error("%s: cannot copy %zu bytes from %p to %p: %s (%s)", base->name, size, src, dst, cudaGetErrorName(err),
		  cudaGetErrorString(err));
	gin_cuda_errno(err);
	return -EIO;
}

/*
 * Host memory and NIC registers, mapped to the GPU.
 */

static void say_not_mapped(const struct cuda_gpu *gpu, const void *cpu, int is_mmio, cudaError_t err)
{
	if (is_mmio)
		gin_error(
		    "%s: cannot map the NIC's doorbell page at %p: %s (%s); GPU kernels cannot ring this NIC; be root, "
		    "load "
		    "the nvidia module with NVreg_RegistryDwords=\"PeerMappingOverride=1;\", and in a VM have the host "
		    "allow peer mappings",
		    gpu->base.name, cpu, cudaGetErrorName(err), cudaGetErrorString(err));
	else
		gin_error(
		    "%s: cannot map host memory at %p: %s (%s); raise ulimit -l, or allocate it as GIN_MEM_CPU_GPU",
		    gpu->base.name, cpu, cudaGetErrorName(err), cudaGetErrorString(err));
}

/* Make the pages of [first, end) registered, with one more reference. */
static int register_pages(struct cuda_gpu *gpu, uintptr_t first, uintptr_t end, int is_mmio)
{
	unsigned int flags =
	    cudaHostRegisterPortable | cudaHostRegisterMapped | (is_mmio ? cudaHostRegisterIoMemory : 0);
	struct host_mapping *m;
	char names[128];
	cudaError_t err;

	for (m = mappings; m; m = m->next)
		if (m->refs && m->first <= first && end <= m->end) {
			m->refs++;
			return 0;
		}
	if (gin_cuda_any_busy()) {
		gin_error("%s: cannot map host memory at %p while kernels run (%s): CUDA may wait for their end; do it "
			  "before "
			  "gin_launch()",
			  gpu->base.name, (void *)first, gin_cuda_names(NULL, names, sizeof(names)));
		return -EBUSY;
	}
	sweep_mappings();
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	err = cudaHostRegister((void *)first, end - first, flags);
	if (err && err != cudaErrorHostMemoryAlreadyRegistered) {
		say_not_mapped(gpu, (void *)first, is_mmio, err);
		free(m);
		return gin_cuda_errno(err);
	}
	gin_cuda_errno(err);
	m->first = first;
	m->end = end;
	m->refs = 1;
	m->ours = err == cudaSuccess;
	m->next = mappings;
	mappings = m;
	return 0;
}

static void unregister_pages(uintptr_t addr)
{
	struct host_mapping *m;

	for (m = mappings; m; m = m->next)
		if (m->refs && m->first <= addr && addr < m->end) {
			m->refs--;
			break;
		}
	if (!gin_cuda_any_busy())
		sweep_mappings();
}

int gin_cuda_map_host(struct gin_gpu *base, void *cpu, size_t size, int is_mmio, void **gpu_addr)
{
	struct cuda_gpu *gpu = (struct cuda_gpu *)base;
	uintptr_t first = (uintptr_t)cpu & ~(uintptr_t)(GIN_CUDA_PAGE - 1);
	uintptr_t end = round_up((uintptr_t)cpu + size, GIN_CUDA_PAGE);
	int before = gin_cuda_enter(gpu), err;
	cudaError_t cuda;

	pthread_mutex_lock(&gin_cuda_lock);
	err = register_pages(gpu, first, end, is_mmio);
	if (!err) {
		cuda = cudaHostGetDevicePointer(gpu_addr, cpu, 0);
		if (cuda) {
			say_not_mapped(gpu, cpu, is_mmio, cuda);
			err = gin_cuda_errno(cuda);
			unregister_pages((uintptr_t)cpu);
		}
	}
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
	return err;
}

void gin_cuda_unmap_host(struct gin_gpu *base, void *cpu)
{
	int before = gin_cuda_enter((struct cuda_gpu *)base);

	pthread_mutex_lock(&gin_cuda_lock);
	unregister_pages((uintptr_t)cpu);
	pthread_mutex_unlock(&gin_cuda_lock);
	gin_cuda_leave(before);
}
