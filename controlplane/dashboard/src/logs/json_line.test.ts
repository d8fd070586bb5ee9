import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJsonLine } from "./json_line";

test("level and message stand out, the rest are fields", () => {
    assert.deepEqual(parseJsonLine('{"ts":1,"level":"warn","msg":"slow","at":{"disk":"sda"}}'), {
        level: "warn",
        message: "slow",
        fields: [
            { name: "ts", value: "1" },
            { name: "at", value: '{"disk":"sda"}' },
        ],
    });
});

test("a line that is no object with a message stays as it is", () => {
    for (const line of ["{}", '{"a":1}', "[1]", '{"msg":1}', '{"msg":"x"', "{not json}", "plain"]) {
        assert.equal(parseJsonLine(line), null, line);
    }
});

test("hostile objects do no harm", () => {
    const proto = parseJsonLine('{"__proto__":{"x":1},"msg":"m"}');
    assert.deepEqual(proto?.fields, [{ name: "__proto__", value: '{"x":1}' }]);
    const deep = `{"msg":"m","d":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    assert.ok(parseJsonLine(deep) === null || parseJsonLine(deep)?.message === "m");
    const wide = `{"msg":"m",${Array.from({ length: 5000 }, (_, i) => `"k${i}":1`).join(",")}}`;
    assert.equal(parseJsonLine(wide)?.fields.length, 200);
});
