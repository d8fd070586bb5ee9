import assert from "node:assert/strict";
import { test } from "node:test";
import { type Line, lineOf } from "./line";
import { type LineSource, RowWalk } from "./row_walk";

function sourceOfTexts(texts: (string | null)[], first = 0): LineSource {
    const lines = texts.map((text, i) =>
        text === null
            ? undefined
            : lineOf({
                  element: 0,
                  attempt: 1,
                  replica: 0,
                  line: first + i,
                  offset: i,
                  time: null,
                  text: `${text}\n`,
              }),
    );
    return {
        first,
        end: first + texts.length,
        get: (index) => {
            const line = lines[index - first];
            return line && { line, head: index };
        },
    };
}

const TRACE = ["x", "E: bad", "  at a", "  at b", "  at c", "  at d", "end"];
const none = new Set<number>();

test("rows go forward and backward over a fold as over one line", () => {
    const walk = new RowWalk(sourceOfTexts(TRACE), 0, 7, none);
    assert.deepEqual(
        walk.forward(0, 10).map((row) => [row.index, row.next, row.fold?.lines ?? 0]),
        [
            [0, 1, 0],
            [1, 2, 0],
            [2, 6, 4],
            [6, 7, 0],
        ],
    );
    assert.deepEqual(
        walk.backward(7, 3).map((row) => row.index),
        [1, 2, 6],
    );
    assert.equal(walk.headOf(4), 2);
});

test("an open fold shows its lines, the first with what closes it", () => {
    for (const line of [2, 4]) {
        const rows = new RowWalk(sourceOfTexts(TRACE), 0, 7, new Set([line])).forward(0, 10);
        assert.equal(rows.length, 7);
        assert.deepEqual(rows[2]?.fold, { lines: 4, isOpen: true });
    }
});

test("lines that are not loaded are rows, and source bounds are kept", () => {
    const walk = new RowWalk(sourceOfTexts(["a", null, "c"], 50), 50, 53, none);
    assert.deepEqual(
        walk.forward(50, 10).map((row) => row.line?.text),
        ["a", undefined, "c"],
    );
    assert.equal(walk.backward(50, 3).length, 0);
    assert.equal(walk.forward(53, 3).length, 0);
});

test("a gap of many lines is one row", () => {
    const gap: Line = lineOf({
        element: 0,
        attempt: 1,
        replica: 0,
        line: 1,
        offset: 1,
        time: null,
        gap: "limit",
    });
    gap.span = 100;
    const source: LineSource = {
        first: 0,
        end: 200,
        get: (index) => (index >= 1 && index < 101 ? { line: gap, head: 1 } : undefined),
    };
    const walk = new RowWalk(source, 0, 200, none);
    assert.deepEqual(
        walk.forward(0, 3).map((row) => row.index),
        [0, 1, 101],
    );
    assert.deepEqual(
        walk.backward(102, 2).map((row) => row.index),
        [1, 101],
    );
});
