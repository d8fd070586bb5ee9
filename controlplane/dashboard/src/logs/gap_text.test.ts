import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCount, gapText } from "./gap_text";

const gap = (why: string, bytes?: number) => ({ why, bytes, element: 0, attempt: 1, replica: 3 });

test("a gap says how much is missing and why", () => {
    assert.equal(
        gapText(gap("limit", 1204), 1),
        "1,204 bytes are missing here: the output went over its limit",
    );
    assert.equal(
        gapText(gap("damaged", 5 << 20), 1000),
        "1,000 lines, 5 MiB, are missing here: the stored output was damaged",
    );
    assert.match(gapText(gap("lost"), 0), /^Some output is missing here: the output was lost/);
    assert.match(gapText(gap("new_word"), 0), /new_word$/);
});

test("amounts are short", () => {
    assert.deepEqual([0, 9999, 10_240, 3_500_000, 1 << 30].map(formatBytes), [
        "0 bytes",
        "9,999 bytes",
        "10 KiB",
        "3.3 MiB",
        "1 GiB",
    ]);
    assert.equal(formatCount(1, "line"), "1 line");
    assert.equal(formatCount(1204, "new line"), "1,204 new lines");
});
