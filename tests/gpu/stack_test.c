/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards of lanes' stacks, on kernels that lack one way after the other. */
#include "gpu/stack.h"
#include "run.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int old_kernel; /* before Linux 6.13: no MADV_GUARD_INSTALL */

int __real_madvise(void *addr, size_t len, int advice);
int __wrap_madvise(void *addr, size_t len, int advice);

int __wrap_madvise(void *addr, size_t len, int advice)
{
	if (advice == 102 && old_kernel) {
		errno = EINVAL;
		return -1;
	}
	return __real_madvise(addr, len, advice);
}

/* Does a store just below stack i end the process? */
static int is_guarded(const struct gin_stacks *stacks, uint32_t i)
{
	volatile uint8_t *below = (uint8_t *)gin_stacks_at(stacks, i) - 1;
	int status;
	pid_t pid = fork();

	if (!pid) {
		fclose(stderr);
		*below = 1;
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status != 0;
}

static void fill(const struct gin_stacks *stacks)
{
	uint32_t i;

	for (i = 0; i < stacks->n; i++)
		memset(gin_stacks_at(stacks, i), 0x5a, stacks->size);
}

START_TEST(stacks_are_guarded)
{
	struct gin_stacks *stacks;

	old_kernel = _i;
	stacks = gin_stacks_create(3, 65536);
	ck_assert_ptr_nonnull(stacks);
	if (old_kernel)
		ck_assert_int_eq(stacks->guard, GIN_GUARD_PAGE);
	else
		ck_assert_int_ne(stacks->guard, GIN_GUARD_CANARY);
	fill(stacks);
	ck_assert(is_guarded(stacks, 0) && is_guarded(stacks, 2));
	ck_assert(gin_stacks_intact(stacks, 1));
	gin_stacks_destroy(stacks);
	gin_stacks_destroy(NULL);
}
END_TEST

START_TEST(beyond_16384_lanes_a_canary_watches)
{
	struct gin_stacks *pages[17];
	int i;

	old_kernel = 1;
	for (i = 0; i < 17; i++) {
		pages[i] = gin_stacks_create(1024, 16384);
		ck_assert_ptr_nonnull(pages[i]);
		ck_assert_int_eq(pages[i]->guard, i < 16 ? GIN_GUARD_PAGE : GIN_GUARD_CANARY);
	}
	fill(pages[16]);
	ck_assert(gin_stacks_intact(pages[16], 0) && gin_stacks_intact(pages[16], 1023));
	((uint8_t *)gin_stacks_at(pages[16], 7))[-1] = 0;
	ck_assert(!gin_stacks_intact(pages[16], 7));
	ck_assert(gin_stacks_intact(pages[16], 6) && gin_stacks_intact(pages[16], 8));
	gin_stacks_destroy(pages[0]); /* makes room again */
	pages[0] = gin_stacks_create(1024, 16384);
	ck_assert_int_eq(pages[0]->guard, GIN_GUARD_PAGE);
	for (i = 0; i < 17; i++)
		gin_stacks_destroy(pages[i]);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("stack");

	tcase_add_loop_test(tc, stacks_are_guarded, 0, 2);
	tcase_add_test(tc, beyond_16384_lanes_a_canary_watches);
	return run_cases(tc);
}
