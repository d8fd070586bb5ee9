/* clock.ts - a moment as text, in UTC or in the zone of the browser.  Pure but for that zone. */

export type Zone = "utc" | "local";

const two = (value: number) => String(value).padStart(2, "0");

type Parts = { day: string; time: string; ms: string };

function partsOf(ms: number, zone: Zone): Parts {
    const date = new Date(ms);
    const iso =
        zone === "utc"
            ? date.toISOString()
            : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T` +
              `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.` +
              `${String(date.getMilliseconds()).padStart(3, "0")}`;
    return { day: iso.slice(0, 10), time: iso.slice(11, 19), ms: iso.slice(20, 23) };
}

/** `14:03:20` today, `2026-01-31 14:03` on another day; an empty text for a time that is not known. */
export function formatMoment(iso: string | null | undefined, zone: Zone, now: number): string {
    const ms = iso ? Date.parse(iso) : Number.NaN;
    if (Number.isNaN(ms)) return "";
    const { day, time } = partsOf(ms, zone);
    return day === partsOf(now, zone).day ? time : `${day} ${time.slice(0, 5)}`;
}

/** The moment to the millisecond, with its zone: for titles and details. */
export function formatExact(iso: string | null | undefined, zone: Zone): string {
    const ms = iso ? Date.parse(iso) : Number.NaN;
    if (Number.isNaN(ms)) return "";
    const { day, time, ms: fraction } = partsOf(ms, zone);
    return `${day} ${time}.${fraction} ${zone === "utc" ? "UTC" : "local"}`;
}
