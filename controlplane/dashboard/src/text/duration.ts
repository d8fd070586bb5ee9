/* duration.ts - lengths of time in words, short enough for a table.  Pure. */

const UNITS: ReadonlyArray<readonly [string, number]> = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
];

/** `450ms`, `7s`, `3m 12s`, `2h 5m`, `4d 3h`: the largest two units, rounded down. */
export function formatDuration(ms: number): string {
    if (!Number.isFinite(ms) || ms < 0) return "0s";
    if (ms < 1000) return `${Math.floor(ms)}ms`;
    const first = UNITS.findIndex(([, size]) => ms >= size);
    const [name, size] = UNITS[first]!;
    const count = Math.floor(ms / size);
    const next = UNITS[first + 1];
    const rest = next ? Math.floor((ms % size) / next[1]) : 0;
    return rest > 0 ? `${count}${name} ${rest}${next![0]}` : `${count}${name}`;
}

/** The largest unit alone: `3m`, `2h`; below a second `now`. */
export function formatAge(ms: number): string {
    return ms < 1000 ? "now" : formatDuration(ms).split(" ")[0]!;
}

/** `3m ago`, or `just now`. */
export function formatAgo(ms: number): string {
    return ms < 1000 ? "just now" : `${formatAge(ms)} ago`;
}

/** The ms between two RFC 3339 times; 0 where one is missing or they stand in the wrong order. */
export function elapsedMs(from: string | null | undefined, to: string | number | null | undefined): number {
    if (!from || to === null || to === undefined) return 0;
    const end = typeof to === "number" ? to : Date.parse(to);
    return Math.max(0, end - Date.parse(from)) || 0;
}
