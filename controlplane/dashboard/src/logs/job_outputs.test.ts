import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attempt, Job } from "../api/types";
import { firstFailure, isSingle, presetSelection, shapeOf } from "./job_outputs";
import { ALL } from "./permalink";

function job(more: Partial<Job>): Job {
    return {
        id: "job-7",
        name: null,
        labels: {},
        submittedAt: null,
        submittedBy: null,
        retryOf: null,
        after: [],
        singleton: false,
        queue: "default",
        state: "running",
        reason: null,
        unknownSince: null,
        priority: 0,
        deadline: null,
        parallelism: null,
        elements: { total: 1 },
        cluster: null,
        endedAt: null,
        attempt: 1,
        exitCode: null,
        firstReplica: null,
        ...more,
    };
}

function attempt(more: Partial<Attempt>): Attempt {
    return { element: 0, attempt: 1, cluster: "east", nodes: ["n"], placedAt: null, endedAt: null, ...more };
}

test("replicas are those of the document, or of the nodes", () => {
    assert.equal(shapeOf(job({ spec: { replicas: 4 } })).replicas, 4);
    const role = (replicas: number) => ({ name: "a", replicas, template: { spec: { containers: [] } } });
    assert.equal(shapeOf(job({ spec: { roles: [role(1), role(3)] } })).replicas, 4);
    assert.equal(shapeOf(job({ attempts: [attempt({ nodes: ["a", "b"] })] })).replicas, 2);
});

test("one replica of one element has numbers that stay", () => {
    const gang = { elements: 1, replicas: 4, attempts: 1 };
    assert.equal(isSingle(ALL, gang), false);
    assert.equal(isSingle({ ...ALL, replicas: "3" }, gang), true);
    assert.equal(isSingle({ ...ALL, replicas: "0-1" }, gang), false);
    assert.equal(isSingle({ ...ALL, replicas: "3" }, { ...gang, elements: 9 }), false);
});

test("the replica that failed first is shown first", () => {
    const gang = job({ state: "failed", firstReplica: 3, spec: { replicas: 4 } });
    assert.deepEqual(presetSelection(gang), { ...ALL, replicas: "3" });
    assert.equal(firstFailure(job({ state: "failed", firstReplica: 0 })), null);
    assert.deepEqual(presetSelection(job({ spec: { replicas: 4 } })), ALL);
});

test("an array gives the element that failed first", () => {
    const attempts = [
        attempt({ element: 4, exitCode: 1, firstReplica: 0, endedAt: "2026-01-31T09:00:05Z" }),
        attempt({ element: 2, exitCode: 1, firstReplica: 0, endedAt: "2026-01-31T09:00:01Z" }),
    ];
    const array = job({ state: "failed", elements: { total: 9 }, attempts });
    assert.deepEqual(presetSelection(array), { ...ALL, element: 2 });
});

test("where an array has many outputs, one that has run is shown", () => {
    const many = { elements: { total: 5000 } };
    assert.deepEqual(presetSelection(job({ ...many, attempts: [attempt({})] })), { ...ALL, element: 0 });
    const retried = job({ ...many, retryOf: "job-6", attempts: [attempt({ element: 7 }), attempt({ element: 9 })] });
    assert.deepEqual(presetSelection(retried), { ...ALL, element: 7 });
    assert.deepEqual(presetSelection(job(many)), ALL);
});
