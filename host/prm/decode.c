/* SPDX-License-Identifier: BSD-3-Clause */
/* A command's answer in words. */
#include "prm.h"
#include <stdio.h>

struct status_text {
	uint32_t status;
	const char *name;
	const char *cause; /* NULL: no likely one known */
};

/*
 * Names: rdma-core's and the kernel driver's mlx5 headers. 0x07, 0x10, 0x30 and
 * 0x40 are never an answer to commands of this library, but of a foreign one.
 */
static const struct status_text status_texts[] = {
	{ PRM_OK, "ok", NULL },
	{ PRM_INTERNAL, "internal error", "the firmware is in trouble; see the kernel log" },
	{ PRM_BAD_OPCODE, "bad opcode", "the firmware or this function of the device does not know the command" },
	{ PRM_BAD_PARAM, "bad parameter", "a value or bit that this device or firmware does not support" },
	{ PRM_BAD_SYS_STATE, "bad system state", "the device is resetting or was not started" },
	{ PRM_BAD_RESOURCE, "bad resource",
	  "an object number in it is unknown, of another kind or belongs to another context" },
	{ PRM_BUSY, "busy", "another object still refers to this one" },
	{ 0x07, "not ready", NULL },
	{ PRM_LIMIT, "limit exceeded", "more than the capabilities of the device allow" },
	{ PRM_BAD_STATE, "bad resource state", "the object is not in the state that the command starts from" },
	{ PRM_BAD_INDEX, "bad index", "an index or page id in it is out of range" },
	{ PRM_NO_RESOURCES, "no resources", "the device has no room for another such object; close what is not used" },
	{ 0x10, "bad QP state", NULL },
	{ 0x30, "bad packet", NULL },
	{ 0x40, "bad size", NULL },
	{ PRM_BAD_INPUT_LEN, "bad input length", "library and firmware differ about this command" },
	{ PRM_BAD_OUTPUT_LEN, "bad output length", "library and firmware differ about this command" },
};

static const struct status_text *find_status(uint32_t status)
{
	for (size_t i = 0; i < sizeof(status_texts) / sizeof(status_texts[0]); i++)
		if (status_texts[i].status == status)
			return &status_texts[i];
	return NULL;
}

uint32_t prm_out_number(const uint8_t *out)
{
	return (uint32_t)prm_get(out, 0, PRM_OUT_NUMBER);
}

uint32_t prm_out_status(const uint8_t *out)
{
	return (uint32_t)prm_get(out, 0, PRM_OUT_STATUS);
}

uint32_t prm_out_syndrome(const uint8_t *out)
{
	return (uint32_t)prm_get(out, 0, PRM_OUT_SYNDROME);
}

const char *prm_decode(uint32_t opcode, const uint8_t *out, char *buf, size_t size)
{
	uint32_t status = prm_out_status(out);
	const struct status_text *text = find_status(status);
	const char *name = prm_opcode_name(opcode);
	char number[24];

	if (!name) {
		snprintf(number, sizeof(number), "command 0x%x", opcode);
		name = number;
	}
	snprintf(buf, size, "%s: %s (status 0x%02x, syndrome 0x%08x)%s%s", name, text ? text->name : "unknown status",
		 status, prm_out_syndrome(out), text && text->cause ? "; likely: " : "",
		 text && text->cause ? text->cause : "");
	return buf;
}
