/* log_search.ts - a search of the server through all of the shown output, and the hit that is looked at. */
import { computed, signal } from "@preact/signals";
import { type Problem, isAbort, toProblem } from "../api/client";
import type { LogLevels } from "../api/types";
import {
    HITS_MAX,
    type Hit,
    HitCollector,
    NO_PATTERN,
    type Pattern,
    hitFrom,
    matchedTexts,
    nextHit,
    refusalOf,
} from "./find";
import type { Level } from "./level";
import { type Line, lineOf } from "./line";
import { viewOf } from "./line_view";
import { type Search, searchLines } from "./log_api";
import type { LineSource } from "./row_walk";

type SearchState = "idle" | "running" | "done" | "stopped";

/** Hits that come fast are shown in steps, not one by one. */
const SHOW_MS = 80;

export class LogSearch {
    readonly pattern = signal<Pattern>(NO_PATTERN);
    /** The search finds only lines of these levels, and without any all lines. */
    readonly levels = signal<readonly Level[]>([]);
    /** The lines that match by their levels, as the newest search that came to its end counted them; null: none
     * has, of what is looked for now. */
    readonly counts = signal<LogLevels | null>(null);
    readonly state = signal<SearchState>("idle");
    readonly refusal = signal<string | null>(null);
    readonly problem = signal<Problem | null>(null);
    readonly current = signal(-1);
    /** Only the lines that match are shown. */
    readonly isFilter = signal(false);
    readonly version = signal(0);
    private collector = new HitCollector();
    /** Lines that were written while the search runs: they come behind its hits, which are older. */
    private held: Array<{ line: Line; index: number | null }> = [];
    private abort = new AbortController();

    /** Lines whose search ran into the server's limits: they may match, and are among the hits. */
    readonly undecided = signal(0);

    readonly isActive = computed(() => this.pattern.value.text !== "" || this.levels.value.length > 0);
    private readonly plain = computed<readonly string[]>(() => {
        const { text, isRegex, ignoresCase } = this.pattern.value;
        return text === "" || isRegex || ignoresCase ? [] : [text];
    });

    get hits(): Hit[] {
        return this.collector.hits;
    }

    /** The hits as lines of their own. */
    readonly filtered: LineSource;

    constructor() {
        const hits = () => this.hits;
        this.filtered = {
            first: 0,
            get end() {
                return hits().length;
            },
            get: (at) => {
                const hit = hits()[at];
                return hit && { line: hit.line, head: at };
            },
        };
    }

    /** The texts to mark in a line. */
    needlesOf(line: Line | undefined): readonly string[] {
        const plain = this.plain.value;
        return plain.length > 0 || !line ? plain : this.collector.textsOf(line);
    }

    clear(): void {
        this.abort.abort();
        this.collector = new HitCollector();
        this.held = [];
        if (this.pattern.value.text !== "") this.counts.value = null;
        this.pattern.value = NO_PATTERN;
        this.levels.value = [];
        this.undecided.value = 0;
        this.state.value = "idle";
        this.refusal.value = null;
        this.problem.value = null;
        this.current.value = -1;
        this.isFilter.value = false;
        this.version.value++;
    }

    /** Looks through everything that is stored now; `near` is the line that is looked at. */
    async start(
        job: string,
        search: Search,
        near: number,
        indexOf: (line: Line) => number | null,
        onFirst: () => void,
    ): Promise<void> {
        const { pattern, levels } = search;
        const isFilter = this.isFilter.value;
        this.clear();
        if (pattern.text !== "") this.counts.value = null;
        this.pattern.value = pattern;
        this.levels.value = levels;
        this.isFilter.value = (isFilter && pattern.text !== "") || levels.length > 0;
        if (!this.isActive.value) return;
        this.refusal.value = refusalOf(pattern.text);
        if (this.refusal.value) return;
        const abort = (this.abort = new AbortController());
        const { collector } = this;
        this.state.value = "running";
        let shownAt = performance.now();
        try {
            const pieces = searchLines(job, search, abort.signal, (found) => (this.counts.value = found.levels));
            for await (const piece of pieces) {
                if (collector.isFull) continue; /* read on for the counts */
                const line = lineOf(piece);
                const isNew = collector.add(
                    line,
                    indexOf(line),
                    matchedTexts(piece.text ?? "", piece.matches),
                );
                if (isNew && piece.undecided) this.undecided.value++;
                if (collector.isFull) {
                    this.finish("stopped", near, onFirst);
                    if (pattern.text !== "") return;
                } else if (performance.now() - shownAt > SHOW_MS) {
                    this.version.value++;
                    shownAt = performance.now();
                }
            }
            if (abort.signal.aborted) return;
            if (!collector.isFull) this.finish("done", near, onFirst);
        } catch (thrown) {
            if (isAbort(thrown) || abort.signal.aborted) return;
            this.problem.value = toProblem(thrown);
            if (!collector.isFull) this.takeHeld("done");
        }
    }

    private finish(state: "done" | "stopped", near: number, onFirst: () => void): void {
        this.takeHeld(state);
        this.current.value = hitFrom(this.hits, near);
        if (this.current.value >= 0) onFirst();
    }

    private takeHeld(state: "done" | "stopped"): void {
        for (const { line, index } of this.held) this.collector.add(line, index);
        this.held = [];
        this.state.value = state;
        this.version.value++;
    }

    /** A line that was written after the search began.  Only the server knows its regular expressions. */
    addLive(line: Line, index: number | null): void {
        if (!this.isActive.value || this.refusal.value) return;
        const text = this.plain.value[0];
        const isFound = text === undefined ? this.pattern.value.text === "" : line.text.includes(text);
        const { level } = viewOf(line);
        const levels = this.levels.value;
        if (!isFound || (levels.length > 0 && !(level && levels.includes(level)))) return;
        if (this.state.value !== "running") {
            if (this.collector.add(line, index)) this.version.value++;
        } else if (this.held.length < HITS_MAX) {
            this.held.push({ line, index });
        }
    }

    step(step: 1 | -1): Hit | undefined {
        this.current.value = nextHit(this.hits.length, this.current.value, step);
        return this.hits[this.current.value];
    }
}
