/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of a "unix" wire: what may stand there already, and who may come. */
#include "scene.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A socket in the scene's place. backlog: -1: it does not listen. */
static int put_socket(int type, int backlog)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	strcpy(addr.sun_path, scene_path);
	ck_assert_int_eq(bind(s, (struct sockaddr *)&addr, sizeof(addr)), 0);
	if (backlog >= 0)
		ck_assert_int_eq(listen(s, backlog), 0);
	return s;
}

/* The scene's folder and n characters in all. */
static void long_path(char *path, size_t n)
{
	size_t at = (size_t)sprintf(path, "%s/", scene_dir);

	memset(path + at, 'x', n - at);
	path[n] = 0;
}

START_TEST(path_may_have_107_characters)
{
	struct bench a, b;
	char path[128];

	long_path(path, 107);
	nic_open_at(&a, path, 1, 0);
	nic_open_at(&b, path, 2, 0);
	run_idle();
	ck_event(&a, GIN_EV_PORT_UP);
	bench_close(&b);
	bench_close(&a);
	long_path(path, 108);
	ck_refused(path, -ENAMETOOLONG, "the path has 108 characters, a socket's has at most 107");
	long_path(path, 127);
	ck_refused(path, -ENAMETOOLONG, "the path has 127 characters");
}
END_TEST

START_TEST(path_may_be_relative)
{
	struct bench a, b;

	ck_assert_int_eq(chdir(scene_dir), 0);
	nic_open_at(&a, "here", 1, 0);
	nic_open_at(&b, "./here", 2, 0);
	run_idle();
	ck_event(&a, GIN_EV_PORT_UP);
	bench_close(&b);
	bench_close(&a);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(folder_is_missing)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/no/s", scene_dir);
	ck_refused(path, -ENOENT, "the folder does not exist");
	close(open(scene_path, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "%s/s", scene_path);
	ck_refused(path, -ENOENT, "the folder does not exist");
	unlink(scene_path);
}
END_TEST

START_TEST(something_else_is_there)
{
	struct stat st;

	close(open(scene_path, O_CREAT | O_WRONLY, 0600));
	ck_refused(scene_path, -EEXIST, "a file that is no socket is there: take another path");
	ck_assert_int_eq(stat(scene_path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	unlink(scene_path);
	ck_assert_int_eq(symlink("/dev/null", scene_path), 0);
	ck_refused(scene_path, -EEXIST, "no socket is there");
	unlink(scene_path);
	ck_refused(scene_dir, -EEXIST, "no socket is there");
}
END_TEST

START_TEST(another_program_listens_there)
{
	int s = put_socket(_i ? SOCK_DGRAM : SOCK_STREAM, _i ? -1 : 4);

	ck_refused(scene_path, -EBUSY, "another program holds this socket: take another path");
	ck_assert_int_eq(access(scene_path, F_OK), 0);
	close(s);
	unlink(scene_path);
}
END_TEST

START_TEST(another_program_takes_nobody_in)
{
	int s = put_socket(SOCK_SEQPACKET, 0), c = guest_connect(scene_path);

	ck_refused(scene_path, -EBUSY, "takes nobody in: see whether it is stopped");
	close(c);
	close(s);
	unlink(scene_path);
}
END_TEST

START_TEST(socket_of_a_dead_program_is_removed)
{
	struct bench a, b;

	close(put_socket(SOCK_SEQPACKET, 4));
	ck_assert_int_eq(access(scene_path, F_OK), 0);
	nic_open(&a, 1);
	nic_open(&b, 2);
	run_idle();
	ck_event(&a, GIN_EV_PORT_UP);
	ck_assert_uint_eq(n_said(), 0);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

/* Somebody removed the socket and made another: that one is not ours to remove. */
START_TEST(only_the_own_socket_is_removed)
{
	struct bench a;
	int s;

	nic_open(&a, 1);
	ck_assert_int_eq(unlink(scene_path), 0);
	s = put_socket(SOCK_SEQPACKET, 4);
	bench_close(&a);
	ck_assert_int_eq(access(scene_path, F_OK), 0);
	close(s);
	unlink(scene_path);
}
END_TEST

START_TEST(folder_is_locked)
{
	int fd = open(scene_dir, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_refused(scene_path, -EBUSY, "another program keeps its folder locked");
	close(fd);
}
END_TEST

START_TEST(no_descriptor_is_left)
{
	struct rlimit old, now;
	int fd = dup(0), used;

	close(fd);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	/* It takes two at a time: the folder's and a socket's, then a socket's and epoll's. */
	for (used = 0; used < 2; used++) {
		now = old;
		now.rlim_cur = (rlim_t)(fd + used);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &now), 0);
		ck_refused(scene_path, -EMFILE, "raise ulimit -n");
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
		ck_assert_int_ne(access(scene_path, F_OK), 0);
	}
}
END_TEST

/* From here on as an ordinary user: root becomes nobody. */
static void become_nobody(void)
{
	if (geteuid())
		return;
	ck_assert_int_eq(chown(scene_dir, 65534, 65534), 0);
	ck_assert_int_eq(setgid(65534), 0);
	ck_assert_int_eq(setuid(65534), 0);
}

START_TEST(no_right_to_the_folder)
{
	become_nobody();
	ck_assert_int_eq(chmod(scene_dir, _i ? 0500 : 0), 0);
	ck_refused(scene_path, -EACCES, "no right to join or to make a socket there");
	ck_assert_int_eq(chmod(scene_dir, 0700), 0);
}
END_TEST

START_TEST(no_right_to_the_socket)
{
	int s;

	become_nobody();
	s = put_socket(SOCK_SEQPACKET, 4);
	ck_assert_int_eq(chmod(scene_path, 0), 0);
	ck_refused(scene_path, -EACCES, "let the socket's owner allow you to write to it");
	close(s);
	unlink(scene_path);
}
END_TEST

START_TEST(no_right_to_remove_a_dead_socket)
{
	become_nobody();
	close(put_socket(SOCK_SEQPACKET, 4));
	ck_assert_int_eq(chmod(scene_dir, 0500), 0);
	ck_refused(scene_path, -EACCES,
		   "the program behind this socket is gone, and there is no right to remove it: rm it");
	ck_assert_int_eq(chmod(scene_dir, 0700), 0);
	unlink(scene_path);
}
END_TEST

START_TEST(ordinary_users_meet)
{
	struct bench a, b;
	uint8_t mac[6];

	become_nobody();
	nic_open(&a, 1);
	nic_open(&b, 2);
	run_idle();
	nic_mac(mac, 2);
	nic_send(&a, mac, 1);
	run_idle();
	ck_got(&b, 0, mac, 1, 1);
	bench_close(&b);
	bench_close(&a);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, scene_set_up, scene_tear_down);
	tcase_add_test(tc, path_may_have_107_characters);
	tcase_add_test(tc, path_may_be_relative);
	tcase_add_test(tc, folder_is_missing);
	tcase_add_test(tc, something_else_is_there);
	tcase_add_loop_test(tc, another_program_listens_there, 0, 2);
	tcase_add_test(tc, another_program_takes_nobody_in);
	tcase_add_test(tc, socket_of_a_dead_program_is_removed);
	tcase_add_test(tc, only_the_own_socket_is_removed);
	tcase_add_test(tc, folder_is_locked);
	tcase_add_test(tc, no_descriptor_is_left);
	tcase_add_loop_test(tc, no_right_to_the_folder, 0, 2);
	tcase_add_test(tc, no_right_to_the_socket);
	tcase_add_test(tc, no_right_to_remove_a_dead_socket);
	tcase_add_test(tc, ordinary_users_meet);
}

int main(void)
{
	return run_suite("wires_unix_path", add);
}
