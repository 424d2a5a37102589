/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the DPDK plugin (host/dpdk) and the software NIC know of each other. The
 * plugin is a shared object of its own, ginet-dpdk.so, loaded when the first
 * device string asks for it: programs that use no DPDK wire neither link nor
 * load DPDK. It calls back through a table only, so that it also works in
 * programs that are linked with the static libginet.
 */
#ifndef HOST_SOFTNIC_PLUGIN_H
#define HOST_SOFTNIC_PLUGIN_H
#include <ginet/log.h>
#include "softnic.h"
#include "wire.h"

#define SN_PLUGIN_FILE "ginet-dpdk.so"
#define SN_PLUGIN_SYMBOL "gin_dpdk_plugin" /* a const struct sn_plugin */

/* log, rang: any thread; all others: with the shard's lock held. */
struct sn_plugin_host {
	void (*log)(enum gin_log_level level, const char *line);
	void (*note)(struct sn_device *dev, enum gin_log_level level, const char *line);
	void (*arrived)(struct sn_device *dev, uint32_t len); /* a frame came from outside: counts it as rx_wire */
	void (*update_link)(struct sn_device *dev);
	const struct sn_profile *(*profile)(const struct sn_device *dev);
	void (*set_mac)(struct sn_device *dev, const uint8_t mac[6]); /* in open(): the port's, if the profile has none */
	uint64_t (*now_ns)(const struct sn_device *dev);
	void (*rang)(void); /* wake a sleeping engine */
};

/* A capture file, pcapng. write and flush: with the shard's lock held; open and close: without. */
struct sn_capture;
struct sn_capture_ops {
	/*
	 * nic: to be named in the file. Logs cause and remedy: -EACCES, -ENOENT, -ENOSPC, -EISDIR, -ENOTSUP (not a
	 * regular file), -EBUSY (another NIC or program captures to it), -ENOMEM.
	 */
	int (*open)(const char *path, const char *nic, struct sn_capture **out);
	/* sent: 1 out, 0 in. ns: since 1970. Buffered. 0, or why no more can be written (-ENOSPC): then close it. */
	int (*write)(struct sn_capture *capture, int sent, const struct sn_frame *frame, uint64_t ns);
	int (*flush)(struct sn_capture *capture); /* 0, or as write */
	/* n: packets in the file. 0, or why some could not be written: the file is whole up to there. */
	int (*close)(struct sn_capture *capture, uint64_t *n);
};

struct sn_plugin {
	uint32_t version; /* SN_PLUGIN_VERSION */
	/*
	 * Starts DPDK, or joins the one that the program has started: once, without
	 * any lock; may take 150 ms. devargs: of the wire that is first, as a PCI
	 * device must be known then; NULL: none. Logs cause and remedy, and fails
	 * again in the same way when it is called again.
	 */
	int (*init)(const struct sn_plugin_host *host, const char *devargs);
	/* 0, or devargs that cannot be, said in one line: -EINVAL, -ENODEV, -ENOENT, -EACCES. Without any lock. */
	int (*check)(const char *devargs);
	/* open(dev, "net_tap0,iface=gin0", &wire) */
	const struct sn_wire_ops *ethdev;
	const struct sn_capture_ops *capture;
};

/* What must be the same on both sides; grows with each table. */
#define SN_PLUGIN_VERSION                                                                                           \
	(0x01000000u + (uint32_t)(sizeof(struct sn_plugin) << 16 ^ sizeof(struct sn_plugin_host) << 11 ^            \
				  sizeof(struct sn_wire_ops) << 6 ^ sizeof(struct sn_capture_ops) << 3 ^             \
				  sizeof(struct sn_profile)))

/*
 * plugin.c: load it and start DPDK; devargs as for init(). Without any lock.
 * -ENOENT, -ENOTSUP, -ESTALE: logged with what to install or build.
 */
int sn_plugin_load(const char *devargs, const struct sn_plugin **out);
/* The one that was loaded, or NULL. */
const struct sn_plugin *sn_plugin_loaded(void);
#endif
