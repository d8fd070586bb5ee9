/* JobTable.tsx - rows of jobs, live, with the keys of a list: j, k, x, Enter. */
import type { ComponentChildren } from "preact";
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
import { isNarrow } from "../../store/screen";
import { type Selection, toggle } from "../../store/selection";
import { formatCount } from "../../text/amount";
import { reasonWords } from "../../text/sentence";
import "./JobTable.css";

type JobColumn = Column & { isWideOnly?: boolean; cell(job: Job): ComponentChildren };

const COLUMNS: readonly JobColumn[] = [
    { name: "State", width: "100px", cell: (job) => <StateBadge state={job.state} /> },
    {
        name: "Job",
        width: "76px",
        cell: (job) => (
            <Link href={`/jobs/${job.id}`} class="mono">
                {job.id}
            </Link>
        ),
    },
    { name: "Name", width: "60%", cell: (job) => <span title={job.name ?? undefined}>{job.name}</span> },
    {
        name: "Note",
        width: "140px",
        isWideOnly: true,
        cell: (job) => (
            <span class="quiet" title={job.reason ?? undefined}>
                {noteOf(job)}
            </span>
        ),
    },
    {
        name: "Where",
        width: "124px",
        isWideOnly: true,
        cell: (job) => (
            <>
                {job.queue} {job.cluster !== null && <span class="quiet">on {job.cluster}</span>}
            </>
        ),
    },
    { name: "By", width: "84px", isWideOnly: true, cell: (job) => job.submittedBy },
    { name: "Labels", width: "40%", isWideOnly: true, cell: (job) => <Labels labels={job.labels} /> },
    { name: "Age", class: "number", width: "48px", cell: (job) => <Age at={job.submittedAt} /> },
    {
        name: "Took",
        class: "number",
        width: "66px",
        isWideOnly: true,
        cell: (job) => isEnded(job.state) && <Span from={job.submittedAt} to={job.endedAt} />,
    },
];

const SELECT: Column = { name: "select", label: <span class="hidden-text">selected</span>, width: "34px" };

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

function cells(job: Job, columns: readonly JobColumn[], isSelected: boolean, onToggle: () => void) {
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
            {columns.map((column) => (
                <td key={column.name} class={column.class}>
                    {column.cell(job)}
                </td>
            ))}
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

    const columns = isNarrow.value ? COLUMNS.filter((column) => !column.isWideOnly) : COLUMNS;
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
                columns={[SELECT, ...columns]}
                count={jobs.length}
                keyOf={(index) => jobs[index]!.id}
                rowClass={(index) => (selection.has(jobs[index]!.id) ? "selected" : "")}
                cells={(index) => {
                    const job = jobs[index]!;
                    return cells(job, columns, selection.has(job.id), () =>
                        onSelect(toggle(selection, job.id)),
                    );
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
