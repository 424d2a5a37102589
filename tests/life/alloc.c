/* SPDX-License-Identifier: BSD-3-Clause */
#include "alloc.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "scene.h"

static int left = -1; /* allocations until the one that fails; negative: none will. Atomic, like the others. */
static int fired;
static long live;

void alloc_arm(int nth)
{
	__atomic_store_n(&fired, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&left, nth, __ATOMIC_SEQ_CST);
}

void alloc_disarm(void)
{
	__atomic_store_n(&left, -1, __ATOMIC_SEQ_CST);
}

int alloc_fired(void)
{
	return __atomic_load_n(&fired, __ATOMIC_SEQ_CST);
}

long alloc_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_SEQ_CST);
}

static int must_fail(void)
{
	if (scene_outside || __atomic_load_n(&left, __ATOMIC_SEQ_CST) < 0 || __atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST) != 0)
		return 0;
	__atomic_store_n(&fired, 1, __ATOMIC_SEQ_CST);
	return 1;
}

static void *counted(void *p)
{
	if (p && !scene_outside)
		__atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
	return p;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **p, size_t align, size_t size);
char *__wrap_strdup(const char *s);
void __wrap_free(void *p);

void *__wrap_malloc(size_t size)
{
	return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return must_fail() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	void *q = must_fail() ? NULL : __real_realloc(p, size);

	return p ? q : counted(q);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return must_fail() ? NULL : counted(__real_aligned_alloc(align, size));
}

int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
	int err = must_fail() ? ENOMEM : __real_posix_memalign(p, align, size);

	if (!err)
		counted(*p);
	return err;
}

char *__wrap_strdup(const char *s)
{
	char *copy = __wrap_malloc(strlen(s) + 1);

	return copy ? strcpy(copy, s) : NULL;
}

void __wrap_free(void *p)
{
	if (p && !scene_outside)
		__atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST);
	__real_free(p);
}
