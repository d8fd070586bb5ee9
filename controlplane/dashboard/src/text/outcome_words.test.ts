import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeWords } from "./outcome_words";

test("the changed jobs are counted, and the first failure has its reason", () => {
    const first = { job: "job-7", detail: "no cluster could ever run it" };
    assert.equal(outcomeWords("cancelled", { changed: 3, failed: 0 }), "3 jobs cancelled.");
    assert.equal(
        outcomeWords("submitted again", { changed: 0, failed: 1, first }),
        "0 jobs submitted again; 1 job could not be: job-7: no cluster could ever run it",
    );
    assert.equal(
        outcomeWords("submitted again", { changed: 1, failed: 2, first }),
        "1 job submitted again; 2 jobs could not be, first job-7: no cluster could ever run it",
    );
    assert.equal(
        outcomeWords("cancelled", { changed: 1, failed: 2, first: { detail: "busy" } }),
        "1 job cancelled; 2 jobs could not be, first busy",
    );
    assert.equal(outcomeWords("cancelled", { changed: 1, failed: 2 }), "1 job cancelled; 2 jobs could not be.");
});
