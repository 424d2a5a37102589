/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the CUDA back end: cuda.c opens and closes, cuda_mem.c knows
 * memory, cuda_launch.c knows what runs, cuda_gdr.c maps GPU memory to the CPU.
 *
 * One lock for all of it, gin_cuda_lock: set-up, launches and looks at events
 * are short. Never held while something is waited for.
 */
#ifndef HOST_GPU_CUDA_PRIV_H
#define HOST_GPU_CUDA_PRIV_H
#include "gpu/gpu_priv.h"
#include <cuda_runtime_api.h>
#include <pthread.h>

#define GIN_CUDA_PAGE 4096u      /* alignment for NIC and CPU */
#define GIN_CUDA_GPU_PAGE 65536u /* what the GPU maps to the CPU in one piece */
enum { GIN_CUDA_QUEUES = 32 };   /* work queues of a GPU, the most there are */

/* A kernel of this program, as loaded on this GPU. */
struct cuda_kernel {
	const struct gin_kernel *kernel;
	const void *handle; /* for CUDA's calls */
	struct cudaFuncAttributes attr;
	cudaError_t err; /* why it can't run here */
	struct cuda_kernel *next;
};

/* A launch that was not yet seen to end. */
struct cuda_launch {
	const struct gin_kernel *kernel;
	const void *handle;
	uint64_t blocks;
	uint64_t per_sm; /* as many of these blocks fit on one multiprocessor */
	const struct gin_runner_helper *told; /* who heard that it started */
	cudaEvent_t end;
	struct cuda_launch *next;
};

struct cuda_stream {
	struct gin_stream base;
	cudaStream_t handle;
	int spare;                    /* not the user's: for launches without a stream */
	struct cuda_launch *launches; /* in order of launch */
	struct cuda_stream *next;
};

struct cuda_alloc {
	void *gpu, *cpu;  /* as given out */
	void *base;       /* as CUDA gave it */
	enum gin_mem_kind kind;
	int freed;        /* by the user; goes when no kernel runs */
	void *gdr;        /* mapping of cuda_gdr.c */
	struct cuda_alloc *next;
};

struct cuda_gpu {
	struct gin_gpu base;
	int device;
	int n_sms;
	int max_shared;           /* bytes of shared memory a block may have */
	int failed;               /* a kernel crashed: CUDA refuses this device until the process ends */
	int ended;                /* a kernel ended since the GPU was idle: it may have printed */
	int n_streams;
	cudaStream_t copies;      /* for copies and clearing, never for kernels */
	cudaEvent_t copied;
	pthread_mutex_t copy_lock;
	struct cuda_stream *streams;
	struct cuda_kernel *kernels;
	struct cuda_alloc *allocs;
	struct cuda_gpu *next;    /* all that are open */
};

extern pthread_mutex_t gin_cuda_lock;
extern struct cuda_gpu *gin_cuda_gpus;

/* cuda.c */
int gin_cuda_enter(const struct cuda_gpu *gpu); /* make it the thread's device; returns the one before */
void gin_cuda_leave(int before);
int gin_cuda_errno(cudaError_t err); /* as a negative errno; CUDA's own note of it is cleared */
void gin_cuda_nap(uint64_t ns);

/* cuda_launch.c; with the lock held */
int gin_cuda_load(struct cuda_gpu *gpu, const struct gin_kernel *kernel, struct cuda_kernel **out);
int gin_cuda_busy(struct cuda_gpu *gpu);     /* a kernel of ours runs on its device; looks at all events first */
int gin_cuda_any_busy(void);                 /* on any device */
const char *gin_cuda_names(const struct cuda_gpu *gpu, char *buf, size_t size); /* of what runs there; NULL: anywhere */
int gin_cuda_stream_new(struct cuda_gpu *gpu, struct cuda_stream **out); /* a spare one */
void gin_cuda_streams_free(struct cuda_gpu *gpu);
/* for the table */
int gin_cuda_launch(struct gin_gpu *gpu, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
		    const void *args);
int gin_cuda_poll(struct gin_gpu *gpu, struct gin_stream *stream);
const char *gin_cuda_running(struct gin_gpu *gpu, char *buf, size_t size);
int gin_cuda_wait_some(struct gin_gpu *gpu, uint64_t ns);
int gin_cuda_stream_create(struct gin_gpu *gpu, struct gin_stream **out);
void gin_cuda_stream_destroy(struct gin_stream *stream);

/* cuda_mem.c; with the lock held */
void gin_cuda_sweep(struct cuda_gpu *gpu); /* no kernel runs: give back what could not go while one did */
void gin_cuda_mem_free_all(struct cuda_gpu *gpu);
/* for the table */
int gin_cuda_mem_alloc(struct gin_gpu *gpu, enum gin_mem_kind kind, size_t size, struct gin_mem *out);
void gin_cuda_mem_free(struct gin_gpu *gpu, struct gin_mem *mem);
int gin_cuda_copy(struct gin_gpu *gpu, void *dst, const void *src, size_t size);
int gin_cuda_map_host(struct gin_gpu *gpu, void *cpu, size_t size, int is_mmio, void **gpu_addr);
void gin_cuda_unmap_host(struct gin_gpu *gpu, void *cpu);

/* cuda_gdr.c: GPU memory on the CPU by gdrcopy. addr and size: multiples of GIN_CUDA_GPU_PAGE. */
int gin_cuda_gdr_map(uint64_t addr, size_t size, void **handle, void **cpu); /* -ENOTSUP or -ENOMEM */
const char *gin_cuda_gdr_missing(void); /* what -ENOTSUP was about */
void gin_cuda_gdr_unmap(void *handle);
#endif
