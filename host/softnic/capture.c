/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture=FILE: every frame that is counted as rx_wire or tx_wire, as it was on
 * the wire, goes to a file too. The plugin writes it, in batches; what waits
 * for a batch to fill is written after FLUSH_NS, so that one can look at the
 * file meanwhile. A file that cannot be written any more ends the capture, not
 * the traffic.
 */
#include "devargs.h"
#include "plugin.h"
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FLUSH_NS 100000000ull

struct sn_recorder {
	const struct sn_capture_ops *ops;
	struct sn_capture *file;
	uint64_t wall_ns;  /* what to add to the NIC's clock; fixed, so that times only grow */
	uint64_t flush_ns; /* when the oldest frame has waited long enough; 0: none waits */
};

static uint64_t wall_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int is_same_file(const struct sn_profile *p, const char *key)
{
	char other[sizeof(p->wire)];
	struct stat a, b;

	return sn_devargs_is(p->wire) && sn_devargs_get(p->wire, key, other, sizeof(other)) && !stat(p->capture, &a) &&
	       !stat(other, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* A capture empties its file. */
static int spares_the_wire(const struct sn_profile *p)
{
	if (!is_same_file(p, "rx_pcap") && !is_same_file(p, "tx_pcap"))
		return 0;
	gin_error("soft: capture=%s is the file that the wire reads or writes: take another name", p->capture);
	return -EBUSY;
}

int sn_recorder_open(struct sn_device *dev)
{
	const struct sn_profile *p = &dev->profile;
	const struct sn_plugin *plugin;
	struct sn_recorder *r;
	char nic[256];
	int err;

	if (!p->capture[0])
		return 0;
	err = spares_the_wire(p);
	if (err)
		return err;
	err = sn_plugin_load(NULL, &plugin);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	snprintf(nic, sizeof(nic), "soft:%.200s", p->wire);
	r->ops = plugin->capture;
	err = r->ops->open(p->capture, nic, &r->file);
	if (err) {
		free(r);
		return err;
	}
	r->wall_ns = wall_clock_ns() - gin_env_now(dev->env);
	dev->recorder = r;
	return 0;
}

/* What the user reads when the file is not all that passed. */
static void complaint(const struct sn_device *dev, int err, uint64_t n, char *line, size_t size)
{
	snprintf(line, size,
		 "soft: capture=%s: %s: the capture ends after %llu packets, the file is good up to there; traffic goes on",
		 dev->profile.capture, strerror(-err), (unsigned long long)n);
}

void sn_recorder_close(struct sn_device *dev)
{
	struct sn_recorder *r = dev->recorder;
	char line[400];
	uint64_t n;
	int err;

	if (!r)
		return;
	dev->recorder = NULL;
	err = r->ops->close(r->file, &n);
	free(r);
	if (!err)
		return;
	complaint(dev, err, n, line, sizeof(line));
	gin_error("%s", line);
}

/* With the lock held. */
static void give_up(struct sn_device *dev, int err)
{
	struct sn_recorder *r = dev->recorder;
	char line[400];
	uint64_t n;

	dev->recorder = NULL;
	r->ops->close(r->file, &n);
	free(r);
	complaint(dev, err, n, line, sizeof(line));
	sn_note(dev, GIN_LOG_ERROR, "%s", line);
}

void sn_record_frame(struct sn_device *dev, int sent, const struct sn_frame *frame)
{
	struct sn_recorder *r = dev->recorder;
	uint64_t now = gin_env_now(dev->env);
	int err = r->ops->write(r->file, sent, frame, r->wall_ns + now);

	if (err) {
		give_up(dev, err);
		return;
	}
	if (r->flush_ns)
		return;
	r->flush_ns = now + FLUSH_NS;
	sn_engine_rang(); /* a thread that sleeps would not know that there is a time to wake up at */
}

void sn_recorder_look(struct sn_device *dev)
{
	struct sn_recorder *r = dev->recorder;
	int err;

	if (!r->flush_ns || gin_env_now(dev->env) < r->flush_ns)
		return;
	r->flush_ns = 0;
	err = r->ops->flush(r->file);
	if (err)
		give_up(dev, err);
}

uint64_t sn_recorder_next_ns(const struct sn_device *dev)
{
	const struct sn_recorder *r = dev->recorder;

	return r && r->flush_ns ? r->flush_ns : UINT64_MAX;
}
