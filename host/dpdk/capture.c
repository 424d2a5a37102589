/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capture files: pcapng, by rte_pcapng. It wants an ethdev for each interface
 * and mbufs for packets: one net_null port stands for all software NICs, and
 * frames are copied once, into mbufs that are written in batches.
 *
 * A file ends with a whole block whatever happens: what a full disk has cut is
 * taken away again.
 */
#include "dpdk.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rte_dev.h>
#include <rte_pcapng.h>
#include <rte_version.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define IDENTITY "net_null_ginet"
#define SNAP 9260u        /* the longest frame of a port, with two tags: SN_FRAME_MAX and a little */
#define BATCH 64u

struct sn_capture {
	int fd;
	int is_new;           /* we made it */
	rte_pcapng_t *file;
	struct rte_mempool *pool;
	off_t end;            /* of the last whole block that is known to be in the file */
	uint64_t n;           /* packets up to there */
	uint32_t n_waiting;
	struct rte_mbuf *waiting[BATCH];
};

/* Made with the first capture, and kept: DPDK is never stopped either. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint16_t port = RTE_MAX_ETHPORTS;

static int find_port(const char *path)
{
	char package[96];
	int err;

	if (dpdk_driver_find("net_null", package, sizeof(package))) {
		dpdk_error("soft: capture=%s: DPDK's driver net_null is not installed (Debian: apt-get install %s); start the program "
			   "again then",
			   path, package);
		return -ENODEV;
	}
	err = rte_eal_hotplug_add("vdev", IDENTITY, "");
	if (!err || err == -EEXIST)
		err = rte_eth_dev_get_port_by_name(IDENTITY, &port);
	if (err)
		dpdk_error("soft: capture=%s: DPDK cannot make %s: %s", path, IDENTITY, strerror(-err));
	return err;
}

static int make_port(const char *path)
{
	int err = 0;

	pthread_mutex_lock(&lock);
	if (port == RTE_MAX_ETHPORTS)
		err = find_port(path);
	pthread_mutex_unlock(&lock);
	return err;
}

static int make_pool(struct sn_capture *c, const char *path)
{
	static uint32_t n_pools; /* atomic */
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "ginet_capture_%u", __atomic_add_fetch(&n_pools, 1, __ATOMIC_RELAXED));
	c->pool = rte_pktmbuf_pool_create(name, BATCH + 1, 0, 0, (uint16_t)rte_pcapng_mbuf_size(SNAP), SOCKET_ID_ANY);
	if (c->pool)
		return 0;
	dpdk_error("soft: capture=%s: no memory in DPDK for %u packets: close other NICs", path, BATCH + 1);
	return -ENOMEM;
}

/* The file */

static const char *remedy(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return "take a folder that you may write to";
	case -ENOENT:
	case -ENOTDIR:
		return "make the folder first";
	case -EISDIR:
		return "name a file in it";
	case -ENXIO:
	case -ENOTSUP:
		return "only a regular file can be written";
	case -EBUSY:
		return "another NIC or program writes to it; take another name";
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		return "make room";
	default:
		return "take another file";
	}
}

static int refuse(const char *path, int err)
{
	dpdk_error("soft: capture=%s: %s: %s", path,
	       err == -ENXIO || err == -ENOTSUP ? "not a regular file" : strerror(-err), remedy(err));
	return err == -ENXIO ? -ENOTSUP : err;
}

/* O_NONBLOCK: a FIFO without reader must not hold us up. */
static int open_or_create(struct sn_capture *c, const char *path)
{
	int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK;

	c->fd = open(path, flags | O_CREAT | O_EXCL, 0666);
	c->is_new = c->fd >= 0;
	if (c->fd < 0 && errno == EEXIST)
		c->fd = open(path, flags);
	return c->fd < 0 ? -errno : 0;
}

/* Nothing of it is changed before it is ours alone. */
static int open_file(struct sn_capture *c, const char *path)
{
	struct stat st;
	int err = open_or_create(c, path);

	if (err)
		return err;
	if (fstat(c->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOTSUP;
	if (flock(c->fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return ftruncate(c->fd, 0) ? -errno : 0;
}

/*
 * Blocks of pcapng begin with type and length, 4 bytes each (pcapng,
 * draft-ietf-opsawg-pcapng 3.1). The end of the last whole one behind "from".
 */
static off_t whole_blocks(int fd, off_t from, uint64_t *n)
{
	struct stat st;
	uint32_t head[2];

	if (fstat(fd, &st))
		return from;
	while (pread(fd, head, sizeof(head), from) == (ssize_t)sizeof(head) && head[1] >= 12 && st.st_size - from >= head[1]) {
		from += head[1];
		(*n)++;
	}
	return from;
}

/* Why the file did not grow as it should: the next byte tells. */
static int cause_of_short_write(int fd)
{
	return write(fd, "", 1) < 0 ? -errno : -EIO;
}

/* A file above RLIMIT_FSIZE must not end the process. */
static void block_sigxfsz(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void restore_sigxfsz(const sigset_t *old)
{
	static const struct timespec now;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	if (!sigismember(old, SIGXFSZ))
		while (sigtimedwait(&set, NULL, &now) == SIGXFSZ)
			;
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Until 22.11 each port of the process becomes an interface by itself. */
static int add_interface(rte_pcapng_t *file, const char *nic)
{
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
	return rte_pcapng_add_interface(file, port, DLT_EN10MB, nic, "software ConnectX", NULL);
#elif RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_pcapng_add_interface(file, port, nic, "software ConnectX", NULL);
#else
	(void)file;
	(void)nic;
	return 0;
#endif
}

/* The blocks in front of the packets. */
static int write_header(struct sn_capture *c, const char *nic)
{
	uint64_t n = 0;
	struct stat st;

	c->file = rte_pcapng_fdopen(c->fd, NULL, "software ConnectX", "ginet", nic);
	if (!c->file || add_interface(c->file, nic) < 0)
		return cause_of_short_write(c->fd);
	c->end = whole_blocks(c->fd, 0, &n);
	if (fstat(c->fd, &st))
		return -errno;
	return st.st_size == c->end ? 0 : cause_of_short_write(c->fd);
}

static void capture_free(struct sn_capture *c)
{
	if (c->file)
		rte_pcapng_close(c->file); /* closes fd */
	else if (c->fd >= 0)
		close(c->fd);
	rte_mempool_free(c->pool);
	free(c);
}

static int open_all(const char *path, const char *nic, struct sn_capture **out)
{
	struct sn_capture *c;
	int err = make_port(path);

	if (err)
		return err;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->fd = -1;
	err = make_pool(c, path);
	if (err)
		goto err_free;
	err = open_file(c, path);
	if (!err)
		err = write_header(c, nic);
	if (err) {
		err = refuse(path, err);
		goto err_unlink;
	}
	*out = c;
	return 0;

err_unlink:
	if (c->is_new)
		unlink(path);
err_free:
	capture_free(c);
	return err;
}

static int capture_open(const char *path, const char *nic, struct sn_capture **out)
{
	sigset_t old;
	int err;

	block_sigxfsz(&old);
	err = open_all(path, nic, out);
	restore_sigxfsz(&old);
	return err;
}

/* Whether rte_pcapng_write_packets() frees packets is not the same in header and code of DPDK 22.11: not this one. */
static void free_waiting(struct sn_capture *c)
{
	while (c->n_waiting) {
		struct rte_mbuf *m = c->waiting[--c->n_waiting];

		rte_mbuf_refcnt_set(m, 1);
		rte_pktmbuf_free(m);
	}
}

static ssize_t write_packets(struct sn_capture *c)
{
	sigset_t old;
	ssize_t n;
	uint32_t i;

	for (i = 0; i < c->n_waiting; i++)
		rte_mbuf_refcnt_update(c->waiting[i], 1);
	block_sigxfsz(&old);
	n = rte_pcapng_write_packets(c->file, c->waiting, (uint16_t)c->n_waiting);
	if (n < 0)
		n = -errno;
	restore_sigxfsz(&old);
	return n;
}

/* The rest of a batch that was cut goes. */
static int cut(struct sn_capture *c, int err)
{
	sigset_t old;

	block_sigxfsz(&old);
	if (!err)
		err = cause_of_short_write(c->fd);
	restore_sigxfsz(&old);
	c->end = whole_blocks(c->fd, c->end, &c->n);
	if (ftruncate(c->fd, c->end))
		return -errno;
	return err;
}

static int capture_flush(struct sn_capture *c)
{
	ssize_t size = 0, n;
	uint32_t i;

	if (!c->n_waiting)
		return 0;
	for (i = 0; i < c->n_waiting; i++)
		size += rte_pktmbuf_pkt_len(c->waiting[i]);
	n = write_packets(c);
	if (n == size) {
		c->end += size;
		c->n += c->n_waiting;
	}
	free_waiting(c);
	return n == size ? 0 : cut(c, n < 0 ? (int)n : 0);
}

static void no_free(void *addr, void *opaque)
{
	(void)addr;
	(void)opaque;
}

static struct rte_mbuf *format(struct sn_capture *c, const struct rte_mbuf *m, int sent, uint64_t ns)
{
	enum rte_pcapng_direction dir = sent ? RTE_PCAPNG_DIRECTION_OUT : RTE_PCAPNG_DIRECTION_IN;
	struct rte_mbuf *block;

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
	(void)ns; /* takes the time by itself */
	block = rte_pcapng_copy(port, 0, m, c->pool, SNAP, dir, NULL);
#else
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	block = rte_pcapng_copy(port, 0, m, c->pool, SNAP, 0, dir, NULL);
#else
	block = rte_pcapng_copy(port, 0, m, c->pool, SNAP, 0, dir);
#endif
	/*
	 * It makes the time from TSC cycles, by an estimate of their rate, and a year in the far future of cycles
	 * older than its first call. We know better: 64 bit in two words behind type, length and interface
	 * (draft-ietf-opsawg-pcapng 4.3), in ns, as it says of its interfaces.
	 */
	if (block) {
		uint32_t *word = rte_pktmbuf_mtod(block, uint32_t *);

		word[3] = (uint32_t)(ns >> 32);
		word[4] = (uint32_t)ns;
	}
#endif
	return block;
}

static int capture_write(struct sn_capture *c, int sent, const struct sn_frame *frame, uint64_t ns)
{
	struct rte_mbuf_ext_shared_info info = { .free_cb = no_free };
	struct rte_mbuf *m, *block;

	if (!frame->len) /* of another capture: rte_pcapng cannot write it, and no Ethernet has it */
		return 0;
	m = rte_pktmbuf_alloc(c->pool);
	if (!m)
		return -ENOMEM;
	rte_mbuf_ext_refcnt_set(&info, 1);
	rte_pktmbuf_attach_extbuf(m, (void *)(uintptr_t)frame->data, RTE_BAD_IOVA, (uint16_t)frame->len, &info);
	m->pkt_len = frame->len;
	m->data_len = (uint16_t)frame->len;
	block = format(c, m, sent, ns);
	rte_pktmbuf_free(m);
	if (!block)
		return -ENOMEM;
	c->waiting[c->n_waiting++] = block;
	return c->n_waiting == BATCH ? capture_flush(c) : 0;
}

static int capture_close(struct sn_capture *c, uint64_t *n)
{
	int err = capture_flush(c);

	*n = c->n;
	capture_free(c);
	return err;
}

const struct sn_capture_ops dpdk_capture = {
	.open = capture_open, .write = capture_write, .flush = capture_flush, .close = capture_close,
};
