/* numbered_lines.ts - output whose lines have numbers that stay, fetched in windows where somebody looks. */
import { isAbort, toProblem } from "../api/client";
import { GapList } from "./gap_list";
import { type Line, type Numbered, sourceOf } from "./line";
import { COUNT_MAX, type Extent, type LogWindow, type Start, fetchWindow, numberBehindGap } from "./log_api";
import type { Selection } from "./permalink";
import type { LineSource } from "./row_walk";
import { type Slot, WINDOW_LINES, WindowCache } from "./window_cache";

/** More would only compete with each other on one connection. */
const FETCHES_MAX = 2;
/** Several outputs are merged from their beginning for each answer, so fewer and larger ones are asked. */
const MERGED_WINDOW_LINES = 8 * WINDOW_LINES;

const RETRY_MS = 2000;
/** Many lines may have one time: after so many windows a line is not looked for any more. */
const LOCATE_READS_MAX = 8;
/** A window begins so many lines before the guess. */
const LOCATE_LEAD = 2000;

type Fetch = { from: number; to: number; abort: AbortController };

export class NumberedLines implements LineSource {
    readonly first = 0;
    end = 0;
    extent: Extent = "more";
    private readonly cache = new WindowCache();
    private readonly gaps = new GapList();
    private readonly fetches = new Set<Fetch>();
    private wanted = { from: 0, to: 0 };
    /** The number of the first line of each output in the whole selection. */
    private readonly bases = new Map<string, number>();
    private followAt: number | null = null;
    private isClosed = false;

    constructor(
        private readonly job: string,
        private readonly selection: Selection,
        private readonly isMerged: boolean,
        private readonly onChange: () => void,
        private readonly onError: (thrown: unknown) => void,
    ) {}

    get(index: number): Slot | undefined {
        return this.cache.get(index) ?? this.gaps.at(index);
    }

    /** The first window; the others come as they are looked at. */
    async open(start: Start, signal: AbortSignal): Promise<void> {
        this.take(await fetchWindow(this.job, this.selection, start, WINDOW_LINES, signal));
    }

    close(): void {
        this.isClosed = true;
        for (const { abort } of this.fetches) abort.abort();
    }

    private take(window: LogWindow): void {
        this.end = Math.max(this.end, window.total);
        this.extent = window.extent;
        for (const numbered of window.lines) this.takeLine(numbered);
        const last = window.lines[window.lines.length - 1];
        if (last?.line.gap && window.end < this.end) void this.measureGap(last);
        this.onChange();
    }

    private takeLine({ index, line }: Numbered): void {
        if (line.gap) {
            this.gaps.add(index, index + line.span, line);
            return;
        }
        this.putLine(index, line);
        if (!this.isMerged) this.bases.set(sourceOf(line), index - line.number);
    }

    private putLine(index: number, line: Line): void {
        const gap = this.gaps.takeLine(index)?.gap;
        const before = gap && this.cache.get(index - 1)?.line;
        if (before) {
            before.gapsBehind.push(gap);
            before.revision++;
        }
        this.cache.put(index, line);
    }

    /** A gap reaches beyond its window: how far, tells the line behind it. */
    private async measureGap({ index, line }: Numbered): Promise<void> {
        const abort = new AbortController();
        const fetch: Fetch = { from: index, to: index, abort };
        this.fetches.add(fetch);
        try {
            const behind = await numberBehindGap(this.job, this.selection, index, line, abort.signal);
            if (behind !== null) this.gaps.add(index, this.indexBehind(index, line, behind), line);
            this.onChange();
        } catch (thrown) {
            if (!isAbort(thrown) && !this.isClosed) this.onError(thrown);
        } finally {
            this.fetches.delete(fetch);
            this.fetchNext();
        }
    }

    /** The number of the line `behind` a gap: known by its output, or by where the gap was seen to begin. */
    private indexBehind(index: number, gap: Line, behind: number): number {
        const base = this.bases.get(sourceOf(gap)) ?? (this.isMerged ? index - gap.number : 0);
        return Math.max(index + 1, Math.min(this.end, base + behind));
    }

    /** The number of a line of an output that is read alone, also of one that a retry began. */
    indexOf(line: Line): number | null {
        const base = this.bases.get(sourceOf(line));
        return base === undefined ? null : base + line.number;
    }

    /** Where a follower begins: the last line may have been read before its end was written. */
    followFrom(): number {
        this.followAt = Math.max(0, this.end - 1);
        return this.followAt;
    }

    /** A line of the follower, which was begun or has grown. */
    put(line: Line): void {
        const last = this.get(this.end - 1);
        if (line.gap?.why === "lost" && last) {
            last.line.gapsBehind.push(line.gap); /* it has no lines, so it takes no number */
            last.line.revision++;
            return;
        }
        const source = sourceOf(line);
        /* The first line of the follower, or of a further attempt. */
        const base = this.bases.get(source) ?? (this.followAt ?? this.end) - line.number;
        this.bases.set(source, base);
        this.followAt = null;
        const index = base + line.number;
        const missing = index > this.end ? this.gaps.at(this.end - 1) : undefined;
        if (missing) this.gaps.add(missing.head, index, missing.line); /* so many lines are missing in it */
        if (line.gap) this.gaps.add(index, index + 1, line);
        else this.putLine(index, line);
        this.end = Math.max(this.end, index + 1);
    }

    /**
     * The number of a line among those of several outputs; null: not found.  The API does not tell it, but
     * lines are merged by time: each guess reads a window and learns its times.
     */
    async locate(line: Line, signal: AbortSignal): Promise<number | null> {
        const { time } = line;
        const known = this.indexOf(line);
        if (known !== null || time === null) return known;
        const source = sourceOf(line);
        let low = await this.mark({ from: 0 }, signal);
        let high = await this.mark({ tail: 1 }, signal);
        for (let reads = 0; reads < LOCATE_READS_MAX && low.index <= high.index; reads++) {
            const share = high.time > low.time ? (time - low.time) / (high.time - low.time) : 0;
            const guess = low.index + Math.floor(Math.min(1, Math.max(0, share)) * (high.index - low.index));
            const lines = await this.read(Math.max(low.index, guess - LOCATE_LEAD), COUNT_MAX, signal);
            const found = lines.find(
                (one) => one.line.number === line.number && sourceOf(one.line) === source,
            );
            if (found) return found.index;
            const first = lines[0];
            const last = lines[lines.length - 1];
            if (!first || !last) return null;
            if ((first.line.time ?? 0) >= time)
                high = { index: first.index - 1, time: first.line.time ?? time };
            else low = { index: last.index + last.line.span, time: last.line.time ?? time };
        }
        return null;
    }

    private async mark(start: Start, signal: AbortSignal): Promise<{ index: number; time: number }> {
        const { lines } = await fetchWindow(this.job, this.selection, start, 1, signal);
        return { index: lines[0]?.index ?? 0, time: lines[0]?.line.time ?? 0 };
    }

    /** These lines are looked at: fetches what is not here, and leaves off what is looked at no more. */
    want(from: number, to: number): void {
        this.wanted = { from: Math.max(0, from), to: Math.min(this.end, to) };
        this.cache.touch(this.wanted.from, this.wanted.to);
        for (const fetch of this.fetches) {
            const isFar = fetch.to <= this.wanted.from || fetch.from >= this.wanted.to;
            if (isFar && fetch.to > fetch.from) fetch.abort.abort();
        }
        this.fetchNext();
    }

    private fetchNext(): void {
        if (this.isClosed || this.fetches.size >= FETCHES_MAX) return;
        let { from } = this.wanted;
        for (const fetch of this.fetches) {
            if (fetch.from <= from && from < fetch.to) from = fetch.to;
        }
        const missing = this.cache.missing(from, this.wanted.to, (index) => this.gaps.behind(index));
        if (!missing) return;
        const size = this.isMerged ? MERGED_WINDOW_LINES : WINDOW_LINES;
        const begin = missing.from - (missing.from % size);
        const start = this.get(begin) ? missing.from : begin;
        void this.fetch(start, Math.min(this.end, begin + size, start + COUNT_MAX));
    }

    private async fetch(from: number, to: number): Promise<void> {
        const fetch: Fetch = { from, to, abort: new AbortController() };
        this.fetches.add(fetch);
        try {
            this.take(await fetchWindow(this.job, this.selection, { from }, to - from, fetch.abort.signal));
            this.fetches.delete(fetch);
            this.fetchNext();
        } catch (thrown) {
            this.fetches.delete(fetch);
            if (isAbort(thrown)) this.fetchNext();
            else if (!this.isClosed) this.failFetch(thrown);
        }
    }

    /** Tries again after a passing problem, for as long as a view shows the lines. */
    private failFetch(thrown: unknown): void {
        this.onError(thrown);
        if (toProblem(thrown).passing) window.setTimeout(() => this.fetchNext(), RETRY_MS);
    }

    /** Lines from `from` on, also those that no view shows. */
    async read(from: number, count: number, signal: AbortSignal): Promise<Numbered[]> {
        const window = await fetchWindow(this.job, this.selection, { from }, count, signal);
        this.take(window);
        return window.lines;
    }
}
