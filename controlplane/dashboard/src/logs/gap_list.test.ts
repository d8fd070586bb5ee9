import assert from "node:assert/strict";
import { test } from "node:test";
import { GapList } from "./gap_list";
import { lineOf } from "./line";

const gap = (offset: number) =>
    lineOf({ element: 0, attempt: 1, replica: 0, line: 5, offset, time: null, gap: "limit", bytes: 900 });

test("a gap of a million lines is held once and stands at each of its numbers", () => {
    const gaps = new GapList();
    gaps.add(5, 1_000_005, gap(50));
    assert.equal(gaps.at(4), undefined);
    assert.deepEqual([gaps.at(5)?.head, gaps.at(999_999)?.head], [5, 5]);
    assert.equal(gaps.at(1_000_005), undefined);
    assert.deepEqual([gaps.behind(4), gaps.behind(5)], [4, 1_000_005]);
});

test("parts of the same gap become one", () => {
    const gaps = new GapList();
    gaps.add(512, 1024, gap(50));
    gaps.add(1024, 1536, gap(50));
    gaps.add(5, 512, gap(50));
    assert.equal(gaps.at(1500)?.head, 5);
    assert.equal(gaps.at(1500)?.line.span, 1531);
});

test("where a line stands nothing is missing", () => {
    const gaps = new GapList();
    gaps.add(5, 100, gap(50));
    assert.equal(gaps.takeLine(5), null);
    assert.equal(gaps.at(5), undefined);
    assert.equal(gaps.at(6)?.line.span, 94);
    gaps.add(200, 201, gap(70));
    assert.equal(gaps.takeLine(200)?.offset, 70);
    assert.equal(gaps.at(200), undefined);
    assert.equal(gaps.takeLine(300), null);
});
