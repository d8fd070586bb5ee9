/* sse.ts - text of a text/event-stream to events, piece by piece.  Pure. */

export type ServerEvent = { id: string; event: string; data: string };

/** An event of more bytes than this is not one of ours: the stream is cut instead of filling the memory. */
const EVENT_BYTES_MAX = 8 * 1024 * 1024;

export class EventParser {
    private rest = "";
    private event = "";
    private data: string[] = [];
    private dataBytes = 0;
    private id: string;
    private wholeId: string;

    /** `lastId` is kept for events that carry none, as the standard says. */
    constructor(lastId = "") {
        this.id = lastId;
        this.wholeId = lastId;
    }

    /** Where to go on: the id of the newest event, or of a sign of life after it, which has no data. */
    get lastId(): string {
        return this.wholeId;
    }

    /** The events that are complete with this piece of the stream. */
    push(piece: string): ServerEvent[] {
        const events: ServerEvent[] = [];
        const lines = (this.rest + piece).split(/\r\n|\n|\r(?=[^\n])/);
        this.rest = lines.pop() ?? "";
        if (this.rest.length > EVENT_BYTES_MAX) throw new RangeError("an event of the stream is too long");
        for (const line of lines) {
            const complete = this.takeLine(line);
            if (complete) events.push(complete);
        }
        return events;
    }

    private takeLine(line: string): ServerEvent | undefined {
        if (line === "") return this.takeEvent();
        const colon = line.indexOf(":");
        if (colon === 0) return undefined; /* a comment: it only shows that the stream lives */
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "event") this.event = value;
        else if (field === "id") this.id = value;
        else if (field === "data") this.takeData(value);
        return undefined;
    }

    private takeData(value: string): void {
        this.dataBytes += value.length;
        if (this.dataBytes > EVENT_BYTES_MAX) throw new RangeError("an event of the stream is too long");
        this.data.push(value);
    }

    private takeEvent(): ServerEvent | undefined {
        const complete =
            this.data.length > 0
                ? { id: this.id, event: this.event || "message", data: this.data.join("\n") }
                : undefined;
        this.wholeId = this.id;
        this.event = "";
        this.data = [];
        this.dataBytes = 0;
        return complete;
    }
}
