/* SPDX-License-Identifier: BSD-3-Clause */
/* The device string: "WIRE[,key=value...]", what a software ConnectX is like. */
#include "auto.h"
#include "devargs.h"
#include "sn.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char known_keys[] =
	"model=cx4lx|cx5|cx6dx|cx7, mac=xx:xx:xx:xx:xx:xx, mtu=68..9216, inline=none|l2, uar=dedicated|shared, "
	"caps=no_cq_oi+no_wqe_vlan_insert+no_eth_net_offloads, promisc=0|1, time=0|1, adversary=0|1, first_index=0..16777215, host=tap=NAME, capture=FILE";

static int is_word(const char *value, const char *const *words, uint32_t n, uint32_t *out)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (!strcmp(value, words[i])) {
			*out = i;
			return 1;
		}
	}
	return 0;
}

static int is_number(const char *value, unsigned long min, unsigned long max, uint32_t *out)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)value[0]))
		return 0;
	v = strtoul(value, &end, 10);
	if (*end || v < min || v > max)
		return 0;
	*out = (uint32_t)v;
	return 1;
}

static int set_model(struct sn_profile *p, const char *value)
{
	static const char *const words[] = { "cx4lx", "cx5", "cx6dx", "cx7" };
	uint32_t v;

	if (!is_word(value, words, 4, &v))
		return 0;
	p->model = (enum sn_model)v;
	return 1;
}

static int set_mac(struct sn_profile *p, const char *value)
{
	uint8_t mac[6];
	uint32_t i;

	for (i = 0; i < 6; i++) {
		const char *b = value + 3 * i;

		if (!isxdigit((unsigned char)b[0]) || !isxdigit((unsigned char)b[1]) || b[2] != (i < 5 ? ':' : '\0'))
			return 0;
		mac[i] = (uint8_t)strtoul((char[]){ b[0], b[1], 0 }, NULL, 16);
	}
	if (mac[0] & 1) /* a group address is nobody's own */
		return 0;
	if (!memcmp(mac, "\0\0\0\0\0\0", 6))
		return 0;
	memcpy(p->mac, mac, 6);
	p->has_mac = 1;
	return 1;
}

static int set_mtu(struct sn_profile *p, const char *value)
{
	/* 68: the least that IPv4 asks of a link, RFC 791. */
	return is_number(value, 68, SN_MTU_MAX, &p->mtu);
}

static int set_bool(const char *value, int *out)
{
	uint32_t v;

	if (!is_number(value, 0, 1, &v))
		return 0;
	*out = (int)v;
	return 1;
}

static int set_promisc(struct sn_profile *p, const char *value)
{
	int on;

	if (!set_bool(value, &on))
		return 0;
	p->promisc_allowed = (uint8_t)on;
	return 1;
}

static int set_time(struct sn_profile *p, const char *value)
{
	int on;

	if (!set_bool(value, &on))
		return 0;
	p->no_time = (uint8_t)!on;
	return 1;
}

static int set_adversary(struct sn_profile *p, const char *value)
{
	int on;

	if (!set_bool(value, &on))
		return 0;
	p->adversary = (uint8_t)on;
	return 1;
}

static int set_inline(struct sn_profile *p, const char *value)
{
	static const char *const words[] = { "none", "l2" };
	uint32_t v;

	if (!is_word(value, words, 2, &v))
		return 0;
	p->inline_mode = (uint8_t)v;
	return 1;
}

static int set_uar(struct sn_profile *p, const char *value)
{
	static const char *const words[] = { "dedicated", "shared" };
	uint32_t v;

	if (!is_word(value, words, 2, &v))
		return 0;
	p->shared_uar = (uint8_t)v;
	return 1;
}

/* What the card lacks, joined by '+'. */
static int set_caps(struct sn_profile *p, const char *value)
{
	static const char *const words[] = { "no_cq_oi", "no_wqe_vlan_insert", "no_eth_net_offloads" };
	char copy[128], *rest = copy, *word;
	uint32_t i;

	if (strlen(value) >= sizeof(copy))
		return 0;
	strcpy(copy, value);
	while ((word = strsep(&rest, "+"))) {
		if (!is_word(word, words, 3, &i))
			return 0;
		p->lacks |= 1u << i; /* SN_LACKS_* */
	}
	return 1;
}

static int set_first_index(struct sn_profile *p, const char *value)
{
	/* 24 bits: below and above every wrap of wqe_counter (16 bits) and of CQ indices (24 bits). */
	return is_number(value, 0, 0xffffff, &p->first_index);
}

static int set_host(struct sn_profile *p, const char *value)
{
	if (strncmp(value, "tap=", 4) || !value[4] || strlen(value) >= sizeof(p->host))
		return 0;
	strcpy(p->host, value);
	return 1;
}

static int set_capture(struct sn_profile *p, const char *value)
{
	if (!*value || strlen(value) >= sizeof(p->capture))
		return 0;
	strcpy(p->capture, value);
	return 1;
}

static const struct {
	const char *key;
	int (*set)(struct sn_profile *p, const char *value);
} keys[] = {
	{ "model", set_model },   { "mac", set_mac },   { "mtu", set_mtu },         { "inline", set_inline },
	{ "uar", set_uar },       { "promisc", set_promisc }, { "time", set_time }, { "adversary", set_adversary },
	{ "caps", set_caps },     { "first_index", set_first_index }, { "host", set_host },
	{ "capture", set_capture },
};

static int refuse(const char *what, const char *text)
{
	char wires[256];

	gin_error("soft:%.200s: %s; wires: %s; keys: %s", text, what, sn_wire_list(wires, sizeof(wires)), known_keys);
	return -EINVAL;
}

static int refuse_for_dpdk(const char *what, const char *text)
{
	gin_error("soft:%.200s: %s; keys of the NIC: %s", text, what, known_keys);
	return -EINVAL;
}

/* seen: a bit for each of keys[]. */
static int set_key(struct sn_profile *p, char *pair, const char *text, uint32_t *seen, int *has_inline)
{
	char *value = strchr(pair, '=');
	char what[480];
	size_t i;

	if (!value) {
		snprintf(what, sizeof(what), "'%.60s' is not key=value", pair);
		return refuse(what, text);
	}
	*value++ = 0;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(pair, keys[i].key))
			continue;
		if (*seen & 1u << i) {
			snprintf(what, sizeof(what), "'%.60s' is given twice", pair);
			return refuse(what, text);
		}
		*seen |= 1u << i;
		*has_inline |= !strcmp(pair, "inline");
		if (keys[i].set(p, value))
			return 0;
		snprintf(what, sizeof(what), "'%.60s' is not a value of %s", value, pair);
		return refuse(what, text);
	}
	if (sn_auto_is(p->wire) && !sn_auto_is_complete(p->wire) && !sn_auto_set(p->wire, sizeof(p->wire), pair, value))
		return 0;
	if (sn_devargs_is(p->wire))
		return sn_devargs_add(p->wire, pair, value, what, sizeof(what)) ? refuse_for_dpdk(what, text) : 0;
	snprintf(what, sizeof(what), sn_auto_is(p->wire) && !strcmp(pair, "iface") ?
		 "'%.60s' is given twice, or is no interface's name" : "unknown key '%.60s'", pair);
	return refuse(what, text);
}

static void defaults(struct sn_profile *p, const struct gin_env *env)
{
	uint64_t r = gin_env_random(env, GIN_RNG_NUMBERS);

	memset(p, 0, sizeof(*p));
	p->model = SN_CX6DX;
	p->mtu = 1500;
	p->promisc_allowed = 1;
	memcpy(p->mac, &r, 6);
	p->mac[0] = (uint8_t)((p->mac[0] & 0xfc) | 2); /* locally administered, one station */
}

static int set_wire(struct sn_profile *p, const char *wire, const char *text)
{
	const char *arg;
	char what[128];

	if (strlen(wire) >= sizeof(p->wire))
		return refuse("the wire's name is too long", text);
	if (sn_devargs_is_device(wire))
		return sn_devargs_start(p->wire, wire, what, sizeof(what)) ? refuse(what, text) : 0;
	if (strcmp(wire, SN_AUTO) && !sn_wire_find(wire, &arg)) {
		snprintf(what, sizeof(what), "'%.60s' is no known wire%s", wire,
			 strncmp(wire, "net_", 4) ? "" : ": one of DPDK ends in a number, as net_pcap0");
		return refuse(what, text);
	}
	strcpy(p->wire, wire);
	return 0;
}

int sn_profile_parse(const char *text, const struct gin_env *env, struct sn_profile *out)
{
	struct sn_profile p;
	int err, has_inline = 0;
	char *copy, *rest, *piece, what[480];
	uint32_t seen = 0;

	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	defaults(&p, env);
	rest = copy;
	piece = strsep(&rest, ",");
	err = set_wire(&p, piece, text);
	while (!err && (piece = strsep(&rest, ",")))
		err = set_key(&p, piece, text, &seen, &has_inline);
	free(copy);
	if (!err && sn_devargs_is(p.wire) && sn_devargs_finish(p.wire, what, sizeof(what)))
		err = refuse_for_dpdk(what, text);
	if (!err && sn_auto_is(p.wire) && !sn_auto_is_complete(p.wire))
		err = refuse("auto needs iface=IFNAME, a name of at most 15 characters", text);
	if (err)
		return err;
	/* ConnectX-4 Lx needs the L2 header in the WQE, later cards do not (mlx5 driver: wqe_inline_mode). */
	if (p.model == SN_CX4LX && !has_inline)
		p.inline_mode = 1;
	*out = p;
	return 0;
}
