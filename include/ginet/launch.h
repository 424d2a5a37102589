/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting kernels. */
#ifndef GINET_LAUNCH_H
#define GINET_LAUNCH_H
#include <ginet/gpu.h>
#include <ginet/version.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_stream;

/** A kernel, as GIN_KERNEL() in a kernel file defines it. Do not fill one in yourself. */
struct gin_kernel {
	const char *name;               /* this and the next two stay first for ever: see version.h */
	uint32_t version;               /* GINET_VERSION of the headers it was built with */
	uint16_t rxq_size, txq_size;    /* of the device handles, likewise */
	uint32_t args_size;
	uint32_t flags;                 /* GIN_KERNEL_*; 0 in kernels that were built before there were any */
	void (*cpu)(const void *args);
	const void *(*cuda)(void);      /* CUDA's handle of it; NULL: built without nvcc */
	struct gin_kernel *next;        /* list of all kernels in the program, by constructor */
};
#define GIN_KERNEL_NO_INLINE 1u /* its sends put no header into the WQE: see GIN_NO_INLINE in dev/txq.h */
#ifdef __cplusplus
#define GIN_EXTERN_C extern "C"
#else
#define GIN_EXTERN_C extern
#endif
#define GIN_KERNEL_DECLARE(name) GIN_EXTERN_C struct gin_kernel gin_kernel_##name

void gin_kernel_register(struct gin_kernel *kernel); /* called by GIN_KERNEL(), before main() */

struct gin_dim3 { uint32_t x, y, z; }; /* 0 reads as 1 */

struct gin_launch_config {
	struct gin_dim3 grid, block;
	uint32_t shared_bytes;     /* dynamic shared memory, bytes */
	uint32_t may_queue;        /* 0: all blocks must be resident at once, else -E2BIG; 1: they need not */
	struct gin_stream *stream; /* NULL: one of its own, so launches run side by side */
};

/**
 * Start a kernel; returns at once.
 *
 * kernel     &gin_kernel_NAME
 * cfg        NULL: one thread
 * args       copied before the call returns
 * args_size  sizeof the kernel's argument struct
 *
 * Returns 0 or one of these, with a line that says why. Any thread.
 *   -EINVAL   args_size differs, block above 1024 threads, a stream of another GPU
 *   -E2BIG    more blocks than fit at once, or more shared memory than a block can have
 *   -ENOEXEC  not built for this GPU
 *   -ESTALE   kernel and library are of different versions: see version.h
 *   -EBUSY    the kernel came with a library loaded after gin_gpu_open(), while
 *             another kernel runs: CUDA would load it only when that one ends
 *   -ENOTSUP  built with GIN_NO_INLINE, and a send queue on this GPU is of a NIC
 *             that wants headers in the WQE: see dev/txq.h
 *   -ENOMEM
 */
int gin_launch(struct gin_gpu *gpu, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
	       const void *args, size_t args_size);

/** A stream: launches on it run one after the other. Destroy it before gin_gpu_close(). 0 or -ENOMEM. */
int gin_stream_create(struct gin_gpu *gpu, struct gin_stream **out);
void gin_stream_destroy(struct gin_stream *stream); /* waits for its kernels; NULL does nothing */
int gin_stream_wait(struct gin_stream *stream, uint64_t timeout_ns); /* as gin_gpu_wait(), for one stream */

#ifdef __cplusplus
}
#endif
#endif
