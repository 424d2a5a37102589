/* SPDX-License-Identifier: BSD-3-Clause */
/* The other end of a sample's wire: frames put into it, frames that came out. */
#ifndef GPUCHECK_PEER_H
#define GPUCHECK_PEER_H
#include "check.h"
#include <sys/types.h>

enum { FRAME_MAX = 1514, FRAMES = 64 };

struct frame { uint32_t len; uint8_t bytes[FRAME_MAX]; };

struct program { /* a sample that runs */
	pid_t pid;
	int out, err;   /* what it says */
	char text[8192]; /* stdout so far */
	size_t n;
};

/* Start it and wait for its first line. 0 or -1 with the row's note. */
int program_start(struct program *p, struct result *r, char *const argv[]);
/* Wait for its end, which must be good: exit code 0. interrupt: Ctrl-C first. */
int program_end(struct program *p, struct result *r, int interrupt);
int program_sums(const struct program *p, struct result *r); /* its counters add up, it said */
void program_kill(struct program *p); /* whatever is left of it */

/* 0: this process is in a network namespace of its own where it may open a TAP; else why not stands in why. */
int tap_possible(char *why, size_t size);
int tap_open(const char *ifname, struct result *r); /* a socket on the kernel's end; -1 with the note */
int tap_put(int sock, const struct frame *f, struct result *r);
int tap_get(int sock, struct frame *f, uint32_t ms); /* what the NIC sent: 1, 0 nothing in time */
uint64_t tap_taken(const char *ifname);               /* frames that the NIC took from its end */

/* Captures, for who may not open a TAP. 0, or -1 with the note. */
int capture_write(const char *path, const struct frame *f, int n, struct result *r);
int capture_read(const char *path, struct frame *f, int max, int *n, struct result *r);
#endif
