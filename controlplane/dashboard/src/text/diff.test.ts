import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITS_MAX, LINES_MAX, diffLines, foldEqual } from "./diff";

const show = (before: string, after: string) =>
    diffLines(before, after).lines.map(({ sign, text }) => sign + text);
const numbers = (count: number, word = "") =>
    Array.from({ length: count }, (_, i) => `${word}${i}`).join("\n");

test("equal texts differ in no line, whether or not the last one ends", () => {
    assert.deepEqual(diffLines("a\nb\n", "a\nb"), {
        lines: [
            { sign: " ", text: "a" },
            { sign: " ", text: "b" },
        ],
        added: 0,
        removed: 0,
        isCut: false,
        isRough: false,
    });
});

test("a changed line is removed and added where it stands", () => {
    assert.deepEqual(show("a\nb\nc\n", "a\nx\nc\n"), [" a", "-b", "+x", " c"]);
});

test("the example of Myers takes five changes", () => {
    const diff = diffLines([..."ABCABBA"].join("\n"), [..."CBABAC"].join("\n"));
    assert.equal(diff.added + diff.removed, 5);
});

test("any two texts: the lines that are not added make the first, those that are not removed the second", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 300; round++) {
        const text = () => Array.from({ length: 1 + random(12) }, () => "abc"[random(3)]).join("\n");
        const [before, after] = [text(), text()];
        const { lines } = diffLines(before, after);
        const without = (sign: string) =>
            lines
                .filter((line) => line.sign !== sign)
                .map((line) => line.text)
                .join("\n");
        assert.equal(without("+"), before);
        assert.equal(without("-"), after);
    }
});

test("more changes than the limit give one whole replacement, and the diff says so", () => {
    const diff = diffLines(numbers(EDITS_MAX, "a"), numbers(EDITS_MAX, "b"));
    assert.ok(diff.isRough && !diff.isCut);
    assert.deepEqual([diff.added, diff.removed], [EDITS_MAX, EDITS_MAX]);
    assert.ok(!diffLines(numbers(EDITS_MAX / 2, "a"), numbers(EDITS_MAX / 2, "b")).isRough);
});

test("lines behind the limit are left out, and the diff says so", () => {
    const diff = diffLines(numbers(LINES_MAX + 10), numbers(LINES_MAX));
    assert.ok(diff.isCut);
    assert.equal(diff.lines.length, LINES_MAX);
});

test("equal lines that are far from a change are folded into their number", () => {
    const { lines } = diffLines("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nx\n5\n6\n7\n");
    assert.deepEqual(
        foldEqual(lines, 1).map((line) => (typeof line === "number" ? line : line.sign + line.text)),
        [2, " 3", "-4", "+x", " 5", 2],
    );
    assert.deepEqual(foldEqual(diffLines("1\n2", "1\n2").lines, 1), [2]);
});
