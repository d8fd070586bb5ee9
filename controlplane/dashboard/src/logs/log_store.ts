/* log_store.ts - what the log viewer shows of one job, as signals: which output, how much of it there is,
 * whether more comes, and what is selected, found and folded.
 * Output whose lines keep their numbers is read in windows, and a follower adds to its end.  Lines of several
 * outputs that are still written have no lasting numbers: the store keeps a bounded tail until all are complete. */
import { batch, computed, signal } from "@preact/signals";
import { type Problem, isAbort, toProblem } from "../api/client";
import type { Job, LogWaiting } from "../api/types";
import { plainText } from "./ansi";
import { type Hit, NO_PATTERN, type Pattern } from "./find";
import { type FollowState, Follower } from "./follower";
import { firstFailure, isReadFromEnd, isSingle, presetSelection, shapeOf } from "./job_outputs";
import type { Level } from "./level";
import { type Line, TEXT_KEPT_MAX } from "./line";
import { viewOf } from "./line_view";
import { COUNT_MAX, type Extent, type Start, streamPath } from "./log_api";
import { LogSearch } from "./log_search";
import { NumberedLines } from "./numbered_lines";
import {
    ALL,
    type LineRange,
    type Place,
    type Selection,
    formatPlace,
    isSameSelection,
    parsePlace,
} from "./permalink";
import type { LineSource } from "./row_walk";
import { TailBuffer } from "./tail_buffer";

export type LinkState = FollowState | "loading" | "ended" | "full";

/** Where the list is asked to go. */
export type Jump = { to: "top" | "end" } | { to: "line"; index: number };

/** Shown at once of several outputs that are still written. */
const BACKLOG_LINES = 1000;
/** Lines above one that a link names. */
const LINES_ABOVE = 100;

export class LogStore {
    readonly selection = signal<Selection>(ALL);
    readonly link = signal<LinkState>("loading");
    readonly extent = signal<Extent>("more");
    readonly waiting = signal<LogWaiting | null>(null);
    readonly problem = signal<Problem | null>(null);
    /** Changes whenever lines do. */
    readonly version = signal(0);
    /** Lines that came while the end was out of sight. */
    readonly newLines = signal(0);
    readonly isAtEnd = signal(false);
    readonly selected = signal<LineRange | null>(null);
    readonly jump = signal<Jump | null>(null);
    readonly numbered = signal<NumberedLines | null>(null);
    readonly tail = signal<TailBuffer | null>(null);
    readonly search = new LogSearch();
    /** Lines whose stack trace is open, lines whose fields are shown, and how much of long lines. */
    readonly openFolds = new Set<number>();
    readonly openFields = new Set<Line>();
    readonly shownUnits = new Map<Line, number>();
    private follower: Follower | null = null;
    private opening = new AbortController();
    private levels: readonly Level[] = [];
    private isBegun = false;
    private frame = 0;

    /** The output itself, once it is open. */
    private readonly lines = computed<LineSource | null>(() => this.numbered.value ?? this.tail.value);

    readonly source = computed<LineSource | null>(() =>
        this.search.isFilter.value ? this.search.filtered : this.lines.value,
    );

    constructor(
        private job: Job,
        private readonly onAt: (hash: string) => void,
    ) {}

    get shape() {
        return shapeOf(this.job);
    }

    get jobId(): string {
        return this.job.id;
    }

    get currentJob(): Job {
        return this.job;
    }

    get isMerged(): boolean {
        return !isSingle(this.selection.value, this.shape);
    }

    takeJob(job: Job): void {
        this.job = job;
    }

    close(): void {
        this.opening.abort();
        this.follower?.stop();
        this.numbered.value?.close();
        this.search.clear();
        cancelAnimationFrame(this.frame);
    }

    // ---- which output

    /** The address has changed, or is seen for the first time. */
    takeAddress(hash: string): void {
        const place = parsePlace(hash) ?? { selection: presetSelection(this.job), lines: null };
        const isOpen = this.lines.peek() !== null && isSameSelection(place.selection, this.selection.peek());
        if (!isOpen) {
            void this.open(place);
        } else if (place.lines && !isSameRange(place.lines, this.selected.peek())) {
            this.selected.value = place.lines;
            this.openFolds.add(place.lines.first);
            this.jump.value = { to: "line", index: place.lines.first };
        }
    }

    select(selection: Selection): void {
        this.onAt(formatPlace({ selection, lines: null }));
    }

    reload(): void {
        void this.open({ selection: this.selection.peek(), lines: this.selected.peek() });
    }

    private async open({ selection, lines }: Place): Promise<void> {
        this.close();
        this.isBegun = true;
        const opening = (this.opening = new AbortController());
        batch(() => {
            this.selection.value = selection;
            this.selected.value = lines;
            this.link.value = "loading";
            this.extent.value = "more";
            this.problem.value = null;
            this.numbered.value = this.tail.value = null;
        });
        this.forgetPlaces();
        this.search.counts.value = null;
        if (this.levels.length > 0) this.find(NO_PATTERN, 0);
        if (this.isMerged && this.job.endedAt === null) return this.openTail();
        if (lines) this.openFolds.add(lines.first);
        const isFromEnd = !lines && isReadFromEnd(this.job);
        const start = lines
            ? { from: Math.max(0, lines.first - LINES_ABOVE) }
            : isFromEnd
              ? { tail: 500 }
              : { from: 0 };
        await this.openNumbered(
            start,
            opening.signal,
            lines ? { to: "line", index: lines.first } : null,
            isFromEnd,
        );
    }

    /** Forgets all that refers to lines by number, because the numbers have changed. */
    private forgetPlaces(): void {
        this.follower?.stop();
        this.follower = null;
        this.openFolds.clear();
        this.openFields.clear();
        this.shownUnits.clear();
        this.waiting.value = null;
        this.newLines.value = 0;
    }

    private async openNumbered(
        start: Start,
        signal: AbortSignal,
        jump: Jump | null,
        isFromEnd: boolean,
    ): Promise<void> {
        const numbered = new NumberedLines(
            this.job.id,
            this.selection.peek(),
            this.isMerged,
            () => {
                this.problem.value = null;
                this.bump();
            },
            (thrown) => this.fail(thrown),
        );
        try {
            await numbered.open(start, signal);
        } catch (thrown) {
            this.fail(thrown);
            return;
        }
        if (signal.aborted) return;
        if (this.isMerged && numbered.extent === "more") return this.openTail();
        batch(() => {
            this.tail.value = null;
            this.numbered.value = numbered;
            this.extent.value = numbered.extent;
            this.jump.value = jump ?? { to: isFromEnd ? "end" : "top" };
        });
        if (numbered.extent === "more") this.follow({ from: numbered.followFrom() });
        else this.link.value = "ended";
    }

    private openTail(): void {
        this.forgetPlaces();
        batch(() => {
            this.numbered.value = null;
            this.tail.value = new TailBuffer();
            this.selected.value = null;
            this.jump.value = { to: "end" };
        });
        this.follow({ tail: BACKLOG_LINES });
    }

    // ---- live

    private follow(start: Start): void {
        const follower = new Follower(streamPath(this.job.id, this.selection.peek(), start), this.isMerged, {
            onLine: (line, isNew) => this.takeLine(line, isNew),
            onRun: () => this.takeRun(),
            onState: (state) => (this.link.value = state),
            onWaiting: (waiting) => (this.waiting.value = waiting),
            onEnd: (output) => this.takeEnd(output),
            onError: (thrown) => this.fail(thrown),
        });
        this.follower = follower;
        void follower.run();
    }

    private takeLine(line: Line, isNew: boolean): void {
        const numbered = this.numbered.peek();
        const endBefore = numbered?.end ?? 0;
        if (numbered) numbered.put(line);
        else if (isNew) this.tail.peek()?.push(line);
        const isMore = numbered ? numbered.end > endBefore : isNew;
        if (isMore && !this.isAtEnd.peek()) this.newLines.value++;
        this.search.addLive(line, numbered?.indexOf(line) ?? null);
    }

    private takeRun(): void {
        const tail = this.tail.peek();
        if (tail && this.isAtEnd.peek()) {
            tail.dropOldest();
        } else if (tail?.isFull) {
            this.follower?.stop(); /* it is begun anew when the reader is back at the end */
            this.link.value = "full";
        }
        this.waiting.value = null;
        this.bump();
    }

    private takeEnd(output: Extent): void {
        batch(() => {
            this.extent.value = output;
            this.link.value = "ended";
            this.waiting.value = null;
        });
        if (this.tail.peek() && this.isAtEnd.peek()) this.showWhole("end");
    }

    /** All lines of several outputs, once they are complete. */
    showWhole(to: "top" | "end"): void {
        this.opening = new AbortController();
        this.forgetPlaces();
        const start = to === "end" ? { tail: 500 } : { from: 0 };
        void this.openNumbered(start, this.opening.signal, { to }, false);
    }

    /** Whether the tail could be the whole output instead. */
    readonly hasWhole = computed(() => this.tail.value !== null && this.link.value === "ended");

    private bump(): void {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
            this.version.value++;
        });
    }

    private fail(thrown: unknown): void {
        if (!isAbort(thrown)) this.problem.value = toProblem(thrown);
    }

    /** The list shows these lines. */
    want(from: number, to: number): void {
        if (!this.search.isFilter.peek()) this.numbered.peek()?.want(from, to);
    }

    takeAtEnd(isAtEnd: boolean): void {
        if (this.isAtEnd.peek() === isAtEnd) return;
        this.isAtEnd.value = isAtEnd;
        if (isAtEnd) this.newLines.value = 0;
    }

    goToTop(): void {
        if (this.hasWhole.peek()) this.showWhole("top");
        else this.jump.value = { to: "top" };
    }

    goToEnd(): void {
        if (this.link.peek() === "full") this.openTail();
        else if (this.hasWhole.peek()) this.showWhole("end");
        else this.jump.value = { to: "end" };
    }

    // ---- folds, fields, long lines

    toggleFold(from: number, to: number): void {
        const open = [...this.openFolds].filter((line) => from <= line && line < to);
        for (const line of open) this.openFolds.delete(line);
        if (open.length === 0) this.openFolds.add(from);
        this.version.value++;
    }

    toggleFields(line: Line): void {
        if (!this.openFields.delete(line)) this.openFields.add(line);
        this.version.value++;
    }

    showMore(line: Line): void {
        this.shownUnits.set(line, TEXT_KEPT_MAX);
        this.version.value++;
    }

    // ---- find

    find(pattern: Pattern, near: number): void {
        const indexOf = (line: Line) => this.numbered.peek()?.indexOf(line) ?? null;
        const search = { selection: this.selection.peek(), pattern, levels: this.levels };
        void this.search.start(this.job.id, search, near, indexOf, () => this.showHit());
    }

    /** Only lines of these levels are shown; without one, all lines. */
    takeLevels(levels: readonly Level[]): void {
        if (levels.join() === this.levels.join()) return;
        this.levels = levels;
        if (this.isBegun) this.find(this.search.pattern.peek(), 0);
    }

    /** The end of what was looked for; the levels stay. */
    clearFind(): void {
        if (this.levels.length > 0) this.find(NO_PATTERN, 0);
        else this.search.clear();
    }

    step(step: 1 | -1): void {
        if (this.search.step(step)) this.showHit();
    }

    showHit(at = this.search.current.peek()): void {
        this.search.current.value = at;
        const hit = this.search.hits[at];
        if (!hit) return;
        if (this.search.isFilter.peek()) this.jump.value = { to: "line", index: at };
        else void this.goToHit(hit);
    }

    private async goToHit(hit: Hit): Promise<void> {
        const numbered = this.numbered.peek();
        const { signal } = this.opening;
        try {
            hit.index ??= (await numbered?.locate(hit.line, signal)) ?? null;
        } catch (thrown) {
            this.fail(thrown);
        }
        if (signal.aborted) return;
        if (hit.index !== null) {
            this.openFolds.add(hit.index); /* within a closed stack trace it would not be seen */
            this.jump.value = { to: "line", index: hit.index };
            this.search.version.value++;
        } else {
            this.onAt(placeOfLine(hit.line, this.shape.elements, this.shape.replicas));
        }
    }

    setFilter(isFilter: boolean): void {
        const hit = this.search.hits[this.search.current.peek()];
        this.search.isFilter.value = isFilter;
        if (isFilter) this.jump.value = { to: "line", index: Math.max(0, this.search.current.peek()) };
        else if (hit) this.showHit();
    }

    // ---- selected lines

    /** Clicked a line number; with `isRange` from the selected line to this one. */
    selectLine(index: number, isRange: boolean): void {
        const before = this.selected.peek();
        const range =
            isRange && before
                ? { first: Math.min(before.first, index), last: Math.max(before.first, index) }
                : { first: index, last: index };
        this.selected.value = range;
        this.onAt(formatPlace({ selection: this.selection.peek(), lines: range }));
    }

    clearSelected(): void {
        this.selected.value = null;
        this.onAt(formatPlace({ selection: this.selection.peek(), lines: null }));
    }

    /** "10" or "10-20", as lines are shown. */
    goToLines(text: string): void {
        const lines = parsePlace(`#L${text.replace(/[^\d-]/g, "")}`)?.lines;
        const end = this.numbered.peek()?.end ?? 0;
        if (!lines || end === 0) return;
        this.search.isFilter.value = false;
        const range = { first: Math.min(lines.first, end - 1), last: Math.min(lines.last, end - 1) };
        this.selected.value = range;
        this.openFolds.add(range.first);
        this.jump.value = { to: "line", index: range.first };
        this.onAt(formatPlace({ selection: this.selection.peek(), lines: range }));
    }

    /** The selected lines as they are shown, without colours; at most a window of them. */
    async selectedText(): Promise<string> {
        const range = this.selected.peek();
        const numbered = this.numbered.peek();
        if (!range || !numbered) return "";
        const count = Math.min(COUNT_MAX, range.last - range.first + 1);
        const lines = await numbered.read(range.first, count, this.opening.signal);
        return lines.map(({ line }) => plainText(viewOf(line).text)).join("\n") + "\n";
    }

    readonly failure = () => firstFailure(this.job);
}

function isSameRange(one: LineRange, other: LineRange | null): boolean {
    return other !== null && one.first === other.first && one.last === other.last;
}

/** A line in its own output, where its number stays. */
export function placeOfLine(line: Line, elements: number, replicas: number): string {
    const selection = {
        element: elements > 1 ? line.element : null,
        replicas: replicas > 1 ? `${line.replica}` : null,
        attempt: line.attempt > 1 ? line.attempt : null,
    };
    return formatPlace({ selection, lines: { first: line.number, last: line.number } });
}
