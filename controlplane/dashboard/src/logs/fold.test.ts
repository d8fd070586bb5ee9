import assert from "node:assert/strict";
import { test } from "node:test";
import { findFolds } from "./fold";

function folded(text: string): string[] {
    const lines = text.split("\n");
    return findFolds(0, lines.length, (at) => lines[at]).map((fold) =>
        lines.slice(fold.from, fold.to).join("|"),
    );
}

test("Python: the head and the exception stay", () => {
    const text = [
        "start",
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in <module>',
        "    main()",
        '  File "a.py", line 9, in main',
        "    raise ValueError",
        "ValueError: bad",
        "end",
    ].join("\n");
    assert.deepEqual(folded(text), [
        '  File "a.py", line 1, in <module>|    main()|  File "a.py", line 9, in main|    raise ValueError',
    ]);
});

test("Java: the exception and each cause stay", () => {
    const frames = (n: number) => Array.from({ length: n }, (_, i) => `\tat org.x.A.m${i}(A.java:${i})`);
    const text = [
        "Exception in thread x: bad",
        ...frames(4),
        "Caused by: y",
        ...frames(2),
        "\t... 2 more",
    ].join("\n");
    assert.deepEqual(
        folded(text).map((fold) => fold.split("|").length),
        [4, 3],
    );
});

test("Go: the frames of a goroutine", () => {
    const text =
        "panic: x\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/a/b.go:3 +0x1d\nmain.main()\n\t/a/b.go:9\nexit";
    assert.deepEqual(folded(text), ["main.f(0x1)|\t/a/b.go:3 +0x1d|main.main()|\t/a/b.go:9"]);
});

test("C++: frames of the sanitizer and of glibc", () => {
    assert.equal(folded("ERROR: x\n    #0 0x1 in f a.c:1\n    #1 0x2 in g\n    #2 0x3 in h\nend").length, 1);
    assert.equal(folded("./a(f+0x1d) [0x4005]\n./a(g+0x1) [0x4006]\n./a(main+0x1) [0x4007]").length, 1);
});

test("two frames, indented text and a trace across a hole are no fold", () => {
    assert.deepEqual(folded("x\n  at a.b\n  at a.c\ny"), []);
    assert.deepEqual(folded("x\n  one\n  two\n  three\n  four"), []);
    const lines = ["  at a", "  at b", undefined, "  at c", "  at d"];
    assert.deepEqual(
        findFolds(0, 5, (at) => lines[at]),
        [],
    );
});
