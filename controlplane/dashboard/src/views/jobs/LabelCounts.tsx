/* LabelCounts.tsx - the values of the label that the jobs are grouped by, each with how many jobs have it: a click
 * shows these jobs alone.  The server counts, so they do not depend on how far the list is loaded. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { JobCounts, JobSums } from "../../api/types";
import { Button } from "../../parts/Button";
import { ProblemLine } from "../../parts/Feedback";
import { StateBar } from "../../parts/StateCounts";
import { useResource } from "../../store/resource";
import { formatCount } from "../../text/amount";
import {
    columnsOf,
    countsNote,
    countsPath,
    isChosen,
    isFinerThanCounts,
    shownCount,
    toggleValue,
} from "../../text/label_counts";
import type { JobQuery } from "../../text/query";
import { viewPath } from "../../text/saved_view";
import "./LabelCounts.css";

/** A count looks at up to 100,000 jobs, so events do not ask for it. */
const EVERY_MS = 30_000;
const FIRST_VALUES = 12;

type ValueProps = { name: string; sums: JobSums; states: readonly string[]; href?: string; isHere?: boolean };

function Value({ name, sums, states, href, isHere }: ValueProps) {
    const { jobs, words, bar } = shownCount(sums, columnsOf(states));
    const cells = (
        <>
            <span class="label-count-name">{name}</span>
            <span class="quiet">{formatCount(jobs)}</span>
            <StateBar counts={bar} />
        </>
    );
    const title = `${name}: ${words}`;
    if (href === undefined) {
        return (
            <span class="label-count" title={title}>
                {cells}
            </span>
        );
    }
    return (
        <Link class="label-count" href={href} title={title} replace aria-current={isHere ? "true" : undefined}>
            {cells}
        </Link>
    );
}

export function LabelCounts({ query, labelKey }: { query: JobQuery; labelKey: string }) {
    const { data, problem } = useResource<JobCounts>(countsPath(query, labelKey), { everyMs: EVERY_MS });
    const [isOpen, setOpen] = useState(false);
    if (problem) return <ProblemLine problem={problem} />;
    if (!data) return <p class="label-counts quiet">Counting ...</p>;

    const values = isOpen ? data.values : data.values.slice(0, FIRST_VALUES);
    const note = countsNote(data, isFinerThanCounts(query.states));
    return (
        <nav class={`label-counts${isOpen ? " open" : ""}`} aria-label={`jobs by label ${labelKey}`}>
            {values.map(({ value, ...sums }) => {
                const opened = toggleValue(query, labelKey, value);
                const href = opened === undefined ? {} : { href: viewPath({ query: opened, group: `label:${labelKey}` }) };
                return (
                    <Value
                        key={value}
                        name={value || "(empty)"}
                        sums={sums}
                        states={query.states}
                        isHere={isChosen(query, labelKey, value)}
                        {...href}
                    />
                );
            })}
            {data.without.jobs > 0 && (
                <Value name={`no label ${labelKey}`} sums={data.without} states={query.states} />
            )}
            {data.values.length > FIRST_VALUES && (
                <Button look="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                    {isOpen ? "Fewer values" : `All ${formatCount(data.values.length)} values`}
                </Button>
            )}
            {note && <span class="quiet">{note}</span>}
        </nav>
    );
}
