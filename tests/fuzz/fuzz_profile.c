/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a device string: taken whole and in bounds, or refused with the profile untouched. Nothing is opened. */
#include "softnic/softnic.h"
#include "fuzz.h"
#include <errno.h>
#include <ginet/log.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

static uint32_t n_lines;

static void count_line(enum gin_log_level level, const char *line, void *arg)
{
	(void)level;
	(void)arg;
	FUZZ_CHECK(*line && !strchr(line, '\n'));
	n_lines++;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	gin_log_to(count_line, NULL);
	return 0;
}

static void check_taken(const struct sn_profile *p)
{
	FUZZ_CHECK(p->model <= SN_CX7 && p->inline_mode <= 1 && p->shared_uar <= 1 && p->adversary <= 1);
	FUZZ_CHECK(p->promisc_allowed <= 1 && p->no_time <= 1);
	FUZZ_CHECK(!(p->mac[0] & 1));
	FUZZ_CHECK(p->mtu >= 68 && p->mtu <= 65535 && p->first_index <= 0xffffff);
	FUZZ_CHECK(p->wire[0] && memchr(p->wire, 0, sizeof(p->wire)) && memchr(p->host, 0, sizeof(p->host)));
	FUZZ_CHECK(memchr(p->capture, 0, sizeof(p->capture)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sn_profile p, untouched;
	char *text = malloc(len + 1);
	int err;

	memcpy(text, data, len);
	text[len] = 0;
	memset(&untouched, 0xee, sizeof(untouched));
	memset(&p, 0xee, sizeof(p));
	n_lines = 0;
	err = sn_profile_parse(text, gin_env_real(), &p);
	FUZZ_CHECK(err == 0 || err == -EINVAL);
	if (err) {
		FUZZ_CHECK(n_lines == 1 && !memcmp(&p, &untouched, sizeof(p)));
	} else {
		FUZZ_CHECK(!n_lines);
		check_taken(&p);
	}
	free(text);
	return 0;
}
