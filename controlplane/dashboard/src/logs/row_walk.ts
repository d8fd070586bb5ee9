/* row_walk.ts - from lines to rows: folds, gaps that take many numbers, and lines that are not loaded.  Pure.
 * A row stands at its first line's number and says where the next row begins. */
import { type Fold, findFolds } from "./fold";
import { type Line, sourceOf } from "./line";
import { viewOf } from "./line_view";
import { pauseBetween } from "./log_time";

export type Row = {
    index: number;
    next: number;
    /** undefined: not loaded yet. */
    line: Line | undefined;
    /** It begins the folded middle of a stack trace of so many lines. */
    fold: { lines: number; isOpen: boolean } | null;
    /** Silence before it, in ms; 0: none worth drawing. */
    pause: number;
    /** It is the first of a further attempt. */
    isNewAttempt: boolean;
};

/** Lines by number, from `first` on and before `end`. */
export type LineSource = {
    readonly first: number;
    readonly end: number;
    get(index: number): { line: Line; head: number } | undefined;
};

/** A trace is looked for so far outside of what is shown. */
const TRACE_MAX = 300;

export class RowWalk {
    private readonly folds: Map<number, Fold>;
    private readonly closed: Fold[];

    /** Knows the folds near the lines from `low` to `high`. */
    constructor(
        private readonly source: LineSource,
        low: number,
        high: number,
        /** A fold that has one of these lines is open. */
        open: ReadonlySet<number>,
    ) {
        const from = Math.max(source.first, low - TRACE_MAX);
        const to = Math.min(source.end, high + TRACE_MAX);
        const folds = findFolds(from, to, (at) => this.traceText(at));
        this.folds = new Map(folds.map((fold) => [fold.from, fold]));
        this.closed = folds.filter((fold) => ![...open].some((line) => fold.from <= line && line < fold.to));
    }

    /** A trace goes on only in the same output; the text of another ends it. */
    private traceText(at: number): string | undefined {
        const line = this.source.get(at)?.line;
        const before = this.source.get(at - 1)?.line;
        if (!line || line.gap) return undefined;
        const isOther = before !== undefined && sourceOf(before) !== sourceOf(line);
        return isOther ? "" : viewOf(line).beginning;
    }

    private closedFoldAt(index: number): Fold | undefined {
        return this.closed.find((fold) => fold.from <= index && index < fold.to);
    }

    /** Where the row that has this line begins. */
    headOf(index: number): number {
        const head = this.source.get(index)?.head ?? index;
        return Math.max(this.source.first, this.closedFoldAt(head)?.from ?? head);
    }

    rowAt(index: number): Row {
        const { source } = this;
        const slot = source.get(index);
        const fold = this.folds.get(index);
        const isOpen = fold !== undefined && !this.closed.includes(fold);
        const before = source.get(index - 1)?.line;
        const line = slot?.line;
        const span = slot ? Math.max(1, slot.head + slot.line.span - index) : 1;
        return {
            index,
            next: Math.min(source.end, fold && !isOpen ? fold.to : index + span),
            line,
            fold: fold ? { lines: fold.to - fold.from, isOpen } : null,
            pause: line ? pauseBetween(before?.time, line.time) : 0,
            isNewAttempt: isNewAttempt(before, line),
        };
    }

    /** `count` rows from the one that has line `from` on. */
    forward(from: number, count: number): Row[] {
        const rows: Row[] = [];
        let index = this.headOf(from);
        while (rows.length < count && index < this.source.end) {
            const row = this.rowAt(index);
            rows.push(row);
            index = row.next;
        }
        return rows;
    }

    /** `count` rows before the one that begins at `before`. */
    backward(before: number, count: number): Row[] {
        const rows: Row[] = [];
        let index = before;
        while (rows.length < count && index > this.source.first) {
            const row = this.rowAt(this.headOf(index - 1));
            rows.push(row);
            index = row.index;
        }
        return rows.reverse();
    }
}

function isNewAttempt(before: Line | undefined, line: Line | undefined): boolean {
    if (!before || !line) return false;
    const isSameReplica = before.element === line.element && before.replica === line.replica;
    return isSameReplica && before.attempt !== line.attempt;
}
