#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ci.sh TOP FOLDER     The README's workflow, step by step, for a project that is samples/starter. What it would fetch comes
# from here: ginet from this tree by git, packages are looked up among those installed. Leaves the installed ginet in
# FOLDER/home/ginet.
set -euo pipefail
top=$1 work=$2
for tool in git ninja; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done
fail() {
	echo "FAILED: $1"
	exit 1
}

rm -rf "$work"
mkdir -p "$work/home" "$work/ginet"
cp -r "$top/samples/starter" "$work/project"
(cd "$top" && cp -r CMakeLists.txt LICENSE device host include samples tests tools "$work/ginet")
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
git -C "$work/ginet" init -q
git -C "$work/ginet" add -A
git -C "$work/ginet" commit -q -m tree

workflow=$(sed -n '/^## In your CI/,/^## /p' "$top/README.md" | sed -n '/^```yaml$/,/^```$/p' | sed '1d;$d')
[ "$(wc -l <<<"$workflow")" -le 15 ] || fail "more than 15 lines"
env=$(sed -n 's/^env: { \(.*\) }$/\1/p' <<<"$workflow" | sed 's/<this repository>/-/; s/: /=/g; s/, / /g')
eval "export $env"
[ "$GINET_URL" = - ] || fail "GINET_URL is not <this repository>"
export GINET_URL=file://$work/ginet

n=0
cd "$work/project"
while read -r step; do
	n=$((n + 1))
	echo "+ $step"
	case $step in
	apt-get*)
		for package in ${step##* -y }; do
			[ "$package" = ca-certificates ] || dpkg-query -W "$package" >/dev/null || fail "no package $package"
		done
		;;
	*) bash -e -o pipefail -c "$step" >"$work/log" 2>&1 || {
		tail -n 30 "$work/log"
		fail "$step"
	} ;;
	esac
done < <(sed -n 's/^ *- run: //p' <<<"$workflow")
[ "$n" -ge 5 ] || fail "only $n steps"
[ "$(tail -n 1 "$work/log")" = "10 packets" ] || fail "the last step printed $(cat "$work/log")"

# The steps find a mistake in the kernel: a packet is touched after its release.
sed -i 's/^\(\t*\)gin_rxq_release(.*/&\n\1gin_rxq_pkt(\&a.rxq, run.first).data[0] = 1;/' kernel.cu
grep -q 'data\[0\]' kernel.cu || fail "no mistake could be planted"
cmake --build build >/dev/null 2>&1 || fail "the kernel with a mistake does not build"
build/starter >"$work/log" 2>&1 && fail "the mistake was not found"
grep -qE '^ +#0 .* in starter .*/kernel\.cu:[0-9]+$' "$work/log" || {
	cat "$work/log"
	fail "the report does not name the kernel"
}
rm -rf "$work/ginet" "$work/home/ginet-src" "$work/home/ginet-build" "$work/project"
