/* SPDX-License-Identifier: BSD-3-Clause */
/* Device strings that name DPDK devices: what is passed on, what is refused, in which words. */
#include <errno.h>
#include <softnic/devargs.h>
#include <softnic/fixture.h>
#include <stdio.h>
#include <string.h>

static struct sn_profile p;

static int parse(const char *text)
{
	log_clear();
	return sn_profile_parse(text, gin_env_real(), &p);
}

START_TEST(devices_are_told_from_other_wires)
{
	static const char *const devices[] = { "net_tap0", "net_af_packet12", "net_virtio_user3", "net_e10000", "0000:03:00.0",
					       "03:00.7", "10000:e1:1f.0", "aF:00.0" };
	static const char *const others[] = { "", "net_", "net_0", "net_tap", "net_Tap0", "net_tap0x", "net-tap0", "eth0", "loop",
					      "tap=net_tap0", "03:00", "03:00.8", "3:00.0", "003:00.0", "0000:03:00", "0000:03:00.0 ",
					      "g3:00.0", "000000003:03:00.0", "net_ta p0" };
	uint32_t i;

	for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		ck_assert_msg(sn_devargs_is_device(devices[i]), "%s", devices[i]);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!sn_devargs_is_device(others[i]), "%s", others[i]);
}
END_TEST

START_TEST(keys_go_to_the_nic_or_to_dpdk)
{
	ck_assert_int_eq(parse("net_tap0,iface=gin0,model=cx5,mac=02:00:00:00:00:07"), 0);
	ck_assert_str_eq(p.wire, "net_tap0,iface=gin0");
	ck_assert_int_eq(p.model, SN_CX5);
	ck_assert_int_eq(p.mac[5], 7);
	ck_assert_uint_eq(p.has_mac, 1);
	ck_assert_int_eq(parse("net_pcap0,mtu=9000,rx_pcap=/a/in put.pcap,inline=l2,tx_pcap=out.pcap"), 0);
	ck_assert_str_eq(p.wire, "net_pcap0,rx_pcap=/a/in put.pcap,tx_pcap=out.pcap");
	ck_assert_uint_eq(p.mtu, 9000);
	ck_assert_int_eq(parse("net_ring0"), 0);
	ck_assert_str_eq(p.wire, "net_ring0");
	ck_assert_uint_eq(p.has_mac, 0);
	ck_assert_uint_eq(log_lines(), 0);
}
END_TEST

START_TEST(a_pci_address_gets_its_whole_name)
{
	ck_assert_int_eq(parse("03:0A.1"), 0);
	ck_assert_str_eq(p.wire, "0000:03:0a.1");
	ck_assert_int_eq(parse("0001:03:00.0,rx_vec_en=0"), 0);
	ck_assert_str_eq(p.wire, "0001:03:00.0,rx_vec_en=0");
	ck_assert(sn_devargs_is_pci(p.wire));
	ck_assert(!sn_devargs_is_pci("net_tap0"));
}
END_TEST

START_TEST(a_driver_that_nobody_tried_takes_any_harmless_key)
{
	ck_assert_int_eq(parse("net_vhost0,iface=/run/a.sock,queues=1,tso=0"), 0);
	ck_assert_str_eq(p.wire, "net_vhost0,iface=/run/a.sock,queues=1,tso=0");
	ck_assert_int_eq(parse("net_vhost0,iface=$(id)"), -EINVAL);
	ck_assert(log_has("characters that are not passed to DPDK"));
	ck_assert_int_eq(parse("net_vhost0,if/ace=a"), -EINVAL);
	ck_assert_int_eq(parse("net_vhost0,iface="), -EINVAL);
}
END_TEST

/* Each is one line with both lists: the driver's keys where it has some, and the NIC's. */
START_TEST(mistakes_are_told_in_one_line)
{
	static const char *const wrong[][2] = {
		{ "net_tap0,ifname=gin0", "unknown key 'ifname'; keys of net_tap: iface=IFNAME, remote=IFNAME" },
		{ "net_tap0,iface=sixteen_or_more_", "'sixteen_or_more_' is not a value of net_tap's iface=IFNAME" },
		{ "net_tap0,iface=a/b", "net_tap's iface" },
		{ "net_tap0,iface=gin%d", "net_tap's iface" },
		{ "net_tap0,iface=", "'' is not a value of net_tap's iface" },
		{ "net_tap0,iface=a,iface=b", "'iface' is given twice" },
		{ "net_tap0,iface", "'iface' is not key=value" },
		{ "net_af_packet0", "net_af_packet needs iface=; keys of net_af_packet: iface=IFNAME, qpairs=1," },
		{ "net_af_packet0,iface=a,qpairs=2", "'2' is not a value of net_af_packet's qpairs=1" },
		{ "net_af_packet0,iface=a,framesz=128", "framesz=2048..65536" },
		{ "net_af_packet0,iface=a,qdisc_bypass=yes", "qdisc_bypass=0|1" },
		{ "net_af_xdp0", "net_af_xdp needs iface=" },
		{ "net_af_xdp0,iface=a,queue_count=4", "queue_count=1" },
		{ "net_pcap0,rx_pcap=", "rx_pcap=FILE" },
		{ "net_pcap0,rx_pcap=a[1].pcap", "rx_pcap=FILE" },
		{ "net_pcap0,rx_file=a", "unknown key 'rx_file'; keys of net_pcap: rx_pcap=FILE, tx_pcap=FILE" },
		{ "net_pcap0,infinite_rx=2", "infinite_rx=0|1" },
		{ "net_pcap0,rx_pcap=a,rx_iface=b", "rx_pcap= and rx_iface= exclude each other" },
		{ "net_pcap0,rx_iface_in=a,iface=b", "iface= and rx_iface_in= exclude each other" },
		{ "net_pcap0,tx_iface=a,rx_pcap=b,tx_pcap=c", "tx_pcap= and tx_iface= exclude each other" },
		{ "net_tap0,mtu=1500,mtu=1400", "'mtu' is given twice" },
		{ "loop,capture=a,capture=b", "'capture' is given twice" },
		{ "loop,inline=l2,model=cx5,inline=l2", "'inline' is given twice" },
		{ "auto,iface=a,iface=b", "'iface' is given twice" },
		{ "net_memif0,role=master", "'master' is not a value of net_memif's role=server|client" },
		{ "net_memif0,role=serve", "role=server|client" },
		{ "net_memif0,role=server|client", "role=server|client" },
		{ "net_memif0,id=4294967296", "id=0..4294967295" },
		{ "net_memif0,id=-1", "id=0..4294967295" },
		{ "net_memif0,zero-copy=1", "zero-copy=yes|no" },
		{ "net_ring0,nodeaction=a:0:ATTACH", "unknown key 'nodeaction'; keys of net_ring: none" },
		{ "net_null0,size=13", "size=14..65535" },
		{ "net_null0,size=64k", "size=14..65535" },
		{ "net_tun0,iface=a", "net_tun carries no Ethernet frames: take net_tap" },
		{ "net_tap", "'net_tap' is no known wire: one of DPDK ends in a number" },
	};
	uint32_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_msg(parse(wrong[i][0]) == -EINVAL, "%s", wrong[i][0]);
		ck_assert_msg(log_lines() == 1 && log_has(wrong[i][1]), "%s", wrong[i][0]);
		ck_assert_msg(log_has("model=cx4lx|cx5|cx6dx|cx7"), "%s", wrong[i][0]);
	}
}
END_TEST

START_TEST(wrong_wires_list_dpdk_too)
{
	ck_assert_int_eq(parse("lop"), -EINVAL);
	ck_assert(log_has("net_DRIVER0 or a PCI address (DPDK)"));
}
END_TEST

/* All of it fits, or one character is too many. */
START_TEST(length_has_an_end)
{
	char text[2 * SN_DEVARGS_MAX], path[SN_DEVARGS_MAX];
	size_t most = SN_DEVARGS_MAX - 1 - strlen("net_pcap0,rx_pcap=");

	memset(path, 'a', sizeof(path));
	path[most] = 0;
	snprintf(text, sizeof(text), "net_pcap0,rx_pcap=%s", path);
	ck_assert_int_eq(parse(text), 0);
	ck_assert_str_eq(p.wire, text);
	path[most] = 'a';
	path[most + 1] = 0;
	snprintf(text, sizeof(text), "net_pcap0,rx_pcap=%s", path);
	ck_assert_int_eq(parse(text), -EINVAL);
	ck_assert(log_has("more than 1023 characters"));
	ck_assert_uint_eq(log_lines(), 1);
}
END_TEST

START_TEST(values_are_found_again)
{
	static const char devargs[] = "net_pcap0,rx_pcap=in,tx_pcap=out";
	char value[8], driver[8];

	ck_assert(sn_devargs_get(devargs, "tx_pcap", value, sizeof(value)));
	ck_assert_str_eq(value, "out");
	ck_assert(sn_devargs_get(devargs, "rx_pcap", value, 2));
	ck_assert_str_eq(value, "i");
	ck_assert(!sn_devargs_get(devargs, "pcap", value, sizeof(value)));
	ck_assert(!sn_devargs_get(devargs, "in", value, sizeof(value)));
	ck_assert(!sn_devargs_get("net_ring0", "rx_pcap", value, sizeof(value)));
	ck_assert_str_eq(sn_devargs_driver(devargs, driver, sizeof(driver)), "net_pca");
	ck_assert_str_eq(sn_devargs_driver("0000:03:00.0,a=b", driver, sizeof(driver)), "");
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, devices_are_told_from_other_wires);
	tcase_add_test(tc, keys_go_to_the_nic_or_to_dpdk);
	tcase_add_test(tc, a_pci_address_gets_its_whole_name);
	tcase_add_test(tc, a_driver_that_nobody_tried_takes_any_harmless_key);
	tcase_add_test(tc, mistakes_are_told_in_one_line);
	tcase_add_test(tc, wrong_wires_list_dpdk_too);
	tcase_add_test(tc, length_has_an_end);
	tcase_add_test(tc, values_are_found_again);
}

int main(void)
{
	return run_suite("dpdk_devargs", add);
}
