/* coalesce.ts - many small notes to a few batches.  Pure but for the timers that it is given.
 * The first note after a quiet time is passed on at once; later ones wait until the interval is over. */

export type Timers = { now(): number; after(ms: number, run: () => void): unknown };

export const pageTimers: Timers = {
    now: () => performance.now(),
    after: (ms, run) => window.setTimeout(run, ms),
};

export class Coalescer<T> {
    private pending: T[] = [];
    private isScheduled = false;
    private flushedAt = Number.NEGATIVE_INFINITY;

    /** `flush` gets the newest notes, at most `most`, once in `intervalMs`; `lost` counts the others. */
    constructor(
        private readonly intervalMs: number,
        private readonly most: number,
        private readonly flush: (notes: T[], lost: number) => void,
        private readonly timers: Timers = pageTimers,
    ) {}

    private lost = 0;

    add(note: T): void {
        this.pending.push(note);
        if (this.pending.length > this.most * 2) {
            this.lost += this.pending.length - this.most;
            this.pending = this.pending.slice(-this.most);
        }
        if (this.isScheduled) return;
        this.isScheduled = true;
        const wait = Math.max(0, this.flushedAt + this.intervalMs - this.timers.now());
        this.timers.after(wait, () => this.run());
    }

    private run(): void {
        const notes = this.pending.slice(-this.most);
        const lost = this.lost + this.pending.length - notes.length;
        this.pending = [];
        this.lost = 0;
        this.isScheduled = false;
        this.flushedAt = this.timers.now();
        this.flush(notes, lost);
    }
}
