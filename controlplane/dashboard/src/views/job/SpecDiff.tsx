/* SpecDiff.tsx - how a job's document differs from that of another run: line by line, with signs and words. */
import { useMemo, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { withQuery } from "../../api/client";
import type { Job, JobPage } from "../../api/types";
import { Button } from "../../parts/Button";
import { Loaded, ProblemLine } from "../../parts/Feedback";
import { Ago } from "../../parts/Time";
import { useResource } from "../../store/resource";
import { countOf, formatCount } from "../../text/amount";
import { LINES_MAX, diffLines, foldEqual } from "../../text/diff";
import { earlierRuns } from "../../text/earlier_runs";
import { documentOf } from "../../text/job_document";
import { toYaml } from "../../text/yaml";
import "./SpecDiff.css";

/** Earlier runs are looked for among so many open and so many ended jobs of the queue. */
const LISTED_JOBS = 500;
const AROUND_LINES = 3;

function Difference({ job, other }: { job: Job; other: Job }) {
    const [before, after] = [toYaml(documentOf(other)), toYaml(documentOf(job))];
    const diff = useMemo(() => diffLines(before, after), [before, after]);
    const isEqual = diff.added + diff.removed === 0;
    return (
        <>
            <p role="status">
                {isEqual ? (
                    <strong>
                        The documents of {other.id} and {job.id} are equal.
                    </strong>
                ) : (
                    <>
                        <strong class="diff-removed">
                            − {countOf(diff.removed, "line")} only in {other.id}
                        </strong>
                        ,{" "}
                        <strong class="diff-added">
                            + {countOf(diff.added, "line")} only in {job.id}
                        </strong>
                        {job.specDigest === other.specDigest && ". The commands and their needs are the same"}
                        .
                    </>
                )}
                {diff.isCut && ` Only the first ${formatCount(LINES_MAX)} lines of each were compared.`}
                {diff.isRough && " There are too many changes to find the fewest."}
            </p>
            {!isEqual && (
                <div class="diff mono" tabIndex={0} role="region" aria-label="the difference">
                    {foldEqual(diff.lines, AROUND_LINES).map((line, index) => {
                        if (typeof line === "number") {
                            return (
                                <p key={index} class="diff-fold quiet">
                                    {countOf(line, "equal line")}
                                </p>
                            );
                        }
                        const text = `${line.sign === "-" ? "−" : line.sign} ${line.text}`;
                        if (line.sign === "+") return <ins key={index}>{text}</ins>;
                        return line.sign === "-" ? <del key={index}>{text}</del> : <p key={index}>{text}</p>;
                    })}
                </div>
            )}
        </>
    );
}

function WithJob({ job, other }: { job: Job; other: string }) {
    const resource = useResource<Job>(`/v1/jobs/${encodeURIComponent(other)}`);
    return <Loaded resource={resource}>{(it) => <Difference job={job} other={it} />}</Loaded>;
}

/** `other` is empty until one is chosen: then it is the run before. */
type SpecDiffProps = { job: Job; other: string; onOther(id: string): void };

export function SpecDiff({ job, other, onOther }: SpecDiffProps) {
    /* From the focus on the text is the person's, until another run is chosen: the lists may come meanwhile. */
    const [typing, setTyping] = useState<{ of: string; text: string }>();
    /* The list of jobs cannot be asked by name, and has all open jobs before the ended ones. */
    const list = (state: string) =>
        useResource<JobPage>(
            withQuery("/v1/jobs", {
                queue: job.queue ?? "",
                state,
                limit: job.name === null ? 1 : LISTED_JOBS,
            }),
        );
    const [open, ended] = [list("open"), list("ended")];
    const isThere = open.data && ended.data;
    const problem = open.problem ?? ended.problem;
    const runs = earlierRuns(job, [...(open.data?.jobs ?? []), ...(ended.data?.jobs ?? [])]);

    const chosen = other || (isThere && (runs[0]?.id ?? job.retryOf)) || "";
    const typed = typing?.of === other ? typing.text : chosen;
    const compare = (event: Event) => {
        event.preventDefault();
        /* also out of a link */
        onOther(/job-[0-9a-z]+/.exec(typed)?.[0] ?? typed.trim());
    };
    return (
        <div class="stack">
            <form class="row diff-with" onSubmit={compare}>
                <label class="row">
                    <span>Compare with</span>
                    <input
                        type="text"
                        class="mono"
                        placeholder="job-7"
                        value={typed}
                        spellcheck={false}
                        onFocus={() => setTyping({ of: other, text: typed })}
                        onBlur={() => typed.trim() === "" && setTyping(undefined)}
                        onInput={(event) => setTyping({ of: other, text: event.currentTarget.value })}
                    />
                </label>
                <Button type="submit" disabled={typed.trim() === ""}>
                    Compare
                </Button>
            </form>
            {problem && <ProblemLine problem={problem} />}
            <p class="quiet">
                {runs.length > 0
                    ? `Earlier runs of ${job.name} in ${job.queue}: `
                    : isThere &&
                      (job.name === null
                          ? "A job without a name has no earlier runs. Give the id of any job."
                          : `No earlier run of this name is among the newest ${LISTED_JOBS} open and ended jobs of its queue. Give the id of any job.`)}
                {runs.map((run, index) => (
                    <span key={run.id}>
                        {index > 0 && ", "}
                        <Link class="link mono" href={`/jobs/${job.id}/spec?with=${run.id}`} replace>
                            {run.id}
                        </Link>{" "}
                        ({run.state}, <Ago at={run.submittedAt} />)
                    </span>
                ))}
            </p>
            {chosen !== "" && <WithJob key={chosen} job={job} other={chosen} />}
        </div>
    );
}
