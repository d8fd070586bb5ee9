import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLineTime, pauseBetween } from "./log_time";

const AT = Date.parse("2026-01-31T09:00:03.007Z");

test("a time is off, since the start, or of the day", () => {
    assert.equal(formatLineTime(AT, "off", AT), "");
    assert.equal(formatLineTime(AT, "relative", AT - 3_723_450), "+1:02:03.450");
    assert.equal(formatLineTime(AT, "relative", AT + 1), "-0:00:00.001");
    assert.equal(formatLineTime(AT, "utc", null), "09:00:03.007");
    assert.equal(formatLineTime(null, "utc", null), "");
});

test("only long pauses are drawn", () => {
    assert.equal(pauseBetween(AT, AT + 30_000), 0);
    assert.equal(pauseBetween(AT, AT + 31_000), 31_000);
    assert.equal(pauseBetween(null, AT), 0);
    assert.equal(pauseBetween(AT, AT - 99_000), 0);
});
