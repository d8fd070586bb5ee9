import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs } from "./backoff";

test("waits double from half a second to ten", () => {
    assert.deepEqual(
        [0, 1, 2, 5, 100].map((failures) => backoffMs(failures, 0)),
        [500, 1000, 2000, 10_000, 10_000],
    );
});

test("chance takes away at most half", () => {
    assert.equal(backoffMs(1, 0.999999), 500);
});
