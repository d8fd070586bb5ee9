/* group.ts - the jobs of a list in groups: by state, queue, user, cluster or the value of a label.  Pure.
 * The choice stands in the address: `group=queue`, `group=label:team`. */
import type { Job } from "../api/types";
import { JOB_STATES, type JobState } from "../store/job_state";
import { countOf, formatCount } from "./amount";

export const GROUP_FIELDS = ["state", "queue", "user", "cluster"];

const LABEL = "label:";
const LABEL_KEYS_MAX = 50;

export type JobGroup = {
    /** Tells it from the other groups, also where it has no value or an empty one. */
    key: string;
    name: string;
    jobs: Job[];
    /** How many are in which state, in the order of the states; without those that none is in. */
    counts: ReadonlyArray<readonly [JobState, number]>;
};

/** The field to group by; an empty text, which means no groups, for an address that makes no sense. */
export function parseGroup(text: string): string {
    return GROUP_FIELDS.includes(text) || /^label:[^=,\s]{1,320}$/.test(text) ? text : "";
}

/** `label team` for `label:team`. */
export function groupWords(by: string): string {
    return by.replace(":", " ");
}

/** The keys of labels that these jobs carry, to choose from. */
export function labelKeys(jobs: readonly Job[]): string[] {
    const keys = new Set<string>();
    for (const job of jobs) {
        if (keys.size >= LABEL_KEYS_MAX) break;
        for (const key of Object.keys(job.labels)) keys.add(key);
    }
    return [...keys].sort().slice(0, LABEL_KEYS_MAX);
}

function valueOf(job: Job, by: string): string | null {
    if (by === "state") return job.state;
    if (by === "queue") return job.queue;
    if (by === "user") return job.submittedBy;
    if (by === "cluster") return job.cluster;
    const key = by.slice(LABEL.length);
    return Object.hasOwn(job.labels, key) ? job.labels[key]! : null;
}

function countStates(jobs: readonly Job[]): JobGroup["counts"] {
    return JOB_STATES.map(
        (state) => [state, jobs.filter((job) => job.state === state).length] as const,
    ).filter(([, count]) => count > 0);
}

const order = new Intl.Collator("en", { numeric: true });

/** By name, and states in their own order; jobs without a value come last. */
export function groupJobs(jobs: readonly Job[], by: string): JobGroup[] {
    const byValue = new Map<string | null, Job[]>();
    for (const job of jobs) {
        const value = valueOf(job, by);
        const list = byValue.get(value);
        if (list) list.push(job);
        else byValue.set(value, [job]);
    }
    const compare = (a: string | null, b: string | null) => {
        if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
        if (by !== "state") return order.compare(a, b);
        return JOB_STATES.indexOf(a as JobState) - JOB_STATES.indexOf(b as JobState);
    };
    return [...byValue]
        .sort((a, b) => compare(a[0], b[0]))
        .map(([value, list]) => ({
            key: value === null ? "" : `=${value}`,
            name: value === null ? `no ${groupWords(by)}` : value || "(empty)",
            jobs: list,
            counts: countStates(list),
        }));
}

export type ListRow = Job | JobGroup;

export const isGroup = (row: ListRow): row is JobGroup => "jobs" in row;

/** The rows of a list: each group's head, and its jobs unless it is closed. */
export function groupRows(groups: readonly JobGroup[], closed: ReadonlySet<string>): ListRow[] {
    return groups.flatMap((group) => (closed.has(group.key) ? [group] : [group, ...group.jobs]));
}

/** Groups are of the rows that are loaded, and say so. */
export function groupsSentence(groups: number, jobs: number, isAll: boolean): string {
    const head = countOf(groups, "group");
    if (!isAll) return `${head} of the ${formatCount(jobs)} newest that match`;
    return `${head} of ${countOf(jobs, "job")}: all that match`;
}
