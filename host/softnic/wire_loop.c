/* SPDX-License-Identifier: BSD-3-Clause */
/* "loop": a plug that brings every frame back, as if it came from outside. And the list of wires. */
#include "auto.h"
#include "devargs.h"
#include "sn.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int loop_open(struct sn_device *dev, const char *arg, struct sn_wire **out)
{
	struct sn_wire *w = calloc(1, sizeof(*w));

	(void)arg;
	if (!w)
		return -ENOMEM;
	w->ops = &sn_wire_loop;
	w->dev = dev;
	*out = w;
	return 0;
}

static void loop_close(struct sn_wire *w)
{
	free(w);
}

static int loop_send(struct sn_wire *w, const struct sn_frame *frame)
{
	sn_port_arrived(w->dev, frame->len);
	sn_port_receive(w->dev, frame);
	return 0;
}

const struct sn_wire_ops sn_wire_loop = { .name = "loop", .open = loop_open, .close = loop_close, .send = loop_send };

static const struct sn_wire_ops *const wires[] = {
	&sn_wire_loop, &sn_wire_cable, &sn_wire_tap, &sn_wire_packet, &sn_wire_unix, &sn_wire_test,
};

const struct sn_wire_ops *sn_wire_find(const char *text, const char **arg)
{
	size_t i, n;

	for (i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
		n = strlen(wires[i]->name);
		if (strncmp(text, wires[i]->name, n))
			continue;
		*arg = text + n + 1;
		if (wires[i]->arg ? text[n] == '=' && text[n + 1] : !text[n])
			return wires[i];
	}
	return NULL;
}

const char *sn_wire_list(char *buf, size_t size)
{
	size_t i, at = 0;

	for (i = 0; i < sizeof(wires) / sizeof(wires[0]) && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s%s%s", i ? ", " : "", wires[i]->name, wires[i]->arg ? "=" : "",
				       wires[i]->arg ? wires[i]->arg : "");
	if (at < size)
		snprintf(buf + at, size - at, ", " SN_AUTO_KINDS ", " SN_DEVARGS_KINDS);
	return buf;
}
