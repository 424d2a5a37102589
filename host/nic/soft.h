/* SPDX-License-Identifier: BSD-3-Clause */
/* The software ConnectX as a back end of the seam. */
#ifndef HOST_NIC_SOFT_H
#define HOST_NIC_SOFT_H
#include "ops.h"

struct sn_device;

extern const struct gin_nic_ops gin_nic_soft;
struct sn_device *gin_nic_soft_device(struct gin_nic_dev *dev); /* tests: to put and take frames, pull the cable */
#endif
