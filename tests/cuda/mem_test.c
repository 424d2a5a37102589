/* SPDX-License-Identifier: BSD-3-Clause */
/* host/gpu/cuda_mem.c and cuda_gdr.c over a made-up CUDA runtime: memory. */
#include "setup.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct gin_gpu *gpu;

static void setup_gpu(void)
{
	setup();
	gpu = open_gpu("0");
}

static void teardown_gpu(void)
{
	gin_gpu_cuda.close(gpu);
	teardown();
}

static void start_kernel(void)
{
	static const unsigned char args[64];
	struct gin_launch_config cfg = { .grid = { .x = 1 } };

	ck_assert_int_eq(gin_gpu_cuda.launch(gpu, &kernel_a, &cfg, args), 0);
}

static int all_zero(const unsigned char *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return !n;
}

/* Fake GPU memory is plain memory. */
START_TEST(gpu_memory_is_zeroed_and_aligned)
{
	struct gin_mem mem;

	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU, 5000, &mem), 0);
	ck_assert_ptr_null(mem.cpu);
	ck_assert_uint_eq(mem.size, 5000);
	ck_assert_int_eq(mem.kind, GIN_MEM_GPU);
	ck_assert_uint_eq((uintptr_t)mem.gpu % 4096, 0);
	ck_assert(all_zero(mem.gpu, 5000));
	gin_gpu_cuda.mem_free(gpu, &mem);
	ck_assert_ptr_null(mem.gpu);
	gin_gpu_cuda.mem_free(gpu, &mem);
}
END_TEST

START_TEST(pinned_memory_is_portable_mapped_and_never_write_combined)
{
	struct gin_mem mem;

	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_CPU_GPU, 4097, &mem), 0);
	ck_assert_uint_eq(fake.alloc_flags, cudaHostAllocPortable | cudaHostAllocMapped);
	ck_assert_uint_eq((uintptr_t)mem.cpu % 4096, 0);
	ck_assert_ptr_eq(mem.gpu, (char *)mem.cpu + FAKE_DEVICE_OFFSET);
	ck_assert(all_zero(mem.cpu, 4097));
	gin_gpu_cuda.mem_free(gpu, &mem);
}
END_TEST

START_TEST(gpu_memory_on_the_cpu_by_gdrcopy)
{
	struct gin_mem mem;

	fake_gdr.installed = fake_gdr.opens = 1;
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU_CPU, 100, &mem), 0);
	ck_assert_uint_eq((uintptr_t)mem.gpu % 65536, 0);
	ck_assert_ptr_eq(mem.cpu, mem.gpu); /* of the fake */
	ck_assert(all_zero(mem.cpu, 100));
	ck_assert_int_eq(fake_gdr.live, 2);
	gin_gpu_cuda.mem_free(gpu, &mem);
	ck_assert_int_eq(fake_gdr.live, 0);
}
END_TEST

START_TEST(gdrcopy_that_fails_leaves_nothing)
{
	struct gin_mem mem;
	int live = fake.live;

	fake_gdr.installed = fake_gdr.opens = 1;
	*(_i ? &fake_gdr.map_error : &fake_gdr.pin_error) = -22;
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU_CPU, 100, &mem), -ENOMEM);
	ck_line_has(_i ? "gdr_map()" : "BAR1");
	ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
	ck_assert_int_eq(fake.live, live);
}
END_TEST

START_TEST(missing_gdrcopy_is_named)
{
	static const char *const says[] = { "libgdrapi.so.2 is not installed", "lacks a function", "gdrdrv" };
	struct gin_mem mem;
	int live = fake.live;

	fake_gdr.installed = _i > 0;
	fake_gdr.lacks = _i == 1 ? "gdr_unmap" : NULL;
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU_CPU, 100, &mem), -ENOTSUP);
	ck_line_has("needs gdrcopy");
	ck_line_has(says[_i]);
	ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
	ck_assert_int_eq(fake.live, live);
}
END_TEST

START_TEST(coherent_machine_needs_no_gdrcopy)
{
	struct gin_mem mem;

	fake.coherent = 1;
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU_CPU, 100, &mem), 0);
	ck_assert_int_eq(fake.calls[FAKE_MALLOC_MANAGED], 1);
	ck_assert_ptr_eq(mem.cpu, mem.gpu);
	ck_assert_uint_eq((uintptr_t)mem.gpu % 4096, 0);
	ck_assert(all_zero(mem.cpu, 100));
	gin_gpu_cuda.mem_free(gpu, &mem);
}
END_TEST

START_TEST(allocation_that_fails_leaves_nothing)
{
	static const struct {
		enum gin_mem_kind kind;
		enum fake_call call;
		int coherent;
	} cases[] = {
		{ GIN_MEM_GPU, FAKE_MALLOC, 0 },          { GIN_MEM_GPU, FAKE_MEMSET, 0 },
		{ GIN_MEM_GPU, FAKE_EVENT_RECORD, 0 },    { GIN_MEM_GPU, FAKE_EVENT_QUERY, 0 },
		{ GIN_MEM_CPU_GPU, FAKE_HOST_ALLOC, 0 },  { GIN_MEM_CPU_GPU, FAKE_GET_POINTER, 0 },
		{ GIN_MEM_GPU_CPU, FAKE_MALLOC, 0 },      { GIN_MEM_GPU_CPU, FAKE_MEMSET, 0 },
		{ GIN_MEM_GPU_CPU, FAKE_MALLOC_MANAGED, 1 }, { GIN_MEM_GPU_CPU, FAKE_MEMSET, 1 },
	};
	struct gin_mem mem = { .size = 7 };
	int live = fake.live;

	fake.coherent = cases[_i].coherent;
	fake.fail[cases[_i].call] = cudaErrorMemoryAllocation;
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, cases[_i].kind, 100, &mem), -ENOMEM);
	fake.fail[cases[_i].call] = cudaSuccess;
	ck_assert_uint_eq(mem.size, 7); /* untouched */
	ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
	ck_line_has("100 bytes");
	ck_assert_int_eq(fake.live, live);
}
END_TEST

START_TEST(size_near_the_end_of_size_t_is_no_memory)
{
	struct gin_mem mem;

	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU, SIZE_MAX, &mem), -ENOMEM);
}
END_TEST

/* fake.would_wait, checked at the end, says that CUDA was not even asked. */
START_TEST(allocation_while_a_kernel_runs_is_busy)
{
	struct gin_mem mem;

	start_kernel();
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, (enum gin_mem_kind)_i, 100, &mem), -EBUSY);
	ck_line_has("kernel_a");
	ck_line_has("before gin_launch()");
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU, 100, &mem), 0);
}
END_TEST

START_TEST(kernel_on_another_gpu_is_no_hindrance)
{
	struct gin_gpu *other = open_gpu("1");
	struct gin_mem mem;

	start_kernel();
	fake.launches[0].ended = 1; /* for the fake, which does not tell devices apart */
	fake.fail[FAKE_EVENT_QUERY] = cudaErrorNotReady; /* for the back end: it runs */
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(other, GIN_MEM_CPU_GPU, 100, &mem), 0);
	fake.fail[FAKE_EVENT_QUERY] = cudaSuccess;
	gin_gpu_cuda.close(other);
}
END_TEST

START_TEST(kernel_of_another_handle_on_the_same_gpu_counts)
{
	struct gin_gpu *again = open_gpu("0");
	struct gin_mem mem;

	start_kernel();
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(again, GIN_MEM_GPU, 100, &mem), -EBUSY);
	fake_end(0);
	gin_gpu_cuda.close(again);
}
END_TEST

START_TEST(memory_freed_while_a_kernel_runs_goes_when_it_ended)
{
	struct gin_mem mem;
	int live;

	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, _i ? GIN_MEM_CPU_GPU : GIN_MEM_GPU, 100, &mem), 0);
	start_kernel();
	live = fake.live;
	gin_gpu_cuda.mem_free(gpu, &mem);
	ck_assert_ptr_null(mem.gpu);
	ck_assert_int_eq(fake.live, live);
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
	ck_assert_int_eq(fake.live, live - 2); /* the memory, and the event behind the kernel */
}
END_TEST

START_TEST(memory_goes_with_the_gpu)
{
	struct gin_mem a, b;

	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU, 100, &a), 0);
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_CPU_GPU, 100, &b), 0);
}
END_TEST

START_TEST(copies_while_a_kernel_runs)
{
	char from[] = "packet", to[7] = "";

	start_kernel();
	fake.copy_queries = 3;
	ck_assert_int_eq(gin_gpu_cuda.copy(gpu, to, from, sizeof(to)), 0);
	ck_assert_str_eq(to, "packet");
	ck_assert_int_eq(fake.calls[FAKE_EVENT_QUERY] >= 3, 1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
	fake_end(0);
}
END_TEST

START_TEST(copy_that_fails_is_an_error_with_a_line)
{
	static const enum fake_call calls[] = { FAKE_MEMCPY, FAKE_EVENT_RECORD, FAKE_EVENT_QUERY };
	char from[4] = "abc", to[4] = "";

	fake.fail[calls[_i]] = cudaErrorIllegalAddress;
	ck_assert_int_eq(gin_gpu_cuda.copy(gpu, to, from, 4), -EIO);
	fake.fail[calls[_i]] = cudaSuccess;
	ck_line_has("cudaErrorIllegalAddress");
}
END_TEST

static char pages[4 * 4096] __attribute__((aligned(4096)));

START_TEST(register_page_is_mapped_as_io_memory)
{
	void *p = NULL;

	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages + 0x800, 8, 1, &p), 0);
	ck_assert_ptr_eq(p, pages + 0x800 + FAKE_DEVICE_OFFSET);
	ck_assert_uint_eq(fake.register_flags,
			  cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory);
	gin_gpu_cuda.unmap_host(gpu, pages + 0x800);
}
END_TEST

START_TEST(host_memory_is_mapped_as_memory)
{
	void *p;

	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, sizeof(pages), 0, &p), 0);
	ck_assert_uint_eq(fake.register_flags, cudaHostRegisterPortable | cudaHostRegisterMapped);
	gin_gpu_cuda.unmap_host(gpu, pages);
}
END_TEST

START_TEST(one_page_is_registered_once_and_counted)
{
	struct gin_gpu *other = open_gpu("1");
	int live = fake.live;
	void *p, *q;

	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages + 0x800, 8, 1, &p), 0);
	ck_assert_int_eq(gin_gpu_cuda.map_host(other, pages + 0xa00, 8, 1, &q), 0);
	ck_assert_int_eq(fake.calls[FAKE_HOST_REGISTER], 1);
	gin_gpu_cuda.unmap_host(gpu, pages + 0x800);
	ck_assert_int_eq(fake.live, live + 1);
	gin_gpu_cuda.unmap_host(other, pages + 0xa00);
	ck_assert_int_eq(fake.live, live);
	gin_gpu_cuda.close(other);
}
END_TEST

START_TEST(memory_that_the_program_registered_is_fine_and_stays_registered)
{
	void *p;

	ck_assert_int_eq(cudaHostRegister(pages, 4096, 0), cudaSuccess);
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 4096, 0, &p), 0);
	gin_gpu_cuda.unmap_host(gpu, pages);
	ck_assert_int_eq(cudaHostUnregister(pages), cudaSuccess);
}
END_TEST

START_TEST(mapping_while_a_kernel_runs_is_busy_unless_it_is_there)
{
	void *p;

	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 4096, 1, &p), 0);
	start_kernel();
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 4096, 1, &p), 0);
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages + 4096, 4096, 1, &p), -EBUSY);
	ck_line_has("kernel_a");
	gin_gpu_cuda.unmap_host(gpu, pages);
	gin_gpu_cuda.unmap_host(gpu, pages); /* stays registered while the kernel runs */
	fake_end(0);
}
END_TEST

/* Between unmap and the end of the kernel the program may have put other memory at the address. */
START_TEST(a_mapping_that_waits_to_go_is_not_used_again)
{
	void *p;

	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 4096, 1, &p), 0);
	start_kernel();
	gin_gpu_cuda.unmap_host(gpu, pages);
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 4096, 1, &p), -EBUSY);
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 4096, 1, &p), 0);
	ck_assert_int_eq(fake.calls[FAKE_HOST_REGISTER], 2);
	gin_gpu_cuda.unmap_host(gpu, pages);
}
END_TEST

START_TEST(doorbell_page_that_cannot_be_mapped_says_why)
{
	void *p;

	fake.fail[FAKE_HOST_REGISTER] = cudaErrorNotPermitted; /* 800 */
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 8, 1, &p), -EPERM);
	ck_line_has("cudaErrorNotPermitted");
	ck_line_has("PeerMappingOverride=1");
	ck_line_has("GPU kernels cannot ring this NIC");
	fake.fail[FAKE_HOST_REGISTER] = cudaErrorMemoryAllocation;
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 8, 0, &p), -ENOMEM);
	ck_line_has("ulimit -l");
	fake.fail[FAKE_HOST_REGISTER] = cudaSuccess;
	fake.fail[FAKE_GET_POINTER] = cudaErrorNotSupported;
	ck_assert_int_eq(gin_gpu_cuda.map_host(gpu, pages, 8, 1, &p), -ENOTSUP);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cuda memory");
	TCase *tc = tcase_create("memory");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup_gpu, teardown_gpu);
	tcase_add_test(tc, gpu_memory_is_zeroed_and_aligned);
	tcase_add_test(tc, pinned_memory_is_portable_mapped_and_never_write_combined);
	tcase_add_test(tc, gpu_memory_on_the_cpu_by_gdrcopy);
	tcase_add_loop_test(tc, gdrcopy_that_fails_leaves_nothing, 0, 2);
	tcase_add_loop_test(tc, missing_gdrcopy_is_named, 0, 3);
	tcase_add_test(tc, coherent_machine_needs_no_gdrcopy);
	tcase_add_loop_test(tc, allocation_that_fails_leaves_nothing, 0, 10);
	tcase_add_test(tc, size_near_the_end_of_size_t_is_no_memory);
	tcase_add_loop_test(tc, allocation_while_a_kernel_runs_is_busy, 0, 3);
	tcase_add_test(tc, kernel_on_another_gpu_is_no_hindrance);
	tcase_add_test(tc, kernel_of_another_handle_on_the_same_gpu_counts);
	tcase_add_loop_test(tc, memory_freed_while_a_kernel_runs_goes_when_it_ended, 0, 2);
	tcase_add_test(tc, memory_goes_with_the_gpu);
	tcase_add_test(tc, copies_while_a_kernel_runs);
	tcase_add_loop_test(tc, copy_that_fails_is_an_error_with_a_line, 0, 3);
	tcase_add_test(tc, register_page_is_mapped_as_io_memory);
	tcase_add_test(tc, host_memory_is_mapped_as_memory);
	tcase_add_test(tc, one_page_is_registered_once_and_counted);
	tcase_add_test(tc, memory_that_the_program_registered_is_fine_and_stays_registered);
	tcase_add_test(tc, mapping_while_a_kernel_runs_is_busy_unless_it_is_there);
	tcase_add_test(tc, a_mapping_that_waits_to_go_is_not_used_again);
	tcase_add_test(tc, doorbell_page_that_cannot_be_mapped_says_why);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
