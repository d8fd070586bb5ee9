/* JobTable.tsx - rows of jobs, live, in groups where that is asked for, with the keys of a list: j, k, x, Enter. */
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useKeys } from "../../app/keys";
import type { Job } from "../../api/types";
import { Button } from "../../parts/Button";
import { Empty, ProblemLine, ProblemView, Skeleton } from "../../parts/Feedback";
import { Labels } from "../../parts/Labels";
import { StateBadge } from "../../parts/State";
import { Age, Span } from "../../parts/Time";
import { type Column, VirtualTable } from "../../parts/VirtualTable";
import { type JobFilter, JobList, ROWS_MAX } from "../../store/job_list";
import { isEnded } from "../../store/job_state";
import { isNarrow } from "../../store/screen";
import { type Selection, toggle, toggleAll } from "../../store/selection";
import { formatCount } from "../../text/amount";
import { type ListRow, groupJobs, groupRows, groupsSentence, isGroup } from "../../text/group";
import { reasonWords } from "../../text/sentence";
import { GroupHead } from "./GroupHead";
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
    /** The field to group by: see text/group.ts.  Only loaded rows are grouped. */
    groupBy?: string;
    selection: Selection;
    onSelect(selection: Selection): void;
    /** The rows as they are now, for what stands around the table. */
    onRows?(jobs: readonly Job[]): void;
    emptyTitle: string;
};

const NONE: ReadonlySet<string> = new Set();
const UNMARKED = { index: -1, key: "" };

const keyOf = (row: ListRow) => (isGroup(row) ? `group ${row.key}` : row.id);

export function JobTable({ filter, groupBy = "", selection, onSelect, onRows, emptyTitle }: JobTableProps) {
    const [, navigate] = useLocation();
    const [marked, setMarked] = useState(UNMARKED);
    const [closed, setClosed] = useState(NONE);
    const filterKey = JSON.stringify(filter);
    const list = useMemo(() => new JobList(filter), [filterKey]);
    useEffect(() => {
        setMarked(UNMARKED);
        return () => list.destroy();
    }, [list]);
    useEffect(() => {
        setMarked(UNMARKED);
        setClosed(NONE);
    }, [groupBy]);

    const columns = isNarrow.value ? COLUMNS.filter((column) => !column.isWideOnly) : COLUMNS;
    const { jobs, isLoading, hasMore, problem } = list.rows.value;
    useEffect(() => onRows?.(jobs), [jobs, onRows]);
    const loadMore = useCallback(() => {
        const { hasMore: isMore, problem: stopped } = list.rows.peek();
        if (isMore && !stopped) void list.loadMore();
    }, [list]);

    const groups = useMemo(() => (groupBy ? groupJobs(jobs, groupBy) : undefined), [jobs, groupBy]);
    const rows: readonly ListRow[] = useMemo(
        () => (groups ? groupRows(groups, closed) : jobs),
        [groups, closed, jobs],
    );
    const isFull = jobs.length >= ROWS_MAX;
    const isAllClosed = closed.size > 0 && groups?.every(({ key }) => closed.has(key));

    /* The mark of the keyboard stays with its row, and where that has gone, in its place. */
    const found = marked.index < 0 ? -1 : rows.findIndex((it) => keyOf(it) === marked.key);
    const current = found < 0 ? Math.min(marked.index, rows.length - 1) : found;
    const mark = (index: number) => rows[index] && setMarked({ index, key: keyOf(rows[index]) });
    const move = (step: number) => mark(Math.max(0, Math.min(rows.length - 1, current + step)));
    const open = (row: ListRow) => {
        if (!isGroup(row)) navigate(`/jobs/${row.id}`);
        else {
            const next = new Set(closed);
            if (!next.delete(row.key)) next.add(row.key);
            setClosed(next);
        }
    };
    const select = (row: ListRow) =>
        onSelect(
            isGroup(row)
                ? toggleAll(
                      selection,
                      row.jobs.map((job) => job.id),
                  )
                : toggle(selection, row.id),
        );
    const row = rows[current];
    useKeys({
        j: () => move(1),
        k: () => move(-1),
        ArrowDown: () => move(1),
        ArrowUp: () => move(-1),
        x: () => row && select(row),
        Enter: () => row && open(row),
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
                count={rows.length}
                keyOf={(index) => keyOf(rows[index]!)}
                rowClass={(index) => {
                    const it = rows[index]!;
                    if (isGroup(it)) return "group-row";
                    return selection.has(it.id) ? "selected" : "";
                }}
                cells={(index) => {
                    const it = rows[index]!;
                    if (!isGroup(it)) return cells(it, columns, selection.has(it.id), () => select(it));
                    return (
                        <GroupHead
                            group={it}
                            columns={columns.length}
                            isOpen={!closed.has(it.key)}
                            selection={selection}
                            onToggle={() => open(it)}
                            onSelect={() => select(it)}
                        />
                    );
                }}
                onRowClick={(index, event) => {
                    mark(index);
                    if (!(event.target as Element).closest("a, input, button")) open(rows[index]!);
                }}
                current={current}
                onNearEnd={loadMore}
            />
            <div class="job-table-foot quiet">
                <p role="status">
                    {groups
                        ? groupsSentence(groups.length, jobs.length, !hasMore && !isFull)
                        : `${formatCount(jobs.length)} ${hasMore ? "loaded, more follow" : "shown"}`}
                    {groups && hasMore && !isAllClosed && "; scroll to load more"}
                    {isFull && ": narrow the query to see others"}
                </p>
                {groups && (
                    <>
                        {hasMore && (
                            <Button look="ghost" onClick={() => void list.loadMore()}>
                                Load more
                            </Button>
                        )}
                        <Button
                            look="ghost"
                            onClick={() =>
                                setClosed(isAllClosed ? NONE : new Set(groups.map(({ key }) => key)))
                            }
                        >
                            {isAllClosed ? "Open all groups" : "Close all groups"}
                        </Button>
                    </>
                )}
            </div>
        </div>
    );
}
