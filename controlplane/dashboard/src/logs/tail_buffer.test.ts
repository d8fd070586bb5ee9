import assert from "node:assert/strict";
import { test } from "node:test";
import { lineOf } from "./line";
import { TailBuffer } from "./tail_buffer";

const line = (n: number, text = `${n}\n`) =>
    lineOf({ element: 0, attempt: 1, replica: 0, line: n, offset: n, time: null, text });

test("the newest lines stay, each at its place", () => {
    const tail = new TailBuffer(200, 1e9);
    for (let n = 0; n < 1000; n++) {
        tail.push(line(n));
        tail.dropOldest();
        assert.equal(tail.get(n)?.line.number, n);
    }
    assert.deepEqual([tail.first, tail.end], [900, 1000]);
    assert.equal(tail.get(900)?.line.number, 900);
    assert.equal(tail.get(899), undefined);
    assert.equal(tail.get(1000), undefined);
});

test("bytes are bounded as well, but for one line", () => {
    const tail = new TailBuffer(1e9, 2000);
    for (let n = 0; n < 50; n++) tail.push(line(n, "x".repeat(100)));
    tail.dropOldest();
    assert.equal(tail.end - tail.first, 5);
    tail.push(line(50, "x".repeat(9000)));
    tail.dropOldest();
    assert.equal(tail.end - tail.first, 1);
});

test("nothing goes before it is asked to, and it says that it is full", () => {
    const tail = new TailBuffer(10, 1e9);
    for (let n = 0; n < 12; n++) tail.push(line(n));
    assert.ok(tail.isFull);
    assert.equal(tail.get(0)?.line.number, 0);
});
