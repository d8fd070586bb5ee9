import assert from "node:assert/strict";
import { test } from "node:test";
import { VIEWS_MAX, isSameView, readViews, renameView, saveView, viewPath, viewWords } from "./saved_view";

const FAILED = { name: "failed", query: "state:failed", group: "label:team" };
const MINE = { name: "mine", query: "by:@me", group: "" };

test("a view is an address and words", () => {
    assert.equal(viewPath(FAILED), "/jobs?q=state%3Afailed&group=label%3Ateam");
    assert.equal(viewPath({ query: " ", group: "" }), "/jobs");
    assert.equal(viewWords(FAILED), "state:failed, grouped by label team");
    assert.equal(viewWords({ query: "", group: "" }), "all jobs");
    assert.ok(isSameView(FAILED, { query: "state:failed ", group: "label:team" }));
});

test("stored views come back, and damaged ones are left out", () => {
    assert.deepEqual(readViews(JSON.stringify([FAILED, MINE])), [FAILED, MINE]);
    for (const text of [null, "", "{", "null", "7", '"x"', '{"name":"x"}'])
        assert.deepEqual(readViews(text), []);
    const mixed = [null, 7, [], { name: "" }, { ...MINE, name: " " }, { ...MINE, query: 1 }, FAILED, FAILED];
    assert.deepEqual(readViews(JSON.stringify(mixed)), [FAILED]);
    assert.deepEqual(readViews(JSON.stringify([{ ...MINE, group: "label:" }])), [MINE]);
});

test("their number and sizes are bounded", () => {
    const many = Array.from({ length: VIEWS_MAX + 5 }, (_, i) => ({ ...MINE, name: `v${i}` }));
    assert.equal(readViews(JSON.stringify(many)).length, VIEWS_MAX);
    assert.equal(saveView(many.slice(0, VIEWS_MAX), FAILED), undefined);
    assert.equal(saveView([], { ...MINE, name: "n".repeat(61) }), undefined);
    assert.equal(saveView([], { ...MINE, query: "q".repeat(1001) }), undefined);
    assert.deepEqual(readViews(JSON.stringify([{ ...MINE, more: "x".repeat(100_000) }])), []);
});

test("a view is saved, overwritten in its place, and named anew", () => {
    const two = saveView(saveView([], FAILED)!, MINE)!;
    assert.deepEqual(saveView(two, { ...FAILED, query: "" }), [{ ...FAILED, query: "" }, MINE]);
    assert.deepEqual(renameView(two, "failed", " broken "), [{ ...FAILED, name: "broken" }, MINE]);
    assert.equal(renameView(two, "failed", "mine"), undefined);
    assert.equal(renameView(two, "failed", " "), undefined);
    assert.equal(renameView(two, "gone", "x"), undefined);
});
