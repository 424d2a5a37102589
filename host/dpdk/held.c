/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether somebody holds a TAP of many queues. The kernel lets any program with
 * the right to it add queues to such a TAP, and then spreads packets over all
 * of them: each program would get some. How many there are it tells by
 * rtnetlink (Linux, drivers/net/tun.c: tun_fill_info()).
 */
#include "dpdk.h"
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct rtattr *find(struct rtattr *a, size_t len, uint16_t type)
{
	for (; RTA_OK(a, len); a = RTA_NEXT(a, len))
		if ((a->rta_type & NLA_TYPE_MASK) == type)
			return a;
	return NULL;
}

static struct rtattr *find_in(struct rtattr *a, uint16_t type)
{
	return a ? find(RTA_DATA(a), RTA_PAYLOAD(a), type) : NULL;
}

static uint32_t n_queues(struct nlmsghdr *answer)
{
	size_t head = NLMSG_LENGTH(NLMSG_ALIGN(sizeof(struct ifinfomsg)));
	struct rtattr *info, *kind, *n;

	if (answer->nlmsg_type != RTM_NEWLINK || answer->nlmsg_len < head)
		return 0;
	info = find(IFLA_RTA(NLMSG_DATA(answer)), answer->nlmsg_len - head, IFLA_LINKINFO);
	kind = find_in(info, IFLA_INFO_KIND);
	n = find_in(find_in(info, IFLA_INFO_DATA), IFLA_TUN_NUM_QUEUES);
	if (!kind || RTA_PAYLOAD(kind) < 4 || memcmp(RTA_DATA(kind), "tun", 4) || !n || RTA_PAYLOAD(n) < sizeof(uint32_t))
		return 0;
	return *(uint32_t *)RTA_DATA(n);
}

int dpdk_tap_is_held(uint32_t ifindex)
{
	struct { struct nlmsghdr head; struct ifinfomsg link; } question = {
		.head = { .nlmsg_len = sizeof(question), .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST },
		.link = { .ifi_index = (int)ifindex },
	};
	union { struct nlmsghdr head; char bytes[16384]; } answer;
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), held = 0;
	ssize_t n;

	if (s < 0)
		return 0;
	if (send(s, &question, sizeof(question), 0) == (ssize_t)sizeof(question)) {
		n = recv(s, &answer, sizeof(answer), 0);
		held = n > 0 && NLMSG_OK(&answer.head, (size_t)n) && n_queues(&answer.head) > 0;
	}
	close(s);
	return held;
}
