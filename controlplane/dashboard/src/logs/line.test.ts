import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../api/types";
import { LineJoin, TEXT_KEPT_MAX, joinWindow } from "./line";

function piece(line: number, text: string, more: Partial<LogLine> = {}): LogLine {
    return { element: 0, attempt: 1, replica: 0, line, offset: line * 10, time: null, text, ...more };
}

function gap(line: number, bytes: number, more: Partial<LogLine> = {}): LogLine {
    return {
        element: 0,
        attempt: 1,
        replica: 0,
        line,
        offset: line * 10,
        time: null,
        gap: "limit",
        bytes,
        ...more,
    };
}

test("pieces of a line become one, also with those of another output between them", () => {
    const lines = joinWindow(
        [piece(0, "ab"), piece(0, "x\n", { replica: 1 }), piece(0, "cd\n"), piece(1, "e")],
        7,
        9,
    );
    assert.deepEqual(
        lines.map(({ index, line }) => [index, line.replica, line.text, line.isEnded]),
        [
            [7, 0, "abcd", true],
            [8, 1, "x", true],
            [9, 0, "e", false],
        ],
    );
});

test("a gap takes the numbers of the lines that are missing in it", () => {
    const lines = joinWindow([piece(0, "a\n"), gap(1, 900), piece(101, "b\n")], 0, 101);
    assert.deepEqual(
        lines.map(({ index, line }) => [index, line.span, line.text]),
        [
            [0, 1, "a"],
            [1, 100, ""],
            [101, 1, "b"],
        ],
    );
});

test("a gap at the end has the numbers that are left", () => {
    const lines = joinWindow([piece(0, "a\n"), gap(1, 900)], 0, 40);
    assert.equal(lines[1]?.line.span, 40);
});

test("a gap within a line takes no number", () => {
    const lines = joinWindow([piece(0, "beg"), gap(0, 5), piece(1, "rest\n")], 0, 1);
    assert.equal(lines.length, 2);
    assert.equal(lines[0]?.line.gapsBehind[0]?.bytes, 5);
    assert.deepEqual([lines[1]?.index, lines[1]?.line.text], [1, "rest"]);
});

test("a gap that cuts a line has the numbers behind that line", () => {
    const lines = joinWindow([piece(0, "beg"), gap(0, 500), piece(40, "rest\n")], 0, 40);
    assert.deepEqual(
        lines.map(({ index, line }) => [index, line.span, line.text]),
        [
            [0, 1, "beg"],
            [1, 39, ""],
            [40, 1, "rest"],
        ],
    );
});

test("lost output without a line of its own is noted behind the line before", () => {
    const lines = joinWindow([piece(0, "a\n"), gap(0, 0, { gap: "lost", replica: 3 })], 0, 0);
    assert.deepEqual([lines.length, lines[0]?.line.gapsBehind[0]?.replica], [1, 3]);
});

test("50 MB without a newline are kept in a bounded piece, and their bytes are counted", () => {
    const join = new LineJoin();
    const megabyte = "x".repeat(1 << 20);
    const { line } = join.push(piece(0, megabyte));
    for (let i = 1; i < 50; i++) assert.equal(join.push(piece(0, megabyte)).line, line);
    assert.equal(line.text.length, TEXT_KEPT_MAX);
    assert.equal(line.bytesCut, 50 * (1 << 20) - TEXT_KEPT_MAX);
});

test("a progress bar that runs for days keeps its newest states", () => {
    const join = new LineJoin();
    const { line } = join.push(piece(0, ""));
    for (let i = 0; i < 20_000; i++) join.push(piece(0, `step ${i} of 20000\r`));
    const { text } = line;
    assert.ok(text.length <= TEXT_KEPT_MAX);
    assert.ok(text.endsWith("step 19999 of 20000\r"));
});
