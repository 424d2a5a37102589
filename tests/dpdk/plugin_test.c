/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin is missing, of another version, or no library at all. Needs no DPDK. */
#include <errno.h>
#include <softnic/fixture.h>
#include <softnic/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void ck_refused(const char *folder, int err, const char *part)
{
	struct sn_profile p;
	struct sn_device *dev;
	int i;

	setenv("GINET_PLUGIN_DIR", folder, 1);
	sn_engine_set_stepped(1);
	ck_assert_int_eq(sn_profile_parse("net_ring0", gin_env_real(), &p), 0);
	for (i = 0; i < 2; i++) { /* and again the same */
		log_clear();
		ck_assert_int_eq(sn_device_create(&p, gin_env_real(), &dev), err);
		ck_assert_uint_eq(log_lines(), 1);
		ck_assert_msg(log_has(part), "%s", part);
	}
}

START_TEST(a_missing_plugin_is_told_with_what_to_do)
{
	ck_refused("/nosuch", -ENOENT, "soft:net_ring0: this needs ginet-dpdk.so, which is not in /nosuch/");
	ck_assert(log_has("apt-get install libdpdk-dev"));
	ck_assert_ptr_null(sn_plugin_loaded());
}
END_TEST

START_TEST(another_version_is_told_with_both_numbers)
{
	char part[96];

	snprintf(part, sizeof(part), "version 0x00000007, this library needs 0x%08x", SN_PLUGIN_VERSION);
	ck_refused(STALE_FOLDER, -ESTALE, part);
}
END_TEST

START_TEST(what_is_no_library_is_told)
{
	char folder[] = "/tmp/ginet-plugin-XXXXXX", path[64];
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/ginet-dpdk.so", folder);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("nothing", f);
	fclose(f);
	ck_refused(folder, -ENOTSUP, "does not load");
	ck_assert(log_has("build ginet again"));
	unlink(path);
	rmdir(folder);
}
END_TEST

START_TEST(other_wires_need_no_plugin)
{
	struct bench_config cfg = { 0 };
	struct bench b;

	setenv("GINET_PLUGIN_DIR", "/nosuch", 1);
	bench_open(&b, &cfg);
	bench_close(&b);
	ck_assert_ptr_null(sn_plugin_loaded());
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_missing_plugin_is_told_with_what_to_do);
	tcase_add_test(tc, another_version_is_told_with_both_numbers);
	tcase_add_test(tc, what_is_no_library_is_told);
	tcase_add_test(tc, other_wires_need_no_plugin);
}

int main(void)
{
	return run_suite("dpdk_plugin", add);
}
