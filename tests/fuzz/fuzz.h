/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzz programs share. libFuzzer calls LLVMFuzzerTestOneInput() with a copy that ends where len says. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A property that must hold for every input. libFuzzer keeps the input that breaks it. */
#define FUZZ_CHECK(property)                                                                                           \
	do {                                                                                                           \
		if (!(property)) {                                                                                     \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);                  \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)
#endif
