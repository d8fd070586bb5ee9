#!/usr/bin/env bash
# planted.sh - bugs planted in copies of the product: the simulator must find every one of them.
#
#     tests/sim/planted.sh [NAME...]        default: every tests/sim/planted/NAME.patch
#
# A patch begins with what it breaks, in one line.  Each is applied to a copy (patch -p1), the simulator is
# built from it (-O1, no sanitizer) and runs seeds 1..PLANTED_SEEDS (1000) until one fails.  First the
# unchanged copy must pass PLANTED_CLEAN (40) seeds, so that a catch means the patch and nothing else.
# A patch that does not apply or build is not caught.  CC names another compiler; PLANTED_JOBS, processes.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
seeds=${PLANTED_SEEDS:-1000}
clean=${PLANTED_CLEAN:-40}
jobs=${PLANTED_JOBS:-2}
compiler=${CC:-gcc}
if command -v ccache >/dev/null; then
    compiler="ccache $compiler"
    export CCACHE_NOHASHDIR=1 # each copy has another path
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# copy TO: what the simulator is built from, and nothing else.
copy()
{
    mkdir -p "$1"
    (cd "$root" && tar -cf - shared/base shared/wire shared/link shared/io/*.h shared/tls/*.h agent/core \
        agent/runtime.h agent/streams/log_pump.[ch] agent/tunnel/translate.[ch] controlplane/core controlplane/tunnel/{order,session,translate}.[ch] \
        controlplane/tunnel/server.h controlplane/engine*.[ch] tests/sim/*.c tests/sim/*.h \
        tests/sim/*.def) | tar -xf - -C "$1"
}

# build IN: IN/sim.  The engine's thread needs the real store, and the simulator has neither.
build()
{
    (
        cd "$1"
        mkdir -p objects
        find shared agent controlplane tests -name '*.c' | grep -v engine_thread | sort >sources
        xargs -P 2 -I {} sh -c "$compiler -std=gnu17 -D_GNU_SOURCE -O1 -I. -c {} -o objects/\$(echo {} | tr / _).o" \
            <sources >build.log 2>&1 && $compiler -o sim objects/*.o -lpthread -lm >>build.log 2>&1
    ) || { tail -n 20 "$1/build.log"; return 1; }
}

caught=0
missed=0

miss()
{
    echo "not ok - planted bug $1: $2"
    missed=$((missed + 1))
}

copy "$work/clean"
if ! build "$work/clean" || ! "$work/clean/sim" --seeds "1..$clean" --jobs "$jobs" >"$work/log" 2>&1; then
    tail -n 40 "$work/log" 2>/dev/null || true
    echo "not ok - without any planted bug the simulator fails already"
    exit 1
fi
[[ $# -gt 0 ]] || set -- $(cd "$root/tests/sim/planted" && ls ./*.patch | sed 's,^\./,,; s,\.patch$,,')
for name; do
    patch=$root/tests/sim/planted/$name.patch
    copy=$work/$name
    [[ -f $patch ]] || { miss "$name" "there is no such patch"; continue; }
    copy "$copy"
    if ! patch -d "$copy" -p1 -s --no-backup-if-mismatch <"$patch" >"$work/log" 2>&1; then
        cat "$work/log"
        miss "$name" "its patch does not apply any more"
    elif ! build "$copy"; then
        miss "$name" "it does not build"
    elif timeout 300 "$copy/sim" --seeds "1..$seeds" --jobs "$jobs" --twice 5 --until-failure >"$work/log" 2>&1; then
        miss "$name" "$seeds seeds did not find it: $(head -n 1 "$patch")"
    elif ! found=$(grep -a -m 1 '^=== seed .* failed' "$work/log"); then
        tail -n 5 "$work/log"
        miss "$name" "no seed failed within 300 s"
    else
        echo "ok - planted bug $name: ${found#=== }"
        caught=$((caught + 1))
    fi
    rm -rf "$copy"
done
echo "planted: $caught caught, $missed missed"
[[ $missed -eq 0 ]]
