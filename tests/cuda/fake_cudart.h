/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CUDA runtime for tests: the functions that the CUDA back end calls, over
 * plain memory. Kernels "run" until the test ends them, every call can be made
 * to fail, and a call that could wait for a running kernel is noted.
 */
#ifndef TESTS_CUDA_FAKE_CUDART_H
#define TESTS_CUDA_FAKE_CUDART_H
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

/* Where the device sees host memory: elsewhere, so that mixing up the two addresses shows. */
#define FAKE_DEVICE_OFFSET 0x100000000000ull

enum fake_call {
	FAKE_GET_DEVICE_COUNT, FAKE_BY_PCI, FAKE_GET_ATTRIBUTE, FAKE_STREAM_CREATE, FAKE_EVENT_CREATE,
	FAKE_EVENT_RECORD, FAKE_EVENT_QUERY, FAKE_MALLOC, FAKE_MALLOC_MANAGED, FAKE_HOST_ALLOC, FAKE_HOST_REGISTER, FAKE_GET_POINTER,
	FAKE_MEMCPY, FAKE_MEMSET, FAKE_FUNC_ATTRIBUTES, FAKE_FUNC_SET, FAKE_OCCUPANCY, FAKE_LAUNCH,
	FAKE_SET_LIMIT, FAKE_N_CALLS
};

struct fake_launch {
	const void *function;
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	unsigned char args[64]; /* what the kernel sees */
	int device, ended;
};

struct fake {
	int n_devices, driver_version;
	int sms, major, minor, display, coherent, max_shared, cuda_threads; /* of every device */
	int per_sm;                     /* answer of the occupancy calculator */
	size_t local_bytes;             /* that each kernel needs for a thread */
	size_t stack_limit;             /* of the device, cudaLimitStackSize */
	int syncs;                      /* calls of cudaStreamSynchronize() */
	cudaError_t fail[FAKE_N_CALLS]; /* the call fails with this */
	int fail_after[FAKE_N_CALLS];   /* after so many good ones */
	int calls[FAKE_N_CALLS];
	int device;                     /* current */
	cudaError_t last_error, crash;  /* crash: what every event answers from now on */
	int would_wait;                 /* calls that could have waited for a running kernel */
	int copy_queries;               /* a copy is seen to be done at this look only */
	int end_after_queries;          /* > 0: launch 0 ends at this look */
	int live;                       /* streams, events, allocations, registrations */
	unsigned int alloc_flags, register_flags;
	unsigned int set_shared;        /* by cudaFuncSetAttribute() */
	struct fake_launch launches[64];
	int n_launches;
};
extern struct fake fake;

void fake_reset(void);
void fake_end(int launch); /* the kernel of this launch ends */

/* gdrcopy, as dlopen() finds it */
struct fake_gdr {
	int installed, opens, pin_error, map_error, live;
	const char *lacks; /* a function that is not there */
};
extern struct fake_gdr fake_gdr;
#endif
