import assert from "node:assert/strict";
import { test } from "node:test";
import { formatExact, formatMoment } from "./clock";

const NOW = Date.parse("2026-01-31T20:00:00Z");

test("a moment of today is its time, another one has its day", () => {
    assert.equal(formatMoment("2026-01-31T09:05:07.123Z", "utc", NOW), "09:05:07");
    assert.equal(formatMoment("2026-01-30T09:05:07Z", "utc", NOW), "2026-01-30 09:05");
});

test("an exact moment names its zone", () => {
    assert.equal(formatExact("2026-01-31T09:05:07.123Z", "utc"), "2026-01-31 09:05:07.123 UTC");
});

test("a time that is not known, or not a time, is an empty text", () => {
    assert.equal(formatMoment(null, "utc", NOW), "");
    assert.equal(formatExact("yesterday", "utc"), "");
});
