import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPath, parseLoginLink } from "./next_path";

test("a link has its code and where to go", () => {
    assert.deepEqual(parseLoginLink("#code=abc&next=/jobs/job-1"), { code: "abc", next: "/jobs/job-1" });
    assert.deepEqual(parseLoginLink("#code=abc"), { code: "abc", next: "/" });
    assert.equal(parseLoginLink("#L10"), undefined);
});

test("nothing leads to another site", () => {
    for (const path of [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "javascript:x",
        "",
        null,
    ]) {
        assert.equal(nextPath(path), "/");
    }
    assert.equal(nextPath("/jobs?q=state:running"), "/jobs?q=state:running");
});
