/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of host/gpu, and what host/nic and host/eth need of a GPU: two back
 * ends (cpu.c, cuda.c) behind one table.
 */
#ifndef HOST_GPU_GPU_PRIV_H
#define HOST_GPU_GPU_PRIV_H
#include <ginet/gpu.h>
#include <ginet/launch.h>
#include <stdint.h>

struct gin_gpu_ops;

/* input.c: since when nothing moves. */
struct gin_gpu_quiet {
	uint64_t moved, looked_ns, ns;
};

struct gin_gpu { /* back ends embed it as first member */
	const struct gin_gpu_ops *ops;
	char name[32];
	uint32_t *stop;           /* pinned word, CPU address */
	const uint32_t *stop_gpu; /* the same word as kernels see it */
	struct gin_gpu_watch *watches; /* under lock */
	struct gin_gpu_quiet quiet;
	void *lock;               /* gpu.c's */
};

struct gin_gpu_ops {
	const char *kind; /* "cpu", "cuda" */
	int (*open)(const char *rest, struct gin_gpu **out); /* rest: behind "kind:", or "" */
	void (*close)(struct gin_gpu *gpu);
	int (*mem_alloc)(struct gin_gpu *gpu, enum gin_mem_kind kind, size_t size, struct gin_mem *out);
	void (*mem_free)(struct gin_gpu *gpu, struct gin_mem *mem);
	int (*copy)(struct gin_gpu *gpu, void *dst, const void *src, size_t size);
	int (*launch)(struct gin_gpu *gpu, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
		      const void *args);
	int (*poll)(struct gin_gpu *gpu, struct gin_stream *stream); /* 0: all ended, -EAGAIN, -EIO: a kernel crashed; stream NULL: all */
	int (*wait_some)(struct gin_gpu *gpu, uint64_t ns); /* sleep until a kernel ends or ns are over */
	int (*stream_create)(struct gin_gpu *gpu, struct gin_stream **out);
	void (*stream_destroy)(struct gin_stream *stream);
	/* Make a NIC register (page aligned page that holds it) or host memory visible to kernels. */
	int (*map_host)(struct gin_gpu *gpu, void *cpu, size_t size, int is_mmio, void **gpu_addr);
	void (*unmap_host)(struct gin_gpu *gpu, void *cpu);
	/* Names of kernels that have not ended, "a, b", "" if none; returns buf. */
	const char *(*running)(struct gin_gpu *gpu, char *buf, size_t size);
};

extern const struct gin_gpu_ops gin_gpu_cpu, gin_gpu_cuda; /* cuda: always defined; without CUDA its open says so */

/* GPUs that CUDA sees; 0 without CUDA or driver. Logs nothing: for choosing a default. */
int gin_cuda_count(void);

/* All kernels of the program, linked by .next (gpu.c keeps what gin_kernel_register() gets). */
struct gin_kernel *gin_kernel_list(void);

struct gin_stream { struct gin_gpu *gpu; }; /* back ends embed it */

/*
 * Something that belongs to a GPU and must be looked at: the queues of a NIC.
 * failed: -EIO when it failed; called by gin_gpu_wait() every few ms, any thread.
 * may_launch: 0 or why this kernel must not start while this watches, told by one line; asked before any at_launch.
 * at_launch: a kernel is about to start (warnings such as "no rule leads to rxq0").
 * input, traffic: for inputs that end, see input.c.
 */
struct gin_gpu_traffic {
	uint64_t moved;      /* anything that changes when a packet gets a step further */
	uint64_t unreleased; /* packets that the kernel has not given back */
	uint64_t in_flight;  /* that the NIC has not sent */
};
struct gin_gpu_watch {
	int (*failed)(struct gin_gpu_watch *watch);
	int (*may_launch)(struct gin_gpu_watch *watch, const struct gin_kernel *kernel);
	void (*at_launch)(struct gin_gpu_watch *watch);
	int (*input)(struct gin_gpu_watch *watch); /* 1: nothing will come any more, -EAGAIN: not yet, 0: endless; NULL: no input */
	void (*traffic)(struct gin_gpu_watch *watch, struct gin_gpu_traffic *sum); /* adds its own */
	struct gin_gpu_watch *next;
};
void gin_gpu_watch_add(struct gin_gpu *gpu, struct gin_gpu_watch *watch);
void gin_gpu_watch_del(struct gin_gpu *gpu, struct gin_gpu_watch *watch);
/* Call fn with each, until one returns not 0: that is returned. No watch comes or goes meanwhile. */
int gin_gpu_watch_each(struct gin_gpu *gpu, int (*fn)(struct gin_gpu_watch *watch, void *arg), void *arg);

/* input.c: stop the kernels if their input has ended; for those who wait, every few ms. */
void gin_gpu_look_at_input(struct gin_gpu *gpu);

/* The allocation of this GPU that holds all of the len bytes at addr, as kernels see them. 0 or -ENOENT. */
int gin_gpu_mem_of(struct gin_gpu *gpu, const void *addr, size_t len, struct gin_mem *out);

/* Names of kernels that still run, for messages: "icmp_echo, rx_count"; returns buf. */
const char *gin_gpu_running(struct gin_gpu *gpu, char *buf, size_t size);
#endif
