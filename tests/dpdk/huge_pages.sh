#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# huge_pages.sh EMBED_TEST     DPDK takes huge pages when some are free. Reserves 256 MiB of them for a moment.
set -euo pipefail
pages=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages

skip() {
	echo "skipped: $1"
	exit 77
}

[ -w $pages ] || skip "no right to reserve huge pages"
old=$(cat $pages)
trap 'echo "$old" >$pages' EXIT
trap 'exit 143' TERM INT HUP
echo $((old + 160)) 2>/dev/null >$pages || skip "no right to reserve huge pages"
[ "$(cat "${pages%/*}/free_hugepages")" -ge 144 ] || skip "no memory for 160 huge pages"
GINET_TEST_HUGE=1 "$1"
