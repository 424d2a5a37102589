/* SPDX-License-Identifier: BSD-3-Clause */
/* Error CQEs in words. Names: rdma-core's ibv_wc_status; causes: the reaction table of the software ConnectX. */
#include "nic_priv.h"
#include <stdio.h>
#include <time.h>

struct syndrome {
	uint8_t code;
	const char *name, *send, *receive; /* likely cause */
};

static const struct syndrome syndromes[] = {
	{ GIN_SYND_LOCAL_LENGTH, "local length", "the packet is longer than the WQE says",
	  "a packet longer than the slot arrived; raise slot_bytes or lower the MTU" },
	{ GIN_SYND_LOCAL_QP_OP, "local queue operation",
	  "the WQE is malformed: its index, queue number, size, opcode or inline header is not what the NIC expects",
	  "the receive WQE is malformed" },
	{ GIN_SYND_LOCAL_PROT, "local protection",
	  "lkey does not cover the address range, or belongs to another NIC or PD",
	  "the slot's lkey does not cover it with the right to write" },
	{ GIN_SYND_FLUSHED, "flushed", "an earlier WQE of this queue failed", "the queue was already in error" },
	{ GIN_SYND_MW_BIND, "memory window bind", "", "" },
	{ GIN_SYND_BAD_RESP, "bad response", "", "" },
	{ GIN_SYND_LOCAL_ACCESS, "local access", "the key lacks the right", "the key lacks the right to write" },
	{ GIN_SYND_REMOTE_INVAL_REQ, "remote invalid request", "", "" },
	{ GIN_SYND_REMOTE_ACCESS, "remote access", "", "" },
	{ GIN_SYND_REMOTE_OP, "remote operation", "", "" },
	{ GIN_SYND_RETRY_EXC, "transport retries exceeded", "the peer does not answer", "" },
	{ GIN_SYND_RNR_RETRY_EXC, "receiver-not-ready retries exceeded", "the peer posts no receives", "" },
	{ GIN_SYND_REMOTE_ABORTED, "remote aborted", "", "" },
};

void gin_failure_decode(const struct gin_err_cqe *cqe, int receive, struct gin_failure *out)
{
	const char *name = "unknown syndrome", *cause = "";
	struct timespec now;
	size_t i;

	for (i = 0; i < sizeof(syndromes) / sizeof(syndromes[0]); i++)
		if (syndromes[i].code == cqe->syndrome) {
			name = syndromes[i].name;
			cause = receive ? syndromes[i].receive : syndromes[i].send;
		}
	clock_gettime(CLOCK_MONOTONIC, &now);
	out->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	out->syndrome = cqe->syndrome;
	out->vendor = cqe->vendor_syndrome;
	out->wqe_counter = gin_from_be16(cqe->wqe_counter);
	snprintf(out->text, sizeof(out->text), "%s error (syndrome 0x%02x, vendor 0x%02x) at WQE %u%s%s", name,
		 cqe->syndrome, cqe->vendor_syndrome, out->wqe_counter, *cause ? ": " : "", cause);
}
