/* gap_list.ts - the gaps of an output that are known, by the numbers of the lines that are missing.  Pure.
 * A gap may have millions of lines, so it is held once, and not at each number as lines are. */
import { type Line, sourceOf } from "./line";

type Held = { from: number; to: number; line: Line };

/** An output with more gaps is a ruin; the first ones are forgotten, and read again where somebody looks. */
const GAPS_MAX = 1000;

function isSame(one: Line, other: Line): boolean {
    return one.offset === other.offset && sourceOf(one) === sourceOf(other);
}

export class GapList {
    private gaps: Held[] = [];

    at(index: number): { line: Line; head: number } | undefined {
        const gap = this.gaps.find(({ from, to }) => from <= index && index < to);
        return gap && { line: gap.line, head: gap.from };
    }

    /** The line behind the gap that `index` is in, or `index`. */
    behind(index: number): number {
        return this.gaps.find(({ from, to }) => from <= index && index < to)?.to ?? index;
    }

    /** A gap, or a part of one that is known: then that one reaches as far as both. */
    add(from: number, to: number, line: Line): void {
        const known = this.gaps.find((gap) => isSame(gap.line, line));
        const gap = known ?? { from, to, line };
        gap.from = Math.min(gap.from, from);
        gap.to = Math.max(gap.to, to);
        gap.line.span = gap.to - gap.from;
        gap.line.revision++;
        if (known) return;
        this.gaps.push(gap);
        if (this.gaps.length > GAPS_MAX) this.gaps.shift();
    }

    /** A line stands at `index`, so nothing is missing there; the gap that ends without a number, or null. */
    takeLine(index: number): Line | null {
        const gap = this.gaps.find(({ from, to }) => from <= index && index < to);
        if (!gap) return null;
        if (index === gap.from) gap.from++;
        else gap.to = index;
        gap.line.span = gap.to - gap.from;
        if (gap.to > gap.from) return null;
        this.gaps = this.gaps.filter((one) => one !== gap);
        return gap.line;
    }
}
