import assert from "node:assert/strict";
import { test } from "node:test";
import { collapse } from "./carriage";

test("a line that is written once stays as it is", () => {
    assert.deepEqual(collapse("epoch 1"), { text: "epoch 1", overwritten: 0 });
    assert.deepEqual(collapse("from Windows\r"), { text: "from Windows", overwritten: 0 });
});

test("a progress bar shows its last state and how many were before", () => {
    assert.deepEqual(collapse(" 10%\r 50%\r100%"), { text: "100%", overwritten: 2 });
    assert.deepEqual(collapse(" 10%\r 50%\r100%\r"), { text: "100%", overwritten: 2 });
});

test("a bar that clears itself shows what it was before", () => {
    assert.deepEqual(collapse("50%\r100%\r\x1b[K"), { text: "100%", overwritten: 2 });
    assert.deepEqual(collapse("50%\r100%\r      \rdone"), { text: "done", overwritten: 3 });
});

test("a spinner's steps back are applied", () => {
    assert.equal(collapse("wait |\b/\b-\b\\ done").text, "wait \\ done");
    assert.equal(collapse("\b\b\ba").text, "a");
});

test("a million returns take linear time", () => {
    const begin = performance.now();
    assert.equal(collapse("\r".repeat(500_000) + "x" + " \r".repeat(250_000)).text, "x ");
    assert.ok(performance.now() - begin < 5_000);
});
