/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the "unix" wire share: a folder for the socket, NICs by hand, guests by hand. */
#ifndef TESTS_WIRES_SCENE_H
#define TESTS_WIRES_SCENE_H
#include "softnic/fixture.h"
#include "softnic/wire_unix.h"

#define FRAME_LEN 100u

extern char scene_dir[64], scene_path[96]; /* a new folder, and a socket's path in it */

void scene_set_up(void);
void scene_tear_down(void); /* the folder must be empty again, and no descriptor left open */

/* A stepped NIC on scene_path; 8 receive slots are posted. mac's last byte: n. */
void nic_open(struct bench *b, uint32_t n);
void nic_open_at(struct bench *b, const char *path, uint32_t n, int threaded);
void nic_mac(uint8_t mac[6], uint32_t n);
void nic_send(struct bench *b, const uint8_t dst[6], uint32_t seq); /* FRAME_LEN bytes, from the NIC's own MAC */
/* In receive slot index. */
void ck_got(struct bench *b, uint32_t index, const uint8_t dst[6], uint32_t from, uint32_t seq);
void ck_event(struct bench *b, enum gin_nic_event_kind kind); /* the next one */
void ck_no_event(struct bench *b);
void ck_refused(const char *path, int err, const char *part); /* opening fails, with one line that has the part */

/* Warnings and errors since the last nic_open() or said_clear(). */
void said_clear(void);
uint32_t n_said(void);
int said(const char *part);

/* A guest by hand. */
struct guest {
	int sock;
	struct ux_shared *shared; /* after guest_welcome() */
	struct ux_tx tx;
	struct ux_rx rx;
};
int guest_connect(const char *path);                    /* a connected socket */
void guest_say_hello(int sock, uint32_t version);
void guest_join(struct guest *g);                       /* the whole handshake, with stepped NICs */
void guest_leave(struct guest *g);
void guest_send(struct guest *g, const uint8_t dst[6], uint32_t from, uint32_t seq);
int guest_take(struct guest *g, uint8_t *frame);        /* length or -EAGAIN */
void frame_of(uint8_t *frame, const uint8_t dst[6], uint32_t from, uint32_t len, uint32_t seq);
#endif
