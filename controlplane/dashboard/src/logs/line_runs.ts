/* line_runs.ts - which pieces of a stream of output may be shown.  Pure.
 * The stream's place (its id) comes with the last piece of each page, and a connection that is cut goes on
 * behind the last place.  So pieces wait here until the piece with the place has come, and are dropped when
 * the connection ends before: they come again.  A piece that was shown before is known by its offset
 * (docs/decisions/0050-events-are-shown-in-runs.md). */
import type { LogLine } from "../api/types";
import { sourceOf } from "./line";

/** A server's page is about 64 KiB; more pieces than this without a place do not wait any longer. */
export const WAITING_MAX = 20_000;

export class LineRuns {
    private waiting: LogLine[] = [];
    private place: string;
    /** Where the newest shown piece of each output begins. */
    private readonly shown = new Map<string, number>();

    constructor(place = "") {
        this.place = place;
    }

    /** Where to go on: the id of the last run that was shown. */
    get lastPlace(): string {
        return this.place;
    }

    /** `id` is the newest id of the stream: one that is known from before came with an earlier piece. */
    push(id: string, piece: LogLine): LogLine[] {
        this.waiting.push(piece);
        if (id !== "" && id !== this.place) {
            this.place = id;
            return this.take();
        }
        return this.waiting.length > WAITING_MAX ? this.take() : [];
    }

    /**
     * Gives the waiting pieces before the next place comes.  A stream of more than 1,024 outputs has no places;
     * its pieces are whole lines, so none is shown in parts.
     */
    take(): LogLine[] {
        const run = this.waiting.filter((piece) => this.isNew(piece));
        for (const piece of run) this.shown.set(sourceOf(piece), piece.offset);
        this.waiting = [];
        return run;
    }

    private isNew(piece: LogLine): boolean {
        const shownTo = this.shown.get(sourceOf(piece));
        return shownTo === undefined || piece.offset > shownTo;
    }

    /** The connection has ended. */
    drop(): void {
        this.waiting = [];
    }
}
