/* live.ts - the one stream of /v1/events that this tab reads, and all who listen to it.
 * Events reach the listeners in batches, at most two a second: a busy fleet does not make a busy page.  Where
 * some were missed (before the stream began, by a reset, in a flood that was cut) all are asked to read anew. */
import { signal } from "@preact/signals";
import { isAbort } from "../api/client";
import { type StreamState, streamEvents } from "../api/stream";
import type { Event as FleetEvent } from "../api/types";
import { Coalescer } from "./coalesce";
import { addNote } from "./notes";

export type { FleetEvent };

export type LiveEvent = { key: string; event: FleetEvent };

const BATCH_INTERVAL_MS = 500;
const BATCH_MAX = 2000;
const RECENT_MAX = 2000;

export const streamState = signal<StreamState>({ kind: "reconnecting", since: Date.now() });
/** The newest events, the newest last. */
export const recentEvents = signal<readonly LiveEvent[]>([]);

type Listener = { onEvents(events: readonly FleetEvent[]): void; onRelist(): void };

const listeners = new Set<Listener>();
let running: AbortController | undefined;
let lastId = "";

export function listen(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

function relist(): void {
    for (const listener of listeners) listener.onRelist();
}

const batches = new Coalescer<LiveEvent>(BATCH_INTERVAL_MS, BATCH_MAX, (batch, lost) => {
    if (!running) return; /* signed out in between */
    recentEvents.value = [...recentEvents.peek(), ...batch].slice(-RECENT_MAX);
    const events = batch.map((item) => item.event);
    for (const listener of listeners) listener.onEvents(events);
    if (lost > 0) relist();
});

async function read(signal: AbortSignal): Promise<void> {
    const onState = (state: StreamState) => {
        streamState.value = state;
        if (state.kind === "connected" && lastId === "") relist();
    };
    for await (const { id, event, data } of streamEvents("/v1/events", { signal, lastId, onState })) {
        lastId = id;
        if (event === "reset" || event === "unknown") {
            addNote("Some events were missed. Everything shown was read anew.");
            relist();
        } else if (event !== "closed") batches.add({ key: id, event: JSON.parse(data) as FleetEvent });
    }
}

export function startLive(): void {
    if (running) return;
    const controller = new AbortController();
    running = controller;
    read(controller.signal).catch((thrown: unknown) => {
        if (isAbort(thrown) || controller.signal.aborted) return;
        streamState.value = { kind: "offline", since: Date.now() };
    });
}

/** Ends the stream and forgets its events: the next person at this page must not see what this one saw. */
export function stopLive(): void {
    running?.abort();
    running = undefined;
    lastId = "";
    recentEvents.value = [];
}
