# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the scripts of this folder share. Each has set $folder.
set -euo pipefail

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# Run; show what it said only when it fails.
quietly() {
	# shellcheck disable=SC2154
	"$@" >"$folder/log" 2>&1 || {
		tail -n 40 "$folder/log" >&2
		fail "$*"
	}
}

# $1: what it is; $2, $3: files that must be the same.
same() {
	diff "$2" "$3" >&2 || fail "$1 (< is what should be, > is what is)"
}

# $1: folder of a tree, with version.h. Its version, as "0 1 0".
version_of() {
	sed -nE 's/^#define GINET_VERSION_(MAJOR|MINOR|PATCH) //p' "$1/ginet/version.h" | paste -sd ' '
}

# $1: tree. The version that is part of the library's name.
abi_of() {
	version_of "$1" | cut -d ' ' -f 1,2 | tr ' ' .
}

# $1: prefix. The folder of its libraries.
libdir_of() {
	dirname "$(find "$1" -name libginet.a)"
}
