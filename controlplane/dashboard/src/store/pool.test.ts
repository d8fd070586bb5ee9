import assert from "node:assert/strict";
import { test } from "node:test";
import { runAll } from "./pool";

test("all is done, a few at once, and failures are named", async () => {
    let now = 0;
    let most = 0;
    const done: number[] = [];
    const failures = await runAll([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
        most = Math.max(most, ++now);
        await Promise.resolve();
        now -= 1;
        if (item === 4) throw new Error("no");
        done.push(item);
    });
    assert.equal(most, 3);
    assert.deepEqual(done.sort(), [1, 2, 3, 5, 6, 7]);
    assert.deepEqual(
        failures.map((failure) => failure.item),
        [4],
    );
});
