/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/mr.h>
#include <errno.h>
#include <stdlib.h>
#include "eth_priv.h"
#include "log.h"

/* Memory named by its GPU address: what gin_mem_alloc() gave may have a CPU address too, or stand on the host. */
static void find_on_gpu(struct gin_gpu *gpu, struct gin_mem_ref *ref)
{
	struct gin_mem mem;

	ref->gpu = 1;
	if (gin_gpu_mem_of(gpu, ref->cpu, ref->len, &mem) || !mem.cpu) {
		ref->cpu = NULL;
		return;
	}
	ref->cpu = (uint8_t *)mem.cpu + ((uintptr_t)ref->cpu - (uintptr_t)mem.gpu);
	ref->gpu = mem.kind != GIN_MEM_CPU_GPU;
}

static int create(struct gin_nic *nic, struct gin_gpu *gpu, void *addr, size_t len, struct gin_mr **out)
{
	struct gin_mem_ref ref = { .cpu = addr, .va = (uintptr_t)addr, .len = len, .dmabuf_fd = -1 };
	struct gin_mr *mr;
	int err;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	if (gpu && gpu->ops != &gin_gpu_cpu)
		find_on_gpu(gpu, &ref);
	err = nic->ops->mr_reg(nic->dev, &nic->pd, &ref, 0, &mr->mr);
	if (err) {
		free(mr);
		return err;
	}
	mr->nic = nic;
	mr->addr = (uintptr_t)addr;
	pthread_mutex_lock(&nic->lock);
	TAILQ_INSERT_TAIL(&nic->mrs, mr, link);
	pthread_mutex_unlock(&nic->lock);
	*out = mr;
	return 0;
}

int gin_mr_create(struct gin_nic *nic, struct gin_gpu *gpu, void *addr, size_t len, uint32_t access, struct gin_mr **out)
{
	unsigned int before = gin_log_errors();
	int err;

	if (!len || access) {
		gin_error("%s: cannot register %zu bytes with access 0x%x: len must be above 0 and access 0", nic->name, len,
			  access);
		return -EINVAL;
	}
	err = create(nic, gpu, addr, len, out);
	if (err)
		gin_error_if_untold(before, "%s: cannot register %zu bytes at %p: %s", nic->name, len, addr, gin_strerror(err));
	return err;
}

void gin_mr_destroy(struct gin_mr *mr)
{
	struct gin_nic *nic;

	if (!mr)
		return;
	nic = mr->nic;
	pthread_mutex_lock(&nic->lock);
	TAILQ_REMOVE(&nic->mrs, mr, link);
	pthread_mutex_unlock(&nic->lock);
	nic->ops->mr_dereg(nic->dev, &mr->mr);
	free(mr);
}

struct gin_addr gin_mr_local(const struct gin_mr *mr)
{
	struct gin_addr a = { .addr = mr->addr, .key = gin_to_be32(mr->mr.lkey) };

	return a;
}
