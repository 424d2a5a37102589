/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPU "cpu": streams, launches and the blocks that run. */
#ifndef HOST_GPU_CPU_H
#define HOST_GPU_CPU_H
#include "block.h"
#include "gpu_priv.h"

#include <pthread.h>

struct gin_cpu_gpu;
struct gin_cpu_sim; /* cpu_sim.c */

struct gin_room { uint32_t lanes, blocks; };

struct gin_cpu_stream {
	struct gin_stream stream;
	struct gin_room held; /* for the largest of its launches that must be resident */
	bool crashed;         /* since it was last empty */
};

/* One launch, from gin_launch() until its last block has ended. */
struct gin_launch_run {
	struct gin_launch_run *next;
	struct gin_cpu_gpu *gpu;
	struct gin_cpu_stream *stream; /* NULL: runs by itself */
	const struct gin_kernel *kernel;
	struct gin_launch_config cfg;
	uint32_t number;               /* of this GPU's launches */
	uint32_t block_lanes, n_blocks;
	uint32_t n_started, n_running; /* blocks */
	bool failed;                   /* atomic: its blocks look at it in each pass */
	bool refused;                  /* could not start; gin_launch() says so itself */
	void *args;
};

struct gin_cpu_gpu {
	struct gin_gpu gpu;
	struct gin_room max;
	size_t stack_bytes;
	uint64_t seed;
	bool helps; /* waiting blocks run the software NICs */

	pthread_mutex_t lock; /* for what stands below */
	pthread_cond_t ended; /* a launch has ended */
	struct gin_launch_run *runs; /* in the order of gin_launch() */
	struct gin_block *blocks;    /* that run */
	struct gin_block *gone;      /* whose threads are to be joined */
	struct gin_stacks *stacks;   /* free ones */
	struct gin_room used;        /* by what runs or was promised room */
	uint32_t n_launches, n_serials; /* launches and blocks so far */
	bool crashed;                /* a launch, since all had ended */
	bool watched, closing;       /* watchdog.c */
	pthread_t watchdog;
	pthread_cond_t watchdog_wake;
	struct gin_cpu_sim *sim;     /* NULL: real threads */
};

static inline struct gin_cpu_gpu *gin_to_cpu(struct gin_gpu *gpu)
{
	return (struct gin_cpu_gpu *)gpu;
}

/* launch.c: members of the table of a back end, see gpu_priv.h. */
int gin_cpu_launch(struct gin_gpu *gpu, const struct gin_kernel *kernel, const struct gin_launch_config *cfg,
		   const void *args);
int gin_cpu_poll(struct gin_gpu *gpu, struct gin_stream *stream);
int gin_cpu_wait_some(struct gin_gpu *gpu, uint64_t ns);
int gin_cpu_stream_create(struct gin_gpu *gpu, struct gin_stream **out);
void gin_cpu_stream_destroy(struct gin_stream *stream);
const char *gin_cpu_running(struct gin_gpu *gpu, char *buf, size_t size);
void gin_cpu_reap(struct gin_cpu_gpu *gpu); /* join threads of blocks that have ended */

/* watchdog.c: tells of lanes that keep the processor. */
void gin_watchdog_start(struct gin_cpu_gpu *gpu); /* under the lock; again is fine */
void gin_watchdog_stop(struct gin_cpu_gpu *gpu);

/*
 * cpu_sim.c: lanes as actors of the simulation. Without GINET_SIM create says
 * -ENOTSUP and the rest is never reached.
 */
int gin_cpu_sim_create(struct gin_cpu_gpu *gpu, uint64_t seed);
void gin_cpu_sim_destroy(struct gin_cpu_gpu *gpu);
void gin_cpu_sim_started(struct gin_block *block);      /* in gin_launch(): wait until the block's lanes are there */
int gin_cpu_sim_block(struct gin_block *block);         /* on its thread: turns as the scheduler gives them; as gin_block_loop() */
void gin_cpu_sim_block_ended(struct gin_cpu_gpu *gpu);  /* likewise, at its very end */
int gin_cpu_sim_wait(struct gin_cpu_gpu *gpu, uint64_t ns);
#endif
