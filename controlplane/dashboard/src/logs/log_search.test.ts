import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogFound, LogHit } from "../api/types";
import { HITS_MAX, NO_PATTERN } from "./find";
import type { Level } from "./level";
import { lineOf } from "./line";
import { LogSearch } from "./log_search";
import { ALL } from "./permalink";

function hit(number: number): LogHit {
    const text = `error: ${number}\n`;
    return { element: 0, attempt: 1, replica: 0, line: number, offset: 10 * number, time: null, text };
}

function end(error: number): LogFound {
    return {
        type: "end",
        stopped: "end",
        output: "more",
        hits: error,
        undecided: 0,
        gaps: 0,
        lines: error,
        levels: { none: 0, error, warn: 0, info: 0, debug: 0 },
        nextCursor: null,
    };
}

/** The server's answer to the next search, which goes on until it is closed. */
class Answer {
    private sink!: ReadableStreamDefaultController<Uint8Array>;
    wasLeft = false;

    constructor() {
        const body = new ReadableStream<Uint8Array>({
            start: (sink) => void (this.sink = sink),
            cancel: () => void (this.wasLeft = true),
        });
        globalThis.fetch = async () => new Response(body);
    }

    async say(...objects: ReadonlyArray<LogHit | LogFound>): Promise<void> {
        const lines = objects.map((one) => JSON.stringify(one) + "\n").join("");
        this.sink.enqueue(new TextEncoder().encode(lines));
        await new Promise((done) => setTimeout(done, 5));
    }
}

function start(search: LogSearch, text: string, levels: readonly Level[]): Promise<void> {
    const wanted = { selection: ALL, pattern: { ...NO_PATTERN, text }, levels };
    return search.start("job-7", wanted, 0, () => null, () => undefined);
}

/** null: it has no counts. */
const errors = (search: LogSearch) => search.counts.value?.error ?? null;
const numbers = (search: LogSearch) => search.hits.map(({ line }) => line.number);

test("lines that are written while the search runs come behind its hits", async () => {
    const search = new LogSearch();
    const answer = new Answer();
    const done = start(search, "", ["error"]);
    await answer.say(hit(0));
    for (const number of [2, 3]) search.addLive(lineOf(hit(number)), null);
    await answer.say(hit(1), hit(2), end(3));
    await done;
    assert.deepEqual(numbers(search), [0, 1, 2, 3]);
    search.addLive(lineOf(hit(4)), null);
    assert.deepEqual(numbers(search), [0, 1, 2, 3, 4]);
});

test("a search by level counts to its end, also when it has all the hits it may have", async () => {
    const search = new LogSearch();
    const answer = new Answer();
    const done = start(search, "", ["error"]);
    await answer.say(...Array.from({ length: HITS_MAX + 10 }, (_, i) => hit(i)));
    assert.equal(search.state.value, "stopped");
    assert.equal(search.hits.length, HITS_MAX);
    await answer.say(end(HITS_MAX + 10));
    await done;
    assert.equal(errors(search), HITS_MAX + 10);
});

test("the counts of a search for a text go with it, and it reads no more than it shows", async () => {
    const search = new LogSearch();
    let answer = new Answer();
    let done = start(search, "error", ["error"]);
    await answer.say(hit(0), end(1));
    await done;
    assert.equal(errors(search), 1);
    answer = new Answer();
    done = start(search, "", ["error"]);
    assert.equal(errors(search), null);
    await answer.say(hit(0), hit(1), end(2));
    await done;
    assert.equal(errors(search), 2);
    answer = new Answer();
    done = start(search, "error", []);
    assert.equal(errors(search), null);
    await answer.say(...Array.from({ length: HITS_MAX + 10 }, (_, i) => hit(i)));
    await done;
    assert.equal(answer.wasLeft, true);
    assert.equal(errors(search), null);
});
