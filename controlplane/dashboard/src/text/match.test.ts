import assert from "node:assert/strict";
import { test } from "node:test";
import { bestMatches, matchText } from "./match";

test("letters must come in order", () => {
    assert.deepEqual(matchText("gtj", "Go to jobs")?.hits, [0, 3, 6]);
    assert.equal(matchText("jg", "Go to jobs"), undefined);
});

test("starts of words and runs go first", () => {
    const names = ["Subject", "Jobs", "Go to jobs", "Major object"];
    assert.equal(bestMatches("job", names, (name) => name, 2)[0], "Jobs");
});

test("nothing typed keeps the order, and no more than asked for", () => {
    assert.deepEqual(
        bestMatches(" ", ["b", "a", "c"], (name) => name, 2),
        ["b", "a"],
    );
});
