/* follower.ts - reads a stream of output and gives its lines once they may be shown. */
import { streamEvents } from "../api/stream";
import type { LogEnd, LogLine, LogWaiting } from "../api/types";
import { type Line, LineJoin } from "./line";
import { LineRuns } from "./line_runs";
import type { Extent } from "./log_api";

/** A stream that tells no places has whole lines only; they do not wait any longer than this. */
const PLACELESS_MS = 300;

export type FollowState = "connecting" | "live" | "reconnecting" | "offline";

export type FollowerEvents = {
    onLine(line: Line, isNew: boolean): void;
    /** Behind the lines of a run. */
    onRun(): void;
    onState(state: FollowState): void;
    onWaiting(waiting: LogWaiting): void;
    onEnd(output: Extent): void;
    onError(thrown: unknown): void;
};

export class Follower {
    private readonly abort = new AbortController();
    private readonly runs = new LineRuns();
    private readonly join = new LineJoin();
    private timer = 0;

    constructor(
        private readonly path: string,
        private readonly isMerged: boolean,
        private readonly events: FollowerEvents,
    ) {}

    stop(): void {
        this.abort.abort();
        window.clearTimeout(this.timer);
    }

    async run(): Promise<void> {
        const { signal } = this.abort;
        this.events.onState("connecting");
        try {
            for await (const event of streamEvents(this.path, {
                signal,
                onState: (state) => this.takeState(state.kind),
            })) {
                if (signal.aborted) return;
                if (event.event === "end") {
                    this.show(this.runs.take());
                    this.events.onEnd((JSON.parse(event.data) as LogEnd).output);
                    return;
                }
                if (event.event === "waiting") this.events.onWaiting(JSON.parse(event.data) as LogWaiting);
                if (event.event === "message") this.takePiece(event.id, JSON.parse(event.data) as LogLine);
            }
        } catch (thrown) {
            if (!signal.aborted) this.events.onError(thrown);
        } finally {
            this.stop();
        }
    }

    private takeState(kind: "connected" | "reconnecting" | "offline"): void {
        if (this.abort.signal.aborted) return;
        if (kind !== "connected") this.runs.drop();
        this.events.onState(kind === "connected" ? "live" : kind);
    }

    private takePiece(id: string, piece: LogLine): void {
        this.show(this.runs.push(id, piece));
        if (this.isMerged && this.runs.lastPlace === "" && !this.timer) {
            this.timer = window.setTimeout(() => {
                this.timer = 0;
                if (this.runs.lastPlace === "") this.show(this.runs.take());
            }, PLACELESS_MS);
        }
    }

    private show(run: LogLine[]): void {
        if (run.length === 0) return;
        for (const piece of run) {
            const { line, isNew } = this.join.push(piece);
            this.events.onLine(line, isNew);
        }
        this.events.onRun();
    }
}
