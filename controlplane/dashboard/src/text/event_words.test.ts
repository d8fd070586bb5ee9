import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event as FleetEvent } from "../api/types";
import { eventKind, eventTone, eventWords } from "./event_words";

const AT = "2026-01-31T09:00:00.000Z";

test("events are sentences", () => {
    const cases: Array<[FleetEvent, string, string]> = [
        [
            { type: "job.submitted", at: AT, job: "job-7", queue: "ml", name: null, elements: 60 },
            "submitted to ml with 60 elements",
            "quiet",
        ],
        [
            { type: "job.ended", at: AT, job: "job-7", state: "succeeded", reason: "Succeeded" },
            "succeeded",
            "good",
        ],
        [
            { type: "job.ended", at: AT, job: "job-7", state: "failed", reason: "OutOfMemory" },
            "failed: out of memory",
            "bad",
        ],
        [
            {
                type: "attempt.ended",
                at: AT,
                job: "job-7",
                element: 2,
                attempt: 1,
                reason: "ReplicaFailed",
                exitCode: 3,
                firstReplica: 0,
            },
            "element 2, attempt 1 ended: replica failed with exit code 3, replica 0 first",
            "bad",
        ],
        [
            { type: "queue.changed", at: AT, queue: "ml", paused: true, removed: false, defaultCpu: null },
            "queue ml paused",
            "warn",
        ],
        [{ type: "cluster.changed", at: AT, cluster: "east", cordon: "" }, "cluster east takes work", "good"],
    ];
    for (const [event, words, tone] of cases) {
        assert.equal(eventWords(event), words);
        assert.equal(eventTone(event), tone);
    }
});

test("the kind is the first word of the type", () => {
    assert.equal(eventKind({ type: "reset" }), undefined);
    assert.equal(eventKind({ type: "job.held", at: AT, job: "job-7" }), "job");
});

test("a hold says who did it, by the name in the audit's words", () => {
    const held = { type: "job.held", at: AT, job: "job-7" } as const;
    assert.equal(eventWords(held), "held");
    assert.equal(eventWords({ ...held, by: "token:ab12 first-admin" }), "held by first-admin");
    assert.equal(eventWords({ ...held, by: "token:ab12 as ann" }), "held by ann");
    assert.equal(eventWords({ ...held, by: "as ann" }), "held by ann");
    assert.equal(eventWords({ type: "job.stopping", at: AT, job: "job-7", by: "ann" }), "is being stopped by ann");
    assert.equal(eventWords({ type: "job.left", at: AT, job: "job-7" }), "moved to another queue");
});
