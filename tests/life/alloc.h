/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of the library, counted and made to fail; linked with --wrap, see CMakeLists.txt. */
#ifndef TESTS_LIFE_ALLOC_H
#define TESTS_LIFE_ALLOC_H

void alloc_arm(int nth); /* the nth from now on (0: the next) returns NULL, in whatever thread it is */
void alloc_disarm(void);
int alloc_fired(void);   /* it did */
long alloc_live(void);   /* allocated and not freed */
#endif
