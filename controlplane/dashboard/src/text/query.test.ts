import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, completions, formatQuery, parseQuery, toBulkFilter, toParameters } from "./query";

const KNOWN = { queues: ["default", "ml"], names: ["train-1", "train-2", "nightly"], labels: ["team=vision"], people: ["ann"] };

test("a query becomes parameters of the API, and is written the same again", () => {
    const text = "state:running,queued queue:ml name:train-* label:team=vision label:try=2 by:@me";
    const { query, faults } = parseQuery(`  ${text} `);
    assert.deepEqual(faults, []);
    assert.deepEqual(toParameters(query), {
        state: "running,queued",
        queue: "ml",
        name: "train-*",
        label: "team=vision,try=2",
        submittedBy: "@me",
    });
    assert.equal(formatQuery(query), text);
});

test("a word that is no filter is named, and the rest counts", () => {
    const { query, faults } = parseQuery(
        "train state:gone nam:x queue: label:team queue:ml queue:b state:failed name:a name:b",
    );
    assert.equal(faults.length, 7);
    assert.deepEqual(query, { states: ["failed"], queue: "ml", name: "a", labels: [], by: "" });
    assert.equal(parseQuery(`name:${"n".repeat(254)}`).query.name, "");
});

test("bulk actions take what they know, and nothing where they would mean more", () => {
    assert.deepEqual(toBulkFilter(parseQuery("state:failed label:a=b=c").query), {
        state: ["failed"],
        labels: { a: "b=c" },
    });
    assert.deepEqual(toBulkFilter(parseQuery("by:ann").query), { submittedBy: "ann" });
    assert.deepEqual(toBulkFilter(parseQuery("name:train-*").query), { name: "train-*" });
    assert.equal(toBulkFilter(parseQuery("").query), undefined);
});

test("the word at the caret is completed", () => {
    assert.deepEqual(completions("", 0, KNOWN), ["state:", "queue:", "name:", "label:", "by:"]);
    assert.deepEqual(completions("state:ru queue:ml", 8, KNOWN), ["state:running"]);
    assert.deepEqual(completions("state:held,qu", 13, KNOWN), ["state:held,queued"]);
    assert.deepEqual(completions("name:tr", 7, KNOWN), ["name:train-1", "name:train-2"]);
    assert.deepEqual(completions("by:", 3, KNOWN), ["by:@me", "by:ann"]);
    assert.deepEqual(complete("state:ru queue:ml", 8, "state:running"), {
        text: "state:running queue:ml",
        caret: 13,
    });
    assert.deepEqual(complete("qu", 2, "queue:"), { text: "queue:", caret: 6 });
});
