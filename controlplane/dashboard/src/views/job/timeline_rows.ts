/* timeline_rows.ts - attempts of a job as segments of time, and the scale on which they are drawn.  Pure. */
import type { Attempt, Event as FleetEvent, Job } from "../../api/types";
import { formatDuration } from "../../text/duration";

export type SegmentKind = "waiting" | "starting" | "running" | "stopping";
export type Segment = { kind: SegmentKind; from: number; to: number };
export type TimelineRow = {
    element: number;
    attempt: number;
    cluster: string | null;
    outcome: string;
    isFailed: boolean;
    isLive: boolean;
    /** false: when it first ran is not known any more, so that starting counts as running. */
    isRunKnown: boolean;
    segments: Segment[];
};

type Moments = { runningAt?: number; stoppingAt?: number };

const keyOf = (element: number, attempt: number) => `${element}.${attempt}`;

/** When each attempt first ran, and when it was first told to stop. */
function momentsOf(events: readonly FleetEvent[]): Map<string, Moments> {
    const all = new Map<string, Moments>();
    for (const event of events) {
        if (event.type !== "replica.changed" && event.type !== "attempt.stopping") continue;
        const key = keyOf(event.element, event.attempt);
        const moments = all.get(key) ?? {};
        const at = Date.parse(event.at);
        if (event.type === "attempt.stopping") moments.stoppingAt ??= at;
        else if (event.state === "running") moments.runningAt ??= at;
        all.set(key, moments);
    }
    return all;
}

function segmentsOf(since: number, placed: number, ended: number, moments: Moments): Segment[] {
    /* One that ran for so short that its run and its end came together counts as running all the time. */
    const ranAt = moments.runningAt !== undefined && moments.runningAt < ended ? moments.runningAt : placed;
    const running = Math.max(placed, ranAt);
    const stopping = Math.min(ended, Math.max(running, moments.stoppingAt ?? ended));
    const all: Segment[] = [
        { kind: "waiting", from: since, to: placed },
        { kind: "starting", from: placed, to: running },
        { kind: "running", from: running, to: stopping },
        { kind: "stopping", from: stopping, to: ended },
    ];
    return all.filter((segment) => segment.to > segment.from);
}

/** `waiting 2 s, running 5 min`: how long each phase took, or has taken until now. */
export function phaseWords({ segments, isRunKnown }: TimelineRow): string {
    const nameOf = (kind: SegmentKind) => (kind === "running" && !isRunKnown ? "starting and running" : kind);
    return segments.map(({ kind, from, to }) => `${nameOf(kind)} ${formatDuration(to - from)}`).join(", ");
}

/** Rows by element and attempt, or with the failed ones first where there are many elements. */
export function buildTimeline(
    job: Job,
    attempts: readonly Attempt[],
    events: readonly FleetEvent[],
    now: number,
): TimelineRow[] {
    const moments = momentsOf(events);
    const submitted = job.submittedAt ? Date.parse(job.submittedAt) : undefined;
    const endOf = (attempt: Attempt) => (attempt.endedAt ? Date.parse(attempt.endedAt) : now);
    const sorted = [...attempts].sort((a, b) => a.element - b.element || a.attempt - b.attempt);
    const rows = sorted.flatMap((attempt, index): TimelineRow[] => {
        if (!attempt.placedAt) return [];
        const placed = Date.parse(attempt.placedAt);
        const before = sorted[index - 1];
        const known = moments.get(keyOf(attempt.element, attempt.attempt)) ?? {};
        const since = before?.element === attempt.element ? endOf(before) : (submitted ?? placed);
        return [
            {
                element: attempt.element,
                attempt: attempt.attempt,
                cluster: attempt.cluster,
                outcome: attempt.reason ?? "",
                isFailed: attempt.endedAt !== null && attempt.reason !== "Succeeded",
                isLive: attempt.endedAt === null,
                isRunKnown: attempt.endedAt === null || known.runningAt !== undefined,
                segments: segmentsOf(since, placed, Math.max(placed, endOf(attempt)), known),
            },
        ];
    });
    if (job.elements.total === 1)
        return rows.length > 0 || submitted === undefined ? rows : [waitingRow(job, submitted, now)];
    return rows.sort((a, b) => Number(b.isFailed) - Number(a.isFailed));
}

function waitingRow(job: Job, submitted: number, now: number): TimelineRow {
    const to = job.endedAt ? Date.parse(job.endedAt) : now;
    const segments: Segment[] = [{ kind: "waiting", from: submitted, to: Math.max(submitted, to) }];
    const facts = { cluster: null, outcome: "", isFailed: false, isLive: false, isRunKnown: true };
    return { element: 0, attempt: 0, ...facts, segments };
}

type Span = { from: number; to: number };
/** A stretch in which nothing ran, drawn shorter than it was. */
export type Gap = { from: number; to: number };

export type Scale = { from: number; to: number; gaps: Gap[]; position(ms: number): number };

/** Overlapping spans as one, in order of time. */
function merge(spans: readonly Span[]): Span[] {
    const merged: Span[] = [];
    for (const span of [...spans].sort((a, b) => a.from - b.from)) {
        const last = merged.at(-1);
        if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
        else merged.push({ ...span });
    }
    return merged;
}

/** Idle stretches that are longer than this share of all activity are drawn as this share. */
const GAP_SHARE = 0.15;
const GAP_MIN_MS = 30_000;

/** Places moments between 0 and 1; a job that waited for days and ran for minutes still shows its minutes. */
export function buildScale(rows: readonly TimelineRow[]): Scale {
    const segments = rows.flatMap((row) => row.segments);
    const from = Math.min(...segments.map((segment) => segment.from));
    const to = Math.max(...segments.map((segment) => segment.to));
    if (segments.length === 0) return { from: 0, to: 0, gaps: [], position: () => 0 };

    const active = merge(segments.filter((segment) => segment.kind !== "waiting"));
    const activeMs = active.reduce((sum, span) => sum + span.to - span.from, 0);
    const gapMs = Math.max(GAP_MIN_MS, activeMs * GAP_SHARE);
    const edges = [from, ...active.flatMap((span) => [span.from, span.to]), to];
    const gaps: Gap[] = [];
    for (let i = 0; activeMs > 0 && i < edges.length; i += 2) {
        const gap = { from: edges[i]!, to: edges[i + 1]! };
        if (gap.to - gap.from > gapMs) gaps.push(gap);
    }
    /** Milliseconds as drawn, from the beginning to `ms`. */
    const drawn = (ms: number) =>
        gaps.reduce((sum, gap) => {
            const inGap = Math.min(Math.max(ms - gap.from, 0), gap.to - gap.from);
            return sum - inGap + (inGap / (gap.to - gap.from)) * gapMs;
        }, ms - from);
    const whole = drawn(to) || 1;
    return { from, to, gaps, position: (ms) => drawn(Math.min(Math.max(ms, from), to)) / whole };
}

const STEPS_MS = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
    600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000,
];

/** At most about `most` moments with round distances from the beginning, none inside a gap. */
export function ticksOf(scale: Scale, most: number): number[] {
    const gapsMs = scale.gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
    const shownMs = scale.to - scale.from - gapsMs;
    const step =
        STEPS_MS.find((ms) => shownMs / ms <= most) ??
        STEPS_MS.at(-1)! * Math.ceil(shownMs / STEPS_MS.at(-1)! / most);
    const ticks: number[] = [];
    let at = scale.from;
    while (at <= scale.to && ticks.length < most * 2) {
        const gap = scale.gaps.find((it) => at > it.from && at < it.to);
        if (gap) at = scale.from + Math.ceil((gap.to - scale.from) / step) * step;
        else {
            ticks.push(at);
            at += step;
        }
    }
    return ticks;
}
