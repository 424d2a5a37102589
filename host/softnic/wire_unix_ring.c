/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rings of a "unix" wire. Sleeping without missing anything: the one who
 * goes to sleep sets its "wants" word and then looks at the index once more;
 * the other moves the index and then reads the word. All four are sequentially
 * consistent.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "wire_unix.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define RECORD_HEAD 8u

static uint32_t record_bytes(uint32_t len)
{
	return RECORD_HEAD + ((len + 7u) & ~7u);
}

static int map(int fd, struct ux_shared **out)
{
	void *p = mmap(NULL, sizeof(**out), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*out = p;
	return 0;
}

static int make_memfd(void)
{
	int fd = memfd_create("ginet-unix", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	/* All pages now: a machine without memory says so here, not by SIGBUS later. */
	err = posix_fallocate(fd, 0, sizeof(struct ux_shared));
	if (!err && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = errno;
	if (!err)
		return fd;
	close(fd);
	return -err;
}

int ux_shared_create(struct ux_shared **out)
{
	int fd = make_memfd(), err;

	if (fd < 0)
		return fd;
	err = map(fd, out);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Memory that may shrink, or that huge pages stand behind, can end in SIGBUS. */
static int is_safe(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;
	struct stat st;

	return seals >= 0 && (seals & F_SEAL_SHRINK) && !fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC &&
	       !fstat(fd, &st) && st.st_size >= (off_t)sizeof(struct ux_shared);
}

int ux_shared_map(int fd, struct ux_shared **out)
{
	if (!is_safe(fd) || map(fd, out))
		return -EPROTO;
	return 0;
}

void ux_shared_unmap(struct ux_shared *shared)
{
	if (shared)
		munmap(shared, sizeof(*shared));
}

static int look_at_head(struct ux_tx *tx)
{
	uint32_t head = __atomic_load_n(&tx->ring->head, __ATOMIC_SEQ_CST);

	if (tx->tail - head > UX_RING_BYTES)
		return -EPROTO;
	tx->head = head;
	return 0;
}

static int fits(const struct ux_tx *tx, uint32_t len)
{
	return UX_RING_BYTES - (tx->tail - tx->head) >= record_bytes(len);
}

int ux_tx_room(struct ux_tx *tx, uint32_t len)
{
	int err;

	if (fits(tx, len))
		return 1;
	err = look_at_head(tx);
	return err ? err : fits(tx, len);
}

int ux_tx_await_room(struct ux_tx *tx, uint32_t len)
{
	int room = ux_tx_room(tx, len);

	if (room)
		return room;
	__atomic_store_n(&tx->ring->wants_room, 1, __ATOMIC_SEQ_CST);
	return ux_tx_room(tx, len);
}

static void copy_in(struct ux_ring *ring, uint32_t at, const uint8_t *from, uint32_t len)
{
	uint32_t first = UX_RING_BYTES - at;

	if (first > len)
		first = len;
	memcpy(ring->data + at, from, first);
	memcpy(ring->data, from + first, len - first);
}

static void copy_out(const struct ux_ring *ring, uint32_t at, uint8_t *to, uint32_t len)
{
	uint32_t first = UX_RING_BYTES - at;

	if (first > len)
		first = len;
	memcpy(to, ring->data + at, first);
	memcpy(to + first, ring->data, len - first);
}

/* Records start at eights, so a length never lies across the end. */
static uint32_t *length_at(struct ux_ring *ring, uint32_t at)
{
	return (uint32_t *)(void *)(ring->data + at);
}

void ux_tx_put(struct ux_tx *tx, const struct sn_frame *frame)
{
	uint32_t at = tx->tail % UX_RING_BYTES;

	__atomic_store_n(length_at(tx->ring, at), frame->len, __ATOMIC_RELAXED);
	copy_in(tx->ring, (at + RECORD_HEAD) % UX_RING_BYTES, frame->data, frame->len);
	tx->tail += record_bytes(frame->len);
	__atomic_store_n(&tx->ring->tail, tx->tail, __ATOMIC_SEQ_CST);
}

static int is_asked(uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST) && __atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST);
}

int ux_tx_must_wake(struct ux_tx *tx)
{
	return is_asked(&tx->ring->wants_frames);
}

static int look_at_tail(struct ux_rx *rx)
{
	uint32_t tail = __atomic_load_n(&rx->ring->tail, __ATOMIC_SEQ_CST);

	if (tail - rx->head > UX_RING_BYTES)
		return -EPROTO;
	rx->tail = tail;
	return 0;
}

/* 1: a frame, 0: none. */
static int has_frame(struct ux_rx *rx)
{
	int err = 0;

	if (rx->tail == rx->head && !rx->last)
		err = look_at_tail(rx);
	return err ? err : rx->tail != rx->head;
}

int ux_rx_take(struct ux_rx *rx, uint8_t buf[SN_FRAME_MAX])
{
	uint32_t at = rx->head % UX_RING_BYTES, len;
	int has = has_frame(rx);

	if (has <= 0)
		return has ? has : -EAGAIN;
	/* Read once: the other side may change it while we look. */
	len = __atomic_load_n(length_at(rx->ring, at), __ATOMIC_RELAXED);
	if (len < UX_FRAME_MIN || len > SN_FRAME_MAX || record_bytes(len) > rx->tail - rx->head)
		return -EPROTO;
	copy_out(rx->ring, (at + RECORD_HEAD) % UX_RING_BYTES, buf, len);
	rx->head += record_bytes(len);
	__atomic_store_n(&rx->ring->head, rx->head, __ATOMIC_SEQ_CST);
	return (int)len;
}

/* At half, so that a sender that waits gets room for a burst, not for a frame. */
int ux_rx_must_wake(struct ux_rx *rx)
{
	return rx->tail - rx->head <= UX_RING_BYTES / 2 && is_asked(&rx->ring->wants_room);
}

int ux_rx_await(struct ux_rx *rx)
{
	int has = has_frame(rx);

	if (has || rx->last)
		return has;
	__atomic_store_n(&rx->ring->wants_frames, 1, __ATOMIC_SEQ_CST);
	return has_frame(rx);
}

void ux_rx_stop(struct ux_rx *rx)
{
	rx->last = 1;
	if (look_at_tail(rx))
		rx->tail = rx->head; /* nonsense is not taken */
}
