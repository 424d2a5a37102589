#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# made_up.sh TOP BUILT     The whole table with cuda:0, over a CUDA runtime that runs kernels on CPU threads.
set -euo pipefail
rc=0
said=$(GINET_BUILT=$2 GINET_LOG=error "$1/tools/gpu-check" --gpu cuda:0 --quick 2>&1) || rc=$?
echo "$said"
[ "$rc" = 0 ] || exit 1
grep -q 'cuda:0: made-up GPU' <<<"$said" # or else it was something else
grep -qE '^[0-9]+ rows: [0-9]+ ok, 0 failed, 0 hung' <<<"$said"
