/* amount.ts - amounts of resources and numbers as text.  Pure. */

/** At most two digits behind the point, and none that are zero. */
function short(value: number): string {
    const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return String(Number(value.toFixed(digits)));
}

/** `1,234,567` */
export function formatCount(count: number): string {
    return String(Math.trunc(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Thousandths of a core as cores: `0.25`, `4`, `1,536`. */
export function formatCores(cpuMilli: number): string {
    return cpuMilli >= 1_000_000 ? formatCount(cpuMilli / 1000) : short(cpuMilli / 1000);
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function formatBytes(bytes: number): string {
    let unit = 0;
    let value = Math.max(0, bytes);
    while (value >= 1024 && unit < BINARY.length - 1) {
        value /= 1024;
        unit += 1;
    }
    return `${short(value)} ${BINARY[unit]}`;
}

/** Resource-milliseconds as hours: `0.03`, `12.5`, `1,204`. */
export function formatHours(millis: number): string {
    const hours = millis / 3_600_000;
    return hours >= 1000 ? formatCount(hours) : hours > 0 && hours < 0.01 ? "< 0.01" : short(hours);
}

/** `1 job`, `2 jobs`; the plural is given where an s does not make it. */
export function countOf(count: number, one: string, many = `${one}s`): string {
    return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A whole percentage from 0 to 100; 0 when the whole is 0. */
export function percent(part: number, whole: number): number {
    return whole > 0 ? Math.round((Math.min(Math.max(part, 0), whole) / whole) * 100) : 0;
}
