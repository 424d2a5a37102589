/* SPDX-License-Identifier: BSD-3-Clause */
/* What the host hands to the kernels of gpu-check, and what they write down. */
#ifndef GPUCHECK_KERNELS_H
#define GPUCHECK_KERNELS_H
#include <ginet/ginet.h>

enum chk_scope { CHK_THREAD, CHK_WARP, CHK_BLOCK };
enum { CHK_LANES = 64 }; /* a block of the scope "block" */

/* words.cu: thread t of block b writes the values of row b * CHK_LANES + t. */

enum chk_word {
	W_THREAD_X, W_THREAD_Y, W_THREAD_Z, W_BLOCK_X, W_BLOCK_Y, W_BLOCK_DIM, W_GRID_DIM, W_WARP_SIZE,
	W_SHFL, W_SHFL_WIDTH, W_UP, W_UP_WIDTH, W_DOWN, W_DOWN_WIDTH, W_XOR, W_SHFL_LL, W_SHFL_FLOAT, W_SHFL_DOUBLE,
	W_BALLOT, W_ANY, W_NONE, W_ALL, W_NOT_ALL, W_MATCH, W_MATCH_LL,
	W_REDUCE_ADD, W_REDUCE_ADD_INT, W_REDUCE_MIN_U, W_REDUCE_MAX_U, W_REDUCE_MIN, W_REDUCE_MAX,
	W_HALF_BALLOT, W_HALF_SHFL,
	W_COUNT, W_AND, W_AND_NOT, W_OR, W_OR_NONE,
	W_STATIC_SHARED, W_DYN_SHARED, W_SHARED_WORD, W_TABLE, W_PREFIX_SUM,
	W_POPC, W_POPCLL, W_FFS, W_FFS_0, W_FFSLL, W_CLZ, W_CLZ_0, W_CLZLL, W_BREV, W_PERM,
	W_MIN, W_MAX, W_MIN_U, W_MAX_FLOAT, W_TIME_MOVES, W_CLOCK_MOVES, W_HAS_REDUCE,
	W_N
};
struct chk_words_args { uint64_t *out; };
GIN_KERNEL_DECLARE(chk_words);

struct chk_atomics {
	int32_t i_add, i_sub, i_min, i_max, i_and, i_or, i_xor, i_exch, i_cas;
	uint32_t u_add, u_sub, u_min, u_max, u_and, u_or, u_xor, u_exch, u_cas;
	uint64_t add64, min64, max64, and64, or64, xor64, cas64, exchange64;
	uint32_t old_sum; /* of what each add of 1 found */
	uint32_t data, flag, seen; /* a fence between data and flag */
};
struct chk_atomics_args { struct chk_atomics *at; };
GIN_KERNEL_DECLARE(chk_atomics);

struct chk_mem_out { /* the wrappers of dev/mem.h, each on its own word */
	uint64_t load64, store64, cas_old, cas_new, exchange_old, exchange_new, add, max;
	uint32_t load32, store32, read32, rsvd, store128[4];
	uint64_t register64;
};
struct chk_mem_args {
	struct chk_mem_out *host; /* pinned: words that NIC and host write or read */
	struct chk_mem_out *gpu;  /* GPU memory: words that only this GPU touches */
};
GIN_KERNEL_DECLARE(chk_mem);

struct chk_big_args { uint64_t *sum; uint32_t n; }; /* n words of dynamic shared memory */
GIN_KERNEL_DECLARE(chk_big);

/* traffic.cu: numbered frames, with bytes that number and place give. */

enum { CHK_SLOT = 1600, CHK_WINDOW = 256, CHK_MIN = 14, CHK_MAX = 1514, CHK_PADDED = 60 };

struct chk_sums {
	uint64_t seen, bad, first_bad; /* packets; first_bad: the number of the first bad one + 1 */
	uint64_t start_ns, end_ns;
	int64_t err;                   /* what ended the kernel, 0: it had all */
};
struct chk_packet { uint64_t hash; uint32_t len, from; };

struct chk_send_args {
	struct gin_dev_txq txq;
	uint8_t *frames;         /* CHK_WINDOW x CHK_SLOT */
	const uint64_t *got;     /* how many the receiver gave back */
	struct chk_sums *sums;
	struct gin_be32 lkey;
	uint32_t n, scope, own;
	uint32_t min_len, span;  /* frame i has min_len + 7 * i % span bytes */
	uint32_t fast;           /* only the number is written, once every slot was */
	uint8_t head[12];        /* destination and source */
};
GIN_KERNEL_DECLARE(chk_send);

struct chk_recv_args {
	struct gin_dev_rxq rxq;
	struct chk_sums *sums;
	struct chk_packet *log;  /* [n], or NULL: only numbers and lengths are looked at */
	uint64_t *got;
	uint32_t n, scope;
	uint32_t len;            /* without log: of every frame */
};
GIN_KERNEL_DECLARE(chk_recv);

struct chk_echo_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	uint32_t scope;
};
GIN_KERNEL_DECLARE(chk_echo); /* sends every frame back out of its slot; ends by stop */

/* Many blocks on one send queue; each thread sends n_each frames: its number and a count. */
struct chk_crowd_args {
	struct gin_dev_txq txq;
	uint8_t *frames;         /* CHK_PADDED bytes of each thread */
	struct gin_be32 lkey;
	uint32_t n_each;
	int32_t *err;            /* of any thread */
	uint8_t head[12];
};
GIN_KERNEL_DECLARE(chk_crowd);

/* answers.cu: what calls answer, in order. */

enum chk_answer {
	A_TRY, A_SHORT, A_SHORT_NS, A_MAX_0, A_TAKE_ALL, A_FULL_TRY, A_FULL_SHORT, A_FULL_SHORT_NS, A_TOO_MANY,
	A_UNSENT_TEST, A_UNSENT_WAIT, A_UNSENT_WAIT_NS, A_SENT_WAIT, A_SENT_TEST, A_GOT, A_SHORT_FRAME, A_LONG_FRAME,
	A_NO_FRAME, A_NO_FRAME_TICKET, A_OLD_TICKET, A_SEGS, A_SEGS_WAIT, A_SEGS_LEN, A_SEGS_HASH, A_L3_TYPE, A_TIME,
	A_TAG, A_N
};
struct chk_answers_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	uint8_t *frame;          /* one, CHK_PADDED bytes */
	int64_t *out;            /* [A_N] */
	struct gin_be32 lkey;
	uint32_t depth;          /* of the send queue */
	uint64_t short_ns;
};
GIN_KERNEL_DECLARE(chk_answers);

/* Each block waits for something that never comes; out[block] is what it got, again[block] a try behind it. */
enum { CHK_STOPPED = 5 };
struct chk_stop_args {
	struct gin_dev_rxq rxq[3]; /* of thread, warp, block */
	struct gin_dev_txq txq;
	uint32_t depth;
	uint32_t *ready;           /* blocks that are about to wait */
	int32_t *out, *again;
};
GIN_KERNEL_DECLARE(chk_stop);

enum chk_error_answer { E_GOOD, E_BAD_SEND, E_BAD_WAIT, E_BAD_TEST, E_FULL, E_RECV, E_RECV_AGAIN, E_N };
struct chk_error_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	uint8_t *frame;
	int64_t *out;
	struct gin_be32 lkey;
};
GIN_KERNEL_DECLARE(chk_error);

/* time.cu */

struct chk_flag_args {
	uint32_t *to_host, *to_gpu; /* pinned, each on a line of its own */
	uint64_t *ns;               /* how long it took, and behind it how many it did */
	uint64_t max_ns;            /* then it ends early: on a busy machine each may take a turn of its scheduler */
	uint32_t n;
	const uint32_t *give_up;    /* pinned: the host ends it */
};
GIN_KERNEL_DECLARE(chk_flag);

struct chk_trip_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	uint8_t *frame;
	uint64_t *ns;            /* as in chk_flag_args */
	uint64_t max_ns;
	int32_t *err;
	struct gin_be32 lkey;
	uint32_t n;
};
GIN_KERNEL_DECLARE(chk_trip);

struct chk_idle_args {
	struct gin_dev_rxq rxq;
	uint32_t *ready; /* pinned */
	uint32_t *beats; /* GPU memory: moves while the kernel runs */
};
GIN_KERNEL_DECLARE(chk_idle); /* waits for a packet until it is stopped */
#endif
