import assert from "node:assert/strict";
import { test } from "node:test";
import { Flood } from "./flood";

const KIB = 1024;
const MIB = 1024 * KIB;

const bytes = (length: number) => new Uint8Array(length);
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (drawn: Uint8Array | undefined) => (drawn ? new TextDecoder().decode(drawn) : undefined);

/** A flood of which so much waits that the next byte is left out. */
function full(): Flood {
    const flood = new Flood();
    for (let i = 0; i < 4; i++) assert.equal(flood.take(bytes(MIB)), true);
    return flood;
}

/** The text that is drawn once all waiting output has been drawn. */
function drained(flood: Flood): string {
    for (let i = 0; i < 2; i++) assert.equal(flood.drawn(MIB), undefined);
    return decode(flood.drawn(MIB))!;
}

test("output that the page keeps up with is drawn without a note", () => {
    const flood = new Flood();
    for (let i = 0; i < 100; i++) {
        assert.equal(flood.take(bytes(MIB)), true);
        assert.equal(flood.drawn(MIB), undefined);
    }
});

test("output that comes faster is left out until little waits, and the terminal says how much it was", () => {
    const flood = full();
    assert.equal(flood.take(bytes(MIB)), false);
    assert.equal(flood.drawn(MIB), undefined);
    assert.equal(flood.take(bytes(MIB)), false, "not in turns: a terminal of snippets is no help");
    assert.equal(flood.drawn(MIB), undefined);
    assert.match(decode(flood.drawn(MIB))!, /\[1\.94 MiB came faster/, "64 KiB of the 2 MiB are drawn");
    assert.equal(flood.take(bytes(MIB)), true);
    assert.equal(flood.drawn(MIB), undefined);
});

test("the word ends a sequence that was cut", () => {
    const flood = full();
    assert.equal(flood.take(bytes(MIB)), false);
    assert.ok(drained(flood).startsWith("\x18"));
});

test("the newest lines of what was left out are drawn behind the word, from a line's start, with the prompt", () => {
    const flood = full();
    for (let i = 0; i < 20_000; i++) flood.take(encode(`line ${i}\r\n`));
    flood.take(encode("the last line\r\n"));
    flood.take(encode("$ "));
    const [, word, ...lines] = drained(flood).split("\r\n");
    assert.match(word!, /^\[[\d.]+ KiB came faster than this page draws, and are not shown\]$/);
    assert.match(lines[0]!, /^line \d+$/);
    const first = Number(lines[0]!.slice("line ".length));
    assert.ok(first > 13_000 && first < 15_000, `64 KiB are about 5,400 lines, and ${first} is the first`);
    assert.deepEqual(lines.slice(-3), ["line 19999", "the last line", "$ "]);
    assert.equal(lines.length, 20_000 - first + 2, "no line between is missing");
});

test("all that fits is drawn as it came, without a word", () => {
    const flood = full();
    flood.take(encode("end of a line\r\n"));
    flood.take(encode("$ "));
    assert.equal(drained(flood), "end of a line\r\n$ ");
    const exact = full();
    exact.take(encode("x".repeat(64 * KIB - 2)));
    exact.take(encode("$ "));
    assert.equal(drained(exact), `${"x".repeat(64 * KIB - 2)}$ `);
});

test("one message that is larger than what is kept gives its end", () => {
    const flood = full();
    flood.take(encode(`${"0123456789\n".repeat(100_000)}$ `));
    const text = drained(flood);
    assert.ok(text.endsWith("\n0123456789\n$ "));
    assert.match(text, /not shown\]\r\n0123456789\n/);
});

test("a line without an end keeps its newest part, from a whole letter", () => {
    const flood = full();
    flood.take(encode(`${"é".repeat(MIB)}e`)); /* 64 KiB before its end is the middle of a letter */
    const text = drained(flood);
    assert.ok(!text.includes("\ufffd"));
    assert.match(text, /not shown\]\r\né+e$/);
    const ended = full();
    ended.take(encode(`${"x".repeat(MIB)}\n`));
    assert.match(drained(ended), /not shown\]\r\nx+\n$/);
});

test("a bar that is drawn over and over begins where it is drawn anew", () => {
    const flood = full();
    for (let i = 0; i < 20_000; i++) flood.take(encode(`\r${String(i).padStart(6, "0")} steps`));
    assert.match(drained(flood), /not shown\]\r\n\d{6} steps\r.*\r019999 steps$/s);
});

test("text drawn behind the note counts as output that waits, and a second flood has its own end", () => {
    const flood = full();
    flood.take(encode(`${"a\n".repeat(MIB)}`));
    for (let i = 0; i < 2; i++) flood.drawn(MIB);
    const { length } = flood.drawn(MIB)!;
    assert.ok(length > 60 * KIB);
    assert.equal(flood.take(bytes(3 * MIB - length)), true);
    assert.equal(flood.take(encode("b")), false);
    assert.equal(flood.drawn(MIB), undefined);
    assert.equal(decode(flood.drawn(3 * MIB - length)), "b");
    assert.equal(flood.drawn(length), undefined);
    assert.equal(flood.drawn(1), undefined);
});

test("a closed shell draws nothing more, also when its terminal still calls back", () => {
    const flood = full();
    flood.take(encode("$ "));
    flood.close();
    for (let i = 0; i < 4; i++) assert.equal(flood.drawn(MIB), undefined);
    assert.equal(flood.take(encode("late")), false);
});
