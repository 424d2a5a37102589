/* SPDX-License-Identifier: BSD-3-Clause */
/* A NIC with a queue each way, and the kernel of input.cu on it. */
#ifndef TESTS_PCAP_PORT_H
#define TESTS_PCAP_PORT_H
#include <check.h>
#include "input.h"
#include "nic/nic_priv.h"
#include "softnic/softnic.h"

#define MS 1000000ull

extern struct gin_gpu *gpu;
extern struct gin_mem sums_mem; /* struct input_sums */

struct port {
	struct gin_nic *nic;
	struct sn_device *dev;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	uint8_t mac[6];
	struct gin_addr answer;
};

void open_gpu(void);
/* Queues and a rule for all on a NIC that is open. n_slots 0: the default. */
void set_up_port(struct port *p, uint32_t n_slots);
void open_port(struct port *p, const char *name, uint32_t n_slots);
/* A frame for the port, its bytes made of seed; len at least 14. */
void fill_frame(const struct port *p, uint8_t *frame, uint32_t len, uint32_t seed);
/* Memory of the kernel's own answer, see input.cu. */
void make_answer(struct port *p);
void launch(struct port *p, enum input_what what);
struct input_sums sums(void);
struct gin_nic_stats stats(const struct port *p);
#endif
