import assert from "node:assert/strict";
import { test } from "node:test";
import { elapsedMs, formatAge, formatAgo, formatDuration } from "./duration";

test("a duration is its two largest units", () => {
    const cases: Array<[number, string]> = [
        [0, "0ms"],
        [999, "999ms"],
        [1000, "1s"],
        [61_000, "1m 1s"],
        [3_600_000, "1h"],
        [3_600_000 + 59_000, "1h"],
        [90_061_000, "1d 1h"],
        [Number.NaN, "0s"],
        [-5, "0s"],
    ];
    for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});

test("an age is one unit", () => {
    assert.equal(formatAge(12), "now");
    assert.equal(formatAge(7_300_000), "2h");
    assert.equal(formatAgo(12), "just now");
    assert.equal(formatAgo(7_300_000), "2h ago");
});

test("a time that is missing, or before its start, counts as none", () => {
    assert.equal(elapsedMs(null, 5), 0);
    assert.equal(elapsedMs("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z"), 0);
    assert.equal(elapsedMs("2026-01-01T00:00:00Z", "2026-01-01T00:00:02.5Z"), 2500);
});
