/* SPDX-License-Identifier: BSD-3-Clause */
/* The packet of a send WQE as one piece of memory. */
#include "sn.h"
#include <errno.h>
#include <string.h>

#define MACS 12u /* bytes in front of a VLAN tag */

static int gather(struct sn_wq *wq, const struct sn_send *send, uint8_t *to, enum sn_fault *fault)
{
	uint32_t i;

	memcpy(to, send->inline_hdr, send->inline_len);
	to += send->inline_len;
	for (i = 0; i < send->n_segs; i++) {
		const struct sn_seg *seg = &send->segs[i];
		const uint8_t *from = sn_dma(wq, seg->lkey, seg->addr, seg->len, 0, fault);

		if (!from)
			return -EFAULT;
		memcpy(to, from, seg->len);
		to += seg->len;
	}
	return 0;
}

static void insert_vlan(uint8_t *frame, uint32_t *len, uint16_t tci)
{
	memmove(frame + MACS + 4, frame + MACS, *len - MACS);
	frame[MACS] = 0x81;
	frame[MACS + 1] = 0x00;
	frame[MACS + 2] = (uint8_t)(tci >> 8);
	frame[MACS + 3] = (uint8_t)tci;
	*len += 4;
}

/* Nothing to change and in one piece: the wire reads the sender's memory, which stays valid until the CQE. */
static int is_plain(const struct sn_send *send)
{
	return send->n_segs == 1 && !send->inline_len && !send->insert_vlan && !send->cs_flags &&
	       send->len >= SN_FRAME_MIN;
}

/* send->len is at most SN_FRAME_MAX - 4. */
int sn_frame_build(struct sn_wq *wq, const struct sn_send *send, struct sn_frame *out, enum sn_fault *fault)
{
	uint8_t *buf;
	uint32_t len = (uint32_t)send->len;
	int err;

	if (is_plain(send)) {
		out->data = sn_dma(wq, send->segs[0].lkey, send->segs[0].addr, len, 0, fault);
		out->len = len;
		return out->data ? 0 : -EFAULT;
	}
	buf = sn_tx_buf(sn_wq_dev(wq));
	err = gather(wq, send, buf, fault);
	if (err)
		return err;
	if (send->insert_vlan && len >= MACS + 2)
		insert_vlan(buf, &len, send->vlan_tci);
	if (send->cs_flags)
		sn_csum_insert(buf, len, send->cs_flags);
	out->data = buf;
	out->len = len;
	sn_frame_pad(out, buf);
	return 0;
}

/* frame->data may be buf itself. */
void sn_frame_pad(struct sn_frame *frame, uint8_t buf[SN_FRAME_MIN])
{
	if (frame->len >= SN_FRAME_MIN)
		return;
	memmove(buf, frame->data, frame->len);
	memset(buf + frame->len, 0, SN_FRAME_MIN - frame->len);
	frame->data = buf;
	frame->len = SN_FRAME_MIN;
}
