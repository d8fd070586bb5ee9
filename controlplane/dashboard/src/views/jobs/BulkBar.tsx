/* BulkBar.tsx - cancel or run again many jobs: those that are selected, or all that the query names. */
import { useEffect, useState } from "preact/hooks";
import { type Problem, idempotencyKey, send, toProblem } from "../../api/client";
import type { BulkCount, Job } from "../../api/types";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Dialog";
import { ProblemLine } from "../../parts/Feedback";
import { isEnded } from "../../store/job_state";
import { addNote } from "../../store/notes";
import { runAll } from "../../store/pool";
import { SELECTED_MAX, type Selection } from "../../store/selection";
import { may } from "../../store/session";
import { countOf } from "../../text/amount";
import { type Outcome, outcomeWords } from "../../text/outcome_words";
import "./BulkBar.css";

type Verb = "cancel" | "retry";
type BulkFilter = Record<string, unknown>;

/** In a dialog "Cancel" alone would be the way out of it. */
const WORDS: Record<Verb, { button: string; sure: string; future: string; done: string }> = {
    cancel: { button: "Cancel", sure: "Cancel the jobs", future: "will be cancelled", done: "cancelled" },
    retry: { button: "Run again", sure: "Run again", future: "will run again, as new jobs", done: "submitted again" },
};

const AT_ONCE = 4;
/** A chain of calls that goes on for longer than this is stopped; calling again goes on. */
const CALLS_MAX = 1000;

async function bulkAll(verb: Verb, filter: BulkFilter): Promise<Outcome> {
    const headers = verb === "retry" ? idempotencyKey() : {};
    const sum: Outcome = { changed: 0, failed: 0 };
    let cursor: string | undefined;
    for (let calls = 0; calls < CALLS_MAX; calls++) {
        const body = cursor ? { ...filter, cursor } : filter;
        const count: BulkCount = await send("POST", `/v1/jobs:${verb}`, body, { headers });
        sum.changed += count.changed;
        sum.failed += count.failed;
        sum.first ??= count.firstFailure;
        cursor = count.cursor;
        if (!count.more) break;
    }
    return sum;
}

function noteOutcome(verb: Verb, outcome: Outcome): void {
    addNote(outcomeWords(WORDS[verb].done, outcome), outcome.failed > 0);
}

function QueryDialog({ verb, filter, onClose }: { verb: Verb; filter: BulkFilter; onClose(): void }) {
    const [count, setCount] = useState<BulkCount>();
    const [problem, setProblem] = useState<Problem>();
    useEffect(() => {
        send<BulkCount>("POST", `/v1/jobs:${verb}`, { ...filter, dryRun: true }).then(
            setCount,
            (thrown: unknown) => setProblem(toProblem(thrown)),
        );
    }, [verb, filter]);
    const act = async () => {
        noteOutcome(verb, await bulkAll(verb, filter));
    };
    const words = WORDS[verb];
    return (
        <Confirm
            title={`${words.button} all that the query names?`}
            verb={words.sure}
            isDanger={verb === "cancel"}
            isReady={(count?.matched ?? 0) > 0}
            act={act}
            onClose={onClose}
        >
            {problem && <ProblemLine problem={problem} />}
            <p aria-live="polite">
                {count ? (
                    <>
                        <strong>
                            {count.more ? "At least " : ""}
                            {countOf(count.matched, "job")}
                        </strong>{" "}
                        {words.future}.
                    </>
                ) : (
                    !problem && "Counting ..."
                )}
            </p>
            {verb === "retry" && !("state" in filter) && (
                <p class="quiet">Without a state these are the failed ones.</p>
            )}
            {verb === "cancel" && <p class="quiet">This cannot be taken back.</p>}
        </Confirm>
    );
}

const mayTake = (verb: Verb) => (job: Job) => isEnded(job.state) === (verb === "retry");

type SelectionDialogProps = { verb: Verb; jobs: readonly Job[]; onClose(): void };

/** `jobs` as they are now: one that others cancelled meanwhile leaves the list. */
function SelectionDialog({ verb, jobs, onClose }: SelectionDialogProps) {
    const act = async () => {
        const failures = await runAll(jobs, AT_ONCE, (job) =>
            send("POST", `/v1/jobs/${job.id}:${verb}`, undefined, { headers: idempotencyKey() }),
        );
        const first = failures[0] && {
            job: failures[0].item.id,
            detail: toProblem(failures[0].error).detail,
        };
        noteOutcome(verb, { changed: jobs.length - failures.length, failed: failures.length, first });
    };
    const words = WORDS[verb];
    return (
        <Confirm
            title={`${words.button} ${countOf(jobs.length, "job")}?`}
            verb={words.sure}
            isDanger={verb === "cancel"}
            impossible={jobs.length === 0 ? "None of them is left: all have ended by now." : undefined}
            act={act}
            onClose={onClose}
        >
            <ul class="bulk-jobs">
                {jobs.map((job) => (
                    <li key={job.id}>
                        <span class="mono">{job.id}</span> {job.name}
                    </li>
                ))}
            </ul>
            {verb === "cancel" && <p class="quiet">This cannot be taken back.</p>}
        </Confirm>
    );
}

type BulkBarProps = {
    /** The query as a filter of :cancel and :retry; undefined where that filter cannot express it. */
    filter: BulkFilter | undefined;
    jobs: readonly Job[];
    selection: Selection;
    onClear(): void;
};

export function BulkBar({ filter, jobs, selection, onClear }: BulkBarProps) {
    const [asked, setAsked] = useState<{ verb: Verb; filter?: BulkFilter; ids?: ReadonlySet<string> }>();
    const chosen = jobs.filter((job) => selection.has(job.id));
    const open = chosen.filter(mayTake("cancel"));
    const ended = chosen.filter(mayTake("retry"));
    const ask = (verb: Verb, asked: readonly Job[]) =>
        setAsked({ verb, ids: new Set(asked.map((job) => job.id)) });
    const close = () => {
        setAsked(undefined);
        onClear();
    };
    return (
        <div class="bulk-bar">
            {chosen.length > 0 ? (
                <>
                    <span role="status">
                        {chosen.length} selected{chosen.length >= SELECTED_MAX && ", the most at once"}
                    </span>
                    {may("cancel") && (
                        <Button
                            look="danger"
                            disabled={open.length === 0}
                            onClick={() => ask("cancel", open)}
                        >
                            Cancel {open.length}
                        </Button>
                    )}
                    {may("submit") && (
                        <Button disabled={ended.length === 0} onClick={() => ask("retry", ended)}>
                            Run {ended.length} again
                        </Button>
                    )}
                    <Button look="ghost" onClick={onClear}>
                        Clear
                    </Button>
                </>
            ) : (
                filter && (
                    <>
                        {may("cancel") && (
                            <Button look="ghost" onClick={() => setAsked({ verb: "cancel", filter })}>
                                Cancel all ...
                            </Button>
                        )}
                        {may("submit") && (
                            <Button look="ghost" onClick={() => setAsked({ verb: "retry", filter })}>
                                Run all again ...
                            </Button>
                        )}
                    </>
                )
            )}
            {asked?.filter && <QueryDialog verb={asked.verb} filter={asked.filter} onClose={close} />}
            {asked?.ids && (
                <SelectionDialog
                    verb={asked.verb}
                    jobs={jobs.filter((job) => asked.ids?.has(job.id)).filter(mayTake(asked.verb))}
                    onClose={close}
                />
            )}
        </div>
    );
}
