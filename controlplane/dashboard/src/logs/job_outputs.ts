/* job_outputs.ts - which outputs a job has, and which one a person most likely wants to see first.  Pure. */
import type { Job } from "../api/types";
import { ALL, type Selection } from "./permalink";

export type Shape = {
    elements: number;
    /** The replicas of one element. */
    replicas: number;
    /** The newest attempt that is known. */
    attempts: number;
};

/** More outputs than this merged are no help; the server merges 4,096. */
const MERGED_MAX = 512;

export function shapeOf(job: Job): Shape {
    const { spec, attempts = [] } = job;
    const ofRoles = spec?.roles?.reduce((sum, role) => sum + (role.replicas ?? 1), 0);
    const ofAttempts = Math.max(1, ...attempts.map((attempt) => attempt.nodes.length));
    return {
        elements: job.elements.total,
        replicas: ofRoles ?? spec?.replicas ?? ofAttempts,
        attempts: Math.max(job.attempt ?? 1, ...attempts.map((attempt) => attempt.attempt)),
    };
}

/** One replica of one element: then its line numbers stay. */
export function isSingle({ element, replicas }: Selection, shape: Shape): boolean {
    const isOneElement = shape.elements === 1 || element !== null;
    const isOneReplica = shape.replicas === 1 || (replicas !== null && /^\d+$/.test(replicas));
    return isOneElement && isOneReplica;
}

/** The output that failed first, or null where none is known to have failed. */
export function firstFailure(job: Job): Selection | null {
    const { elements, replicas } = shapeOf(job);
    if (job.firstReplica !== null && elements === 1) {
        return replicas > 1 ? { ...ALL, replicas: `${job.firstReplica}` } : null;
    }
    const failed = (job.attempts ?? [])
        .filter((attempt) => attempt.firstReplica !== undefined && (attempt.exitCode ?? 0) !== 0)
        .sort((a, b) => (a.endedAt ?? "").localeCompare(b.endedAt ?? ""))[0];
    if (!failed || elements === 1) return null;
    return {
        element: failed.element,
        replicas: replicas > 1 ? `${failed.firstReplica}` : null,
        attempt: null,
    };
}

/** Shown when the address names none. */
export function presetSelection(job: Job): Selection {
    const { elements, replicas } = shapeOf(job);
    const failure = job.state === "failed" ? firstFailure(job) : null;
    if (failure) return failure;
    /* The elements of a retry keep their numbers, so that 0 may not be among them. */
    const first = job.attempts?.[0]?.element;
    const isMany = elements * replicas > MERGED_MAX && elements > 1;
    return isMany && first !== undefined ? { ...ALL, element: first } : ALL;
}

/** A job that failed or still runs is read from its end, one that succeeded from its beginning. */
export function isReadFromEnd(job: Job): boolean {
    return job.state !== "succeeded";
}

/** The start from which relative times count. */
export function startOf(job: Job): number | null {
    const at = job.attempts?.[0]?.placedAt ?? job.submittedAt;
    return at ? Date.parse(at) : null;
}
