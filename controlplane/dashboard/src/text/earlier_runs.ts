/* earlier_runs.ts - earlier runs of the same work: the jobs before this one with its name, in its queue.  Pure. */
import type { Job } from "../api/types";

const RUNS_MAX = 8;

/** Those among the jobs of a list, the newest first. */
export function earlierRuns(job: Job, listed: readonly Job[]): Job[] {
    const at = job.submittedAt ?? "";
    return listed
        .filter(
            ({ id, name, queue, submittedAt }) =>
                id !== job.id &&
                name !== null &&
                name === job.name &&
                queue === job.queue &&
                (submittedAt ?? "") <= at,
        )
        .sort((a, b) => ((a.submittedAt ?? "") < (b.submittedAt ?? "") ? 1 : -1))
        .slice(0, RUNS_MAX);
}
