#!/bin/sh
# A private Postgres for tests, on a unix socket, durable as in production, small.
#
#   pg.sh start DIR [setting=value ...]   makes DIR, starts the server, prints its conninfo
#   pg.sh stop DIR                        ends it and removes DIR
#   pg.sh crash DIR                       ends it as a power cut would, and starts it again
#   pg.sh down DIR, pg.sh up DIR          the two halves of that
#
# DIR must be absolute, short (a socket's path has at most 107 bytes) and, as root, reachable by user
# postgres, who runs the server since Postgres refuses root.  A DIR left by a run that was killed is taken
# over.  With FL_PG_LIFELINE=PID the server ends soon after that process does, however that died.
set -eu

say() { echo "pg.sh: $*" >&2; }

as_owner() {
    if [ "$(id -u)" = 0 ]; then
        (cd / && exec runuser -u postgres -- "$@")
    else
        "$@"
    fi
}

find_bin() {
    for bin in "${FL_PG_BIN:-}" /usr/lib/postgresql/15/bin /usr/lib/postgresql/1[6-9]/bin "$(dirname "$(command -v postgres || echo /none/x)")"; do
        if [ -n "$bin" ] && [ -x "$bin/initdb" ]; then return; fi
    done
    say "no Postgres server found: install postgresql-15, or name its folder in FL_PG_BIN"
    exit 1
}

stop() {
    if [ -f "$dir/data/postmaster.pid" ]; then
        as_owner "$bin/pg_ctl" -D "$dir/data" -m immediate -w -t 30 stop >/dev/null 2>&1 || true
    fi
    # Only what 'start' has made is ever removed.
    if [ -f "$dir/made-by-pg.sh" ]; then rm -rf "$dir"; fi
}

crash() {
    as_owner "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -m immediate -w -t 60 restart >/dev/null 2>&1
}

down() {
    as_owner "$bin/pg_ctl" -D "$dir/data" -m immediate -w -t 60 stop >/dev/null 2>&1
}

up() {
    as_owner "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 60 start >/dev/null 2>&1
    tie_to_lifeline
}

# Ends with the server too, so that nothing of ours outlives both.
tie_to_lifeline() {
    if [ -z "${FL_PG_LIFELINE:-}" ]; then return; fi
    setsid sh -c '
        while kill -0 "$2" 2>/dev/null && [ -f "$3/data/postmaster.pid" ]; do sleep 1; done
        kill -0 "$2" 2>/dev/null || "$1" stop "$3"
    ' sh "$0" "$FL_PG_LIFELINE" "$dir" </dev/null >/dev/null 2>&1 &
}

start() {
    stop
    if [ -e "$dir" ]; then
        say "$dir exists and is not ours"
        exit 1
    fi
    mkdir -p "$dir"
    : >"$dir/made-by-pg.sh"
    if [ "$(id -u)" = 0 ]; then chown -R postgres "$dir"; fi
    as_owner "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --no-locale --no-sync >"$dir/initdb.log" 2>&1 || {
        cat "$dir/initdb.log" >&2
        exit 1
    }
    {
        echo "listen_addresses = ''"
        echo "unix_socket_directories = '$dir'"
        echo "max_connections = 60"
        echo "shared_buffers = 64MB"
        echo "fsync = on"
        echo "max_wal_size = 512MB"
        echo "log_min_messages = log"
        echo "log_line_prefix = '%m %p %d '"
        for setting in "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done
    } >"$dir/extra.conf"
    as_owner sh -c "cat '$dir/extra.conf' >>'$dir/data/postgresql.conf'"
    as_owner "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 60 start >/dev/null 2>&1 || {
        say "the server did not start:"
        cat "$dir/log" >&2
        exit 1
    }
    tie_to_lifeline
    echo "host=$dir user=postgres dbname=postgres"
}

verb=${1:-}
dir=${2:-}
case "$verb $dir" in
"start /"* | "stop /"* | "crash /"* | "down /"* | "up /"*) shift 2 ;;
*)
    say "usage: pg.sh start|stop|crash|down|up /ABSOLUTE/DIR [setting=value ...]"
    exit 2
    ;;
esac
bin=
find_bin
"$verb" "$@"
