/* backoff.ts - how long to wait before the next try.  Pure. */

const FIRST_MS = 500;
const MAX_MS = 10_000;

/** 0.5 s, 1 s, 2 s .. 10 s; `random` in [0,1) takes up to half away, so that pages do not come back at once. */
export function backoffMs(failures: number, random: number): number {
    const full = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 10));
    return Math.round(full * (1 - random / 2));
}
