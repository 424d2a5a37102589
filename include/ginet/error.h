/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of every call, on the host and in kernels. */
#ifndef GINET_ERROR_H
#define GINET_ERROR_H
#include <errno.h> /* also inside kernels: the codes are plain numbers */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every call, host or kernel, returns 0 or a negative errno. In kernels:
 *   -EAGAIN     not yet: nothing there, ring full, or timeout_ns over; call again
 *   -ECANCELED  the host called gin_gpu_stop(); leave the kernel
 *   -EIO        the queue is in error for good; gin_nic_failure() on the host says why
 * When several apply the order is -EIO, -ECANCELED, -EAGAIN.
 */
#define GIN_TRY 0ull           /* timeout_ns: look once, do not wait */
#define GIN_UNTIL_STOP (~0ull) /* timeout_ns: wait; stop or an error still ends it */

/** Why a queue is dead. Filled once, by its first error. */
struct gin_failure {
	uint64_t index;       /* WQE or slot, as counted by software */
	uint64_t time_ns;     /* CLOCK_MONOTONIC, when the library saw it */
	uint8_t syndrome;     /* error CQE, byte 0x37 (GIN_SYND_* in hw/cqe.h) */
	uint8_t vendor;       /* error CQE, byte 0x36 */
	uint16_t wqe_counter; /* as the NIC reported it */
	char queue[24];       /* "soft0/txq3" */
	char text[160];       /* decoded: what, which WQE, likely cause */
};

/** Name of a result: -EIO is "queue error". Takes err positive or negative; never NULL. Any thread. */
const char *gin_strerror(int err);

#ifdef __cplusplus
}
#endif
#endif
