import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event as FleetEvent, Job } from "../api/types";
import { patchJob, patchJobs } from "./patch_job";

const AT = "2026-01-31T09:00:00.000Z";

function job(members: Partial<Job> = {}): Job {
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
        elements: { total: 1, started: 0, live: 0, unknown: 0, succeeded: 0, failed: 0, cancelled: 0 },
        cluster: null,
        endedAt: null,
        attempt: null,
        exitCode: null,
        firstReplica: null,
        ...members,
    };
}

const STORY: FleetEvent[] = [
    { type: "attempt.assigned", at: AT, job: "job-7", element: 0, attempt: 1, cluster: "east" },
    { type: "replica.changed", at: AT, job: "job-7", element: 0, attempt: 1, replica: 0, state: "running" },
    {
        type: "element.ended",
        at: AT,
        job: "job-7",
        element: 0,
        attempt: 1,
        state: "failed",
        reason: "ReplicaFailed",
        exitCode: 3,
        firstReplica: 0,
    },
    { type: "job.ended", at: AT, job: "job-7", state: "failed", reason: "ReplicaFailed" },
];

test("a plain job goes through its states by its events", () => {
    const states: string[] = [];
    const end = STORY.reduce((before, event) => {
        const after = patchJob(before, event);
        states.push(`${after.state} ${after.cluster ?? "-"}`);
        return after;
    }, job());
    assert.deepEqual(states, ["starting east", "running east", "running east", "failed east"]);
    assert.equal(end.exitCode, 3);
    assert.equal(end.elements.failed, 1);
    assert.equal(end.elements.live, 0);
});

test("a failed attempt queues a plain job again, but not an array", () => {
    const event: FleetEvent = {
        type: "attempt.ended",
        at: AT,
        job: "job-7",
        element: 0,
        attempt: 1,
        reason: "ReplicaFailed",
        exitCode: 1,
    };
    assert.equal(patchJob(job({ state: "running" }), event).state, "queued");
    const elements = { total: 5 };
    assert.equal(patchJob(job({ state: "running", elements }), event).state, "running");
});

test("an event that concerns no row gives the same list back", () => {
    const rows = [job()];
    assert.equal(patchJobs(rows, [{ type: "job.held", at: AT, job: "job-8" }]), rows);
    assert.equal(patchJobs(rows, [{ type: "job.held", at: AT, job: "job-7" }])[0]!.state, "held");
});
