/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the DPDK plugin share. */
#ifndef HOST_DPDK_DPDK_H
#define HOST_DPDK_DPDK_H
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <softnic/devargs.h>
#include <softnic/plugin.h>

extern const struct sn_plugin_host *dpdk_host;
extern const struct sn_wire_ops dpdk_wire_ethdev;

void dpdk_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));                        /* without a lock */
void dpdk_note(struct sn_device *dev, enum gin_log_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* log.c: what DPDK says goes to the program's log; while an answer is awaited, what it says of errors is kept for one line. */

struct dpdk_said {
	uint8_t n; /* lines */
	char text[320];
};

int dpdk_log_open(void);                      /* before EAL starts */
void dpdk_log_keep(struct dpdk_said *said);   /* of this thread, from now on; NULL: no more */

void dpdk_log_line(int is_warning, const char *line, size_t len); /* somebody else's, treated as DPDK's */

/* eal.c */

int dpdk_eal_start(const char *devargs);      /* once or more; logs */
int dpdk_eal_has_pci(void);

/* traces.c: around EAL's start */
#define N_TRACE_WORDS 3
struct dpdk_traces { uint8_t had_parent, had_word[N_TRACE_WORDS]; };

void dpdk_traces_look(struct dpdk_traces *t);
void dpdk_traces_remove(const struct dpdk_traces *t, int keep_words);

/* check.c: what can be seen before a driver is asked. Logs. */
int dpdk_check(const char *devargs);

int dpdk_tap_is_held(uint32_t ifindex); /* held.c: some program has queues of it */

/* capture.c */
extern const struct sn_capture_ops dpdk_capture;

/* pcap.c: what net_pcap reads and writes. Logs. */
int dpdk_pcap_check_input(const char *devargs);
int dpdk_pcap_check_output(const char *devargs);
int dpdk_pcap_output_is_whole(const char *path, const struct rte_eth_stats *sent); /* after it was closed */

/* driver.c */

/* 0, or -ENOENT: DPDK's library of that name ("net_tap") is not loaded; package: Debian's name for it. */
int dpdk_driver_find(const char *library, char *package, size_t size);
/* "net_tap", also for drivers that are in a library of another name. */
void dpdk_driver_library(const char *devargs, char *library, size_t size);
/* What may help, from what a driver said; "" if nothing is known. */
const char *dpdk_driver_remedy(const char *said, int err);

/* rings.c: bounded rings of packets between shard and driver */

#define RING 256u
#define BURST 32u
#define LONGEST 16384u /* above any frame that a port takes; longer ones are cut, and then dropped as too long */

struct rings {
	struct rte_mempool *pool;
	uint32_t tx_first, tx_end;          /* run freely */
	uint32_t rx_freed, rx_first, rx_end;
	uint32_t n_stock;
	struct rte_mbuf *tx[RING], *rx[RING], *stock[BURST];
	uint8_t whole[LONGEST];             /* a packet that came in several pieces */
};

int rings_put(struct rings *r, const struct sn_frame *frame); /* 0 or -EAGAIN */
int rings_has_room(struct rings *r);
uint32_t rings_push(struct rings *r, uint16_t port);         /* to the driver; how many it took */
uint32_t rings_pull(struct rings *r, uint16_t port, struct sn_device *dev);
int rings_front(struct rings *r, struct sn_frame *frame);    /* 0 or -EAGAIN */
void rings_empty(struct rings *r);                            /* frees all */
static inline uint32_t rings_n_tx(const struct rings *r)
{
	return r->tx_end - r->tx_first;
}
static inline uint32_t rings_n_rx(const struct rings *r)
{
	return r->rx_end - r->rx_first;
}

/* wake.c: when an idle engine must look again */

#define MAX_SOCKETS 8u
#define MAX_FD 4096u

struct dpdk_fds { uint8_t open[MAX_FD]; };
void dpdk_fds_look(struct dpdk_fds *fds);

/* tap.c: net_tap without its signals */

struct dpdk_signals { uint64_t unused; }; /* real-time signals that have no handler */
struct dpdk_trigger {
	void (*move)(int signal); /* makes net_tap look at its descriptor; NULL: it always does */
	int signal;
};

void dpdk_signals_look(struct dpdk_signals *s);
void dpdk_tap_silence(const struct dpdk_fds *before, const struct dpdk_signals *signals, struct dpdk_trigger *out);

/* xdp.c: libraries of drivers that write to stderr: from hear() to let() what they say is treated as DPDK's own lines. */
#define N_TALKERS 2
struct dpdk_talkers { void (*old[N_TALKERS])(void); };

void dpdk_talkers_hear(struct dpdk_talkers *t);
void dpdk_talkers_let(const struct dpdk_talkers *t);

/* What was there before a driver opened its own. */
struct dpdk_before {
	struct dpdk_fds fds;
	struct dpdk_signals signals;
};

struct wake {
	int fd;                     /* for poll(), -1: none */
	int epoll;                  /* our own, -1: none */
	uint32_t n_sockets;
	int sockets[MAX_SOCKETS];   /* that the driver opened; not ours to close */
	uint8_t can_arm, armed;     /* interrupts of a queue */
	uint32_t misses;
};

/* interface: what the driver's sockets are bound to, 0: unknown. */
void wake_open(struct wake *k, uint16_t port, const struct dpdk_fds *before, int has_interrupts, uint32_t interface);
void wake_close(struct wake *k);
void wake_found(struct wake *k, uint16_t port, uint32_t n); /* after each look: n packets */
void wake_clear_errors(const struct wake *k);

/* ethdev.c */

struct ethdev {
	struct sn_wire w;
	char devargs[SN_DEVARGS_MAX];
	char name[64];
	uint16_t port;
	struct rte_device *device;
	uint8_t started;
	struct dpdk_trigger trigger; /* net_tap's */
	uint8_t up;                 /* link, as last seen */
	uint8_t made_promiscuous;   /* the interface is another's, and was not */
	uint8_t finite;             /* the input is a file */
	uint8_t used_up;
	int interface_socket;       /* to ask for the interface's state where the driver does not; -1: none */
	char interface[16];
	uint64_t link_tsc;          /* when it was last looked at */
	uint64_t last_ns;           /* when a packet last came */
	struct wake wake;
	struct rings rings;
};

/* port.c. With the shard's lock held. */

int port_open(struct ethdev *e);    /* logs; after an error too port_close() undoes what was done */
void port_close(struct ethdev *e);
uint8_t port_link_is_up(const struct ethdev *e);
#endif
