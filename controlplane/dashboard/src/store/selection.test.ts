import assert from "node:assert/strict";
import { test } from "node:test";
import { SELECTED_MAX, keepListed, toggle, toggleAll, type Selection } from "./selection";

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

test("a group is chosen as a whole, and given up again", () => {
    const all = toggleAll(new Set(["a", "x"]), ["a", "b"]);
    assert.deepEqual([...all], ["a", "x", "b"]);
    assert.deepEqual([...toggleAll(all, ["a", "b"])], ["x"]);
});

test("a group that is too large has its first rows chosen, and then none", () => {
    const ids = Array.from({ length: SELECTED_MAX + 5 }, (_, i) => `job-${i}`);
    const first = toggleAll(new Set(), ids);
    assert.deepEqual([...first], ids.slice(0, SELECTED_MAX));
    assert.equal(toggleAll(first, ids).size, 0);
});

test("rows that left the list are no longer chosen", () => {
    const both = new Set(["a", "b"]);
    assert.deepEqual([...keepListed(both, ["b", "c"])], ["b"]);
    assert.equal(keepListed(both, ["a", "b"]), both);
});
