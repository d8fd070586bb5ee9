/* patch_job.ts - a job of a list, after an event about it.  Pure.
 * An event says less than the job does, so this is a preview: the next list from the server replaces it. */
import type { Event as FleetEvent, Elements, Job } from "../api/types";

type Ended = "succeeded" | "failed" | "cancelled";

function countEnd(elements: Elements, state: Job["state"]): Elements {
    if (state !== "succeeded" && state !== "failed" && state !== "cancelled") return elements;
    const name: Ended = state;
    const live = elements.live === undefined ? {} : { live: Math.max(0, elements.live - 1) };
    return { ...elements, ...live, [name]: (elements[name] ?? 0) + 1 };
}

/** The same object where the event changes nothing of it. */
export function patchJob(job: Job, event: FleetEvent): Job {
    if (!("job" in event) || event.job !== job.id) return job;
    const isPlain = job.elements.total === 1;
    switch (event.type) {
        case "job.ended":
            return { ...job, state: event.state, reason: event.reason, endedAt: event.at };
        case "job.stopping":
            return { ...job, state: "stopping" };
        case "job.held":
            return job.state === "queued" ? { ...job, state: "held", reason: "Held" } : job;
        case "job.released":
            return job.state === "held" ? { ...job, state: "queued", reason: null } : job;
        case "job.edited": {
            const { name, labels, priority, deadline, revision } = event;
            return { ...job, name, labels, priority, deadline, revision, queue: event.queue ?? job.queue };
        }
        case "attempt.assigned":
            return {
                ...job,
                state: job.state === "queued" ? "starting" : job.state,
                reason: null,
                cluster: job.cluster ?? event.cluster ?? null,
                attempt: isPlain ? event.attempt : job.attempt,
                elements: { ...job.elements, live: (job.elements.live ?? 0) + 1 },
            };
        case "attempt.ended":
            return isPlain && job.state !== "stopping" && job.state !== "held"
                ? { ...job, state: "queued", reason: null, cluster: null }
                : job;
        case "element.ended":
            return {
                ...job,
                elements: countEnd(job.elements, event.state),
                exitCode: isPlain ? event.exitCode : job.exitCode,
                firstReplica: isPlain ? (event.firstReplica ?? null) : job.firstReplica,
            };
        case "replica.changed":
            return job.state === "starting" && event.state === "running" ? { ...job, state: "running" } : job;
        default:
            return job;
    }
}

/** All rows after all events; the same list where nothing changed. */
export function patchJobs(jobs: readonly Job[], events: readonly FleetEvent[]): readonly Job[] {
    const byJob = new Map<string, FleetEvent[]>();
    for (const event of events) {
        if (!("job" in event)) continue;
        const list = byJob.get(event.job);
        if (list) list.push(event);
        else byJob.set(event.job, [event]);
    }
    let isChanged = false;
    const patched = jobs.map((job) => {
        const after = (byJob.get(job.id) ?? []).reduce(patchJob, job);
        if (after !== job) isChanged = true;
        return after;
    });
    return isChanged ? patched : jobs;
}
