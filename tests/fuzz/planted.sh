#!/bin/sh
# Shows that a fuzz target can fail: plants a bug in a copy of the product and wants the property broken.
#
#     tests/fuzz/planted.sh NAME [SECONDS]
#
# builds tests/fuzz/NAME_fuzz.c with libFuzzer, replays the kept corpus (all must pass), applies
# tests/fuzz/planted/NAME.patch (patch -p1), builds again, replays, and if that passes fuzzes for SECONDS
# (60).  Succeeds only if an assertion or a sanitizer stopped it: running out of time or memory is no catch.
# The sources are found by following includes: every .c but main.c of a folder with an included header.
# tests/fuzz, and two folders that include nearly all others, give only the .c beside an included .h.
# Needs clang; CC names another one.
set -eu

name=${1:?usage: tests/fuzz/planted.sh NAME [SECONDS]}
seconds=${2:-60}
root=$(cd "$(dirname "$0")/../.." && pwd)
target=tests/fuzz/${name}_fuzz.c
corpus=tests/fuzz/corpus/$name
patch=tests/fuzz/planted/$name.patch
compiler=${CC:-clang}
if command -v ccache >/dev/null; then
    compiler="ccache $compiler"
    export CCACHE_NOHASHDIR=1 # the copy has another path each time
fi

fail()
{
    echo "not ok - planted bug of $name: $1"
    exit 1
}

for file in "$target" "$patch"; do
    [ -f "$root/$file" ] || fail "there is no $file"
done
[ -n "$(ls "$root/$corpus" 2>/dev/null)" ] || fail "$corpus is empty"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir "$work/src"
(cd "$root" && tar --exclude=./.git --exclude=./build -cf - .) | tar -xf - -C "$work/src"
cd "$work/src"

# ---- which sources ------------------------------------------------------------------------------------------

: >"$work/seen"
echo "$target" >"$work/todo"
while [ -s "$work/todo" ]; do
    sort -u "$work/todo" | grep -vxFf "$work/seen" >"$work/now" || true
    cat "$work/now" >>"$work/seen"
    : >"$work/todo"
    while read -r file; do
        sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"
    done <"$work/now" | sort -u | while read -r header; do
        folder=$(dirname "$header")
        case $folder in
        tests/fuzz | controlplane/api | controlplane/visits) ls "$header" "${header%.h}.c" 2>/dev/null || true ;;
        *) ls "$header" "$folder"/*.h "$folder"/*.c 2>/dev/null | grep -v '/main\.c$' || true ;;
        esac
    done >"$work/todo"
    sort -u "$work/todo" | grep -vxFf "$work/seen" >"$work/now" || true
    mv "$work/now" "$work/todo"
done
grep '\.c$' "$work/seen" >"$work/sources"

# Libraries of the system, by the headers that are included.
libraries="-lpthread -lm"
headers=$(pkg-config --cflags-only-I libpq 2>/dev/null || true) # the one folder beside /usr/include
includes()
{
    # shellcheck disable=SC2046
    grep -qE "^#include <$1>" $(cat "$work/seen")
}
if includes 'jansson\.h'; then libraries="$libraries -ljansson"; fi
if includes 'zstd\.h'; then libraries="$libraries -lzstd"; fi
if includes 'pcre2\.h'; then libraries="$libraries -lpcre2-8"; fi
if includes 'yaml\.h'; then libraries="$libraries -lyaml"; fi
if grep -q '^shared/io/' "$work/sources"; then libraries="$libraries -lev"; fi
if includes 'libpq-fe\.h'; then libraries="$libraries -lpq"; fi
if includes 'libwebsockets\.h'; then libraries="$libraries -lwebsockets"; fi
if includes 'openssl/[a-z0-9]+\.h'; then libraries="$libraries -lssl -lcrypto"; fi

# ---- build and run ------------------------------------------------------------------------------------------

build()
{
    rm -rf "$work/objects"
    while read -r source; do
        mkdir -p "$work/objects/$(dirname "$source")"
    done <"$work/sources"
    # shellcheck disable=SC2086
    xargs -P 2 -I {} <"$work/sources" $compiler -std=gnu17 -D_GNU_SOURCE -O1 \
        -gline-tables-only -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
        -fno-sanitize-recover=all -I. $headers -c {} -o "$work/objects/{}.o" >"$work/build.log" 2>&1 ||
        { cat "$work/build.log"; fail "$1 does not build"; }
    # shellcheck disable=SC2046,SC2086
    $compiler -fsanitize=fuzzer,address,undefined -o "$work/fuzz" $(find "$work/objects" -name '*.o') \
        $libraries >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "$1 does not link"; }
}

run()
{
    timeout $((seconds + 60)) "$work/fuzz" -seed=1 -timeout=30 -artifact_prefix="$work/" "$@" \
        >"$work/run.log" 2>&1
}

# The line that stopped the run: an assertion's or a sanitizer's; none for a timeout and the like.
catch()
{
    grep -E 'ERROR: (libFuzzer: deadly signal|AddressSanitizer)|runtime error:' "$work/run.log" >/dev/null || return 0
    grep -m 1 -E '^[a-z_./]+\.[ch]:[0-9]+: |ERROR: AddressSanitizer|runtime error:' "$work/run.log"
}

build "the target"
run -runs=0 "$corpus" || { tail -n 40 "$work/run.log"; fail "the kept corpus fails without it"; }

patch -p1 --silent <"$patch" >"$work/patch.log" 2>&1 || { cat "$work/patch.log"; fail "$patch does not apply"; }
build "the target with $patch"
if ! run -runs=0 "$corpus"; then
    where="the kept corpus"
else
    mkdir "$work/found"
    where="$seconds s of fuzzing"
    run -max_total_time="$seconds" "$work/found" "$corpus" && fail "not caught in the kept corpus, nor in $where"
fi
caught=$(catch)
[ -n "$caught" ] || { tail -n 40 "$work/run.log"; fail "the run ended in $where, but not by a check"; }
echo "ok - planted bug of $name: caught in $where: $caught"
