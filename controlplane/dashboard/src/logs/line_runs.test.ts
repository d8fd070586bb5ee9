import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../api/types";
import { LineRuns, WAITING_MAX } from "./line_runs";

function piece(offset: number, replica = 0): LogLine {
    return { element: 0, attempt: 1, replica, line: offset, offset, time: null, text: `${offset}\n` };
}

const offsets = (run: LogLine[]) => run.map(({ offset }) => offset);

test("a run is shown as a whole once its place has come", () => {
    const runs = new LineRuns();
    assert.deepEqual(offsets(runs.push("", piece(0))), []);
    assert.deepEqual(offsets(runs.push("", piece(1))), []);
    assert.deepEqual(offsets(runs.push("a", piece(2))), [0, 1, 2]);
    assert.deepEqual(offsets(runs.push("a", piece(3))), []);
    assert.deepEqual(offsets(runs.push("b", piece(4))), [3, 4]);
    assert.equal(runs.lastPlace, "b");
});

test("a cut in the middle of a run loses nothing and repeats nothing", () => {
    const runs = new LineRuns();
    const shown = offsets(runs.push("a", piece(0)));
    runs.push("a", piece(1));
    runs.push("a", piece(2));
    runs.drop();
    assert.equal(runs.lastPlace, "a");
    runs.push("a", piece(1)); /* the server goes on behind "a" */
    runs.push("a", piece(2));
    shown.push(...offsets(runs.push("b", piece(3))));
    assert.deepEqual(shown, [0, 1, 2, 3]);
});

test("cut at every place, every piece comes once", () => {
    const pages = [[0, 1, 2], [3], [4, 5], [6, 7, 8, 9]];
    for (let cut = 0; cut < 10; cut++) {
        const runs = new LineRuns();
        const shown: number[] = [];
        let sent = 0;
        const play = (from: number, until: number) => {
            for (let page = from; page < pages.length; page++) {
                for (const [i, offset] of (pages[page] ?? []).entries()) {
                    if (sent++ >= until) return;
                    const isLast = i === (pages[page]?.length ?? 0) - 1;
                    shown.push(...offsets(runs.push(isLast ? `${page}` : runs.lastPlace, piece(offset))));
                }
            }
        };
        play(0, cut);
        runs.drop();
        sent = 0;
        play(runs.lastPlace === "" ? 0 : Number(runs.lastPlace) + 1, 99);
        assert.deepEqual(shown, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], `cut at ${cut}`);
    }
});

test("a piece that comes again is known by its offset, in each output", () => {
    const runs = new LineRuns();
    runs.push("", piece(5, 0));
    runs.push("a", piece(9, 1));
    runs.push("a", piece(5, 0));
    runs.push("a", piece(6, 0));
    assert.deepEqual(offsets(runs.push("b", piece(9, 1))), [6]);
});

test("pieces without a place do not fill the memory", () => {
    const runs = new LineRuns();
    let shown = 0;
    for (let i = 0; i < 3 * WAITING_MAX; i++) shown += runs.push("", piece(i)).length;
    assert.ok(shown >= 2 * WAITING_MAX);
});
