import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../api/types";
import { lineOf } from "./line";
import {
    HITS_MAX,
    HitCollector,
    hitFrom,
    markHits,
    marksOf,
    matchedTexts,
    nextHit,
    patternQuery,
    refusalOf,
} from "./find";

function line(number: number, more: Partial<LogLine> = {}) {
    return lineOf({
        element: 0,
        attempt: 1,
        replica: 0,
        line: number,
        offset: number,
        time: null,
        text: "x\n",
        ...more,
    });
}

function hitsAt(...lines: number[]) {
    const collector = new HitCollector();
    for (const number of lines) collector.add(line(number), number);
    return collector.hits;
}

test("a line counts as one hit, and a gap does not count", () => {
    const collector = new HitCollector();
    assert.equal(collector.add(line(4), 4), true);
    assert.equal(collector.add(line(4, { offset: 99 }), 4), false);
    assert.equal(collector.add(line(5, { gap: "limit" }), 5), false);
    assert.equal(collector.add(line(4, { replica: 1 }), 4), true);
    assert.equal(collector.hits.length, 2);
});

test("the search stops at its limit", () => {
    const collector = new HitCollector();
    for (let n = 0; n < HITS_MAX + 10; n++) collector.add(line(n), n);
    assert.equal(collector.hits.length, HITS_MAX);
    assert.ok(collector.isFull);
});

test("next and previous go around", () => {
    assert.equal(nextHit(3, 2, 1), 0);
    assert.equal(nextHit(3, 0, -1), 2);
    assert.equal(nextHit(3, -1, -1), 2);
    assert.equal(nextHit(0, -1, 1), -1);
});

test("the search begins at what is in sight", () => {
    const hits = hitsAt(10, 20, 30);
    assert.deepEqual(
        [0, 10, 11, 30, 31].map((line) => hitFrom(hits, line)),
        [0, 0, 1, 2, 0],
    );
    assert.equal(hitFrom([], 5), -1);
});

test("marks lie where their lines do, and as many as there are pixels", () => {
    assert.deepEqual(marksOf(hitsAt(0, 1, 500), 1000, 100), [0, 0.5]);
    assert.ok(marksOf(hitsAt(...Array.from({ length: 5000 }, (_, i) => i)), 5000, 200).length <= 200);
});

test("hits are marked within spans and across them", () => {
    const spans = [
        { text: "an err", style: null },
        { text: "or, error", style: null, href: "https://example.org/" },
    ];
    const marked = markHits(spans, ["error"]);
    assert.deepEqual(
        marked.map(({ text, isHit, href }) => [text, isHit ?? false, href !== undefined]),
        [
            ["an ", false, false],
            ["err", true, false],
            ["or", true, true],
            [", ", false, true],
            ["error", true, true],
        ],
    );
    assert.equal(markHits(spans, ["zzz"]).length, 2);
    assert.equal(markHits(spans, []), spans);
    const across = markHits(
        [
            { text: "a", style: null },
            { text: "b", style: null },
            { text: "cd", style: null },
        ],
        ["abc"],
    );
    assert.deepEqual(
        across.map(({ text, isHit }) => [text, isHit ?? false]),
        [
            ["a", true],
            ["b", true],
            ["c", true],
            ["d", false],
        ],
    );
});

test("among several texts the first is marked, and the longest where several begin", () => {
    const marked = markHits([{ text: "epoch 12 of 120", style: null }], ["12", "120", "e"]);
    assert.deepEqual(
        marked.filter(({ isHit }) => isHit).map(({ text }) => text),
        ["e", "12", "120"],
    );
});

test("matched text is cut from the line by its bytes", () => {
    assert.deepEqual(matchedTexts("gr\u00fcn 12, rot 7\n", [6, 8, 14, 15]), ["12", "7"]);
    assert.deepEqual(matchedTexts("a\n", undefined), []);
    assert.deepEqual(matchedTexts("\ufffd 12", [2, 4]), []);
});

test("a hit keeps what matched in its line", () => {
    const collector = new HitCollector();
    collector.add(line(4), 4, ["x"]);
    assert.deepEqual(collector.textsOf(line(4)), ["x"]);
    assert.deepEqual(collector.textsOf(line(5)), []);
});

test("a pattern says only what is not preset", () => {
    assert.deepEqual(patternQuery({ text: "a", isRegex: false, ignoresCase: false }), { grep: "a" });
    assert.deepEqual(patternQuery({ text: "a", isRegex: true, ignoresCase: true }), {
        grep: "a",
        match: "regex",
        ignoreCase: "true",
    });
});

test("the page refuses a pattern that the server would refuse", () => {
    assert.equal(refusalOf("ok"), null);
    assert.ok(refusalOf("a\nb"));
    assert.ok(refusalOf("\u00e9".repeat(129)));
});
