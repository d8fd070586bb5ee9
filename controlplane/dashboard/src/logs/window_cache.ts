/* window_cache.ts - the lines of a long output that are in memory, by number.  Pure.
 * Lines lie in windows of WINDOW_LINES.  When there are more lines or bytes than the limits say, the windows
 * that were not looked at for the longest time go; they can be fetched again. */
import type { Line } from "./line";

export const WINDOW_LINES = 512;
export const CACHE_LINES_MAX = 40_000;
export const CACHE_BYTES_MAX = 24 * 1024 * 1024;

/** `head` is the number at which the row of the line begins: a gap has many (gap_list.ts). */
export type Slot = { line: Line; head: number };

type HeldSlot = Slot & { bytes: number };

type Window = { slots: (HeldSlot | undefined)[]; lines: number; bytes: number };

/** The memory of a line, roughly: its text with two bytes a unit, and the object. */
function bytesOf(line: Line): number {
    return 2 * line.text.length + 300;
}

export class WindowCache {
    /** In the order in which they were looked at, the newest last. */
    private readonly windows = new Map<number, Window>();
    private lines = 0;
    private bytes = 0;

    constructor(
        private readonly linesMax = CACHE_LINES_MAX,
        private readonly bytesMax = CACHE_BYTES_MAX,
    ) {}

    get held(): { lines: number; bytes: number } {
        return { lines: this.lines, bytes: this.bytes };
    }

    get(index: number): Slot | undefined {
        return this.windows.get(Math.floor(index / WINDOW_LINES))?.slots[index % WINDOW_LINES];
    }

    /** Puts a line at its number; also again, when it has grown. */
    put(index: number, line: Line): void {
        const bytes = bytesOf(line);
        const window = this.windowOf(Math.floor(index / WINDOW_LINES));
        const before = window.slots[index % WINDOW_LINES];
        window.slots[index % WINDOW_LINES] = { line, head: index, bytes };
        window.bytes += bytes - (before?.bytes ?? 0);
        this.bytes += bytes - (before?.bytes ?? 0);
        if (!before) {
            window.lines++;
            this.lines++;
        }
        this.makeRoom();
    }

    private windowOf(number: number): Window {
        let window = this.windows.get(number);
        if (!window) {
            window = { slots: new Array<HeldSlot | undefined>(WINDOW_LINES), lines: 0, bytes: 0 };
            this.windows.set(number, window);
        }
        return window;
    }

    /** Keeps the windows of these lines longer than all others. */
    touch(from: number, to: number): void {
        for (let n = Math.floor(from / WINDOW_LINES); n * WINDOW_LINES < to; n++) {
            const window = this.windows.get(n);
            if (!window) continue;
            this.windows.delete(n);
            this.windows.set(n, window);
        }
    }

    private makeRoom(): void {
        for (const [number, window] of this.windows) {
            const isOver = this.lines > this.linesMax || this.bytes > this.bytesMax;
            if (!isOver || this.windows.size === 1) return;
            this.windows.delete(number);
            this.lines -= window.lines;
            this.bytes -= window.bytes;
        }
    }

    /**
     * The first stretch of lines in `from` to `to` that is not here, or null.  `behind` takes a line to the
     * one behind the gap that it is in, or to itself.
     */
    missing(
        from: number,
        to: number,
        behind: (index: number) => number = (index) => index,
    ): { from: number; to: number } | null {
        let begin = from;
        while (begin < to && (this.get(begin) || behind(begin) > begin))
            begin = Math.max(begin + 1, behind(begin));
        if (begin >= to) return null;
        let end = begin;
        while (end < to && !this.get(end) && behind(end) === end) end++;
        return { from: begin, to: end };
    }

    clear(): void {
        this.windows.clear();
        this.lines = 0;
        this.bytes = 0;
    }
}
