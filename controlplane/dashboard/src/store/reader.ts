/* reader.ts - reads something again whenever it is asked to, one read at a time, and never faster than the
 * server answers: between two reads is at least a gap that grows with how long the last one took. */
import { listen, type FleetEvent } from "./live";

type ReaderOptions = {
    read(signal: AbortSignal): Promise<void>;
    /** An event after which to read again. */
    when(event: FleetEvent): boolean;
    gapMs: number;
    /** After a read that took so long, the gap is at least this many times as long. */
    gapPerDuration: number;
    /** Read again after so long without an event, while the page is visible. */
    everyMs?: number | undefined;
};

export type Reader = { schedule(): void; stop(): void };

/** Reads at once, and then whenever it is scheduled, an event asks for it, or events were missed. */
export function startReader(options: ReaderOptions): Reader {
    const controller = new AbortController();
    let timer: number | undefined;
    let isReading = false;
    let isWishedAgain = false;
    let earliest = 0;

    const read = async () => {
        timer = undefined;
        isReading = true;
        isWishedAgain = false;
        const began = performance.now();
        await options.read(controller.signal);
        if (controller.signal.aborted) return;
        isReading = false;
        const now = performance.now();
        earliest = now + Math.max(options.gapMs, (now - began) * options.gapPerDuration);
        if (isWishedAgain) schedule();
    };
    const schedule = () => {
        if (isReading) isWishedAgain = true;
        else timer ??= window.setTimeout(() => void read(), Math.max(0, earliest - performance.now()));
    };
    void read();
    const unlisten = listen({
        onEvents: (events) => {
            if (events.some(options.when)) schedule();
        },
        onRelist: schedule,
    });
    const poll = options.everyMs && window.setInterval(() => !document.hidden && schedule(), options.everyMs);
    const stop = () => {
        controller.abort();
        unlisten();
        window.clearTimeout(timer);
        if (poll) window.clearInterval(poll);
    };
    return { schedule, stop };
}
