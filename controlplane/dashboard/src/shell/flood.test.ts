import assert from "node:assert/strict";
import { test } from "node:test";
import { Flood } from "./flood";

const MIB = 1024 * 1024;

test("what the page keeps up with is drawn without a word", () => {
    const flood = new Flood();
    for (let i = 0; i < 100; i++) {
        assert.equal(flood.take(MIB), true);
        assert.equal(flood.drawn(MIB), undefined);
    }
});

test("what comes faster is left out until little waits, and the terminal says how much it was", () => {
    const flood = new Flood();
    for (let i = 0; i < 4; i++) assert.equal(flood.take(MIB), true);
    assert.equal(flood.take(MIB), false);
    assert.equal(flood.drawn(MIB), undefined);
    assert.equal(flood.take(MIB), false, "not in turns: a terminal of snippets is no help");
    assert.equal(flood.drawn(MIB), undefined);
    assert.match(flood.drawn(MIB)!, /\[2\.\d? ?MiB|\[2 MiB/);
    assert.equal(flood.take(MIB), true);
    assert.equal(flood.drawn(MIB), undefined);
});

test("the word ends a sequence that was cut", () => {
    const flood = new Flood();
    assert.equal(flood.take(5 * MIB), false);
    assert.equal(flood.take(MIB), false);
    assert.ok(flood.drawn(0)!.startsWith("\x18"));
});
