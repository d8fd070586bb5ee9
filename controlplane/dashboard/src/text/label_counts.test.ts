import assert from "node:assert/strict";
import { test } from "node:test";
import {
    columnsOf,
    countsNote,
    countsPath,
    isFinerThanCounts,
    labelKeyOf,
    shownCount,
    toggleValue,
} from "./label_counts";
import { parseQuery } from "./query";

const query = (text: string) => parseQuery(text).query;
const sums = (open: number, succeeded: number, failed: number) => ({
    jobs: open + succeeded + failed,
    open,
    succeeded,
    failed,
    cancelled: 0,
});

test("counts are asked for with the query's filters, but for its states and the label itself", () => {
    assert.equal(labelKeyOf("label:team"), "team");
    assert.equal(labelKeyOf("queue"), "");
    assert.equal(
        countsPath(query("state:failed queue:ml name:t-* label:team=vision label:teams=2"), "team"),
        "/v1/jobs:counts?by=label%3Ateam&queue=ml&name=t-*&label=teams%3D2",
    );
});

test("a value is opened by its label in the query, and closed by it", () => {
    assert.equal(toggleValue(query("queue:ml"), "team", "vision"), "queue:ml label:team=vision");
    assert.equal(toggleValue(query("label:team=vision label:try=2"), "team", "vision"), "label:try=2");
    assert.equal(toggleValue(query("label:team=vision"), "team", "audio"), "label:team=audio");
    assert.equal(toggleValue(query(""), "team", ""), "label:team=");
    assert.equal(toggleValue(query(""), "team", "a b"), undefined);
    assert.equal(toggleValue(query(""), "team", "a,b"), undefined);
});

test("the states of the query choose what is summed", () => {
    assert.deepEqual(columnsOf([]), ["open", "succeeded", "failed", "cancelled"]);
    assert.deepEqual(columnsOf(["ended"]), ["succeeded", "failed", "cancelled"]);
    assert.deepEqual(columnsOf(["failed", "queued"]), ["open", "failed"]);
    assert.deepEqual(columnsOf(["open"]), ["open"]);
    assert.equal(isFinerThanCounts(["failed", "queued"]), true);
    assert.equal(isFinerThanCounts(["open", "cancelled"]), false);
    assert.deepEqual(shownCount(sums(1200, 0, 3), columnsOf([])), {
        jobs: 1203,
        words: "1,200 open, 3 failed",
        bar: [
            ["running", 1200],
            ["failed", 3],
        ],
    });
    assert.equal(shownCount(sums(5, 1, 0), columnsOf(["failed"])).words, "none");
});

test("a note names the jobs that the counts leave out", () => {
    const counts = { isWhole: true, total: sums(1, 0, 0), others: sums(0, 0, 0) };
    assert.equal(countsNote(counts, false), "");
    assert.equal(
        countsNote({ ...counts, isWhole: false, others: sums(2, 0, 0) }, true),
        "2 jobs with a further value; among the newest 100,000 jobs; in any state of an open job",
    );
});
