/* SPDX-License-Identifier: BSD-3-Clause */
/* "auto,iface=X": see auto.c. In a profile it stands as "auto=X". */
#ifndef HOST_SOFTNIC_AUTO_H
#define HOST_SOFTNIC_AUTO_H
#include "softnic.h"

#define SN_AUTO "auto"
#define SN_AUTO_KINDS "auto,iface=IFNAME" /* for the list of known wires */

int sn_auto_is(const char *wire);
int sn_auto_is_complete(const char *wire); /* it knows its interface */
int sn_auto_set(char *wire, size_t size, const char *key, const char *value); /* 0 or -EINVAL */
/* As sn_device_create(), by the first way that works. One line says which, and what stopped those before it. */
int sn_auto_create(const struct sn_profile *profile, const struct gin_env *env, struct sn_device **out);
#endif
