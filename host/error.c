/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of results. */
#define _GNU_SOURCE /* strerrordesc_np: the C library's text, without a shared buffer */
#include <ginet/error.h>
#include <string.h>

static const struct {
	unsigned int code;
	const char *name;
} names[] = {
	{ 0, "success" },
	{ EAGAIN, "not yet" },
	{ ECANCELED, "stopped" },
	{ EIO, "queue error" },
	{ EINVAL, "invalid argument" },
	{ EMSGSIZE, "packet too long" },
	{ ENOMEM, "out of memory" },
	{ ENOTSUP, "not supported here" },
	{ EBUSY, "still in use" },
	{ EEXIST, "already exists" },
	{ ENODEV, "no such device" },
	{ EPERM, "not permitted" },
	{ EREMOTEIO, "refused by the device" },
};

const char *gin_strerror(int err)
{
	/* Unsigned, since INT_MIN has no positive counterpart. */
	unsigned int code = err < 0 ? 0u - (unsigned int)err : (unsigned int)err;
	const char *desc;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			return names[i].name;
	desc = strerrordesc_np((int)code);
	return desc ? desc : "unknown error";
}
