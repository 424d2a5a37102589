/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands through the seam; a refusal becomes one decoded line. */
#include "nic_priv.h"
#include <errno.h>
#include <string.h>
#include "log.h"

static uint32_t opcode_of(const void *in)
{
	const uint8_t *b = in;

	return (uint32_t)b[0] << 8 | b[1];
}

static int refused(struct gin_nic *nic, const void *in, const uint8_t *out, int err)
{
	char text[160];

	if (err == -EREMOTEIO)
		gin_error("%s refused %s", nic->name, prm_decode(opcode_of(in), out, text, sizeof(text)));
	return err;
}

int gin_nic_create_obj(struct gin_nic *nic, const void *in, size_t in_len, struct gin_nic_obj *obj, uint32_t *number)
{
	uint8_t out[PRM_SHORT_LEN] = { 0 };
	int err = nic->ops->obj_create(nic->dev, in, in_len, out, sizeof(out), obj);

	if (err)
		return refused(nic, in, out, err);
	*number = prm_out_number(out);
	return 0;
}

int gin_nic_modify_obj(struct gin_nic *nic, struct gin_nic_obj *obj, const void *in, size_t in_len)
{
	uint8_t out[PRM_SHORT_LEN] = { 0 };

	return refused(nic, in, out, nic->ops->obj_modify(nic->dev, obj, in, in_len, out, sizeof(out)));
}

int gin_nic_query_obj(struct gin_nic *nic, struct gin_nic_obj *obj, const void *in, void *out, size_t out_len)
{
	memset(out, 0, out_len);
	return refused(nic, in, out, nic->ops->obj_query(nic->dev, obj, in, PRM_SHORT_LEN, out, out_len));
}

void gin_nic_destroy_obj(struct gin_nic *nic, struct gin_nic_obj *obj)
{
	int err;

	if (!obj->priv)
		return;
	err = nic->ops->obj_destroy(nic->dev, obj);
	if (err)
		gin_error("%s: an object could not be destroyed (%s): it stays until the NIC is closed", nic->name,
			  gin_strerror(err));
	obj->priv = NULL;
}

static int query(struct gin_nic *nic, const uint8_t *in, uint8_t *out, size_t out_len)
{
	memset(out, 0, out_len);
	return refused(nic, in, out, nic->ops->cmd(nic->dev, in, PRM_SHORT_LEN, out, out_len));
}

enum { CAP_GENERAL = 0, CAP_ETHERNET = 1 };

int gin_nic_query_caps(struct gin_nic *nic)
{
	uint8_t in[PRM_SHORT_LEN], out[PRM_CAP_OUT_LEN];
	int err;

	prm_build_query_hca_cap(in, CAP_GENERAL, 1);
	err = query(nic, in, out, sizeof(out));
	if (err)
		return err;
	prm_parse_general_cap(out, &nic->caps);
	prm_build_query_hca_cap(in, CAP_ETHERNET, 1);
	err = query(nic, in, out, sizeof(out));
	if (err)
		return err;
	prm_parse_eth_cap(out, &nic->caps);
	prm_build_query_nic_vport(in);
	err = query(nic, in, out, PRM_QUERY_OUT_LEN);
	if (err)
		return err;
	prm_parse_nic_vport(out, &nic->caps);
	return 0;
}
