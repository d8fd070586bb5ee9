import assert from "node:assert/strict";
import { test } from "node:test";
import {
    bytesOfBinary,
    execPath,
    inputMessages,
    outcomeOf,
    readMessage,
    sizeMessage,
    socketUrl,
} from "./channels";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test("input goes on channel 0, a large paste in pieces, and no byte is lost", () => {
    const [small] = inputMessages(new TextEncoder().encode("ls ü\r"));
    assert.deepEqual([...small!], [0, 108, 115, 32, 0xc3, 0xbc, 13]);
    assert.deepEqual(inputMessages(new Uint8Array(0)), []);
    const large = Uint8Array.from({ length: 40_000 }, (_, at) => at % 251);
    const pieces = inputMessages(large);
    assert.deepEqual(
        pieces.map((piece) => [piece[0], piece.length]),
        [
            [0, 16_385],
            [0, 16_385],
            [0, 7_233],
        ],
    );
    assert.deepEqual(
        pieces.flatMap((piece) => [...piece.subarray(1)]),
        [...large],
    );
});

test("reports of the mouse are bytes, not UTF-8", () => {
    assert.deepEqual([...bytesOfBinary("\x1b[M\xff")], [27, 91, 77, 255]);
});

test("a size is JSON on channel 4, in whole cells and within what the server takes", () => {
    const message = sizeMessage({ columns: 120, rows: 40 });
    assert.equal(message[0], 4);
    assert.equal(text(message.subarray(1)), '{"Width":120,"Height":40}');
    assert.equal(text(sizeMessage({ columns: 0, rows: 1e9 }).subarray(1)), '{"Width":1,"Height":65535}');
    assert.equal(text(sizeMessage({ columns: 80.9, rows: 24.2 }).subarray(1)), '{"Width":80,"Height":24}');
});

test("a message has its channel first; an empty one means nothing", () => {
    const read = readMessage(Uint8Array.of(1, 104, 105).buffer);
    assert.deepEqual([read?.channel, text(read!.bytes)], [1, "hi"]);
    assert.deepEqual(readMessage(Uint8Array.of(255).buffer)?.bytes.length, 0);
    assert.equal(readMessage(new ArrayBuffer(0)), undefined);
});

test("the path names the replica, if one was chosen, and the terminal", () => {
    const size = { columns: 80, rows: 24 };
    assert.equal(
        execPath("job-7", { element: null, replica: null }, size),
        "/v1/jobs/job-7/exec?tty=true&term=xterm-256color&columns=80&rows=24",
    );
    assert.match(execPath("job-7", { element: 0, replica: 3 }, size), /&element=0&replica=3$/);
    assert.match(execPath("a/b?", { element: null, replica: null }, size), /^\/v1\/jobs\/a%2Fb%3F\/exec/);
    assert.equal(socketUrl("https://hub:8474", "/v1"), "wss://hub:8474/v1");
    assert.equal(socketUrl("http://127.0.0.1:1", "/v1"), "ws://127.0.0.1:1/v1");
});

test("an end is an exit code, a reason, or a lost connection", () => {
    assert.deepEqual(outcomeOf('{"metadata":{},"status":"Success"}', ""), { kind: "exited", code: 0 });
    const failed = {
        status: "Failure",
        reason: "NonZeroExitCode",
        message: "exit code 3",
        details: { causes: [{ reason: "ExitCode", message: "3" }] },
    };
    assert.deepEqual(outcomeOf(JSON.stringify(failed), ""), { kind: "exited", code: 3 });
    const denied = { status: "Failure", reason: "denied", message: "the token of this visit was revoked" };
    assert.deepEqual(outcomeOf(JSON.stringify(denied), ""), {
        kind: "stopped",
        text: "the token of this visit was revoked",
    });
    assert.deepEqual(outcomeOf("", "the control plane stops"), {
        kind: "stopped",
        text: "the control plane stops",
    });
    assert.deepEqual(outcomeOf("", ""), { kind: "lost" });
    for (const broken of ["{", "null", "[]", "7", '{"status":"Failure"}', '{"reason":"NonZeroExitCode"}']) {
        assert.deepEqual(outcomeOf(broken, ""), { kind: "lost" }, broken);
    }
});
