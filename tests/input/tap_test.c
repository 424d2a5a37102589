/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfaces that cannot be: run in a network namespace of its own by tests/net/namespace.sh. */
#define _GNU_SOURCE /* unshare() */
#include "lines.h"
#include <errno.h>
#include <ginet/ginet.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void ck_no_interface(const char *name)
{
	ck_assert_msg(!if_nametoindex(name), "%s was left behind", name);
}

START_TEST(interface_comes_and_goes_with_the_nic)
{
	struct gin_nic *nic;

	lines_keep();
	ck_assert_int_eq(gin_nic_open("soft:tap=gin7", &nic), 0);
	ck_assert_int_ne(if_nametoindex("gin7"), 0);
	gin_nic_close(nic);
	ck_no_interface("gin7");
	ck_no_error();
}
END_TEST

START_TEST(interface_name_is_taken)
{
	struct gin_nic *first, *none = NULL;

	lines_keep();
	ck_assert_int_eq(gin_nic_open("soft:tap=gin7", &first), 0);
	ck_assert_int_eq(gin_nic_open("soft:tap=gin7", &none), -EBUSY);
	ck_one_error("tap=gin7: another program holds this interface: take another name");
	ck_assert_int_ne(if_nametoindex("gin7"), 0);
	/* The host's end wants it too; the wire's end, which was open by then, goes away again. */
	ck_assert_int_eq(gin_nic_open("soft:tap=gin8,host=tap=gin7", &none), -EBUSY);
	ck_one_error("tap=gin7");
	ck_no_interface("gin8");
	gin_nic_close(first);
	ck_assert_int_eq(gin_nic_open("soft:tap=lo", &none), -EBUSY);
	ck_one_error("it is no TAP");
	ck_assert_int_ne(if_nametoindex("lo"), 0);
}
END_TEST

static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { .effective = 0 }, { .effective = 0 } };

	ck_assert_int_eq(syscall(SYS_capset, &head, none), 0);
}

/* Anybody may open the device here, but an interface needs CAP_NET_ADMIN. */
START_TEST(no_right_to_make_an_interface)
{
	struct gin_nic *none = NULL;

	lines_keep();
	drop_capabilities();
	ck_assert_int_eq(gin_nic_open("soft:tap=gin7", &none), -EPERM);
	ck_one_error("sudo ip tuntap add dev gin7 mode tap user $USER");
	ck_no_interface("gin7");
}
END_TEST

/* A fresh /dev/net, in a mount namespace of this test's own. */
static void hide_device(void)
{
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	ck_assert_int_eq(mount("tmpfs", "/dev/net", "tmpfs", 0, "mode=755"), 0);
}

START_TEST(no_right_to_open_the_device)
{
	struct gin_nic *none = NULL;
	FILE *f;

	lines_keep();
	hide_device();
	f = fopen("/dev/net/tun", "w"); /* any file that this process may not open for writing */
	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert_int_eq(chmod("/dev/net/tun", 0), 0);
	drop_capabilities();
	ck_assert_int_eq(gin_nic_open("soft:tap=gin7", &none), -EPERM);
	ck_one_error("no right to make the interface");
}
END_TEST

START_TEST(no_device)
{
	struct gin_nic *none = NULL;

	lines_keep();
	hide_device();
	ck_assert_int_eq(gin_nic_open("soft:tap=gin7", &none), -ENODEV);
	ck_one_error("modprobe tun");
	ck_assert_ptr_null(none);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("interfaces");
	TCase *tc = tcase_create("tap");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, interface_comes_and_goes_with_the_nic);
	tcase_add_test(tc, interface_name_is_taken);
	tcase_add_test(tc, no_right_to_make_an_interface);
	tcase_add_test(tc, no_right_to_open_the_device);
	tcase_add_test(tc, no_device);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
