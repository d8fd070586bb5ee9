/* find.ts - hits of a search, the one that is shown now, and where they stand beside the scrollbar.  Pure. */
import type { Span } from "./ansi";
import { type Line, sourceOf } from "./line";

/** The search stops there and says so. */
export const HITS_MAX = 5000;
export const TEXT_BYTES_MAX = 256;
const RANGES_MAX = 50;

/** The text or expression to find. */
export type Pattern = { text: string; isRegex: boolean; ignoresCase: boolean };

export const NO_PATTERN: Pattern = { text: "", isRegex: false, ignoresCase: false };

export function isSamePattern(one: Pattern, other: Pattern): boolean {
    return (
        one.text === other.text && one.isRegex === other.isRegex && one.ignoresCase === other.ignoresCase
    );
}

/** The parameters of the routes of logs. */
export function patternQuery({ text, isRegex, ignoresCase }: Pattern): Record<string, string> {
    const query: Record<string, string> = { grep: text };
    if (isRegex) query.match = "regex";
    if (ignoresCase) query.ignoreCase = "true";
    return query;
}

/** `index` is its number in the output that is shown, where that is known; `texts` are what matched. */
export type Hit = { line: Line; index: number | null; texts: readonly string[] };

/** Why the server would not search for it, or null. */
export function refusalOf(text: string): string | null {
    if (text.includes("\n")) return "A line break cannot be searched for.";
    const bytes = new TextEncoder().encode(text).length;
    return bytes > TEXT_BYTES_MAX ? `At most ${TEXT_BYTES_MAX} bytes can be searched for.` : null;
}

const NO_TEXTS: readonly string[] = [];

/** The texts at the places that the server gives in bytes.  Where bytes were not UTF-8, the page cannot count
 * the server's places, and gives no texts. */
export function matchedTexts(text: string, matches: readonly number[] | undefined): readonly string[] {
    if (!matches || matches.length === 0 || text.includes("\ufffd")) return NO_TEXTS;
    const bytes = new TextEncoder().encode(text);
    const decoder = new TextDecoder();
    const found = new Set<string>();
    for (let i = 0; i + 1 < matches.length; i += 2) {
        found.add(decoder.decode(bytes.subarray(matches[i], matches[i + 1])));
    }
    found.delete("");
    return [...found];
}

/** Counts a line as one hit, also when it comes in several pieces; a gap is no hit. */
export class HitCollector {
    readonly hits: Hit[] = [];
    private readonly known = new Map<string, Hit>();

    get isFull(): boolean {
        return this.hits.length >= HITS_MAX;
    }

    /** Whether it was a hit that was not known yet. */
    add(line: Line, index: number | null, texts: readonly string[] = NO_TEXTS): boolean {
        const key = keyOf(line);
        if (line.gap || this.isFull || this.known.has(key)) return false;
        const hit = { line, index, texts };
        this.known.set(key, hit);
        this.hits.push(hit);
        return true;
    }

    /** The matched texts of this line, if it is a hit. */
    textsOf(line: Line): readonly string[] {
        return this.known.get(keyOf(line))?.texts ?? NO_TEXTS;
    }
}

function keyOf(line: Line): string {
    return `${sourceOf(line)}:${line.number}`;
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

/** The first place of any of the texts; where several begin there, the longest. */
export function nextPlace(text: string, needles: readonly string[], from: number): { at: number; end: number } {
    let at = -1;
    let end = -1;
    for (const needle of needles) {
        const found = needle === "" ? -1 : text.indexOf(needle, from);
        if (found < 0 || (at >= 0 && (found > at || (found === at && found + needle.length <= end)))) continue;
        at = found;
        end = found + needle.length;
    }
    return { at, end };
}

/** The spans with the places of the texts as spans of their own, also where one reaches over several. */
export function markHits(spans: Span[], needles: readonly string[]): MarkedSpan[] {
    if (needles.length === 0) return spans;
    const text = spans.map((span) => span.text).join("");
    const marked: MarkedSpan[] = [];
    let { at: hit, end: behind } = nextPlace(text, needles, 0);
    let hits = 0;
    let at = 0;
    for (const span of spans) {
        const end = at + span.text.length;
        let from = at;
        while (hit >= 0 && hit < end && hits < RANGES_MAX) {
            if (hit > from) marked.push({ ...span, text: text.slice(from, hit) });
            const begin = Math.max(from, hit);
            marked.push({ ...span, text: text.slice(begin, Math.min(end, behind)), isHit: true });
            from = Math.min(end, behind);
            if (behind > end) break; /* it goes on in the next span */
            ({ at: hit, end: behind } = nextPlace(text, needles, behind));
            hits++;
        }
        if (from < end) marked.push({ ...span, text: text.slice(from, end) });
        at = end;
    }
    return marked;
}
