/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU, or CPU threads that run kernels as a GPU would; its memory; its one stop. */
#ifndef GINET_GPU_H
#define GINET_GPU_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_gpu;

enum gin_mem_kind {
	GIN_MEM_GPU,     /* on the GPU; .cpu is NULL (on "cpu" all kinds are the same memory) */
	GIN_MEM_GPU_CPU, /* on the GPU, mapped to the CPU; -ENOTSUP where it can't be */
	GIN_MEM_CPU_GPU, /* pinned host memory, mapped to the GPU */
};

struct gin_mem {
	void *gpu, *cpu;
	size_t size; /* bytes, as asked for */
	enum gin_mem_kind kind;
};

/**
 * Open a GPU.
 *
 * name  "cuda:N", a PCI address ("0000:17:00.0"), or "cpu[:key=value,...]"
 *       (keys: seed, lanes, stack, help; see ginet(7), tools/man/ginet.7). NULL:
 *       $GINET_GPU, else the first CUDA GPU, else "cpu", and one line says which
 * out   set on success, untouched on failure
 *
 * Returns 0, -EINVAL (name not understood), -ENODEV (no such GPU, or no
 * driver), -ENOTSUP (built without CUDA) or -ENOMEM. The cause and a remedy
 * are logged. Any thread.
 */
int gin_gpu_open(const char *name, struct gin_gpu **out);

/**
 * Stop, wait, free all memory of this GPU. Close the NICs first: while one has
 * queues here, and while a kernel goes on 2 s after the stop, it says so and
 * the GPU stays open. NULL does nothing. Any thread, once.
 */
void gin_gpu_close(struct gin_gpu *gpu);

/** "cuda:0" or "cpu". Valid until gin_gpu_close(). */
const char *gin_gpu_name(const struct gin_gpu *gpu);

/**
 * Allocate zeroed memory, aligned for NIC and GPU (at least 4096 bytes).
 *
 * Returns 0, -EINVAL (size 0), -ENOMEM or -ENOTSUP (kind not available, with
 * what is missing logged). Freed by gin_mem_free() or with the GPU. Any thread.
 */
int gin_mem_alloc(struct gin_gpu *gpu, enum gin_mem_kind kind, size_t size, struct gin_mem *out);
/** No kernel may use it any more, no queue or MR may stand on it. Clears *mem; an empty *mem is fine. Any thread. */
void gin_mem_free(struct gin_gpu *gpu, struct gin_mem *mem);

/** Copy size bytes to or from memory of any kind; works while a kernel runs. 0 or -EIO. Any thread. */
int gin_mem_copy(struct gin_gpu *gpu, void *dst, const void *src, size_t size);

/**
 * Every wait in every kernel on this GPU returns -ECANCELED from now on, for
 * the launches that run or are queued; the next gin_launch() after all have
 * ended clears it. One store: fine in a signal handler, and from any thread.
 */
void gin_gpu_stop(struct gin_gpu *gpu);

/**
 * Wait until all kernels have ended.
 *
 * timeout_ns  relative; GIN_TRY looks once, GIN_UNTIL_STOP waits for ever
 *
 * Returns 0: all ended; -EAGAIN: still running; -EIO: a queue of this GPU
 * failed (gin_nic_failure() says why) or a kernel crashed; returned at once,
 * also while others run. Any thread.
 *
 * Inputs that end (see gin_nic_open()): when each receive queue on this GPU
 * belongs to a NIC whose input is used up, all packets are released, nothing
 * is in flight and nothing has moved for 50 ms, this call does what
 * gin_gpu_stop() does, and one line says so: the kernels' waits return
 * -ECANCELED, and this returns 0 once they have ended. One queue with an
 * endless input, and it never happens. When nothing moves for 2 s though
 * packets are not released, it stops them too, with a warning that says how
 * many.
 */
int gin_gpu_wait(struct gin_gpu *gpu, uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif
#endif
