import assert from "node:assert/strict";
import { test } from "node:test";
import { toYaml } from "./yaml";

test("lists and objects nest by two spaces", () => {
    const text = toYaml({ roles: [{ name: "main", replicas: 2, args: ["a", ["b"]] }], labels: {} });
    assert.equal(
        text,
        "roles:\n  - name: main\n    replicas: 2\n    args:\n      - a\n      - - b\nlabels: {}\n",
    );
});

test("a text that could be read as something else is quoted", () => {
    const texts = [
        "",
        "yes",
        "null",
        "1",
        "1e3",
        "- a",
        "a: b",
        "a #b",
        "*x",
        " a",
        "a ",
        "&",
        "2026-01-31",
        "0x1",
    ];
    for (const text of texts) assert.equal(toYaml({ a: text }), `a: ${JSON.stringify(text)}\n`);
    assert.equal(toYaml({ a: "train.py" }), "a: train.py\n");
});

test("several lines are a block where it keeps every byte", () => {
    assert.equal(toYaml({ a: "x\n\ny\n" }), "a: |\n  x\n\n  y\n");
    assert.equal(toYaml(["x\ny"]), "- |-\n  x\n  y\n");
    assert.equal(toYaml({ a: "x \ny" }), 'a: "x \\ny"\n');
    assert.equal(toYaml({ a: "x\ty\nz" }), 'a: "x\\ty\\nz"\n');
    assert.equal(toYaml({ a: " x\ny" }), 'a: " x\\ny"\n');
});

test("nothing is an empty object or null", () => {
    assert.equal(toYaml({}), "{}\n");
    assert.equal(toYaml(undefined), "null\n");
});
