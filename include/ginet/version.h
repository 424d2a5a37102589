/* SPDX-License-Identifier: BSD-3-Clause */
/* The version, and what device code and library must agree on. */
#ifndef GINET_VERSION_H
#define GINET_VERSION_H
#define GINET_VERSION_MAJOR 0
#define GINET_VERSION_MINOR 1
#define GINET_VERSION_PATCH 0
#define GINET_VERSION (GINET_VERSION_MAJOR * 10000 + GINET_VERSION_MINOR * 100 + GINET_VERSION_PATCH)
#endif
