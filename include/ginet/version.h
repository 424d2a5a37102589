/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The version, and what device code and library must agree on.
 *
 * A minor version may change anything, patch levels change no struct and no
 * meaning. So kernels, programs and libraries of the same major and minor
 * version go together, and no others:
 *   - gin_launch() of a kernel that another version's headers made is -ESTALE,
 *     as is one whose queue handles have another size;
 *   - libginet.so.0.1 is part of the name that programs ask the loader for, and
 *     GINET_0.1 of each symbol.
 * For that, struct gin_kernel starts with name, version and sizes for ever.
 */
#ifndef GINET_VERSION_H
#define GINET_VERSION_H
#define GINET_VERSION_MAJOR 0
#define GINET_VERSION_MINOR 1
#define GINET_VERSION_PATCH 0
#define GINET_VERSION (GINET_VERSION_MAJOR * 10000 + GINET_VERSION_MINOR * 100 + GINET_VERSION_PATCH)
#endif
