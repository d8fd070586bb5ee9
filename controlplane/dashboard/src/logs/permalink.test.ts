import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL, commandOf, formatPlace, parametersOf, parsePlace, parseReplicas } from "./permalink";

test("places survive the way into the address and back", () => {
    const hashes = [
        "#L1",
        "#L104233-104240",
        "#r3:L104233-104240",
        "#e5r3:L10",
        "#e5r0-7,9a2:L10",
        "#r0-7,9",
        "#a2:L4",
        "#all",
    ];
    for (const hash of hashes) {
        const place = parsePlace(hash);
        assert.ok(place, hash);
        assert.equal(formatPlace(place), hash);
    }
});

test("lines are counted from 1 there and from 0 here", () => {
    assert.deepEqual(parsePlace("#r3:L10-12")?.lines, { first: 9, last: 11 });
    assert.deepEqual(parsePlace("#L12-L10")?.lines, { first: 9, last: 11 });
});

test("a fragment that names no place is no permalink", () => {
    for (const hash of [
        "",
        "#",
        "#L0",
        "#x",
        "#r",
        "#r3-1:L1",
        "#r99999",
        "#L-1",
        "#L1x",
        "#e5L",
        "#code=abc",
        "#r1,,2",
    ]) {
        assert.equal(parsePlace(hash), null, hash);
    }
});

test("lists of replicas as people write them", () => {
    assert.equal(parseReplicas("0-7, 9"), "0-7,9");
    assert.equal(parseReplicas("3-3"), "3");
    for (const bad of ["", "a", "7-0", "1-", "70000", Array(17).fill("1").join(",")]) {
        assert.equal(parseReplicas(bad), null, bad);
    }
});

test("a selection as the API and as the command line take it", () => {
    const selection = { element: 5, replicas: "0-7,9", attempt: 2 };
    assert.deepEqual(parametersOf(selection), { element: "5", replica: "0-7,9", attempt: "2" });
    assert.deepEqual(parametersOf(ALL), {});
    assert.equal(
        commandOf("job-7", selection),
        "fairlead logs job-7 --element 5 --replica 0-7,9 --attempt 2",
    );
    const pattern = { text: "it's [x]", isRegex: false, ignoresCase: false };
    assert.equal(commandOf("job-7", ALL, pattern), "fairlead logs job-7 --grep 'it'\\''s [x]'");
    assert.equal(
        commandOf("job-7", ALL, { text: "a+$", isRegex: true, ignoresCase: true }),
        "fairlead logs job-7 --grep 'a+$' --regex --ignore-case",
    );
});
