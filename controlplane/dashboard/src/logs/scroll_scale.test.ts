import assert from "node:assert/strict";
import { test } from "node:test";
import { HEIGHT_MAX, anchorAt, heightOf, isStep, scrollTopOf } from "./scroll_scale";

const SHORT = { rows: 1000, rowHeight: 20, viewport: 600 };
const LONG = { rows: 10_000_000, rowHeight: 20, viewport: 600 };

test("a short log is as high as its rows", () => {
    assert.equal(heightOf(SHORT), 20_000);
    assert.deepEqual(anchorAt(1010, SHORT), { row: 50, pixels: 10 });
    assert.equal(scrollTopOf({ row: 50, pixels: 10 }, SHORT), 1010);
});

test("a long log is no higher than browsers take, and both ends are reached", () => {
    assert.equal(heightOf(LONG), HEIGHT_MAX);
    assert.deepEqual(anchorAt(0, LONG), { row: 0, pixels: 0 });
    const end = anchorAt(HEIGHT_MAX - 600, LONG);
    assert.equal(end.row, 10_000_000 - 30);
    assert.ok(Math.abs(end.pixels) < 0.01);
});

test("there and back is the same line", () => {
    for (const row of [0, 1, 12345, 5_000_000, 9_999_970]) {
        const back = anchorAt(scrollTopOf({ row, pixels: 0 }, LONG), LONG);
        assert.ok(Math.abs(back.row + back.pixels / 20 - row) < 0.01, `${row}`);
    }
});

test("fewer rows than fit do not scroll", () => {
    const few = { rows: 3, rowHeight: 20, viewport: 600 };
    assert.equal(heightOf(few), 600);
    assert.deepEqual(anchorAt(50, few), { row: 0, pixels: 0 });
    assert.equal(scrollTopOf({ row: 2, pixels: 0 }, few), 0);
    assert.deepEqual(anchorAt(0, { ...few, rows: 0 }), { row: 0, pixels: 0 });
});

test("a wheel makes steps, the thumb does not", () => {
    assert.ok(isStep(120, LONG) && isStep(-600, LONG));
    assert.ok(!isStep(5000, LONG));
});
