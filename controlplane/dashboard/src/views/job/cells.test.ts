import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attempt, Job } from "../../api/types";
import { CELL_STATES, buildCells, countCells, layoutCells, patchCells } from "./cells";

const AT = "2026-01-31T09:00:00.000Z";

function job(total: number, endedAt: string | null): Job {
    return { id: "job-7", elements: { total }, endedAt } as Job;
}

function attempt(element: number, members: Partial<Attempt>): Attempt {
    return { element, attempt: 1, cluster: "east", nodes: [], placedAt: AT, endedAt: AT, ...members };
}

const words = (cells: Uint8Array) => Array.from(cells, (cell) => CELL_STATES[cell]);

const ATTEMPTS = [
    attempt(0, { elementState: "succeeded" }),
    attempt(1, { elementState: "failed" }),
    attempt(2, { endedAt: null }),
    attempt(3, {}),
];

test("an element is what its newest attempt says, and waits without one", () => {
    const cells = buildCells(job(5, null), ATTEMPTS, false);
    assert.deepEqual(words(cells), ["succeeded", "failed", "running", "waiting", "waiting"]);
    assert.deepEqual(words(buildCells(job(5, AT), ATTEMPTS, false))[4], "cancelled");
});

test("elements behind those that were read are not known", () => {
    assert.deepEqual(words(buildCells(job(6, null), ATTEMPTS, true)).slice(4), ["unknown", "unknown"]);
});

test("events change cells, and only those of their job", () => {
    const cells = buildCells(job(3, null), [], false);
    const assigned = { type: "attempt.assigned", at: AT, job: "job-7", element: 1, attempt: 1 } as const;
    const after = patchCells(cells, "job-7", [assigned])!;
    assert.deepEqual(words(after), ["waiting", "starting", "waiting"]);
    assert.equal(patchCells(cells, "job-8", [assigned]), undefined);
    assert.deepEqual(countCells(after), [
        { state: "starting", count: 1 },
        { state: "waiting", count: 2 },
    ]);
});

test("cells are as large as their place allows", () => {
    assert.deepEqual(layoutCells(60, 600, 320), { size: 18, columns: 33, rows: 2 });
    const many = layoutCells(100_000, 900, 600);
    assert.ok(many.size >= 1 && many.columns * many.rows >= 100_000);
});
