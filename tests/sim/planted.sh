#!/usr/bin/env bash
# planted.sh - bugs planted in a copy of the product: the simulator must find every one of them.
#
#     tests/sim/planted.sh [NAME...]        default: every tests/sim/planted/NAME.patch
#
# A patch begins with one line that says what it breaks.  It is applied to a copy of the tree (patch -p1), the
# simulator is built there (-O1, no sanitizer) and runs seeds 1..PLANTED_SEEDS (1000) until one fails; then
# the patch is taken back.  First the unchanged copy must pass PLANTED_CLEAN (40) seeds, so that a catch means
# the patch and nothing else.  A patch that does not apply or build is not caught.  CC names another
# compiler; PLANTED_JOBS, processes.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
seeds=${PLANTED_SEEDS:-1000}
clean=${PLANTED_CLEAN:-40}
jobs=${PLANTED_JOBS:-2}
work=$(mktemp -d)
copy=$work/tree
sim=$work/build/sim
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

plant()
{
    patch -d "$copy" -p1 -s --no-backup-if-mismatch "$@"
}

build()
{
    ninja -C "$work/build" -j "$jobs" sim >"$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }
}

caught=0
missed=0

miss()
{
    echo "not ok - planted bug $1: $2"
    missed=$((missed + 1))
}

mkdir "$copy"
(cd "$root" && tar --exclude=./build --exclude=./.git -cf - .) | tar -xf - -C "$copy"
CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$copy
export CCACHE_NOHASHDIR CCACHE_BASEDIR # each copy has another path
if ! cmake -S "$copy" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="${CC:-gcc}" -DCMAKE_C_FLAGS=-O1 >"$work/log" 2>&1 ||
    ! build || ! "$sim" --seeds "1..$clean" --jobs "$jobs" >"$work/log" 2>&1; then
    tail -n 40 "$work/log"
    echo "not ok - without any planted bug the simulator fails already"
    exit 1
fi
[[ $# -gt 0 ]] || set -- $(cd "$root/tests/sim/planted" && ls ./*.patch | sed 's,^\./,,; s,\.patch$,,')
for name; do
    patch=$root/tests/sim/planted/$name.patch
    [[ -f $patch ]] || { miss "$name" "no patch has this name"; continue; }
    if ! plant --dry-run <"$patch" >"$work/log" 2>&1; then
        cat "$work/log"
        miss "$name" "its patch does not apply any more"
        continue
    fi
    plant <"$patch"
    if ! build; then
        miss "$name" "it does not build"
    elif timeout 300 "$sim" --seeds "1..$seeds" --jobs "$jobs" --twice 5 --until-failure >"$work/log" 2>&1; then
        miss "$name" "$seeds seeds did not find it: $(head -n 1 "$patch")"
    elif ! found=$(grep -a -m 1 '^=== seed .* failed' "$work/log"); then
        tail -n 5 "$work/log"
        miss "$name" "no seed failed within 300 s"
    else
        echo "ok - planted bug $name: ${found#=== }"
        caught=$((caught + 1))
    fi
    plant -R <"$patch"
done
echo "planted: $caught caught, $missed missed"
[[ $missed -eq 0 ]]
