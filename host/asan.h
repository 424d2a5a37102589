/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that nobody may touch now, for AddressSanitizer. Weak: libginet need
 * not be built with it, it is enough that the program's kernels are. Without
 * it these do nothing.
 */
#ifndef HOST_ASAN_H
#define HOST_ASAN_H
#include <stddef.h>

void __asan_poison_memory_region(const volatile void *addr, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *addr, size_t size) __attribute__((weak));

static inline int gin_asan_is_on(void)
{
	return __asan_poison_memory_region != NULL;
}

static inline void gin_asan_poison(const void *addr, size_t size)
{
	if (__asan_poison_memory_region)
		__asan_poison_memory_region(addr, size);
}

static inline void gin_asan_unpoison(const void *addr, size_t size)
{
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(addr, size);
}
#endif
