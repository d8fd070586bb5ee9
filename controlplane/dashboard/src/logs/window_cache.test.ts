import assert from "node:assert/strict";
import { test } from "node:test";
import { type Line, lineOf } from "./line";
import { WINDOW_LINES, WindowCache } from "./window_cache";

function line(number: number, text = `line ${number}\n`): Line {
    return lineOf({ element: 0, attempt: 1, replica: 0, line: number, offset: 0, time: null, text });
}

function fill(cache: WindowCache, from: number, to: number): void {
    for (let n = from; n < to; n++) cache.put(n, line(n));
}

test("lines are found by number, and the cache tells which are missing", () => {
    const cache = new WindowCache();
    fill(cache, 100, 200);
    assert.equal(cache.get(150)?.line.text, "line 150");
    assert.equal(cache.get(99), undefined);
    assert.deepEqual(cache.missing(90, 300), { from: 90, to: 100 });
    assert.deepEqual(cache.missing(150, 300), { from: 200, to: 300 });
    assert.equal(cache.missing(120, 130), null);
    const behind = (index: number) => (index >= 200 && index < 1_000_000 ? 1_000_000 : index);
    assert.deepEqual(cache.missing(150, 1_000_002, behind), { from: 1_000_000, to: 1_000_002 });
});

test("never more lines than the limit, and the windows that are looked at stay", () => {
    const cache = new WindowCache(4 * WINDOW_LINES, 1e9);
    fill(cache, 0, 10);
    for (let n = 1; n < 50; n++) {
        cache.touch(0, 10);
        fill(cache, n * WINDOW_LINES, (n + 1) * WINDOW_LINES);
        assert.ok(cache.held.lines <= 4 * WINDOW_LINES);
    }
    assert.equal(cache.get(5)?.line.text, "line 5");
    assert.equal(cache.get(10 * WINDOW_LINES), undefined);
});

test("never more bytes than the limit, but for one window", () => {
    const cache = new WindowCache(1e9, 4_000_000);
    for (let n = 0; n < 100; n++) cache.put(n * WINDOW_LINES, line(n, "x".repeat(60_000)));
    assert.ok(cache.held.bytes <= 4_000_000);
});

test("counts go down with what goes, also for lines that were put twice or grew", () => {
    const cache = new WindowCache();
    const grown = line(0, "a");
    cache.put(0, grown);
    cache.put(0, grown);
    grown.text += "bcd";
    cache.put(0, grown);
    assert.deepEqual(cache.held, { lines: 1, bytes: 2 * 4 + 300 });
    cache.clear();
    assert.deepEqual(cache.held, { lines: 0, bytes: 0 });
});
