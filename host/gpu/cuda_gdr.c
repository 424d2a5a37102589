/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GPU memory mapped to the CPU, by gdrcopy. Loaded when first asked for, so
 * that neither build nor start needs it. Declarations: gdrapi.h of gdrcopy 2,
 * the functions used and nothing else.
 */
#include "gpu/cuda_priv.h"
#include "log.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

struct gdr_mh {
	unsigned long h;
}; /* gdr_mh_t, passed by value */

static struct {
	void *library;
	void *gdr; /* gdr_t: the open /dev/gdrdrv */
	const char *missing;
	void *(*open)(void);
	int (*pin_buffer)(void *gdr, unsigned long addr, size_t size, uint64_t token, uint32_t space,
			  struct gdr_mh *out);
	int (*unpin_buffer)(void *gdr, struct gdr_mh handle);
	int (*map)(void *gdr, struct gdr_mh handle, void **va, size_t size);
	int (*unmap)(void *gdr, struct gdr_mh handle, void *va, size_t size);
} gdr;

struct mapping {
	struct gdr_mh handle;
	void *va;
	size_t size;
};

static int symbol(const char *name, void *function_pointer)
{
	*(void **)function_pointer = dlsym(gdr.library, name);
	return *(void **)function_pointer ? 0 : -ENOTSUP;
}

static int load(void)
{
	if (gdr.gdr)
		return 0;
	if (!gdr.library)
		gdr.library = dlopen("libgdrapi.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!gdr.library) {
		gdr.missing = "libgdrapi.so.2 is not installed";
		return -ENOTSUP;
	}
	if (symbol("gdr_open", &gdr.open) || symbol("gdr_pin_buffer", &gdr.pin_buffer) ||
	    symbol("gdr_unpin_buffer", &gdr.unpin_buffer) || symbol("gdr_map", &gdr.map) ||
	    symbol("gdr_unmap", &gdr.unmap)) {
		gdr.missing = "libgdrapi.so.2 lacks a function of gdrcopy 2";
		return -ENOTSUP;
	}
	gdr.gdr = gdr.open();
	if (!gdr.gdr) {
		gdr.missing = "gdr_open() failed: module gdrdrv is not loaded, or /dev/gdrdrv may not be opened";
		return -ENOTSUP;
	}
	return 0;
}

const char *gin_cuda_gdr_missing(void)
{
	return gdr.missing;
}

int gin_cuda_gdr_map(uint64_t addr, size_t size, void **handle, void **cpu)
{
	struct mapping *m;
	int err = load();

	if (err)
		return err;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->size = size;
	err = gdr.pin_buffer(gdr.gdr, addr, size, 0, 0, &m->handle);
	if (err) {
		gin_error("gdr_pin_buffer() of %zu bytes of GPU memory says %d: more than fits into BAR1 (nvidia-smi "
			  "-q shows it), "
			  "or the GPU does not support it",
			  size, err);
		goto err_free;
	}
	err = gdr.map(gdr.gdr, m->handle, &m->va, size);
	if (err) {
		gin_error("gdr_map() of %zu bytes of GPU memory says %d: see the kernel log for gdrdrv", size, err);
		goto err_unpin;
	}
	*handle = m;
	*cpu = m->va;
	return 0;

err_unpin:
	gdr.unpin_buffer(gdr.gdr, m->handle);
err_free:
	free(m);
	return -ENOMEM;
}

void gin_cuda_gdr_unmap(void *handle)
{
	struct mapping *m = handle;

	gdr.unmap(gdr.gdr, m->handle, m->va, m->size);
	gdr.unpin_buffer(gdr.gdr, m->handle);
	free(m);
}
