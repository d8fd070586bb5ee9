/* flood.ts - output that comes faster than the page draws it.  A WebSocket cannot be held up by a script, so what
 * does not fit is left out, and the terminal says how much.  Pure. */
import { formatBytes } from "../text/amount";

const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** What is left out ends when so little waits. */
const WAITING_BYTES_LOW = 1024 * 1024;
/** CAN ends a sequence that was cut. */
const CANCEL = "\x18";

export class Flood {
    private waiting = 0;
    private skipped = 0;

    /** False: it is left out. */
    take(bytes: number): boolean {
        if (this.skipped > 0 || this.waiting + bytes > WAITING_BYTES_MAX) {
            this.skipped += bytes;
            return false;
        }
        this.waiting += bytes;
        return true;
    }

    /** They were drawn.  The text to draw in place of what was left out, if that is over. */
    drawn(bytes: number): string | undefined {
        this.waiting -= bytes;
        if (this.skipped === 0 || this.waiting > WAITING_BYTES_LOW) return undefined;
        const skipped = formatBytes(this.skipped);
        this.skipped = 0;
        return `${CANCEL}\x1b[0m\r\n[${skipped} came faster than this page draws, and are not shown]\r\n`;
    }
}
