/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The samples, as programs. Over a TAP in a network namespace of their own
 * where that is allowed, else from a capture into a capture; the starter, which
 * waits for a second only, always from one. What they must answer is worked out
 * here.
 */
#include "peer.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ICMP_ECHO, RX_THREAD, RX_WARP, RX_BLOCK, STARTER };
enum { ETH = 14, IP = 20, ICMP = 8, PADDED = 60 };

static const uint8_t nic_mac[6] = {2, 0, 0, 0, 0, 1}, our_mac[6] = {2, 0, 0, 0, 0, 9};
static const uint8_t nic_ip[4] = {10, 77, 0, 2}, our_ip[4] = {10, 77, 0, 1};
static const char tap_name[] = "gin0";
#define NIC_MAC "mac=02:00:00:00:00:01"

/* A frame that is asked, and what must come back: len 0: nothing. */
struct talk {
	struct frame ask, answer;
};

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

/* RFC 1071 */
static uint16_t checksum(const uint8_t *at, uint32_t len)
{
	uint32_t sum = 0, i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? at[i] : (uint32_t)at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put_eth(uint8_t *f, const uint8_t *dst, const uint8_t *src, uint16_t type)
{
	memcpy(f, dst, 6);
	memcpy(f + 6, src, 6);
	put16(f + 12, type);
}

static void arp(struct frame *f, int reply, const uint8_t *dst, const uint8_t *sha, const uint8_t *spa,
		const uint8_t *tha, const uint8_t *tpa)
{
	static const uint8_t fixed[6] = {0, 1, 8, 0, 6, 4}; /* Ethernet, IPv4, 6 and 4 bytes */
	uint8_t *a = f->bytes + ETH;

	memset(f, 0, sizeof(*f));
	put_eth(f->bytes, dst, sha, 0x0806);
	memcpy(a, fixed, 6);
	put16(a + 6, reply ? 2 : 1);
	memcpy(a + 8, sha, 6);
	memcpy(a + 14, spa, 4);
	memcpy(a + 18, tha, 6);
	memcpy(a + 24, tpa, 4);
	f->len = PADDED;
}

static void icmp(struct frame *f, uint8_t type, const uint8_t *dmac, const uint8_t *smac, const uint8_t *src,
		 const uint8_t *dst, uint32_t seq, uint32_t data_len)
{
	uint8_t *ip = f->bytes + ETH, *ic = ip + IP;
	uint32_t i, len = ETH + IP + ICMP + data_len;

	memset(f, 0, sizeof(*f));
	put_eth(f->bytes, dmac, smac, 0x0800);
	ip[0] = 0x45;
	put16(ip + 2, IP + ICMP + data_len);
	put16(ip + 4, seq);
	ip[8] = 64;
	ip[9] = 1;
	memcpy(ip + 12, src, 4);
	memcpy(ip + 16, dst, 4);
	put16(ip + 10, checksum(ip, IP));
	ic[0] = type;
	put16(ic + 4, 0x6763);
	put16(ic + 6, seq);
	for (i = 0; i < data_len; i++)
		ic[ICMP + i] = (uint8_t)(i * 13 + seq);
	put16(ic + 2, checksum(ic, ICMP + data_len));
	f->len = len < PADDED ? PADDED : len;
}

/* An ARP request, pings of all kinds of sizes, one for somebody else in between. */
static int make_talk(struct talk *t)
{
	static const uint32_t sizes[] = {0, 1, 17, 18, 19, 56, 63, 64, 65, 255, 256, 511, 1000, 1023, 1470, 1471, 1472};
	static const uint8_t all[6] = {255, 255, 255, 255, 255, 255}, none[6] = {0}, other[4] = {10, 77, 0, 3};
	int n = 0, i;

	arp(&t[n].ask, 0, all, our_mac, our_ip, none, nic_ip);
	arp(&t[n++].answer, 1, our_mac, nic_mac, nic_ip, our_mac, our_ip);
	for (i = 0; i < (int)(sizeof(sizes) / sizeof(sizes[0])); i++) {
		icmp(&t[n].ask, 8, nic_mac, our_mac, our_ip, nic_ip, (uint32_t)i, sizes[i]);
		icmp(&t[n++].answer, 0, our_mac, nic_mac, nic_ip, our_ip, (uint32_t)i, sizes[i]);
		if (i % 8 == 3) {
			icmp(&t[n].ask, 8, nic_mac, our_mac, our_ip, other, (uint32_t)i, sizes[i]);
			t[n++].answer.len = 0;
		}
	}
	return n;
}

/* Frames of other sizes and to other stations, for who only counts. */
static int make_crowd(struct talk *t)
{
	uint8_t dst[6];
	int n;

	for (n = 0; n < FRAMES; n++) {
		memcpy(dst, nic_mac, 6);
		dst[5] = (uint8_t)n;
		icmp(&t[n].ask, 8, dst, our_mac, our_ip, nic_ip, (uint32_t)n, 18 + (uint32_t)n * 23 % 1455);
		t[n].answer.len = 0;
	}
	return n;
}

static int same(struct result *r, int i, const struct frame *got, const struct frame *expected)
{
	if (got->len != expected->len)
		return bad(r, "answer %d has %u bytes, expected %u", i, got->len, expected->len);
	return memcmp(got->bytes, expected->bytes, got->len) ? bad(r, "answer %d has wrong bytes", i) : 0;
}

static int talk_by_tap(struct result *r, const struct talk *t, int n)
{
	static struct frame got;
	int sock = tap_open(tap_name, r), i, err = sock < 0 ? -1 : 0;

	for (i = 0; !err && i < n; i++) {
		err = tap_put(sock, &t[i].ask, r);
		if (!err && t[i].answer.len)
			err = tap_get(sock, &got, 3000) ? same(r, i, &got, &t[i].answer)
							: bad(r, "no answer to frame %d in 3 s", i);
	}
	/* Nothing comes behind the last; and it takes as long until the NIC has given all to the kernel. */
	if (!err && tap_get(sock, &got, 300))
		err = bad(r, "a frame came that nobody asked for");
	if (!err)
		err = want(r, "frames that the NIC took", (int64_t)tap_taken(tap_name), n);
	if (sock >= 0)
		close(sock);
	return err;
}

static int judge_count(struct result *r, const struct program *p, const struct talk *t, int n)
{
	unsigned long long packets = 0, bytes = 0, expected = 0;
	const char *at = strstr(p->text, " packets, ");
	int i;

	for (i = 0; i < n; i++)
		expected += t[i].ask.len;
	while (at && at > p->text && at[-1] != '\n')
		at--;
	if (!at || sscanf(at, "%llu packets, %llu bytes", &packets, &bytes) != 2)
		return bad(r, "it does not say what it counted");
	return want(r, "packets counted", (int64_t)packets, n) ||
		       want(r, "bytes counted", (int64_t)bytes, (int64_t)expected)
		   ? -1
		   : 0;
}

static int judge_starter(struct result *r, const struct program *p, int n)
{
	char says[32];

	snprintf(says, sizeof(says), "%d packets\n", n);
	return strcmp(p->text, says) ? bad(r, "it says '%.100s', expected '%d packets'", p->text, n) : 0;
}

/* argv[1], then NIC and GPU; the starter has its GPU by the environment. */
static void command(const struct setting *s, int which, const char *nic, char path[512], char *argv[5])
{
	static char scopes[][8] = {"thread", "warp", "block"};
	int n = 0;

	snprintf(path, 512, "%s/%s", s->programs,
		 which == ICMP_ECHO ? "icmp_echo" : which == STARTER ? "starter" : "rx_count");
	argv[n++] = path;
	if (which != STARTER)
		argv[n++] = which == ICMP_ECHO ? (char *)"10.77.0.2" : scopes[which - RX_THREAD];
	argv[n++] = (char *)nic;
	if (which == STARTER)
		setenv("GINET_GPU", s->gpu_name, 1);
	else
		argv[n++] = (char *)s->gpu_name;
	argv[n] = NULL;
}

static int by_tap(const struct setting *s, struct result *r, int which, const struct talk *t, int n)
{
	static struct program p;
	char path[512], *argv[5];
	int err;

	command(s, which, "soft:tap=gin0," NIC_MAC, path, argv);
	err = program_start(&p, r, argv);
	if (!err)
		err = talk_by_tap(r, t, n);
	if (!err)
		err = program_end(&p, r, 1) || program_sums(&p, r) ? -1 : 0;
	if (!err && which != ICMP_ECHO)
		err = judge_count(r, &p, t, n);
	program_kill(&p);
	if (!err)
		note(r, "%d frames over a TAP", n);
	return err;
}

static int judge_capture(struct result *r, const char *path, const struct talk *t, int n)
{
	static struct frame got[FRAMES];
	int i, n_got, at = 0;

	if (capture_read(path, got, FRAMES, &n_got, r))
		return -1;
	for (i = 0; i < n; i++)
		if (t[i].answer.len &&
		    (at == n_got ? bad(r, "%d answers only", n_got) : same(r, i, &got[at++], &t[i].answer)))
			return -1;
	return want(r, "answers", n_got, at);
}

static int judge_by_capture(struct result *r, const struct program *p, int which, const char *out, const struct talk *t,
			    int n)
{
	if (which == STARTER)
		return judge_starter(r, p, n);
	if (program_sums(p, r))
		return -1;
	return which == ICMP_ECHO ? judge_capture(r, out, t, n) : judge_count(r, p, t, n);
}

static int by_capture(const struct setting *s, struct result *r, int which, const struct talk *t, int n)
{
	static struct program p;
	static struct frame asked[FRAMES];
	char in[128], out[128], nic[400], path[512], *argv[5];
	int i, err;

	snprintf(in, sizeof(in), "%s/" CAPTURE_IN, s->folder);
	snprintf(out, sizeof(out), "%s/" CAPTURE_OUT, s->folder);
	for (i = 0; i < n; i++)
		asked[i] = t[i].ask;
	snprintf(nic, sizeof(nic), "soft:net_pcap0,rx_pcap=%s,tx_pcap=%s," NIC_MAC, in, out);
	command(s, which, nic, path, argv);
	err = capture_write(in, asked, n, r) || program_start(&p, r, argv) || program_end(&p, r, 0) ||
	      judge_by_capture(r, &p, which, out, t, n);
	program_kill(&p);
	unlink(in);
	unlink(out);
	if (!err)
		note(r, "%d frames out of a capture", n);
	return err;
}

/* A capture needs the DPDK plugin; the sample itself says best why it is not there. */
static int by_capture_if_possible(const struct setting *s, struct result *r, int which, const struct talk *t, int n,
				  const char *why)
{
	char reason[sizeof(r->note)], *at;
	int err = by_capture(s, r, which, t, n);

	if (err && !strncmp(r->note, "it does not start", 17)) {
		at = strstr(r->note, NIC_MAC ": "); /* behind the device's name */
		snprintf(reason, sizeof(reason), "%s", at ? at + strlen(NIC_MAC ": ") : r->note);
		return not_run(r, "%sno capture (%.150s)", why, reason);
	}
	return err;
}

/* In a process of its own, since namespaces are for the rest of its life. */
static void run_in_child(const struct setting *s, int which, int fd)
{
	static struct talk talk[FRAMES];
	struct result r = {.status = ROW_OK};
	char why[128], no_tap[160];
	int n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	n = which == ICMP_ECHO ? make_talk(talk) : make_crowd(talk);
	if (which == STARTER) {
		by_capture_if_possible(s, &r, which, talk, n, "");
	} else if (!tap_possible(why, sizeof(why))) {
		by_tap(s, &r, which, talk, n);
	} else {
		snprintf(no_tap, sizeof(no_tap), "no TAP (%s), ", why);
		by_capture_if_possible(s, &r, which, talk, n, no_tap);
	}
	_exit(write(fd, &r, sizeof(r)) == (ssize_t)sizeof(r) ? 0 : 1);
}

int row_sample(const struct setting *s, struct result *r, int which)
{
	int fds[2], row = r->row, heard;
	pid_t pid;

	if (pipe(fds))
		return bad(r, "no pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		run_in_child(s, which, fds[1]);
	close(fds[1]);
	heard = pid > 0 && read(fds[0], r, sizeof(*r)) == (ssize_t)sizeof(*r);
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	r->row = row;
	if (!heard)
		return bad(r, "the process that ran it died");
	return r->status == ROW_OK ? 0 : -1;
}
