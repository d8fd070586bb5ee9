import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { guessLevel, levelOfWord, parseLevels, toggleLevel } from "./level";

/* One a line, "level|line": tests/unit/shared/base/line_level_test.c reads them, too. */
test("the page guesses the level of common formats as the server does, and ignores words within a message", () => {
    const cases = readFileSync("src/logs/level_cases.txt", "utf8").trimEnd().split("\n");
    for (const one of cases) {
        const at = one.indexOf("|");
        assert.equal(guessLevel(one.slice(at + 1)) ?? "none", one.slice(0, at), one);
    }
    assert.ok(cases.length > 20);
});

test("numbers are levels of pino", () => {
    assert.equal(levelOfWord(50), "error");
    assert.equal(levelOfWord(20), "debug");
    assert.equal(levelOfWord(3), null);
});

test("levels stand in the address as the API takes them, and a press adds or takes one", () => {
    assert.deepEqual(parseLevels("warn,error,grave"), ["error", "warn"]);
    assert.deepEqual(parseLevels(""), []);
    assert.deepEqual(toggleLevel(["error"], "debug"), ["error", "debug"]);
    assert.deepEqual(toggleLevel(["error", "warn"], "error"), ["warn"]);
});
