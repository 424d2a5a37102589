/* SPDX-License-Identifier: BSD-3-Clause */
/* Capability answers made by hand; a capability stands at 0x10 of the mailbox plus its offset in the category. */
#include "prm/prm.h"
#include "run.h"
#include <string.h>

START_TEST(general)
{
	uint8_t out[PRM_CAP_OUT_LEN] = { 0 };
	struct prm_caps caps;

	memset(&caps, 0xff, sizeof(caps));
	out[0x29] = 22;                     /* 0x18 23:16 log_max_cq_sz: second byte of 0x28 */
	out[0x44] = 0x02;                   /* 0x34 bit 25 nic_flow_table: first byte, 0x02 */
	out[0x46] = 0x01;                   /* 0x34 9:8 port_type 1 (Ethernet): third byte, low bits */
	out[0x47] = 2;                      /* 0x34 7:0 num_ports */
	out[0x4f] = 0xf1;                   /* 0x3c 3:0 cqe_version 1; upper bits are not its own */
	out[0x53] = 0x08;                   /* 0x40 bit 3 eth_net_offloads */
	out[0x54] = 0x80;                   /* 0x44 bit 31 cq_oi */
	out[0x62] = 0x04;                   /* 0x50 15:0 max_wqe_sz_sq 0x0400 = 1024 */
	out[0x8b] = 15;                     /* 0x78 4:0 log_max_wq_sz */
	out[0x98] = 0x90;                   /* 0x88 31:30 sq_ts_format 2, 29:28 rq_ts_format 1: 10 01 0000 */
	prm_parse_general_cap(out, &caps);
	ck_assert_uint_eq(caps.log_max_cq_sz, 22);
	ck_assert_uint_eq(caps.nic_flow_table, 1);
	ck_assert_uint_eq(caps.port_type, 1);
	ck_assert_uint_eq(caps.num_ports, 2);
	ck_assert_uint_eq(caps.cqe_version, 1);
	ck_assert_uint_eq(caps.eth_net_offloads, 1);
	ck_assert_uint_eq(caps.cq_oi, 1);
	ck_assert_uint_eq(caps.max_wqe_sz_sq, 1024);
	ck_assert_uint_eq(caps.log_max_wq_sz, 15);
	ck_assert_uint_eq(caps.sq_ts_format, 2);
	ck_assert_uint_eq(caps.rq_ts_format, 1);
	/* what other answers say is left alone */
	ck_assert_uint_eq(caps.csum_cap, 0xff);
	ck_assert_uint_eq(caps.mtu, UINT32_MAX);
}
END_TEST

START_TEST(general_of_a_nic_that_can_nothing)
{
	uint8_t out[PRM_CAP_OUT_LEN];
	struct prm_caps caps;

	/* everything set but the bits that the parser reads */
	memset(out, 0xff, sizeof(out));
	out[0x29] = 0;
	out[0x44] = 0xfd;
	out[0x46] = 0xfc;
	out[0x47] = 0;
	out[0x4f] = 0xf0;
	out[0x53] = 0xf7;
	out[0x54] = 0x7f;
	out[0x62] = out[0x63] = 0;
	out[0x8b] = 0xe0;
	out[0x98] = 0x0f;
	memset(&caps, 0xff, sizeof(caps));
	prm_parse_general_cap(out, &caps);
	ck_assert_uint_eq(caps.log_max_cq_sz | caps.nic_flow_table | caps.port_type | caps.num_ports, 0);
	ck_assert_uint_eq(caps.cqe_version | caps.eth_net_offloads | caps.cq_oi | caps.max_wqe_sz_sq, 0);
	ck_assert_uint_eq(caps.log_max_wq_sz | caps.sq_ts_format | caps.rq_ts_format, 0);
}
END_TEST

START_TEST(ethernet)
{
	uint8_t out[PRM_CAP_OUT_LEN] = { 0 };
	struct prm_caps caps = { .mtu = 7 };

	out[0x10] = 0x80; /* 0x00 bit 31 csum_cap */
	out[0x12] = 0x20; /* 0x00 13:12 wqe_inline_mode 2: third byte, bits 5:4 */
	prm_parse_eth_cap(out, &caps);
	ck_assert_uint_eq(caps.csum_cap, 1);
	ck_assert_uint_eq(caps.wqe_inline_mode, 2);
	ck_assert_uint_eq(caps.mtu, 7);
	memset(out + 0x10, 0xff, 0x100);
	out[0x10] = 0x7f;
	out[0x12] = 0xcf;
	prm_parse_eth_cap(out, &caps);
	ck_assert_uint_eq(caps.csum_cap, 0);
	ck_assert_uint_eq(caps.wqe_inline_mode, 0);
}
END_TEST

START_TEST(vport)
{
	static const uint8_t mac[6] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };
	uint8_t out[0x110] = { 0 };
	struct prm_caps caps = { .num_ports = 9 };

	out[0x10] = 0x03;              /* context at 0x10: 26:24 min_wqe_inline_mode 3, low bits of the first byte */
	out[0x36] = 0x23;              /* 0x24 15:0 mtu 0x2328 = 9000: mailbox 0x34, low half */
	out[0x37] = 0x28;
	out[0x104] = 0xee;             /* two bytes of padding before the MAC */
	memcpy(out + 0x106, mac, 6);   /* 0x10 + 0xf6 */
	prm_parse_nic_vport(out, &caps);
	ck_assert_uint_eq(caps.min_inline_mode, 3);
	ck_assert_uint_eq(caps.mtu, 9000);
	ck_assert_mem_eq(caps.mac, mac, 6);
	ck_assert_uint_eq(caps.num_ports, 9);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("caps");

	tcase_add_test(tc, general);
	tcase_add_test(tc, general_of_a_nic_that_can_nothing);
	tcase_add_test(tc, ethernet);
	tcase_add_test(tc, vport);
	return run_tests(tc);
}
