/* log_time.ts - times of lines in a column, and the pauses between them.  Pure. */
import { formatExact } from "../text/clock";

export const TIME_MODES = ["off", "relative", "utc", "local"] as const;
export type TimeMode = (typeof TIME_MODES)[number];

/** Silence that is longer is drawn. */
export const PAUSE_MIN_MS = 30_000;

const two = (value: number) => String(value).padStart(2, "0");

/** `+0:03:12.450` since the start. */
function formatRelative(ms: number): string {
    const part = Math.abs(ms);
    const seconds = Math.floor(part / 1000);
    const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    return `${ms < 0 ? "-" : "+"}${clock}.${String(part % 1000).padStart(3, "0")}`;
}

export function formatLineTime(time: number | null, mode: TimeMode, start: number | null): string {
    if (time === null || mode === "off") return "";
    if (mode === "relative") return formatRelative(time - (start ?? time));
    return formatExact(new Date(time).toISOString(), mode).slice(11, 23);
}

/** With its day and zone, for a title. */
export function formatWhole(time: number | null, mode: TimeMode): string {
    if (time === null) return "the time is not known";
    return formatExact(new Date(time).toISOString(), mode === "utc" ? "utc" : "local");
}

/** The silence before a line, if it is worth drawing; else 0. */
export function pauseBetween(before: number | null | undefined, time: number | null): number {
    if (before === null || before === undefined || time === null) return 0;
    return time - before > PAUSE_MIN_MS ? time - before : 0;
}
