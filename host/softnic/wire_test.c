/* SPDX-License-Identifier: BSD-3-Clause */
/* "test": two bounded queues that a test fills and empties, to see a wire that is full and frames in flight. */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEST_DEPTH 16u
#define TEST_FRAME 16384u

struct queue {
	uint32_t first, end; /* run freely */
	uint32_t len[TEST_DEPTH];
	uint8_t data[TEST_DEPTH][TEST_FRAME];
};

struct test_wire {
	struct sn_wire w;
	struct queue in, out; /* as the port sees it */
	int finite, more;     /* the input: see sn_test_input() */
};

static int put(struct queue *q, const void *data, size_t len)
{
	if (q->end - q->first == TEST_DEPTH)
		return -EAGAIN;
	memcpy(q->data[q->end % TEST_DEPTH], data, len);
	q->len[q->end++ % TEST_DEPTH] = (uint32_t)len;
	return 0;
}

static int test_open(struct sn_device *dev, const char *arg, struct sn_wire **out)
{
	struct test_wire *t = calloc(1, sizeof(*t));

	(void)arg;
	if (!t)
		return -ENOMEM;
	t->w.ops = &sn_wire_test;
	t->w.dev = dev;
	*out = &t->w;
	return 0;
}

static void test_close(struct sn_wire *w)
{
	free(w);
}

static int test_send(struct sn_wire *w, const struct sn_frame *frame)
{
	return put(&((struct test_wire *)w)->out, frame->data, frame->len);
}

static int test_receive(struct sn_wire *w, struct sn_frame *frame)
{
	const struct queue *q = &((const struct test_wire *)w)->in;

	if (q->first == q->end)
		return -EAGAIN;
	frame->data = q->data[q->first % TEST_DEPTH];
	frame->len = q->len[q->first % TEST_DEPTH];
	return 0;
}

static void test_taken(struct sn_wire *w)
{
	((struct test_wire *)w)->in.first++;
}

static int test_can_send(struct sn_wire *w)
{
	const struct queue *q = &((const struct test_wire *)w)->out;

	return q->end - q->first < TEST_DEPTH;
}

static uint32_t test_held(struct sn_wire *w)
{
	const struct queue *q = &((const struct test_wire *)w)->in;

	return q->end - q->first;
}

static int test_can_receive(struct sn_wire *w)
{
	return test_held(w) != 0;
}

static int test_ended(struct sn_wire *w)
{
	const struct test_wire *t = (const struct test_wire *)w;

	if (!t->finite)
		return 0;
	return t->more || test_held(w) ? -EAGAIN : 1;
}

const struct sn_wire_ops sn_wire_test = {
	.name = "test", .open = test_open, .close = test_close, .send = test_send, .receive = test_receive,
	.taken = test_taken, .can_send = test_can_send, .can_receive = test_can_receive, .held = test_held,
	.ended = test_ended,
};

static struct test_wire *test_wire(struct sn_device *dev)
{
	return dev->wire->ops == &sn_wire_test ? (struct test_wire *)dev->wire : NULL;
}

int sn_test_put(struct sn_device *dev, const void *frame, size_t len)
{
	struct test_wire *t;
	int err = -EINVAL;

	sn_lock(dev);
	t = test_wire(dev);
	if (t && len <= TEST_FRAME)
		err = put(&t->in, frame, len);
	if (!err)
		sn_port_arrived(dev, (uint32_t)len);
	sn_unlock(dev);
	sn_engine_rang();
	return err;
}

int sn_test_take(struct sn_device *dev, void *frame, size_t size)
{
	struct test_wire *t;
	int len = -EINVAL;

	sn_lock(dev);
	t = test_wire(dev);
	if (t && t->out.first == t->out.end) {
		len = -EAGAIN;
	} else if (t) {
		uint32_t slot = t->out.first++ % TEST_DEPTH;

		len = (int)t->out.len[slot];
		memcpy(frame, t->out.data[slot], (size_t)len < size ? (size_t)len : size);
	}
	sn_unlock(dev);
	sn_engine_rang();
	return len;
}

int sn_test_input(struct sn_device *dev, int more)
{
	struct test_wire *t;

	sn_lock(dev);
	t = test_wire(dev);
	if (t) {
		t->finite = 1;
		t->more = more;
		sn_input_look(dev);
	}
	sn_unlock(dev);
	return t ? 0 : -EINVAL;
}
