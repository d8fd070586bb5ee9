import assert from "node:assert/strict";
import { test } from "node:test";
import { joinWords, splitWords } from "./shell_words";

test("words are split as a shell does", () => {
    const cases: Array<[string, string[] | undefined]> = [
        ["python train.py --lr 0.1", ["python", "train.py", "--lr", "0.1"]],
        [`echo 'a b' "c \\"d\\"" e\\ f`, ["echo", "a b", 'c "d"', "e f"]],
        ["a''b ''", ["ab", ""]],
        ["  ", []],
        ["echo 'a", undefined],
    ];
    for (const [text, words] of cases) assert.deepEqual(splitWords(text), words);
});

test("joined words are split into the same words", () => {
    const words = ["sh", "-c", 'echo "it\'s" $HOME\n', "", "a\\b"];
    assert.deepEqual(splitWords(joinWords(words)), words);
});
