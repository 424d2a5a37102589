/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A decorator of the seam that makes calls fail, for tests of what happens
 * then. One plan per process; arm it before the NIC is opened.
 */
#ifndef HOST_NIC_INJECT_H
#define HOST_NIC_INJECT_H
#include "ops.h"

/* Let the nth call from now on (0: the next) of those that can fail return err, without reaching the back end. */
void gin_inject_arm(uint32_t nth, int err);
void gin_inject_disarm(void);
uint32_t gin_inject_calls(void); /* calls that could have failed since armed */

/* The table to use: ops itself, or the decorated one while armed. */
const struct gin_nic_ops *gin_inject_ops(const struct gin_nic_ops *ops);
struct gin_nic_dev *gin_inject_inner(struct gin_nic_dev *dev); /* the back end's device, decorated or not */
#endif
