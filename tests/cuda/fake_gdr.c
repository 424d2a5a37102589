/* SPDX-License-Identifier: BSD-3-Clause */
/* gdrcopy for tests: GPU memory is plain memory already, so mapping it gives the same address. */
#include "fake_cudart.h"
#include <string.h>

struct fake_gdr fake_gdr;

struct gdr_mh { unsigned long h; };

static void *gdr_open(void)
{
	return fake_gdr.opens ? &fake_gdr : NULL;
}

static int gdr_pin_buffer(void *gdr, unsigned long addr, size_t size, uint64_t token, uint32_t space,
			  struct gdr_mh *out)
{
	(void)gdr;
	(void)token;
	(void)space;
	if (fake_gdr.pin_error || addr % 65536 || size % 65536)
		return -22;
	out->h = addr;
	fake_gdr.live++;
	return 0;
}

static int gdr_unpin_buffer(void *gdr, struct gdr_mh handle)
{
	(void)gdr;
	(void)handle;
	fake_gdr.live--;
	return 0;
}

static int gdr_map(void *gdr, struct gdr_mh handle, void **va, size_t size)
{
	(void)gdr;
	(void)size;
	if (fake_gdr.map_error)
		return fake_gdr.map_error;
	*va = (void *)handle.h;
	fake_gdr.live++;
	return 0;
}

static int gdr_unmap(void *gdr, struct gdr_mh handle, void *va, size_t size)
{
	(void)gdr;
	(void)size;
	fake_gdr.live -= handle.h == (unsigned long)va;
	return 0;
}

/* What dlopen() and dlsym() are in the back end's cuda_gdr.c, by a macro: see CMakeLists.txt. */
void *fake_dlopen(const char *name, int flags);
void *fake_dlsym(void *library, const char *name);

void *fake_dlopen(const char *name, int flags)
{
	(void)flags;
	return fake_gdr.installed && !strcmp(name, "libgdrapi.so.2") ? &fake_gdr : NULL;
}

void *fake_dlsym(void *library, const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} known[] = {
		{ "gdr_open", (void *)gdr_open },   { "gdr_pin_buffer", (void *)gdr_pin_buffer },
		{ "gdr_map", (void *)gdr_map },     { "gdr_unpin_buffer", (void *)gdr_unpin_buffer },
		{ "gdr_unmap", (void *)gdr_unmap },
	};
	size_t i;

	(void)library;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name) && !(fake_gdr.lacks && !strcmp(fake_gdr.lacks, name)))
			return known[i].function;
	return NULL;
}
