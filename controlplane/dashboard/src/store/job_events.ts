/* job_events.ts - the events of one job, from its first on: read while a view shows them. */
import { useEffect, useState } from "preact/hooks";
import { type Problem, isAbort, toProblem } from "../api/client";
import { type StreamState, streamEvents } from "../api/stream";
import { Coalescer } from "./coalesce";
import type { FleetEvent, LiveEvent } from "./live";

const INTERVAL_MS = 500;
/** The newest are kept: a job with more events than these has more than a person reads. */
const EVENTS_MAX = 5000;

export type JobEvents = {
    events: readonly LiveEvent[];
    /** Older ones than those shown were left out. */
    isCut: boolean;
    state: StreamState | undefined;
    problem: Problem | undefined;
};

const NOTHING: JobEvents = { events: [], isCut: false, state: undefined, problem: undefined };

export function useJobEvents(job: string): JobEvents {
    const [shown, setShown] = useState(NOTHING);
    useEffect(() => {
        setShown(NOTHING);
        const stop = new AbortController();
        const { signal } = stop;
        const batches = new Coalescer<LiveEvent>(INTERVAL_MS, EVENTS_MAX, (batch, lost) => {
            if (signal.aborted) return;
            setShown((before) => {
                const events = [...before.events, ...batch];
                const isCut = before.isCut || lost > 0 || events.length > EVENTS_MAX;
                return { ...before, events: events.slice(-EVENTS_MAX), isCut };
            });
        });
        const onState = (state: StreamState) => setShown((before) => ({ ...before, state }));
        const read = async () => {
            const path = `/v1/jobs/${encodeURIComponent(job)}/events`;
            for await (const { id, event, data } of streamEvents(path, { signal, onState })) {
                if (event === "closed") return;
                if (event === "reset") setShown((before) => ({ ...before, events: [], isCut: true }));
                else batches.add({ key: id, event: JSON.parse(data) as FleetEvent });
                if (event === "job.ended" || event === "job.left") return;
            }
        };
        read().catch((thrown: unknown) => {
            if (!isAbort(thrown)) setShown((before) => ({ ...before, problem: toProblem(thrown) }));
        });
        return () => stop.abort();
    }, [job]);
    return shown;
}
