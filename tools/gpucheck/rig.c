/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"
#include <string.h>

enum { WORDS_BYTES = 65536, HOST_BYTES = 4096, STOP_MS = 2000 };

static int open_end(struct end *e, struct gin_gpu *gpu, struct result *r, const char *name,
		    const struct rig_config *cfg)
{
	struct gin_rxq_config rx = {.n_slots = cfg->n_slots};
	struct gin_txq_config tx = {.n_wqes = cfg->n_wqes};
	int err;

	if ((err = gin_nic_open(name, &e->nic)) || (err = gin_nic_info(e->nic, &e->info)) ||
	    (err = gin_rxq_create(e->nic, gpu, &rx, &e->rxq)) || (err = gin_txq_create(e->nic, gpu, &tx, &e->txq)) ||
	    (err = gin_flow_all(e->nic, &e->rxq, 1, &e->flow)))
		return bad(r, "%s: %s: %s", name, gin_strerror(err), last_error_line());
	return 0;
}

int rig_open(struct rig *g, const struct setting *s, struct result *r, const struct rig_config *cfg)
{
	int err;

	memset(g, 0, sizeof(*g));
	g->gpu = s->gpu;
	if (open_end(&g->end[0], s->gpu, r, cfg->near, cfg) ||
	    (cfg->far && open_end(&g->end[1], s->gpu, r, cfg->far, cfg)))
		return -1;
	if ((err = gin_mem_alloc(s->gpu, GIN_MEM_CPU_GPU, cfg->frame_bytes, &g->frames)) ||
	    (err = gin_mem_alloc(s->gpu, GIN_MEM_GPU, WORDS_BYTES, &g->words)) ||
	    (err = gin_mem_alloc(s->gpu, GIN_MEM_CPU_GPU, HOST_BYTES, &g->host)) ||
	    (err = gin_mr_create(g->end[0].nic, s->gpu, g->frames.gpu, g->frames.size, 0, &g->mr)))
		return bad(r, "memory: %s: %s", gin_strerror(err), last_error_line());
	return 0;
}

void rig_close(struct rig *g)
{
	gin_nic_close(g->end[0].nic);
	gin_nic_close(g->end[1].nic);
	gin_mem_free(g->gpu, &g->frames);
	gin_mem_free(g->gpu, &g->words);
	gin_mem_free(g->gpu, &g->host);
}

struct end *rig_far(struct rig *g)
{
	return g->end[1].nic ? &g->end[1] : &g->end[0];
}

struct gin_be32 rig_lkey(const struct rig *g)
{
	return gin_mr_local(g->mr).key;
}

int rig_read(struct rig *g, struct result *r, void *to, size_t offset, size_t size)
{
	int err = gin_mem_copy(g->gpu, to, (const uint8_t *)g->words.gpu + offset, size);

	return err ? bad(r, "cannot read GPU memory: %s", last_error_line()) : 0;
}

int rig_wait(struct gin_gpu *gpu, struct result *r, uint32_t ms)
{
	int err = gin_gpu_wait(gpu, ms * 1000000ull);

	if (!err)
		return 0;
	gin_gpu_stop(gpu);
	if (err == -EAGAIN && gin_gpu_wait(gpu, STOP_MS * 1000000ull) == -EAGAIN)
		return bad(r, "kernels run after %u ms, and %d ms after a stop", ms, STOP_MS);
	if (err == -EAGAIN)
		return bad(r, "kernels had not ended after %u ms; a stop ended them", ms);
	return bad(r, "%s: %s", gin_strerror(err), last_error_line());
}

int rig_sums(struct end *e, struct result *r, uint64_t delivered, uint64_t wire)
{
	struct gin_nic_stats s;
	uint64_t rx_dropped, tx_dropped;
	int err = gin_nic_stats(e->nic, &s);

	if (err)
		return bad(r, "%s: counters: %s", e->info.name, gin_strerror(err));
	rx_dropped = s.rx_drop_filter + s.rx_drop_by_rule + s.rx_drop_no_buffer + s.rx_drop_too_long +
		     s.rx_drop_bad_frame + s.rx_drop_queue_error + s.rx_drop_link_down + s.rx_to_host;
	tx_dropped = s.tx_drop_too_long + s.tx_drop_link_down + s.tx_drop_queue_error;
	if (want(r, "frames received and not delivered", (int64_t)rx_dropped, 0) ||
	    want(r, "frames posted and not sent", (int64_t)tx_dropped, 0) ||
	    want(r, "frames delivered", (int64_t)s.rx_delivered, (int64_t)delivered) ||
	    want(r, "frames sent", (int64_t)s.tx_wire, (int64_t)wire) ||
	    want(r, "refused doorbells", (int64_t)s.refused, 0))
		return -1;
	return 0;
}
