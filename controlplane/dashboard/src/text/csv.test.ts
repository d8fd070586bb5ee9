import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsv } from "./csv";

test("commas, quotes and line ends are quoted", () => {
    assert.equal(
        toCsv([
            ["a", 1],
            ['x,"y"', "two\nlines"],
        ]),
        'a,1\r\n"x,""y""","two\nlines"\r\n',
    );
});

test("a name that begins like a formula is no formula", () => {
    assert.equal(toCsv([["=cmd()", "+1", -1]]), "'=cmd(),'+1,-1\r\n");
});
