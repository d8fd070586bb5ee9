import assert from "node:assert/strict";
import { test } from "node:test";
import { SELECTED_MAX, keepListed, toggle, type Selection } from "./selection";

test("a row is chosen, and given up again", () => {
    const one = toggle(new Set(), "job-1");
    assert.deepEqual([...one], ["job-1"]);
    assert.equal(toggle(one, "job-1").size, 0);
});

test("no more than its limit is chosen", () => {
    let selection: Selection = new Set();
    for (let i = 0; i < SELECTED_MAX + 5; i++) selection = toggle(selection, `job-${i}`);
    assert.equal(selection.size, SELECTED_MAX);
});

test("rows that left the list are no longer chosen", () => {
    const both = new Set(["a", "b"]);
    assert.deepEqual([...keepListed(both, ["b", "c"])], ["b"]);
    assert.equal(keepListed(both, ["a", "b"]), both);
});
