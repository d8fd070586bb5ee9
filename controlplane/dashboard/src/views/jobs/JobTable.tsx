/* JobTable.tsx - rows of jobs, live, with the keys of a list: j, k, x, Enter. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useKeys } from "../../app/keys";
import type { Job } from "../../api/types";
import { Empty, ProblemLine, ProblemView, Skeleton } from "../../parts/Feedback";
import { Labels } from "../../parts/Labels";
import { StateBadge } from "../../parts/State";
import { Age, Span } from "../../parts/Time";
import { type Column, VirtualTable } from "../../parts/VirtualTable";
import { type JobFilter, JobList, ROWS_MAX } from "../../store/job_list";
import { isEnded } from "../../store/job_state";
import { type Selection, toggle } from "../../store/selection";
import { formatCount } from "../../text/amount";
import { reasonWords } from "../../text/sentence";
import "./JobTable.css";

const COLUMNS: readonly Column[] = [
    { name: "select", label: <span class="hidden-text">selected</span>, width: "34px" },
    { name: "State", width: "118px" },
    { name: "Job", width: "92px" },
    { name: "Name", width: "24%" },
    { name: "Note", width: "190px" },
    { name: "Queue", width: "110px" },
    { name: "Cluster", width: "100px" },
    { name: "By", width: "110px" },
    { name: "Labels", width: "20%" },
    { name: "Age", class: "number", width: "64px" },
    { name: "Took", class: "number", width: "84px" },
];

/** Why it waits, how far an array is, or with what it ended. */
function noteOf(job: Job): string {
    const { elements } = job;
    if (elements.total > 1) {
        const ended = (elements.succeeded ?? 0) + (elements.failed ?? 0) + (elements.cancelled ?? 0);
        const failed = elements.failed ? `, ${formatCount(elements.failed)} failed` : "";
        return `${formatCount(ended)} of ${formatCount(elements.total)}${failed}`;
    }
    if (job.exitCode) return `exit code ${job.exitCode}`;
    const isSaid = job.state === "succeeded" || job.state === "cancelled" || job.state === "held";
    return job.reason && !isSaid ? reasonWords(job.reason) : "";
}

function cells(job: Job, isSelected: boolean, onToggle: () => void) {
    return (
        <>
            <td>
                <input
                    type="checkbox"
                    aria-label={`select ${job.id}`}
                    checked={isSelected}
                    onChange={onToggle}
                    onClick={(event) => event.stopPropagation()}
                />
            </td>
            <td>
                <StateBadge state={job.state} />
            </td>
            <td>
                <Link href={`/jobs/${job.id}`} class="mono">
                    {job.id}
                </Link>
            </td>
            <td class="text" title={job.name ?? undefined}>
                {job.name}
            </td>
            <td class="quiet" title={job.reason ?? undefined}>
                {noteOf(job)}
            </td>
            <td class="text">{job.queue}</td>
            <td class="text">{job.cluster}</td>
            <td class="text">{job.submittedBy}</td>
            <td>
                <Labels labels={job.labels} />
            </td>
            <td class="number">
                <Age at={job.submittedAt} />
            </td>
            <td class="number">
                {isEnded(job.state) ? <Span from={job.submittedAt} to={job.endedAt} /> : ""}
            </td>
        </>
    );
}

type JobTableProps = {
    filter: JobFilter;
    selection: Selection;
    onSelect(selection: Selection): void;
    /** The rows as they are now, for what stands around the table. */
    onRows?(jobs: readonly Job[]): void;
    emptyTitle: string;
};

export function JobTable({ filter, selection, onSelect, onRows, emptyTitle }: JobTableProps) {
    const [, navigate] = useLocation();
    const [current, setCurrent] = useState(-1);
    const filterKey = JSON.stringify(filter);
    const list = useMemo(() => new JobList(filter), [filterKey]);
    useEffect(() => {
        setCurrent(-1);
        return () => list.destroy();
    }, [list]);

    const { jobs, isLoading, hasMore, problem } = list.rows.value;
    useEffect(() => onRows?.(jobs), [jobs, onRows]);
    const loadMore = useCallback(() => {
        const { hasMore: isMore, problem: stopped } = list.rows.peek();
        if (isMore && !stopped) void list.loadMore();
    }, [list]);

    const move = (step: number) => setCurrent(Math.max(0, Math.min(jobs.length - 1, current + step)));
    const row = jobs[current];
    useKeys({
        j: () => move(1),
        k: () => move(-1),
        ArrowDown: () => move(1),
        ArrowUp: () => move(-1),
        x: () => row && onSelect(toggle(selection, row.id)),
        Enter: () => row && navigate(`/jobs/${row.id}`),
        Escape: () => onSelect(new Set()),
    });

    if (jobs.length === 0) {
        if (problem) return <ProblemView problem={problem} retry={() => list.reload()} />;
        if (isLoading) return <Skeleton lines={12} />;
        return (
            <Empty icon="jobs" title={emptyTitle} command='fairlead run -- echo "hello from a cluster"'>
                A job appears here the moment it is accepted.
            </Empty>
        );
    }
    return (
        <div class="job-table">
            {problem && <ProblemLine problem={problem} />}
            <VirtualTable
                label="jobs"
                columns={COLUMNS}
                count={jobs.length}
                keyOf={(index) => jobs[index]!.id}
                rowClass={(index) => (selection.has(jobs[index]!.id) ? "selected" : "")}
                cells={(index) => {
                    const job = jobs[index]!;
                    return cells(job, selection.has(job.id), () => onSelect(toggle(selection, job.id)));
                }}
                onRowClick={(index, event) => {
                    setCurrent(index);
                    if (!(event.target as Element).closest("a, input, button"))
                        navigate(`/jobs/${jobs[index]!.id}`);
                }}
                current={current}
                onNearEnd={loadMore}
            />
            <p class="job-table-foot quiet" role="status">
                {formatCount(jobs.length)} {hasMore ? "loaded, more follow" : "shown"}
                {jobs.length >= ROWS_MAX && ": narrow the query to see others"}
            </p>
        </div>
    );
}
