/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that a program sets up, one step after the other, so that a test can let each step fail once. */
#ifndef TESTS_LIFE_SCENE_H
#define TESTS_LIFE_SCENE_H

/* This thread is in the test, not in the library. Always 0 in the library's own threads. */
extern __thread int scene_outside;

/*
 * Set all up, launch, close all. A step that fails must return err (0: -ENOMEM
 * or -EREMOTEIO, which a NIC without memory says), say so in one line and leave
 * nothing; disarm is then called, and the same step must succeed. Returns how
 * many steps failed.
 */
int scene_run(int err, void (*disarm)(void));
#endif
