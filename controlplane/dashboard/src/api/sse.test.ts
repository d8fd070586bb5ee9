import assert from "node:assert/strict";
import { test } from "node:test";
import { EventParser } from "./sse";

test("an event comes once its empty line has come, however the bytes are cut", () => {
    const text = 'id: 7.1\nevent: job.ended\ndata: {"job":"job-7"}\n\n';
    for (let cut = 0; cut <= text.length; cut++) {
        const parser = new EventParser();
        const events = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))];
        assert.deepEqual(events, [{ id: "7.1", event: "job.ended", data: '{"job":"job-7"}' }]);
    }
});

test("an event without an id has the one before", () => {
    const events = new EventParser("3").push("data: a\n\nid: 4\ndata: b\n\ndata: c\n\n");
    assert.deepEqual(
        events.map((event) => event.id),
        ["3", "4", "4"],
    );
});

test("lines may end in CRLF, and several lines of data are one text", () => {
    assert.deepEqual(new EventParser().push("data: a\r\ndata:b\r\n\r\n"), [
        { id: "", event: "message", data: "a\nb" },
    ]);
});

test("comments and events without data are left out", () => {
    assert.deepEqual(new EventParser().push(": still here\n\nevent: x\n\n"), []);
});

test("an event without an end is refused before it fills the memory", () => {
    const parser = new EventParser();
    const piece = "x".repeat(1024 * 1024);
    assert.throws(() => {
        for (let i = 0; i < 20; i++) parser.push(piece);
    }, RangeError);
});

test("a sign of life moves the id from which to go on, once it is complete", () => {
    const parser = new EventParser("3.0");
    assert.deepEqual(parser.push(":\nid: 4.2\n"), []);
    assert.equal(parser.lastId, "3.0");
    assert.deepEqual(parser.push("\n"), []);
    assert.equal(parser.lastId, "4.2");
    parser.push("id: 5.0\ndata: a\n\n");
    assert.equal(parser.lastId, "5.0");
});
