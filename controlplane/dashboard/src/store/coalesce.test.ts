import assert from "node:assert/strict";
import { test } from "node:test";
import { Coalescer, type Timers } from "./coalesce";

function fakeTimers() {
    let now = 0;
    let waiting: Array<{ at: number; run: () => void }> = [];
    const timers: Timers = { now: () => now, after: (ms, run) => void waiting.push({ at: now + ms, run }) };
    const advance = (ms: number) => {
        now += ms;
        const due = waiting.filter((timer) => timer.at <= now);
        waiting = waiting.filter((timer) => timer.at > now);
        for (const timer of due) timer.run();
    };
    return { timers, advance };
}

test("a thousand notes a second are two batches a second, and none is missing", () => {
    const { timers, advance } = fakeTimers();
    const batches: number[][] = [];
    const coalescer = new Coalescer<number>(500, 10_000, (notes) => batches.push(notes), timers);
    for (let i = 0; i < 2000; i++) {
        coalescer.add(i);
        advance(1);
    }
    advance(500);
    assert.ok(batches.length <= 6, `${batches.length} batches`);
    assert.equal(batches.flat().length, 2000);
});

test("the first note after a quiet time does not wait", () => {
    const { timers, advance } = fakeTimers();
    const batches: string[][] = [];
    const coalescer = new Coalescer<string>(500, 10, (notes) => batches.push(notes), timers);
    coalescer.add("a");
    advance(0);
    assert.deepEqual(batches, [["a"]]);
});

test("a flood keeps the newest, and counts the rest", () => {
    const { timers, advance } = fakeTimers();
    let last: { notes: number[]; lost: number } | undefined;
    const coalescer = new Coalescer<number>(500, 3, (notes, lost) => void (last = { notes, lost }), timers);
    for (let i = 0; i < 100; i++) coalescer.add(i);
    advance(0);
    assert.deepEqual(last, { notes: [97, 98, 99], lost: 97 });
});
