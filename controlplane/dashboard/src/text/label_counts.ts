/* label_counts.ts - how many jobs have which value of a label, and the query that opens one of them.  Pure.
 * The server counts open jobs together: GET /v1/jobs:counts. */
import { withQuery } from "../api/client";
import type { JobSums } from "../api/types";
import type { JobState } from "../store/job_state";
import { countOf, formatCount } from "./amount";
import { type JobQuery, formatQuery, toParameters } from "./query";

const LABEL = "label:";
const ENDS = ["succeeded", "failed", "cancelled"] as const;
const COLUMNS = ["open", ...ENDS] as const;

type Column = (typeof COLUMNS)[number];

/** The key of a label that jobs are grouped by; empty where they are not grouped by a label. */
export const labelKeyOf = (by: string) => (by.startsWith(LABEL) ? by.slice(LABEL.length) : "");

const isOf = (key: string) => (label: string) => label.startsWith(`${key}=`);

/** Its own label does not count in the query, so that the other values stay to choose from. */
export function countsPath(query: JobQuery, key: string): string {
    const labels = query.labels.filter((label) => !isOf(key)(label));
    const { state: _, ...parameters } = toParameters({ ...query, labels });
    return withQuery("/v1/jobs:counts", { by: LABEL + key, ...parameters });
}

export const isChosen = (query: JobQuery, key: string, value: string) =>
    query.labels.includes(`${key}=${value}`);

/** The query with this value alone, or without it where it is chosen; undefined for a value that no query can hold. */
export function toggleValue(query: JobQuery, key: string, value: string): string | undefined {
    if (/[\s,]/.test(value)) return undefined;
    const others = query.labels.filter((label) => !isOf(key)(label));
    const labels = isChosen(query, key, value) ? others : [...others, `${key}=${value}`];
    return formatQuery({ ...query, labels });
}

/** The counts that a query's states are about.  `open` stands for each state of an open job. */
export function columnsOf(states: readonly string[]): readonly Column[] {
    if (states.length === 0) return COLUMNS;
    const isAsked = (column: Column) =>
        states.includes(column) || (column !== "open" && states.includes("ended"));
    const hasOpen = states.some((state) => state !== "ended" && !(ENDS as readonly string[]).includes(state));
    return COLUMNS.filter((column) => isAsked(column) || (column === "open" && hasOpen));
}

/** Whether the query names single states of open jobs, which are not told apart here. */
export const isFinerThanCounts = (states: readonly string[]) =>
    states.some((state) => !["open", "ended", ...ENDS].includes(state));

export type ShownCount = { jobs: number; words: string; bar: ReadonlyArray<readonly [JobState, number]> };

/** One value as the page shows it: open jobs have the colour of those that run. */
export function shownCount(sums: JobSums, columns: readonly Column[]): ShownCount {
    const counted = columns.map((column) => [column, sums[column]] as const).filter(([, jobs]) => jobs > 0);
    return {
        jobs: counted.reduce((sum, [, jobs]) => sum + jobs, 0),
        words: counted.map(([column, jobs]) => `${formatCount(jobs)} ${column}`).join(", ") || "none",
        bar: counted.map(([column, jobs]) => [column === "open" ? "running" : column, jobs] as const),
    };
}

/** A note on the jobs that the counts leave out; empty when all are counted. */
export function countsNote(counts: { isWhole: boolean; total: JobSums; others: JobSums }, isFiner: boolean): string {
    return [
        counts.others.jobs > 0 ? `${countOf(counts.others.jobs, "job")} with a further value` : "",
        counts.isWhole ? "" : "among the newest 100,000 jobs",
        isFiner ? "in any state of an open job" : "",
    ]
        .filter(Boolean)
        .join("; ");
}
