import assert from "node:assert/strict";
import { test } from "node:test";
import type { Explanation, Job } from "../api/types";
import { reasonWords, sentenceOf } from "./sentence";

const AT = "2026-01-31T09:00:00.000Z";
const NOW = Date.parse(AT) + 200_000;

function job(members: Partial<Job>): Job {
    return {
        id: "job-7",
        name: null,
        labels: {},
        submittedAt: AT,
        submittedBy: "ann",
        retryOf: null,
        after: [],
        singleton: false,
        queue: "default",
        state: "queued",
        reason: null,
        unknownSince: null,
        priority: 0,
        deadline: null,
        parallelism: null,
        elements: { total: 1 },
        cluster: null,
        endedAt: null,
        attempt: null,
        exitCode: null,
        firstReplica: null,
        ...members,
    };
}

function explanation(sentence: string, whoCanAct: Explanation["whoCanAct"] = "nobody"): Explanation {
    return { id: "job-7", state: "queued", reason: null, whoCanAct, sentence, clusters: [] };
}

test("a waiting job says how long, why, and who can act", () => {
    const why = explanation("no cluster could run it, even when empty", "user");
    assert.equal(
        sentenceOf(job({ reason: "NoMatchingCluster" }), why, NOW),
        "Waiting for 3m 20s: no cluster could run it, even when empty. You can change that.",
    );
    assert.equal(
        sentenceOf(job({ reason: "NoMatchingCluster" }), undefined, NOW),
        "Waiting for 3m 20s: no matching cluster.",
    );
});

test("an array counts its elements", () => {
    const elements = { total: 60, live: 4, succeeded: 9, failed: 3, cancelled: 0 };
    assert.equal(
        sentenceOf(job({ state: "running", elements }), undefined, NOW),
        "Running: 12 of 60 elements have ended, 4 run, 3 failed.",
    );
    assert.equal(sentenceOf(job({ state: "failed", elements }), undefined, NOW), "3 of 60 elements failed.");
});

test("a failed job names the replica, the code and the attempt", () => {
    const failed = job({
        state: "failed",
        reason: "ReplicaFailed",
        exitCode: 137,
        firstReplica: 3,
        attempt: 2,
    });
    assert.equal(
        sentenceOf(failed, explanation("a replica exited with another code than 0"), NOW),
        "Failed: a replica exited with another code than 0 " +
            "(replica 3 failed first, exit code 137, in attempt 2).",
    );
});

test("an ended job says how long it took", () => {
    const ended = job({ state: "succeeded", endedAt: "2026-01-31T09:00:42.000Z" });
    assert.equal(sentenceOf(ended, undefined, NOW), "Succeeded 42s after it was submitted.");
});

test("a silent cluster goes over everything", () => {
    const silent = job({
        state: "running",
        unknownSince: AT,
        sentence: "east is silent; it may well be running there",
    });
    assert.equal(sentenceOf(silent, undefined, NOW), "East is silent; it may well be running there.");
});

test("reasons are words", () => {
    assert.equal(reasonWords("OutOfMemory"), "out of memory");
});

test("a cancel is not said twice", () => {
    const cancelled = job({ state: "cancelled", endedAt: AT });
    assert.equal(sentenceOf(cancelled, explanation("cancelled on request"), NOW), "Cancelled on request.");
    assert.equal(
        sentenceOf(cancelled, explanation("a job before it failed"), NOW),
        "Cancelled: a job before it failed.",
    );
});
