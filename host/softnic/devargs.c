/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK prints its whole usage, or nothing, where an argument is wrong; drivers
 * take words they do not know for defaults. So what is typed is judged here,
 * for the drivers that were tried, by tables of their keys (DPDK 22.11: what
 * each driver registers as its parameters). Other drivers pass with any
 * key=value of harmless characters.
 *
 * One queue pair is used, so that counts of queues above 1 would lose frames.
 */
#include "devargs.h"
#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NAME, PATH, NUMBER, WORD };

struct key {
	const char *key;
	enum kind kind;
	const char *form; /* for the list; of a WORD: what it may be */
	uint32_t min, max;
};

struct driver {
	const char *name;
	const char *needs; /* a key that it cannot do without, or NULL */
	const struct key *keys;
	uint32_t n;
};

static const struct key tap[] = { { "iface", NAME, "IFNAME", 0, 0 }, { "remote", NAME, "IFNAME", 0, 0 } };

static const struct key af_packet[] = {
	{ "iface", NAME, "IFNAME", 0, 0 },
	{ "qpairs", NUMBER, "1", 1, 1 },
	{ "blocksz", NUMBER, "4096..", 4096, 1u << 30 },
	{ "framesz", NUMBER, "2048..65536", 2048, 65536 },
	{ "framecnt", NUMBER, "32..", 32, 1u << 20 },
	{ "qdisc_bypass", WORD, "0|1", 0, 0 },
};

static const struct key af_xdp[] = {
	{ "iface", NAME, "IFNAME", 0, 0 },
	{ "start_queue", NUMBER, "0..1023", 0, 1023 },
	{ "queue_count", NUMBER, "1", 1, 1 },
	{ "shared_umem", WORD, "0|1", 0, 0 },
	{ "xdp_prog", PATH, "FILE", 0, 0 },
	{ "busy_budget", NUMBER, "0..65535", 0, 65535 },
	{ "force_copy", WORD, "0|1", 0, 0 },
};

static const struct key pcap[] = {
	{ "rx_pcap", PATH, "FILE", 0, 0 },      { "tx_pcap", PATH, "FILE", 0, 0 },
	{ "rx_iface", NAME, "IFNAME", 0, 0 },   { "rx_iface_in", NAME, "IFNAME", 0, 0 },
	{ "tx_iface", NAME, "IFNAME", 0, 0 },   { "iface", NAME, "IFNAME", 0, 0 },
	{ "phy_mac", WORD, "0|1", 0, 0 },       { "infinite_rx", WORD, "0|1", 0, 0 },
};

static const struct key memif[] = {
	{ "id", NUMBER, "0..4294967295", 0, UINT32_MAX },
	{ "role", WORD, "server|client", 0, 0 },
	{ "bsize", NUMBER, "1..65535", 1, 65535 },
	{ "rsize", NUMBER, "1..14", 1, 14 },
	{ "socket", PATH, "PATH", 0, 0 },
	{ "socket-abstract", WORD, "yes|no", 0, 0 },
	{ "zero-copy", WORD, "yes|no", 0, 0 },
	{ "secret", PATH, "TEXT", 0, 0 },
};

static const struct key null[] = {
	{ "size", NUMBER, "14..65535", 14, 65535 },
	{ "copy", WORD, "0|1", 0, 0 },
	{ "no-rx", WORD, "0|1", 0, 0 },
};

#define N(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))
static const struct driver drivers[] = {
	{ "net_tap", NULL, tap, N(tap) },          { "net_af_packet", "iface", af_packet, N(af_packet) },
	{ "net_af_xdp", "iface", af_xdp, N(af_xdp) }, { "net_pcap", NULL, pcap, N(pcap) },
	{ "net_ring", NULL, NULL, 0 },             { "net_memif", NULL, memif, N(memif) },
	{ "net_null", NULL, null, N(null) },
};

static int is_net_name(const char *word)
{
	size_t len = strlen(word), i;

	if (strncmp(word, "net_", 4) || len < 6 || len > 60 || !isdigit((unsigned char)word[len - 1]))
		return 0;
	for (i = 4; i < len; i++)
		if (!islower((unsigned char)word[i]) && !isdigit((unsigned char)word[i]) && word[i] != '_')
			return 0;
	return islower((unsigned char)word[4]);
}

static const char *hex(const char *p, uint32_t min, uint32_t max)
{
	uint32_t n = 0;

	while (isxdigit((unsigned char)p[n]))
		n++;
	return n >= min && n <= max ? p + n : NULL;
}

/* [domain:]bus:device.function */
static int is_pci_address(const char *word)
{
	const char *domain = hex(word, 4, 8), *p = domain && *domain == ':' ? domain + 1 : word;

	p = hex(p, 2, 2);
	if (!p || *p++ != ':')
		return 0;
	p = hex(p, 2, 2);
	return p && p[0] == '.' && p[1] >= '0' && p[1] <= '7' && !p[2];
}

int sn_devargs_is_device(const char *word)
{
	return is_net_name(word) || is_pci_address(word);
}

static size_t device_len(const char *text)
{
	return strcspn(text, ",");
}

static const char *device_of(const char *text, char device[64])
{
	size_t len = device_len(text);

	if (len >= 64)
		len = 63;
	memcpy(device, text, len);
	device[len] = 0;
	return device;
}

int sn_devargs_is(const char *text)
{
	char device[64];

	return device_len(text) < 64 && sn_devargs_is_device(device_of(text, device));
}

int sn_devargs_is_pci(const char *text)
{
	char device[64];

	return is_pci_address(device_of(text, device));
}

const char *sn_devargs_driver(const char *devargs, char *driver, size_t size)
{
	size_t len = device_len(devargs);

	if (sn_devargs_is_pci(devargs))
		len = 0;
	while (len && isdigit((unsigned char)devargs[len - 1]))
		len--;
	if (len >= size)
		len = size - 1;
	memcpy(driver, devargs, len);
	driver[len] = 0;
	return driver;
}

int sn_devargs_get(const char *devargs, const char *key, char *value, size_t size)
{
	size_t n = strlen(key), len;
	const char *p = devargs;

	while ((p = strchr(p, ','))) {
		p++;
		if (strncmp(p, key, n) || p[n] != '=')
			continue;
		p += n + 1;
		len = strcspn(p, ",");
		if (len >= size)
			len = size - 1;
		memcpy(value, p, len);
		value[len] = 0;
		return 1;
	}
	return 0;
}

static const struct driver *find_driver(const char *devargs)
{
	char name[64];
	uint32_t i;

	sn_devargs_driver(devargs, name, sizeof(name));
	for (i = 0; i < N(drivers); i++)
		if (!strcmp(drivers[i].name, name))
			return &drivers[i];
	return NULL;
}

int sn_devargs_start(char devargs[SN_DEVARGS_MAX], const char *device, char *why, size_t why_size)
{
	char *p;

	if (!sn_devargs_is_device(device)) {
		snprintf(why, why_size, "'%.60s' is no DPDK device: net_DRIVER and a number, or a PCI address", device);
		return -EINVAL;
	}
	if (!strncmp(device, "net_tun", 7) && isdigit((unsigned char)device[7])) {
		snprintf(why, why_size, "net_tun carries no Ethernet frames: take net_tap");
		return -EINVAL;
	}
	/* DPDK names a PCI device by its whole address, in small letters. */
	snprintf(devargs, SN_DEVARGS_MAX, "%s%s", is_pci_address(device) && strlen(device) == 7 ? "0000:" : "", device);
	for (p = devargs; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return 0;
}

static void list_keys(const struct driver *d, char *buf, size_t size)
{
	size_t at = 0;
	uint32_t i;

	snprintf(buf, size, "none");
	for (i = 0; i < d->n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s=%s", i ? ", " : "", d->keys[i].key, d->keys[i].form);
}

/* One of the words of "a|b". */
static int is_word_of(const char *value, const char *form)
{
	size_t n = strlen(value);
	const char *p;

	if (!n || strchr(value, '|'))
		return 0;
	for (p = form; p; p = strchr(p, '|')) {
		p += *p == '|';
		if (!strncmp(p, value, n) && (!p[n] || p[n] == '|'))
			return 1;
	}
	return 0;
}

static int is_number(const char *value, uint32_t min, uint32_t max)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)value[0]))
		return 0;
	v = strtoull(value, &end, 10);
	return !*end && v >= min && v <= max;
}

/* As dev_valid_name() of the kernel; and '%' would ask it to choose a number. */
static int is_interface_name(const char *value)
{
	return *value && strlen(value) < IFNAMSIZ && !strpbrk(value, "/:% \t\n\v\f\r") && strcmp(value, ".") && strcmp(value, "..");
}

/* '[' and '(' begin lists in DPDK. */
static int is_text(const char *value)
{
	const char *p;

	for (p = value; *p; p++)
		if (iscntrl((unsigned char)*p) || strchr("[]()", *p))
			return 0;
	return p > value;
}

static int fits(const struct key *k, const char *value)
{
	switch (k->kind) {
	case NAME:
		return is_interface_name(value);
	case PATH:
		return is_text(value);
	case NUMBER:
		return is_number(value, k->min, k->max);
	case WORD:
		return is_word_of(value, k->form);
	}
	return 0;
}

static int check_known(const struct driver *d, const char *key, const char *value, char *why, size_t why_size)
{
	char list[320];
	uint32_t i;

	for (i = 0; i < d->n; i++) {
		if (strcmp(d->keys[i].key, key))
			continue;
		if (fits(&d->keys[i], value))
			return 0;
		snprintf(why, why_size, "'%.60s' is not a value of %s's %s=%s", value, d->name, key, d->keys[i].form);
		return -EINVAL;
	}
	list_keys(d, list, sizeof(list));
	snprintf(why, why_size, "unknown key '%.60s'; keys of %s: %s", key, d->name, list);
	return -EINVAL;
}

static int is_harmless(const char *text, const char *others)
{
	const char *p;

	for (p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(others, *p))
			return 0;
	return p > text;
}

static int check_unknown(const char *key, const char *value, char *why, size_t why_size)
{
	if (is_harmless(key, "_-") && is_harmless(value, "_-./:+@"))
		return 0;
	snprintf(why, why_size, "'%.60s=%.60s' has characters that are not passed to DPDK", key, value);
	return -EINVAL;
}

int sn_devargs_add(char devargs[SN_DEVARGS_MAX], const char *key, const char *value, char *why, size_t why_size)
{
	const struct driver *d = find_driver(devargs);
	size_t at = strlen(devargs);
	char old[8];
	int err;

	err = d ? check_known(d, key, value, why, why_size) : check_unknown(key, value, why, why_size);
	if (err)
		return err;
	if (sn_devargs_get(devargs, key, old, sizeof(old))) {
		snprintf(why, why_size, "'%.60s' is given twice", key);
		return -EINVAL;
	}
	if (at + strlen(key) + strlen(value) + 3 > SN_DEVARGS_MAX) {
		snprintf(why, why_size, "more than %u characters for DPDK", SN_DEVARGS_MAX - 1);
		return -EINVAL;
	}
	sprintf(devargs + at, ",%s=%s", key, value);
	return 0;
}

/* net_pcap takes one source and one sink, the first it finds, and forgets the others without a word. */
static int check_pcap(const char *devargs, char *why, size_t why_size)
{
	static const char *const groups[][4] = {
		{ "iface", "rx_pcap", "rx_iface", "rx_iface_in" }, /* where packets come from */
		{ "iface", "tx_pcap", "tx_iface" },                /* and where they go to */
	};
	const char *first;
	char value[8];
	uint32_t g, i;

	for (g = 0; g < N(groups); g++) {
		first = NULL;
		for (i = 0; i < N(groups[g]) && groups[g][i]; i++) {
			if (!sn_devargs_get(devargs, groups[g][i], value, sizeof(value)))
				continue;
			if (first) {
				snprintf(why, why_size, "%s= and %s= exclude each other", first, groups[g][i]);
				return -EINVAL;
			}
			first = groups[g][i];
		}
	}
	return 0;
}

int sn_devargs_finish(const char *devargs, char *why, size_t why_size)
{
	const struct driver *d = find_driver(devargs);
	char value[8], list[320];

	if (d && d->keys == pcap)
		return check_pcap(devargs, why, why_size);
	if (!d || !d->needs || sn_devargs_get(devargs, d->needs, value, sizeof(value)))
		return 0;
	list_keys(d, list, sizeof(list));
	snprintf(why, why_size, "%s needs %s=; keys of %s: %s", d->name, d->needs, d->name, list);
	return -EINVAL;
}
