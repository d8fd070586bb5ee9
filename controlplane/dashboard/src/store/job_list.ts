/* job_list.ts - the jobs of one query, page by page as far as somebody has scrolled, and kept up to date.
 * Events change rows at once; the range that is loaded is listed again soon after, since only the server
 * knows which jobs the query names now. */
import { signal } from "@preact/signals";
import { type Problem, get, isAbort, toProblem, withQuery } from "../api/client";
import type { Job, JobPage } from "../api/types";
import { type FleetEvent, listen } from "./live";
import { patchJobs } from "./patch_job";

export type JobFilter = {
    queue?: string;
    state?: string;
    name?: string;
    label?: string;
    submittedBy?: string;
};

const PAGE_ROWS = 100;
/** A page may be short, as at the border of open and ended jobs: a screen is filled all the same. */
const SCREEN_ROWS = 50;
/** The server lists no more at once; rows behind these are kept up to date by events alone. */
const RELIST_ROWS_MAX = 1000;
/** A query that names more has to be narrowed: no one reads further. */
export const ROWS_MAX = 5000;
const RELIST_GAP_MS = 1000;
const RELIST_GAP_PER_DURATION = 10;
/** A filter that passes hardly anything gives empty pages: after so many in a row it counts as empty. */
const EMPTY_PAGES_MAX = 10;

export type JobRows = {
    jobs: readonly Job[];
    isLoading: boolean;
    hasMore: boolean;
    problem: Problem | undefined;
};

export class JobList {
    readonly rows = signal<JobRows>({ jobs: [], isLoading: true, hasMore: false, problem: undefined });
    private cursor = "";
    private readonly stop = new AbortController();
    private readonly unlisten: () => void;
    private relistTimer: number | undefined;
    private relistEarliest = 0;
    private isBusy = false;
    private isMoreWished = false;

    constructor(private readonly filter: JobFilter) {
        this.unlisten = listen({
            onEvents: (events) => this.takeEvents(events),
            onRelist: () => this.relistSoon(),
        });
        void this.loadMore();
    }

    destroy(): void {
        this.stop.abort();
        this.unlisten();
        window.clearTimeout(this.relistTimer);
    }

    private page(cursor: string, limit: number): Promise<JobPage> {
        return get<JobPage>(withQuery("/v1/jobs", { ...this.filter, cursor, limit }), {
            signal: this.stop.signal,
        });
    }

    private update(change: Partial<JobRows>): void {
        this.rows.value = { ...this.rows.peek(), ...change };
    }

    /** One step at a time: a page that is loaded while the range is listed again would be lost. */
    private async exclusively(work: () => Promise<void>): Promise<void> {
        if (this.isBusy) return;
        this.isBusy = true;
        try {
            await work();
        } catch (thrown) {
            if (!isAbort(thrown)) this.update({ problem: toProblem(thrown), isLoading: false });
        }
        this.isBusy = false;
        if (this.isMoreWished && this.rows.peek().hasMore) void this.loadMore();
    }

    /** A screen more, or what there is. */
    async loadMore(): Promise<void> {
        if (this.isBusy) {
            this.isMoreWished = true;
            return;
        }
        this.isMoreWished = false;
        await this.exclusively(async () => {
            this.update({ isLoading: true, problem: undefined });
            const { jobs, cursor } = await this.pages(this.cursor, SCREEN_ROWS, PAGE_ROWS);
            const before = this.rows.peek().jobs;
            const known = new Set(before.map((job) => job.id));
            this.cursor = cursor;
            this.show([...before, ...jobs.filter((job) => !known.has(job.id))].slice(0, ROWS_MAX));
        });
    }

    /** Pages until `least` jobs have come, or the last one. */
    private async pages(
        from: string,
        least: number,
        limit: number,
    ): Promise<{ jobs: Job[]; cursor: string }> {
        const jobs: Job[] = [];
        let cursor = from;
        for (let empty = 0; empty < EMPTY_PAGES_MAX;) {
            const page = await this.page(cursor, limit);
            jobs.push(...page.jobs);
            cursor = page.cursor ?? "";
            if (cursor === "" || jobs.length >= least) break;
            if (page.jobs.length === 0) empty += 1;
        }
        return { jobs, cursor };
    }

    private show(jobs: readonly Job[]): void {
        const hasMore = this.cursor !== "" && jobs.length < ROWS_MAX;
        this.update({ jobs, hasMore, isLoading: false, problem: undefined });
    }

    reload(): void {
        if (this.rows.peek().jobs.length === 0) void this.loadMore();
        else this.relistSoon();
    }

    private takeEvents(events: readonly FleetEvent[]): void {
        if (!events.some((event) => "job" in event)) return;
        const { jobs } = this.rows.peek();
        const patched = patchJobs(jobs, events);
        if (patched !== jobs) this.update({ jobs: patched });
        this.relistSoon();
    }

    private relistSoon(): void {
        this.relistTimer ??= window.setTimeout(
            () => void this.relist(),
            Math.max(0, this.relistEarliest - performance.now()),
        );
    }

    private async relist(): Promise<void> {
        this.relistTimer = undefined;
        if (this.isBusy) {
            this.relistEarliest = performance.now() + RELIST_GAP_MS;
            this.relistSoon();
            return;
        }
        const began = performance.now();
        await this.exclusively(async () => {
            const before = this.rows.peek().jobs;
            const wanted = Math.min(RELIST_ROWS_MAX, Math.max(PAGE_ROWS, before.length));
            const { jobs, cursor } = await this.pages("", wanted, wanted);
            const listed = new Set(jobs.map((job) => job.id));
            const isWhole = before.length <= wanted;
            const rest = isWhole ? [] : before.slice(wanted).filter((job) => !listed.has(job.id));
            if (isWhole) this.cursor = cursor;
            this.show([...jobs, ...rest]);
        });
        const took = performance.now() - began;
        this.relistEarliest = performance.now() + Math.max(RELIST_GAP_MS, took * RELIST_GAP_PER_DURATION);
    }
}
