import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, formatBytes, formatCores, formatCount, formatHours, percent } from "./amount";

test("counts have commas", () => {
    assert.equal(formatCount(1234567), "1,234,567");
    assert.equal(formatCount(999), "999");
    assert.equal(countOf(1, "job"), "1 job");
    assert.equal(countOf(0, "entry", "entries"), "0 entries");
});

test("cores and bytes are as short as they can be", () => {
    assert.equal(formatCores(250), "0.25");
    assert.equal(formatCores(4000), "4");
    assert.equal(formatCores(1_536_000), "1,536");
    assert.equal(formatBytes(0), "0 B");
    assert.equal(formatBytes(17179869184), "16 GiB");
    assert.equal(formatBytes(1818624), "1.73 MiB");
});

test("hours that are hardly any are not zero", () => {
    assert.equal(formatHours(0), "0");
    assert.equal(formatHours(10), "< 0.01");
    assert.equal(formatHours(5_400_000), "1.5");
});

test("a percentage stays between 0 and 100", () => {
    assert.equal(percent(1, 0), 0);
    assert.equal(percent(5, 4), 100);
    assert.equal(percent(1, 3), 33);
});
