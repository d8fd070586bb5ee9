/* job_state.ts - the states of a job and their order.  Pure. */
import type { Job } from "../api/types";

export type JobState = Job["state"];

export const JOB_STATES: readonly JobState[] = [
    "held",
    "queued",
    "starting",
    "running",
    "stopping",
    "succeeded",
    "failed",
    "cancelled",
];

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

export function isEnded(state: JobState): boolean {
    return ENDED.has(state);
}
