/* find.ts - hits of a search, the one that is shown now, and where they stand beside the scrollbar.  Pure. */
import type { Span } from "./ansi";
import { type Line, sourceOf } from "./line";

/** The search stops there and says so. */
export const HITS_MAX = 5000;
export const TEXT_BYTES_MAX = 256;
const RANGES_MAX = 50;

/** `index` is its number in the output that is shown, where that is known. */
export type Hit = { line: Line; index: number | null };

/** Why the server would not search for it, or null. */
export function refusalOf(text: string): string | null {
    if (text.includes("\n")) return "A line break cannot be searched for.";
    const bytes = new TextEncoder().encode(text).length;
    return bytes > TEXT_BYTES_MAX ? `At most ${TEXT_BYTES_MAX} bytes can be searched for.` : null;
}

/** One line is one hit, whatever pieces of it come, and gaps are none. */
export class HitCollector {
    readonly hits: Hit[] = [];
    private readonly known = new Set<string>();

    get isFull(): boolean {
        return this.hits.length >= HITS_MAX;
    }

    /** Whether it was a hit that was not known yet. */
    add(line: Line, index: number | null): boolean {
        const key = `${sourceOf(line)}:${line.number}`;
        if (line.gap || this.isFull || this.known.has(key)) return false;
        this.known.add(key);
        this.hits.push({ line, index });
        return true;
    }
}

/** The hit after `from` in direction `step`, around the ends; -1 without hits. */
export function nextHit(count: number, from: number, step: 1 | -1): number {
    if (count === 0) return -1;
    if (from < 0) return step > 0 ? 0 : count - 1;
    return (from + step + count) % count;
}

/** The first hit at or behind a line; hits are in the order of their lines. */
export function hitFrom(hits: Hit[], index: number): number {
    let low = 0;
    let high = hits.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if ((hits[middle]?.index ?? 0) < index) low = middle + 1;
        else high = middle;
    }
    return low < hits.length ? low : hits.length > 0 ? 0 : -1;
}

/** Marks beside the scrollbar, as parts of its height in 0..1; many hits in one pixel are one mark. */
export function marksOf(hits: Hit[], total: number, marksMax: number): number[] {
    const marks = new Set<number>();
    for (const { index } of hits) {
        if (index !== null && index < total) marks.add(Math.floor((index / total) * marksMax));
    }
    return [...marks].sort((a, b) => a - b).map((mark) => mark / marksMax);
}

export type MarkedSpan = Span & { isHit?: true };

/** The spans with the places of `needle` as spans of their own, also where it reaches over several. */
export function markHits(spans: Span[], needle: string): MarkedSpan[] {
    if (needle === "") return spans;
    const text = spans.map((span) => span.text).join("");
    const marked: MarkedSpan[] = [];
    let hit = text.indexOf(needle);
    let hits = 0;
    let at = 0;
    for (const span of spans) {
        const end = at + span.text.length;
        let from = at;
        while (hit >= 0 && hit < end && hits < RANGES_MAX) {
            if (hit > from) marked.push({ ...span, text: text.slice(from, hit) });
            const begin = Math.max(from, hit);
            const behind = hit + needle.length;
            marked.push({ ...span, text: text.slice(begin, Math.min(end, behind)), isHit: true });
            from = Math.min(end, behind);
            if (behind > end) break; /* it goes on in the next span */
            hit = text.indexOf(needle, behind);
            hits++;
        }
        if (from < end) marked.push({ ...span, text: text.slice(from, end) });
        at = end;
    }
    return marked;
}
