/* bench_help_figures.h - a file that several tools map: the fake agents' observations, live.  One
 * writer but for 'hold', any readers; bench/live.py reads it as little-endian u64s in this
 * order. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct bench_figures {
    atomic_ulong up;      /* agents with a session and a finished inventory */
    atomic_ulong started; /* attempts that got GO */
    atomic_ulong ended;   /* ends that are acknowledged, so durable */
    atomic_ulong live;    /* attempts that agents hold */
    atomic_ulong doubled; /* GO for a job that has run already: must stay 0 */
    atomic_ulong stopped; /* STOP came: an attempt was given up */
    atomic_ulong lost;    /* connections that ended */
    atomic_ulong enrolled;
    atomic_ulong log_bytes; /* payload of log records that went out */
    atomic_ulong log_acked; /* the part of log_bytes that the control plane has on disk */
    atomic_ulong outputs;   /* outputs of tiny jobs that are durable to their end */
    atomic_ulong hold;      /* set by bench/live.py: while it is not 0, attempts do not end */
};

struct bench_figures *bench_figures_map(const char *path); /* makes it; never NULL */
