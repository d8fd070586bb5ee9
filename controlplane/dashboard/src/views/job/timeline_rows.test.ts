import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attempt, Event as FleetEvent, Job } from "../../api/types";
import { buildScale, buildTimeline, phaseWords, ticksOf } from "./timeline_rows";

const START = Date.parse("2026-01-31T09:00:00.000Z");
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

function job(total: number): Job {
    return {
        id: "job-7",
        name: null,
        labels: {},
        submittedAt: at(0),
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
        elements: { total },
        cluster: null,
        endedAt: null,
        attempt: null,
        exitCode: null,
        firstReplica: null,
    };
}

function attempt(
    element: number,
    number: number,
    placed: number,
    ended: number | null,
    reason?: string,
): Attempt {
    return {
        element,
        attempt: number,
        cluster: "east",
        nodes: [],
        placedAt: at(placed),
        endedAt: ended === null ? null : at(ended),
        ...(reason ? { reason } : {}),
    };
}

const EVENTS: FleetEvent[] = [
    {
        type: "replica.changed",
        at: at(12),
        job: "job-7",
        element: 0,
        attempt: 1,
        replica: 1,
        state: "running",
    },
    {
        type: "attempt.stopping",
        at: at(30),
        job: "job-7",
        element: 0,
        attempt: 1,
        reason: "ReplicaFailed",
        exitCode: 1,
    },
];

test("an attempt waits, starts, runs and stops; the next one waits from its end", () => {
    const attempts = [attempt(0, 1, 10, 32, "ReplicaFailed"), attempt(0, 2, 42, null)];
    const rows = buildTimeline(job(1), attempts, EVENTS, START + 50_000);
    assert.deepEqual(
        rows.map((row) =>
            row.segments.map((it) => `${it.kind} ${(it.from - START) / 1000}-${(it.to - START) / 1000}`),
        ),
        [
            ["waiting 0-10", "starting 10-12", "running 12-30", "stopping 30-32"],
            ["waiting 32-42", "running 42-50"],
        ],
    );
    assert.deepEqual(
        rows.map((row) => [row.isFailed, row.isLive]),
        [
            [true, false],
            [false, true],
        ],
    );
});

test("a job that was never placed has one row that waits", () => {
    const rows = buildTimeline(job(1), [], [], START + 5000);
    assert.deepEqual(rows[0]?.segments, [{ kind: "waiting", from: START, to: START + 5000 }]);
});

test("failed elements come first", () => {
    const attempts = [attempt(0, 1, 0, 5, "Succeeded"), attempt(1, 1, 0, 3, "ReplicaFailed")];
    assert.deepEqual(
        buildTimeline(job(2), attempts, [], START).map((row) => row.element),
        [1, 0],
    );
});

test("a long wait is drawn short, and the order of moments stays", () => {
    const rows = buildTimeline(job(1), [attempt(0, 1, 86_400, 86_460, "Succeeded")], [], START);
    const scale = buildScale(rows);
    assert.equal(scale.gaps.length, 1);
    const placed = scale.position(START + 86_400_000);
    assert.ok(placed > 0.2 && placed < 0.5, `${placed}`);
    assert.equal(scale.position(START), 0);
    assert.equal(scale.position(START + 86_460_000), 1);
    for (const tick of ticksOf(scale, 6)) assert.ok(tick === START || tick >= START + 86_400_000);
});

test("a short wait is drawn as it was, with round ticks", () => {
    const scale = buildScale(buildTimeline(job(1), [attempt(0, 1, 2, 20, "Succeeded")], [], START));
    assert.deepEqual(scale.gaps, []);
    assert.equal(scale.position(START + 10_000), 0.5);
    assert.deepEqual(
        ticksOf(scale, 5).map((ms) => (ms - START) / 1000),
        [0, 5, 10, 15, 20],
    );
});

test("nothing has no scale, and no ticks that never end", () => {
    assert.ok(ticksOf(buildScale([]), 5).length <= 10);
});

test("phases are written in words, with how long each took", () => {
    const [row] = buildTimeline(job(1), [attempt(0, 1, 10, 32, "ReplicaFailed")], EVENTS, START + 50_000);
    assert.match(phaseWords(row!), /^waiting 10.*, starting 2.*, running 18.*, stopping 2/);
    const stopping = EVENTS.slice(1);
    const [old] = buildTimeline(job(1), [attempt(0, 1, 10, 32, "ReplicaFailed")], stopping, START + 50_000);
    assert.match(phaseWords(old!), /^waiting 10.*, starting and running 20.*, stopping 2/);
});
