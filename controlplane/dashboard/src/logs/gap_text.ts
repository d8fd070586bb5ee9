/* gap_text.ts - says plainly what is missing where output has a gap.  Pure. */
import type { Gap } from "./line";

const WHY: Record<string, string> = {
    limit: "the output went over its limit",
    disk_full: "the disk was full",
    rotated: "the cluster rotated its log before it was read",
    damaged: "the stored output was damaged",
    lost: "the output was lost with its agent, or did not arrive in time",
    unknown: "the cluster cannot tell how much",
};

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** `1,204 bytes`, `3.4 MiB`. */
export function formatBytes(bytes: number): string {
    let amount = bytes;
    let unit = 0;
    while (amount >= (unit === 0 ? 10_000 : 1024) && unit < UNITS.length - 1) {
        amount /= 1024;
        unit++;
    }
    const digits = unit === 0 || amount >= 100 ? 0 : 1;
    return `${amount.toLocaleString("en", { maximumFractionDigits: digits })} ${UNITS[unit]}`;
}

export function formatCount(count: number, one: string): string {
    return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/** `lines`: how many line numbers the gap takes. */
export function gapText(gap: Gap, lines: number): string {
    const bytes = gap.bytes === undefined ? "" : formatBytes(gap.bytes);
    const missing =
        lines > 1 ? `${formatCount(lines, "line")}${bytes && `, ${bytes},`}` : bytes || "Some output";
    const isMany = lines > 1 || bytes !== "";
    return `${missing} ${isMany ? "are" : "is"} missing here: ${WHY[gap.why] ?? gap.why}`;
}
