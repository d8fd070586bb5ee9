/* tail_buffer.ts - the newest lines of a stream whose lines have no numbers that stay: several outputs,
 * merged while they are written.  Pure.  Bounded: the oldest lines go, down to half of the limit.  While
 * somebody reads in it nothing goes, and it says that it is full instead. */
import type { Line } from "./line";

export const TAIL_LINES_MAX = 20_000;
export const TAIL_BYTES_MAX = 16 * 1024 * 1024;

export class TailBuffer {
    private lines: Line[] = [];
    private bytes = 0;
    /** The first lines of the array that are gone; taken off in one piece now and then. */
    private gone = 0;
    private dropped = 0;

    constructor(
        private readonly linesMax = TAIL_LINES_MAX,
        private readonly bytesMax = TAIL_BYTES_MAX,
    ) {}

    /** Lines are counted from the beginning of the stream, so that a line keeps its place here. */
    get first(): number {
        return this.dropped;
    }

    get end(): number {
        return this.dropped + this.lines.length - this.gone;
    }

    get(at: number): { line: Line; head: number } | undefined {
        const line = at < this.first ? undefined : this.lines[at - this.dropped + this.gone];
        return line && { line, head: at };
    }

    get isFull(): boolean {
        return this.lines.length - this.gone >= this.linesMax || this.bytes >= this.bytesMax;
    }

    push(line: Line): void {
        this.lines.push(line);
        this.bytes += 2 * line.text.length;
    }

    /** Down to half of the limits, from the oldest line on. */
    dropOldest(): void {
        const length = () => this.lines.length - this.gone;
        while (length() > this.linesMax / 2 || (this.bytes > this.bytesMax / 2 && length() > 1)) {
            this.bytes -= 2 * (this.lines[this.gone]?.text.length ?? 0);
            this.gone++;
            this.dropped++;
        }
        if (this.gone < this.linesMax / 4) return;
        this.lines = this.lines.slice(this.gone);
        this.gone = 0;
    }
}
