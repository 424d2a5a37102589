/* SPDX-License-Identifier: BSD-3-Clause */
#include "pcapng.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION 0x0a0d0d0au
#define INTERFACE 1u
#define ENHANCED_PACKET 6u
#define OPTION_FLAGS 2u
#define OPTION_TSRESOL 9u

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint16_t half(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t pad(uint32_t n)
{
	return (n + 3) & ~3u;
}

/* Value of an option of 1 or 4 bytes between at and end. */
static uint32_t option(const uint8_t *at, const uint8_t *end, uint32_t code, uint32_t otherwise)
{
	while (at + 4 <= end && half(at)) {
		uint32_t len = half(at + 2);

		ck_assert(at + 4 + pad(len) <= end);
		if (half(at) == code)
			return len == 1 ? at[4] : word(at + 4);
		at += 4 + pad(len);
	}
	return otherwise;
}

static void add_packet(struct pcapng *p, const uint8_t *block, uint32_t len)
{
	struct pcapng_packet *k;
	uint32_t caplen = word(block + 20), flags;

	ck_assert_uint_ge(len, 32 + pad(caplen));
	p->packets = realloc(p->packets, (p->n + 1) * sizeof(*p->packets));
	ck_assert_ptr_nonnull(p->packets);
	k = &p->packets[p->n++];
	k->ns = (uint64_t)word(block + 12) << 32 | word(block + 16);
	k->caplen = caplen;
	k->len = word(block + 24);
	k->data = malloc(caplen + 1);
	ck_assert_ptr_nonnull(k->data);
	memcpy(k->data, block + 28, caplen);
	flags = option(block + 28 + pad(caplen), block + len - 4, OPTION_FLAGS, 0) & 3;
	k->sent = flags == 1 ? 0 : flags == 2 ? 1 : -1;
}

static void read_block(struct pcapng *p, const uint8_t *block, uint32_t len)
{
	switch (word(block)) {
	case SECTION:
		ck_assert_uint_eq(word(block + 8), 0x1a2b3c4d); /* of this machine's byte order */
		break;
	case INTERFACE:
		ck_assert_uint_eq(half(block + 8), 1); /* Ethernet */
		ck_assert_uint_eq(option(block + 16, block + len - 4, OPTION_TSRESOL, 6), 9); /* ns */
		break;
	case ENHANCED_PACKET:
		add_packet(p, block, len);
		break;
	default:
		ck_abort_msg("block of type 0x%x", word(block));
	}
}

void pcapng_read(const char *path, struct pcapng *out)
{
	FILE *file = fopen(path, "rb");
	uint8_t *all;
	long size, at;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	all = malloc((size_t)size + 1);
	ck_assert_ptr_nonnull(all);
	ck_assert_uint_eq(fread(all, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	memset(out, 0, sizeof(*out));
	for (at = 0; at < size; at += word(all + at + 4)) {
		uint32_t len = word(all + at + 4);

		ck_assert_msg(size - at >= 12 && len >= 12 && len % 4 == 0 && len <= (unsigned long)(size - at), "block cut at %ld", at);
		ck_assert_uint_eq(word(all + at + len - 4), len);
		read_block(out, all + at, len);
	}
	free(all);
}

void pcapng_free(struct pcapng *p)
{
	while (p->n)
		free(p->packets[--p->n].data);
	free(p->packets);
}

uint32_t pcapng_count(const char *path)
{
	struct pcapng p;
	uint32_t n;

	pcapng_read(path, &p);
	n = p.n;
	pcapng_free(&p);
	return n;
}
