/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capture files as net_pcap's input and output. The driver takes what libpcap
 * gives it: packets of any link type, and the end wherever reading stops. So
 * the input is read through once before, and the output measured afterwards.
 */
#include "dpdk.h"
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct input {
	uint64_t n;       /* packets that can be read */
	uint64_t n_cut;   /* of which the file has not all bytes */
	uint64_t first_cut;
};

static int is_file(const char *devargs, const char *key, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-")) { /* for libpcap */
		dpdk_error("soft:%.200s: %s=- would be standard input or output: name a file", devargs, key);
		return -EINVAL;
	}
	if (stat(path, &st) || S_ISREG(st.st_mode)) /* one that is not there is told of by who opens it */
		return 0;
	dpdk_error("soft:%.200s: %s=%.200s is %s: name a file", devargs, key, path,
		   S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
	return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
}

static int is_readable(const char *devargs, const char *path)
{
	struct stat st;
	int err;

	if (access(path, R_OK)) {
		err = -errno;
		dpdk_error("soft:%.200s: cannot read rx_pcap=%.200s: %s", devargs, path, strerror(-err));
		return err;
	}
	if (!stat(path, &st) && !st.st_size) {
		dpdk_error("soft:%.200s: rx_pcap=%.200s is empty, not even a capture of no packets: was its writer closed well?", devargs,
			   path);
		return -EINVAL;
	}
	return 0;
}

static int is_ethernet(const char *devargs, const char *path, pcap_t *pcap)
{
	int type = pcap_datalink(pcap);
	const char *name = pcap_datalink_val_to_name(type);

	if (type == DLT_EN10MB)
		return 0;
	dpdk_error("soft:%.200s: rx_pcap=%.200s has link type %d (%s), not Ethernet: capture on one Ethernet interface, not on 'any'",
		   devargs, path, type, name ? name : "unknown");
	return -EINVAL;
}

/* Reads on until the end, or what cannot be read: -EIO, as pcap_geterr() says. */
static int read_through(pcap_t *pcap, struct input *in)
{
	struct pcap_pkthdr *head;
	const u_char *data;
	int got;

	while ((got = pcap_next_ex(pcap, &head, &data)) == 1) {
		in->n++;
		if (head->caplen >= head->len)
			continue;
		if (!in->n_cut++)
			in->first_cut = in->n;
	}
	return got == PCAP_ERROR ? -EIO : 0;
}

/* As tshark and tcpreplay do it: what is there is used. */
static void tell_of_damage(const char *path, pcap_t *pcap)
{
	struct input in = { 0 };
	char line[512];
	int err = read_through(pcap, &in);

	if (err) {
		snprintf(line, sizeof(line), "soft: rx_pcap=%.200s cannot be read behind packet %llu (%.160s): the %llu up to there are used",
			 path, (unsigned long long)in.n, pcap_geterr(pcap), (unsigned long long)in.n);
		dpdk_host->log(GIN_LOG_WARNING, line);
	}
	if (in.n_cut) {
		snprintf(line, sizeof(line),
			 "soft: rx_pcap=%.200s: %llu of %llu packets, first number %llu, were cut when they were captured (tcpdump -s): "
			 "they come in as short as they are in the file",
			 path, (unsigned long long)in.n_cut, (unsigned long long)in.n, (unsigned long long)in.first_cut);
		dpdk_host->log(GIN_LOG_WARNING, line);
	}
}

static int check_capture(const char *devargs, const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, why);
	int err;

	if (!pcap) {
		dpdk_error("soft:%.200s: rx_pcap=%.200s is no capture that libpcap can read (%.160s): write one by tcpdump -w or wireshark",
			   devargs, path, why);
		return -EINVAL;
	}
	err = is_ethernet(devargs, path, pcap);
	if (!err)
		tell_of_damage(path, pcap);
	pcap_close(pcap);
	return err;
}

int dpdk_pcap_check_input(const char *devargs)
{
	char path[SN_DEVARGS_MAX];
	int err;

	if (!sn_devargs_get(devargs, "rx_pcap", path, sizeof(path)))
		return 0;
	err = is_file(devargs, "rx_pcap", path);
	if (!err)
		err = is_readable(devargs, path);
	return err ? err : check_capture(devargs, path);
}

/* The driver empties its output before it reads. */
static int is_other_file(const char *devargs, const char *path)
{
	char input[SN_DEVARGS_MAX];
	struct stat a, b;

	if (!sn_devargs_get(devargs, "rx_pcap", input, sizeof(input)) || stat(path, &a) || stat(input, &b) ||
	    a.st_ino != b.st_ino || a.st_dev != b.st_dev)
		return 0;
	dpdk_error("soft:%.200s: tx_pcap is the same file as rx_pcap, which would be lost: take another name", devargs);
	return -EINVAL;
}

static int is_writable(const char *devargs, const char *path)
{
	int is_there = !access(path, F_OK), err = 0;
	FILE *file = fopen(path, "ae"); /* changes nothing in a file that is there */

	if (file) {
		fclose(file);
		if (!is_there)
			unlink(path);
		return 0;
	}
	err = -errno;
	dpdk_error("soft:%.200s: cannot write tx_pcap=%.200s: %s", devargs, path, strerror(-err));
	return err;
}

int dpdk_pcap_check_output(const char *devargs)
{
	char path[SN_DEVARGS_MAX];
	int err;

	if (!sn_devargs_get(devargs, "tx_pcap", path, sizeof(path)))
		return 0;
	err = is_file(devargs, "tx_pcap", path);
	if (!err)
		err = is_other_file(devargs, path);
	return err ? err : is_writable(devargs, path);
}

/*
 * After the driver has closed it. The driver does not look whether libpcap
 * could write. A file has 24 bytes, then 16 in front of each packet
 * (draft-ietf-opsawg-pcap 4 and 5).
 */
int dpdk_pcap_output_is_whole(const char *path, const struct rte_eth_stats *sent)
{
	struct stat st;

	return !stat(path, &st) && (uint64_t)st.st_size == 24 + 16 * sent->opackets + sent->obytes;
}
