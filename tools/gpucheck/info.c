/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands above the table: which GPU, which CPU, what else ran. */
#include "check.h"
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef GPUCHECK_CUDA
#include <cuda_runtime_api.h>

void say_gpu(const char *name, char *buf, size_t size)
{
	struct cudaDeviceProp prop;
	int device = 0, driver = 0, runtime = 0;

	if (strncmp(name, "cuda:", 5) || sscanf(name + 5, "%d", &device) != 1 ||
	    cudaGetDeviceProperties(&prop, device)) {
		snprintf(buf, size, "%s", name);
		return;
	}
	cudaDriverGetVersion(&driver);
	cudaRuntimeGetVersion(&runtime);
	snprintf(buf, size, "%s: %s, sm_%d%d, %d multiprocessors, driver for CUDA %d.%d, built with nvcc %s", name,
		 prop.name, prop.major, prop.minor, prop.multiProcessorCount, driver / 1000, driver % 1000 / 10,
		 GPUCHECK_NVCC);
}
#else
void say_gpu(const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "%s: kernels run on CPU threads", name);
}
#endif

void say_cpu(char *buf, size_t size)
{
	char line[256], model[200] = "CPU of unknown model";
	FILE *f = fopen("/proc/cpuinfo", "r");
	const char *at;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "model name", 10) && (at = strchr(line, ':'))) {
			snprintf(model, sizeof(model), "%s", at + 2);
			model[strcspn(model, "\n")] = 0;
			break;
		}
	if (f)
		fclose(f);
	snprintf(buf, size, "%s, %ld CPUs", model, sysconf(_SC_NPROCESSORS_ONLN));
}

static uint64_t ticks_of(int who)
{
	struct rusage u;

	if (getrusage(who, &u))
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * (uint64_t)sysconf(_SC_CLK_TCK) +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * (uint64_t)sysconf(_SC_CLK_TCK) / 1000000;
}

void read_load(struct load *l)
{
	unsigned long long user = 0, nice = 0, sys = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
	uint64_t ours = ticks_of(RUSAGE_SELF) + ticks_of(RUSAGE_CHILDREN);
	FILE *f = fopen("/proc/stat", "r");

	l->busy = l->total = 0;
	if (!f)
		return;
	if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &sys, &idle, &wait, &irq, &soft,
		   &steal) >= 4) {
		l->total = user + nice + sys + idle + wait + irq + soft + steal;
		l->busy = l->total - idle - wait;
		l->busy = l->busy > ours ? l->busy - ours : 0;
	}
	fclose(f);
}

double foreign_load(const struct load *before, const struct load *after)
{
	if (after->total <= before->total || after->busy <= before->busy)
		return 0;
	return (double)(after->busy - before->busy) / (double)(after->total - before->total);
}
