/* Jobs.tsx - all jobs by a query and groups that stand in the address, so that a link shows the same. */
import { useCallback, useMemo, useState } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { useTitle } from "../../app/title";
import type { Job, QueuePage } from "../../api/types";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { useResource } from "../../store/resource";
import { type Selection, keepListed } from "../../store/selection";
import { may } from "../../store/session";
import { labelKeys, parseGroup } from "../../text/group";
import { labelKeyOf } from "../../text/label_counts";
import { type JobQuery, type KnownWords, formatQuery, parseQuery, toBulkFilter, toParameters } from "../../text/query";
import { viewPath } from "../../text/saved_view";
import { BulkBar } from "./BulkBar";
import { GroupChoice } from "./GroupChoice";
import "./Jobs.css";
import { JobTable } from "./JobTable";
import { LabelCounts } from "./LabelCounts";
import { QueryBar } from "./QueryBar";
import { ViewsButton } from "./SavedViews";

const WORDS_MAX = 200;

/** The names, labels and people of the loaded rows, to complete queries with. */
function knownFrom(jobs: readonly Job[]): Omit<KnownWords, "queues"> {
    const names = new Set<string>();
    const labels = new Set<string>();
    const people = new Set<string>();
    for (const job of jobs) {
        if (labels.size >= WORDS_MAX) break;
        if (job.name && !/\s/.test(job.name)) names.add(job.name);
        for (const [key, value] of Object.entries(job.labels)) labels.add(`${key}=${value}`);
        if (job.submittedBy) people.add(job.submittedBy);
    }
    return { names: [...names], labels: [...labels], people: [...people] };
}

const QUICK: ReadonlyArray<{ name: string; states: string[] }> = [
    { name: "All", states: [] },
    { name: "Waiting", states: ["queued"] },
    { name: "Running", states: ["starting", "running", "stopping"] },
    { name: "Failed", states: ["failed"] },
    { name: "Ended", states: ["ended"] },
];

function QuickStates({ query, onChange }: { query: JobQuery; onChange(query: string): void }) {
    const here = query.states.join(",");
    return (
        <div class="choice" role="group" aria-label="state">
            {QUICK.map(({ name, states }) => (
                <button
                    key={name}
                    type="button"
                    aria-pressed={states.join(",") === here}
                    onClick={() => onChange(formatQuery({ ...query, states }))}
                >
                    {name}
                </button>
            ))}
        </div>
    );
}

export function Jobs() {
    useTitle("Jobs");
    const [, navigate] = useLocation();
    const address = new URLSearchParams(useSearch());
    const text = address.get("q") ?? "";
    const group = parseGroup(address.get("group") ?? "");
    const labelKey = labelKeyOf(group);
    const [jobs, setJobs] = useState<readonly Job[]>([]);
    const [selection, setSelection] = useState<Selection>(new Set());
    const queues = useResource<QueuePage>("/v1/queues");

    const { query } = useMemo(() => parseQuery(text), [text]);
    const bulkFilter = useMemo(() => toBulkFilter(query), [query]);
    const known = useMemo(
        () => ({ queues: (queues.data?.queues ?? []).map((queue) => queue.name), ...knownFrom(jobs) }),
        [queues.data, jobs],
    );
    const setQuery = useCallback(
        (query: string) => navigate(viewPath({ query, group }), { replace: true }),
        [navigate, group],
    );
    const takeRows = useCallback((rows: readonly Job[]) => {
        setJobs(rows);
        setSelection((before) =>
            keepListed(
                before,
                rows.map((job) => job.id),
            ),
        );
    }, []);
    return (
        <div class="view jobs">
            <div class="view-head">
                <h1>Jobs</h1>
                <QueryBar value={text} known={known} onChange={setQuery} />
                <QuickStates query={query} onChange={setQuery} />
                <GroupChoice
                    by={group}
                    labels={labelKeys(jobs)}
                    onChange={(by) => navigate(viewPath({ query: text, group: by }), { replace: true })}
                />
                <ViewsButton shown={{ query: text, group }} />
                {text !== "" && (
                    <Button look="ghost" icon="close" onClick={() => setQuery("")}>
                        Clear the query
                    </Button>
                )}
                <BulkBar
                    filter={bulkFilter}
                    jobs={jobs}
                    selection={selection}
                    onClear={() => setSelection(new Set())}
                />
                {may("submit") && (
                    <Link class="button primary" href="/submit">
                        <Icon name="submit" />
                        Submit
                    </Link>
                )}
            </div>
            {labelKey && <LabelCounts key={labelKey} query={query} labelKey={labelKey} />}
            <JobTable
                filter={toParameters(query)}
                groupBy={group}
                selection={selection}
                onSelect={setSelection}
                onRows={takeRows}
                emptyTitle={text ? "No job fits this query" : "No job has been submitted yet"}
            />
        </div>
    );
}
