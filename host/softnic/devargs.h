/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of DPDK devices and their arguments, checked before DPDK sees them. Pure; knows no DPDK. */
#ifndef HOST_SOFTNIC_DEVARGS_H
#define HOST_SOFTNIC_DEVARGS_H
#include <stddef.h>

#define SN_DEVARGS_MAX 1024u
#define SN_DEVARGS_KINDS "net_DRIVER0 or a PCI address (DPDK)" /* for the list of known wires */

/* "net_tap0", "0000:03:00.0", "03:00.0": a DPDK device. */
int sn_devargs_is_device(const char *word);
/* The same of a whole "net_tap0,iface=gin0". */
int sn_devargs_is(const char *text);
int sn_devargs_is_pci(const char *text);

/* Starts devargs with the device's name, in the form that DPDK uses. 0, or -EINVAL and *why. */
int sn_devargs_start(char devargs[SN_DEVARGS_MAX], const char *device, char *why, size_t why_size);
/* Adds one pair. 0, or -EINVAL and *why: "unknown key 'x'; keys of net_tap: iface=NAME, remote=NAME". */
int sn_devargs_add(char devargs[SN_DEVARGS_MAX], const char *key, const char *value, char *why, size_t why_size);
/* All pairs are there: what the driver cannot do without. */
int sn_devargs_finish(const char *devargs, char *why, size_t why_size);

/* The value of a key: 1, or 0 when it is not there. Values that do not fit are cut. */
int sn_devargs_get(const char *devargs, const char *key, char *value, size_t size);
/* "net_tap0,iface=gin0" -> "net_tap", of a PCI device "". */
const char *sn_devargs_driver(const char *devargs, char *driver, size_t size);
#endif
