import assert from "node:assert/strict";
import { test } from "node:test";
import { guessLevel, levelOfWord } from "./level";

test("common formats tell their level", () => {
    const cases: [string, string][] = [
        ["2026-01-31 09:00:00,123 ERROR trainer: no such file", "error"],
        ["[W] nothing", "null"],
        ["[warn] slow disk", "warn"],
        ["time=x level=debug msg=hello", "debug"],
        ['ts=1 lvl="info" msg=x', "info"],
        ["E0102 15:04:05.123456   1 main.go:3] failed", "error"],
        ["panic: runtime error: index out of range", "error"],
        ["Traceback (most recent call last):", "error"],
        ["ValueError: bad shape", "error"],
        ["java.lang.IllegalStateException: closed", "error"],
        ["WARNING:root:deprecated", "warn"],
        ["I0102 15:04:05.123456   1 main.go:3] fine", "info"],
    ];
    for (const [line, level] of cases) assert.equal(String(guessLevel(line)), level, line);
});

test("words within a message are no level", () => {
    for (const line of [
        "0 errors",
        "loss 0.1 error_rate 0.2",
        "the warning lamp",
        "MY_ERROR_CODE=3",
        "Errors: 0",
    ]) {
        assert.equal(guessLevel(line), null, line);
    }
});

test("numbers are levels of pino", () => {
    assert.equal(levelOfWord(50), "error");
    assert.equal(levelOfWord(20), "debug");
    assert.equal(levelOfWord(3), null);
});
