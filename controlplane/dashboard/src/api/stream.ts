/* stream.ts - server-sent events over fetch, resumed behind the last id for as long as it takes.
 * Not EventSource: that one cannot send the page's header, hides the status of a refusal, and gives up for
 * good on some.  A caller that has seen the last event of its stream leaves the loop: a connection that ends
 * means nothing by itself. */
import { backoffMs } from "./backoff";
import { Problem, fetchRaw, raiseUnauthorized } from "./client";
import { EventParser, type ServerEvent } from "./sse";

/** `since` is the time, as of Date.now(), from which on this is so. */
export type StreamState = { kind: "connected" | "reconnecting" | "offline"; since: number };

/** The server sends a comment every 15 s; a connection that is silent for longer than this is dead. */
const SILENCE_MAX_MS = 40_000;
/** A cut that lasts longer is shown as offline. */
const OFFLINE_AFTER_MS = 10_000;

type StreamOptions = { signal: AbortSignal; lastId?: string; onState(state: StreamState): void };

/** Resolves after `ms`, when the browser says that it is online again, or on abort. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const done = () => {
            window.clearTimeout(timer);
            window.removeEventListener("online", done);
            signal.removeEventListener("abort", done);
            resolve();
        };
        const timer = window.setTimeout(done, ms);
        window.addEventListener("online", done);
        signal.addEventListener("abort", done);
    });
}

/** The events of one connection, until it ends, is cut, or falls silent. */
async function* readConnection(
    path: string,
    lastId: string,
    signal: AbortSignal,
    onOpen: () => void,
    onId: (id: string) => void,
): AsyncGenerator<ServerEvent> {
    const connection = new AbortController();
    const abort = () => connection.abort();
    signal.addEventListener("abort", abort);
    let watchdog = window.setTimeout(abort, SILENCE_MAX_MS);
    try {
        const headers: Record<string, string> = { Accept: "text/event-stream" };
        if (lastId) headers["Last-Event-ID"] = lastId;
        const response = await fetchRaw(path, { headers, signal: connection.signal, cache: "no-store" });
        if (!response.body) return;
        onOpen();
        const parser = new EventParser(lastId);
        const decoder = new TextDecoder();
        const reader = response.body.getReader();
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            window.clearTimeout(watchdog);
            watchdog = window.setTimeout(abort, SILENCE_MAX_MS);
            yield* parser.push(decoder.decode(value, { stream: true }));
            onId(parser.lastId);
        }
    } finally {
        window.clearTimeout(watchdog);
        signal.removeEventListener("abort", abort);
        connection.abort();
    }
}

/** Events of `path` until `signal` aborts; throws the Problem of a refusal that will not pass by itself. */
export async function* streamEvents(path: string, options: StreamOptions): AsyncGenerator<ServerEvent> {
    const { signal, onState } = options;
    let lastId = options.lastId ?? "";
    let failures = 0;
    let cutAt = Date.now();
    const onOpen = () => {
        failures = 0;
        onState({ kind: "connected", since: Date.now() });
    };
    const onId = (id: string) => {
        lastId = id;
    };
    while (!signal.aborted) {
        try {
            for await (const event of readConnection(path, lastId, signal, onOpen, onId)) {
                lastId = event.id;
                yield event;
                if (event.event === "closed") {
                    raiseUnauthorized();
                    return;
                }
            }
        } catch (thrown) {
            if (thrown instanceof Problem && !thrown.passing) throw thrown;
        }
        if (signal.aborted) return;
        if (failures === 0) cutAt = Date.now();
        const offline = Date.now() - cutAt > OFFLINE_AFTER_MS;
        onState({ kind: offline ? "offline" : "reconnecting", since: cutAt });
        await pause(backoffMs(failures, Math.random()), signal);
        failures += 1;
    }
}
