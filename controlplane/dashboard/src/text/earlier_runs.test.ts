import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../api/types";
import { earlierRuns } from "./earlier_runs";

const run = (id: string, second: number, more: Partial<Job> = {}) =>
    ({
        id,
        name: "train",
        queue: "ml",
        state: "succeeded",
        submittedAt: `2026-01-01T00:00:0${second}Z`,
        ...more,
    }) as Job;

const ids = (job: Job, listed: Job[]) => earlierRuns(job, listed).map(({ id }) => id);

test("earlier runs have the name and the queue of the job, the newest first", () => {
    const listed = [
        run("job-9", 9),
        run("job-5", 5),
        run("job-3", 3, { name: "other" }),
        run("job-2", 2, { queue: "b" }),
        run("job-1", 1),
        run("job-4", 4),
    ];
    assert.deepEqual(ids(run("job-5", 5), listed), ["job-4", "job-1"]);
});

test("a job without a name has no earlier run", () => {
    assert.deepEqual(ids(run("job-2", 2, { name: null }), [run("job-1", 1, { name: null })]), []);
});

test("so many are listed and no more", () => {
    const listed = Array.from({ length: 30 }, (_, i) => run(`job-${i}`, 1));
    assert.equal(ids(run("job-99", 2), listed).length, 8);
});
