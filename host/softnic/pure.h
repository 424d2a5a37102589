/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions without state: bytes in, verdict out. They read nothing but their
 * arguments, allocate nothing, and take any bytes whatever (fuzzed).
 */
#ifndef HOST_SOFTNIC_PURE_H
#define HOST_SOFTNIC_PURE_H
#include <ginet/hw/cqe.h>
#include <ginet/hw/wqe.h>
#include <stddef.h>
#include <stdint.h>

/* wqe.c: send WQEs */

#define SN_SEGS_MAX (GIN_DS_MAX - 2)
#define SN_INLINE_MAX ((GIN_DS_MAX - 1) * GIN_DS + 2)

struct sn_seg { uint64_t addr; uint32_t len, lkey; };

struct sn_send {
	uint8_t opcode, ds;
	uint8_t ce;                  /* fm_ce_se & GIN_CE_MASK */
	uint8_t cs_flags;            /* GIN_ETH_* */
	uint16_t mss;
	uint16_t vlan_tci;
	uint8_t insert_vlan;
	uint32_t inline_len;         /* header bytes carried in the WQE */
	uint8_t inline_hdr[SN_INLINE_MAX];
	uint32_t n_segs;
	struct sn_seg segs[SN_SEGS_MAX];
	uint64_t len;                /* of the packet: inline header and segments */
};

struct sn_wqe_rules {
	uint32_t sqn;
	uint16_t index;              /* the WQE must name this one */
	uint32_t max_ds;             /* max_wqe_sz_sq / 16 */
	uint32_t min_inline;         /* header bytes that must be inline: 0 or 18 */
	uint8_t vlan_insert;         /* capability */
};

/* Size of the WQE whose first 8 bytes are at p: 1 to 63 segments, or 0 when the field is 0. */
static inline uint32_t sn_wqe_ds(const uint8_t *p)
{
	return p[7] & GIN_DS_MAX;
}

/*
 * Decode the ds segments at wqe (one contiguous piece; avail bytes may be
 * read, each only once, as software may still write there). 0, or GIN_SYND_LOCAL_QP_OP with *why set to a constant text such as
 * "WQE index is not the one expected". opcode, ds and ce are set in either case
 * (0 when avail is below 16). SEND and NOP only; a NOP has len 0. Inline data
 * segments are taken as more of the inline header.
 */
uint32_t sn_wqe_decode(const uint8_t *wqe, size_t avail, const struct sn_wqe_rules *rules, struct sn_send *out,
		       const char **why);

/* parse.c: what a NIC sees in a frame */

struct sn_parsed {
	uint16_t ethertype;          /* behind VLAN tags */
	uint8_t n_vlans;             /* 0 to 2 */
	uint16_t vlan_tci;           /* of the outer tag */
	uint8_t l3;                  /* GIN_CQE_L3_* */
	uint8_t l4;                  /* GIN_CQE_L4_* */
	uint8_t ip_ext, fragment;
	uint8_t ip_version, proto;   /* 0: none */
	uint8_t l3_ok, l4_ok;        /* checksum verified and right; IPv6 has none: ok when well-formed */
	uint16_t sport, dport;       /* 0: none */
	uint8_t tcp_flags;
	uint16_t l3_off, l4_off;     /* bytes from the start of the frame; 0: none */
	uint32_t l4_len;             /* bytes of L4 header and payload, by the IP length; never past the frame */
	uint32_t l4_csum_len;        /* bytes that the L4 checksum covers; 0: not checked (cut, lengths contradict) */
};

/* len is at least 14; at fewer everything is 0. Never reads past len. */
void sn_parse(const uint8_t *frame, size_t len, struct sn_parsed *out);
/* The same without sums: l3_ok means that lengths are right, l4_ok stays 0. */
void sn_parse_headers(const uint8_t *frame, size_t len, struct sn_parsed *out);
/*
 * Ones-complement sum over everything behind L2 and VLAN tags, for the CQE's
 * check_sum. What pads the frame behind an IP packet is not in it: kernel
 * driver, mlx5e_skb_csum_fixup(). p: by sn_parse(), whose verdicts are used.
 */
uint16_t sn_csum_complete(const uint8_t *frame, size_t len, const struct sn_parsed *p);

/* csum.c: what a NIC fills in when it sends */

/* cs_flags: GIN_ETH_L3_CSUM, GIN_ETH_L4_CSUM. Frames that cannot be parsed stay as they are. */
void sn_csum_insert(uint8_t *frame, size_t len, uint32_t cs_flags);
static inline uint16_t sn_csum_fold(uint32_t sum) /* not complemented */
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* RFC 1071 sum of big-endian words, any length (an odd byte counts as if a 0 followed it). */
uint32_t sn_csum_add(const uint8_t *data, size_t len, uint32_t sum);
/* Pseudo header of TCP and UDP; p has an l4_csum_len. */
uint32_t sn_csum_pseudo(const uint8_t *frame, const struct sn_parsed *p);

/* match.c: a frame as an fte_match_param, compared under a mask */

#define SN_MATCH_LEN 0x200
/*
 * Check a rule's mask and value: only fields that this NIC knows (outer MACs,
 * ethertype, first_vid/cvlan_tag, ip_version, ip_protocol, frag, addresses,
 * ports, tcp_flags), value 0 where the mask is 0, ports only with ip_protocol
 * in the mask. 0, or -EINVAL with *why.
 */
int sn_match_check(const uint8_t mask[SN_MATCH_LEN], const uint8_t value[SN_MATCH_LEN], const char **why);
/* Fill the outer headers (first 0x40 bytes) from a frame. */
void sn_match_key(const uint8_t *frame, size_t len, const struct sn_parsed *p, uint8_t key[0x40]);
int sn_match_any(const uint8_t mask[SN_MATCH_LEN]); /* 1: it asks for nothing, every frame matches */
int sn_match(const uint8_t key[0x40], const uint8_t mask[SN_MATCH_LEN], const uint8_t value[SN_MATCH_LEN]);
#endif
