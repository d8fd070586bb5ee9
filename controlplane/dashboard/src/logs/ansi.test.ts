import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_COLOUR, TRUE_COLOUR, parseAnsi, plainText, safeAddress } from "./ansi";

const LIMITS = { visibleMax: 4000, spansMax: 200 };
const spansOf = (text: string) => parseAnsi(text, LIMITS).spans;
const shown = (text: string) =>
    spansOf(text)
        .map((span) => span.text)
        .join("");

test("text without escapes is one span", () => {
    assert.deepEqual(spansOf("step 1\tloss 2.3"), [{ text: "step 1\tloss 2.3", style: null }]);
});

test("the sixteen colours, the palette and true colour", () => {
    const [red, orange, pink, plain] = spansOf("\x1b[1;31mA\x1b[38;5;208mB\x1b[0;38;2;255;0;128mC\x1b[mD");
    assert.equal(red?.style?.fg, 1);
    assert.equal(red?.style?.bold, true);
    assert.equal(orange?.style?.fg, 208);
    assert.equal(pink?.style?.fg, TRUE_COLOUR | 0xff0080);
    assert.equal(pink?.style?.bg, NO_COLOUR);
    assert.equal(plain?.style, null);
});

test("colons separate as semicolons do", () => {
    assert.equal(spansOf("\x1b[38:2::1:2:3mA")[0]?.style?.fg, TRUE_COLOUR | 0x010203);
    assert.equal(spansOf("\x1b[48:5:17mA")[0]?.style?.bg, 17);
    assert.equal(spansOf("\x1b[4:3mA")[0]?.style?.underline, true);
});

test("a colour behind another one in the same sequence is applied as well", () => {
    const style = spansOf("\x1b[38;5;1;48;2;9;8;7;3;7mA")[0]?.style;
    assert.deepEqual(
        [style?.fg, style?.bg, style?.italic, style?.inverse],
        [1, TRUE_COLOUR | 0x090807, true, true],
    );
});

test("escapes that move the cursor, clear, or set titles are dropped", () => {
    assert.equal(
        shown("a\x1b[2Jb\x1b[10;20Hc\x1b]0;title\x07d\x1bPq#0\x1b\\e\x1b(Bf\x1b[?25lg\x9b1mh"),
        "abcdefgh",
    );
});

test("links go to the web only", () => {
    const link = spansOf("\x1b]8;;https://example.org/a?b\x1b\\text\x1b]8;;\x1b\\ after");
    assert.equal(link[0]?.href, "https://example.org/a?b");
    assert.equal(link[1]?.href, undefined);
    for (const bad of [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "java\tscript:x",
        "//x",
    ]) {
        assert.equal(safeAddress(bad), undefined, bad);
    }
    assert.equal(safeAddress("https://bank.example@evil.example/"), undefined);
    assert.equal(safeAddress(`https://example.org/${"a".repeat(3000)}`), undefined);
});

test("a string that does not end hides nothing", () => {
    assert.equal(shown("a\x1b]0;never ended"), "a0;never ended");
    assert.equal(shown("a\x1b]0;one\x1b[31mred"), "a0;onered");
    assert.equal(shown(`\x1b]0;${"x".repeat(5000)}\x07end`).startsWith("0;xxx"), true);
});

test("controls and marks of direction are seen", () => {
    const spans = spansOf("a\x00b\u202ec\u2066d\x85e");
    assert.deepEqual(
        spans.filter((span) => span.isMark).map((span) => span.text),
        ["^@", "U+202E", "U+2066", "U+0085"],
    );
    assert.equal(plainText("a\x00b\u202ec"), "abc");
});

test("broken UTF-16 becomes replacement characters, and pairs stay whole", () => {
    assert.equal(shown("\ud800a\udc00b\u{1f600}\ud83d"), "\ufffda\ufffdb\u{1f600}\ufffd");
});

test("no more is read than may be seen, and a pair is not cut", () => {
    const parsed = parseAnsi(`${"x".repeat(9)}\u{1f600}${"y".repeat(90)}`, { visibleMax: 10, spansMax: 5 });
    assert.equal(parsed.spans[0]?.text, `${"x".repeat(9)}\u{1f600}`);
    assert.equal(parsed.consumed, 11);
});

test("a bomb of colour changes makes a bounded number of spans and loses no text", () => {
    const { spans } = parseAnsi("\x1b[31ma\x1b[32mb".repeat(1500), LIMITS);
    assert.ok(spans.length <= LIMITS.spansMax + 1);
    assert.equal(spans.map((span) => span.text).join("").length, 3000);
});

test("hostile texts of a megabyte take linear time", () => {
    const unlimited = { visibleMax: Infinity, spansMax: 1000 };
    const bombs = [
        "\x1b]8;;",
        "\x1b[",
        "\x1b",
        "\x1b[38;2;",
        "\x1bP",
        "\x1b]\x1b]",
        "\ud800",
        "\x1b[1;",
        "\x9d",
    ];
    const begin = performance.now();
    for (const bomb of bombs) parseAnsi(bomb.repeat(Math.ceil(1_000_000 / bomb.length)), unlimited);
    parseAnsi(`\x1b[${"1;".repeat(500_000)}m`, unlimited);
    assert.ok(performance.now() - begin < 10_000);
});
