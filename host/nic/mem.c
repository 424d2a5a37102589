/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that NIC and GPU share: which kind, and its registration. */
#include "nic_priv.h"
#include <errno.h>
#include "log.h"

static int is_cpu(const struct gin_gpu *gpu)
{
	return gpu->ops == &gin_gpu_cpu;
}

enum gin_mem_kind gin_nic_mem_kind(const struct gin_nic *nic, const struct gin_gpu *gpu, enum gin_mem_kind wanted)
{
	if (wanted == GIN_MEM_GPU && !is_cpu(gpu) && !nic->ops->reaches_gpu) {
		gin_info("%s cannot reach the memory of %s: queues stand in pinned host memory", nic->name, gpu->name);
		return GIN_MEM_CPU_GPU;
	}
	return wanted;
}

struct gin_mem_ref gin_nic_mem_ref(const struct gin_gpu *gpu, void *gpu_addr, void *cpu, size_t len, enum gin_mem_kind kind)
{
	struct gin_mem_ref ref = { .cpu = cpu, .va = (uintptr_t)gpu_addr, .len = len, .dmabuf_fd = -1 };

	ref.gpu = !is_cpu(gpu) && kind != GIN_MEM_CPU_GPU;
	return ref;
}

int gin_nic_mem_alloc(struct gin_nic *nic, struct gin_gpu *gpu, size_t size, struct gin_nic_mem *out)
{
	enum gin_mem_kind kind = gin_nic_mem_kind(nic, gpu, GIN_MEM_GPU);
	struct gin_mem_ref ref;
	int err = gin_mem_alloc(gpu, kind, size, &out->mem);

	if (err)
		return err;
	ref = gin_nic_mem_ref(gpu, out->mem.gpu, out->mem.cpu, size, kind);
	err = nic->ops->umem_reg(nic->dev, &ref, &out->umem);
	if (err) {
		gin_mem_free(gpu, &out->mem);
		return err;
	}
	out->gpu = gpu;
	return 0;
}

void gin_nic_mem_free(struct gin_nic *nic, struct gin_nic_mem *mem)
{
	int err;

	if (!mem->gpu)
		return;
	err = nic->ops->umem_dereg(nic->dev, &mem->umem);
	if (err) /* the NIC may still write to it */
		gin_error("%s: queue memory stays mapped: %s", nic->name, gin_strerror(err));
	else
		gin_mem_free(mem->gpu, &mem->mem);
	mem->gpu = NULL;
}

uint64_t gin_nic_peek64(struct gin_gpu *gpu, const void *gpu_addr, const void *cpu)
{
	uint64_t v = 0;

	if (cpu)
		return __atomic_load_n((const uint64_t *)cpu, __ATOMIC_ACQUIRE);
	if (gin_mem_copy(gpu, &v, gpu_addr, sizeof(v)))
		return 0;
	return v;
}
