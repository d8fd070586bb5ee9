/* QueueStates.tsx - a queue's open jobs by state. */
import type { Queue } from "../api/types";
import { StateCounts } from "../parts/StateCounts";
import { JOB_STATES, type JobState } from "../store/job_state";

export function QueueStates({ queue }: { queue: Queue }) {
    const byState: Partial<Record<JobState, number>> = queue.byState;
    const counts = JOB_STATES.map((state) => [state, byState[state] ?? 0] as const).filter(([, count]) => count > 0);
    return counts.length > 0 ? <StateCounts counts={counts} hasWords /> : <span class="quiet">nothing open</span>;
}
