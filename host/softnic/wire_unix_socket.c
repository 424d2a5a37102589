/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The path of a "unix" wire: join whoever hosts it, or host it. A socket whose
 * program died refuses connections: it is removed. Those who come at the same
 * moment take turns by a lock on the folder, which leaves no file behind.
 */
#include "wire_unix.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG 64
#define LOCK_TRIES 50 /* of a millisecond: others hold it for less than one */

static int refuse(struct sn_device *dev, const char *path, int err, const char *why)
{
	sn_note(dev, GIN_LOG_ERROR, "soft: unix=%.120s: %s", path, why);
	return err;
}

static int open_error(struct sn_device *dev, const char *path, int err)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
		return refuse(dev, path, -ENOENT, "the folder does not exist: mkdir it, or take another path");
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return refuse(dev, path, -EACCES,
			      "no right to join or to make a socket there: take a folder of your own, or let the socket's "
			      "owner allow you to write to it (chmod)");
	case -EPROTOTYPE:
		return refuse(dev, path, -EBUSY, "another program holds this socket: take another path");
	case -EAGAIN:
		return refuse(dev, path, -EBUSY,
			      "the program that holds this socket takes nobody in: see whether it is stopped, or take "
			      "another path");
	case -EBUSY:
		return refuse(dev, path, err,
			      "another program keeps its folder locked (flock): take a folder of your own");
	case -EMFILE:
	case -ENFILE:
		return refuse(dev, path, err, "no descriptor is left: raise ulimit -n");
	default:
		return refuse(dev, path, err, strerror(-err));
	}
}

static int fill_address(struct sn_device *dev, const char *path, struct sockaddr_un *addr)
{
	char why[128];

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	if (strlen(path) < sizeof(addr->sun_path)) {
		strcpy(addr->sun_path, path);
		return 0;
	}
	snprintf(why, sizeof(why), "the path has %zu characters, a socket's has at most %zu: take a shorter one",
		 strlen(path), sizeof(addr->sun_path) - 1);
	return refuse(dev, path, -ENAMETOOLONG, why);
}

static int make_socket(struct ux_place *place)
{
	place->sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return place->sock < 0 ? -errno : 0;
}

static int join(struct ux_place *place)
{
	int err = make_socket(place);

	if (err)
		return err;
	if (!connect(place->sock, (struct sockaddr *)&place->addr, sizeof(place->addr)))
		return 0;
	err = -errno;
	close(place->sock);
	place->sock = -1;
	return err;
}

static int lock_folder(const char *path)
{
	struct timespec ms = { 0, 1000000 };
	char copy[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int fd, i;

	strcpy(copy, path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (i == LOCK_TRIES) {
			close(fd);
			return -EBUSY;
		}
		nanosleep(&ms, NULL);
	}
	return fd;
}

/* Nobody listens: a dead program's socket goes, anything else stays. */
static int remove_stale(struct sn_device *dev, const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : open_error(dev, path, -errno);
	if (!S_ISSOCK(st.st_mode))
		return refuse(dev, path, -EEXIST, "a file that is no socket is there: take another path");
	if (unlink(path))
		return refuse(dev, path, -EACCES,
			      "the program behind this socket is gone, and there is no right to remove it: rm it");
	return 0;
}

static int bind_and_listen(struct ux_place *place)
{
	struct stat st;
	int err = make_socket(place);

	if (err)
		return err;
	if (bind(place->sock, (struct sockaddr *)&place->addr, sizeof(place->addr)))
		goto err_close;
	if (lstat(place->addr.sun_path, &st) || listen(place->sock, BACKLOG))
		goto err_unlink;
	place->is_host = 1;
	place->dev = st.st_dev;
	place->ino = st.st_ino;
	return 0;

err_unlink:
	err = -errno;
	unlink(place->addr.sun_path);
	close(place->sock);
	place->sock = -1;
	return err;
err_close:
	err = -errno;
	close(place->sock);
	place->sock = -1;
	return err;
}

/* With the folder's lock held: who was here first may host it by now. */
static int join_or_host(struct sn_device *dev, const char *path, struct ux_place *place)
{
	int err = join(place);

	if (!err)
		return 0;
	if (err == -ECONNREFUSED) {
		err = remove_stale(dev, path);
		if (err)
			return err;
		err = -ENOENT;
	}
	if (err == -ENOENT)
		err = bind_and_listen(place);
	return err ? open_error(dev, path, err) : 0;
}

int ux_place_open(struct sn_device *dev, const char *path, struct ux_place *place)
{
	int err, lock;

	memset(place, 0, sizeof(*place));
	place->sock = -1;
	err = fill_address(dev, path, &place->addr);
	if (err)
		return err;
	err = join(place);
	if (err != -ENOENT && err != -ECONNREFUSED)
		return err ? open_error(dev, path, err) : 0;
	lock = lock_folder(path);
	if (lock < 0)
		return open_error(dev, path, lock);
	err = join_or_host(dev, path, place);
	close(lock);
	return err;
}

static void remove_own(const struct ux_place *place)
{
	const char *path = place->addr.sun_path;
	int lock = lock_folder(path);
	struct stat st;

	if (!lstat(path, &st) && st.st_dev == place->dev && st.st_ino == place->ino)
		unlink(path);
	if (lock >= 0)
		close(lock);
}

void ux_place_close(struct ux_place *place)
{
	if (place->sock < 0)
		return;
	if (place->is_host)
		remove_own(place);
	close(place->sock);
	place->sock = -1;
}

/* Messages */

union rights {
	struct cmsghdr head;
	char space[CMSG_SPACE(sizeof(int))];
};

static void attach_fd(struct msghdr *msg, union rights *rights, int fd)
{
	memset(rights, 0, sizeof(*rights));
	msg->msg_control = rights->space;
	msg->msg_controllen = sizeof(rights->space);
	rights->head.cmsg_level = SOL_SOCKET;
	rights->head.cmsg_type = SCM_RIGHTS;
	rights->head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&rights->head), &fd, sizeof(fd));
}

int ux_send_hello(int sock, enum ux_status status, int fd)
{
	struct ux_hello hello = { .version = UX_VERSION, .status = status, .ring_bytes = UX_RING_BYTES };
	struct iovec iov = { &hello, sizeof(hello) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union rights rights;

	memcpy(hello.magic, UX_MAGIC, sizeof(hello.magic));
	if (fd >= 0)
		attach_fd(&msg, &rights, fd);
	return sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int received_fd(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static int is_hello(const struct ux_hello *hello, ssize_t n)
{
	return n == (ssize_t)sizeof(*hello) && !memcmp(hello->magic, UX_MAGIC, sizeof(hello->magic));
}

int ux_recv_hello(int sock, struct ux_hello *hello, int *fd)
{
	struct iovec iov = { hello, sizeof(*hello) };
	union rights rights;
	/* Not CMSG_SPACE(), into which two would fit: the kernel closes all but one. */
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = rights.space, .msg_controllen = CMSG_LEN(sizeof(int)),
	};
	ssize_t n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	/* The other side hung up without reading all: the kernel says so before it gives us the last message. */
	if (n < 0 && errno == ECONNRESET)
		n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n <= 0)
		return n < 0 && errno == EAGAIN ? -EAGAIN : -ECONNRESET;
	*fd = received_fd(&msg);
	if (is_hello(hello, n))
		return 0;
	if (*fd >= 0)
		close(*fd);
	return -EPROTO;
}
