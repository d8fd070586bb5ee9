/* flood.ts - output that comes faster than the page draws it.  A WebSocket cannot be held up by a script, so what
 * does not fit is left out, the terminal says how much, and the newest of it is drawn behind: it has the last line and
 * the prompt.  Pure. */
import { formatBytes } from "../text/amount";

const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** Output is drawn again when so little waits. */
const WAITING_BYTES_LOW = 1024 * 1024;
/** So much of what is left out is kept, the newest. */
const TAIL_BYTES_MAX = 64 * 1024;
/** CAN ends a sequence that was cut. */
const CANCEL = "\x18";
const LF = 0x0a;
const CR = 0x0d;

/** One for each shell: the output of one is not drawn in another. */
export class Flood {
    private waiting = 0;
    private skipped = 0;
    private isClosed = false;
    /** A ring; the next byte goes to 'end'. */
    private readonly tail = new Uint8Array(TAIL_BYTES_MAX);
    private end = 0;

    /** False: it is left out for now, and must not be drawn. */
    take(bytes: Uint8Array): boolean {
        if (this.isClosed) return false;
        if (this.skipped > 0 || this.waiting + bytes.length > WAITING_BYTES_MAX) {
            this.skip(bytes);
            return false;
        }
        this.waiting += bytes.length;
        return true;
    }

    /** The terminal drew so many bytes.  Once little waits, gives the text to draw in place of the output that was
     * left out; it counts as taken. */
    drawn(bytes: number): Uint8Array | undefined {
        this.waiting -= bytes;
        if (this.isClosed || this.skipped === 0 || this.waiting > WAITING_BYTES_LOW) return undefined;
        const next = this.leftOut();
        this.skipped = 0;
        this.end = 0;
        this.waiting += next.length;
        return next;
    }

    /** Nothing more is drawn: a terminal that is disposed of still calls back for what it had. */
    close(): void {
        this.isClosed = true;
    }

    private skip(bytes: Uint8Array): void {
        const newest = bytes.subarray(-TAIL_BYTES_MAX);
        const room = TAIL_BYTES_MAX - this.end;
        this.tail.set(newest.subarray(0, room), this.end);
        this.tail.set(newest.subarray(room), 0);
        this.end = (this.end + newest.length) % TAIL_BYTES_MAX;
        this.skipped += bytes.length;
    }

    private leftOut(): Uint8Array {
        if (this.skipped <= TAIL_BYTES_MAX) return this.tail.slice(0, this.skipped); /* nothing is lost */
        const kept = fromLineStart(join(this.tail.subarray(this.end), this.tail.subarray(0, this.end)));
        const lost = formatBytes(this.skipped - kept.length);
        const word = `${CANCEL}\x1b[0m\r\n[${lost} came faster than this page draws, and are not shown]\r\n`;
        return join(new TextEncoder().encode(word), kept);
    }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
    const whole = new Uint8Array(first.length + second.length);
    whole.set(first);
    whole.set(second, first.length);
    return whole;
}

/** Without the rest of a line that was cut; a single line, which has no start, from its first whole letter. */
function fromLineStart(bytes: Uint8Array): Uint8Array {
    for (const mark of [LF, CR]) {
        const start = bytes.indexOf(mark) + 1;
        if (start > 0 && start < bytes.length) return bytes.subarray(start);
    }
    const letter = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return bytes.subarray(Math.max(0, letter));
}
