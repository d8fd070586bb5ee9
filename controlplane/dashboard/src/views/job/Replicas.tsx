/* Replicas.tsx - the elements of an array as a heat grid, and replicas by name: the failed ones come first. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { withQuery } from "../../api/client";
import type { Attempt, AttemptPage, Job } from "../../api/types";
import { Empty, Loaded, ProblemLine, Skeleton } from "../../parts/Feedback";
import { Span } from "../../parts/Time";
import { useAttempts } from "../../store/attempts";
import { useJobEvents } from "../../store/job_events";
import { listen } from "../../store/live";
import { useResource } from "../../store/resource";
import { now } from "../../store/ticker";
import { formatCount } from "../../text/amount";
import { reasonWords } from "../../text/sentence";
import { FailureGroups } from "./FailureGroups";
import { HeatGrid } from "./HeatGrid";
import { CELLS_MAX, buildCells, patchCells } from "./cells";
import { logsPath } from "./links";
import "./Replicas.css";
import { buildTimeline, phaseWords } from "./timeline_rows";

const ATTEMPTS_MAX = 20_000;
const FAILED_SHOWN = 100;
const REPLICAS_SHOWN = 1024;

/** Read now and then, and by events at once. */
function useCells(job: Job, attempts: readonly Attempt[], hasMore: boolean): Uint8Array {
    const read = useMemo(() => buildCells(job, attempts, hasMore), [job, attempts, hasMore]);
    const [cells, setCells] = useState(read);
    useEffect(() => {
        setCells(read);
        return listen({
            onEvents: (events) => setCells((before) => patchCells(before, job.id, events) ?? before),
            onRelist: () => undefined,
        });
    }, [read, job.id]);
    return cells.length === read.length ? cells : read;
}

function FailedElements({ job }: { job: Job }) {
    const path = withQuery(`/v1/jobs/${job.id}/attempts`, { state: "failed", limit: FAILED_SHOWN });
    const failed = useResource<AttemptPage>(path, {
        when: (event) => event.type === "element.ended" && event.job === job.id && event.state === "failed",
    });
    return (
        <section class="panel" aria-label="elements that failed">
            <h2>Failed first</h2>
            <Loaded resource={failed}>
                {({ attempts, attemptsCursor }) => (
                    <>
                        {attempts.length === 0 ? (
                            <p class="quiet">No element has failed.</p>
                        ) : (
                            <FailureTable job={job} attempts={attempts} />
                        )}
                        {attemptsCursor && (
                            <p class="quiet">The first {formatCount(attempts.length)} are shown.</p>
                        )}
                    </>
                )}
            </Loaded>
        </section>
    );
}

function FailureTable({ job, attempts }: { job: Job; attempts: readonly Attempt[] }) {
    return (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="elements that failed, as a table">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col" class="number">
                            Element
                        </th>
                        <th scope="col" class="number">
                            Attempt
                        </th>
                        <th scope="col">Where</th>
                        <th scope="col">Why</th>
                        <th scope="col" class="number">
                            Exit code
                        </th>
                        <th scope="col" class="number">
                            Ran
                        </th>
                        <th scope="col">
                            <span class="hidden-text">log</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {attempts.map((attempt) => (
                        <tr key={attempt.element}>
                            <td class="number">{attempt.element}</td>
                            <td class="number">{attempt.attempt}</td>
                            <td>
                                {attempt.cluster}{" "}
                                <span class="quiet">{attempt.nodes[attempt.firstReplica ?? 0]}</span>
                            </td>
                            <td class="text" title={attempt.words}>
                                {reasonWords(attempt.reason ?? "")}{" "}
                                <span class="quiet">{attempt.words}</span>
                            </td>
                            <td class="number">{attempt.exitCode}</td>
                            <td class="number">
                                <Span from={attempt.placedAt} to={attempt.endedAt} />
                            </td>
                            <td>
                                <Link
                                    class="link"
                                    href={logsPath(
                                        job.id,
                                        attempt.element,
                                        attempt.attempt,
                                        attempt.firstReplica,
                                    )}
                                >
                                    Log
                                </Link>
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function ArrayElements({ job }: { job: Job }) {
    const [, navigate] = useLocation();
    const { attempts, hasMore, isRead, problem } = useAttempts(job.id, ATTEMPTS_MAX);
    const cells = useCells(job, attempts, hasMore);
    return (
        <div class="stack">
            <section class="panel" aria-label="elements">
                <h2>Elements</h2>
                {problem && <ProblemLine problem={problem} />}
                {isRead ? (
                    <HeatGrid cells={cells} onOpen={(element) => navigate(logsPath(job.id, element))} />
                ) : (
                    <Skeleton />
                )}
                {job.elements.total > CELLS_MAX && (
                    <p class="quiet">
                        The first {formatCount(CELLS_MAX)} of {formatCount(job.elements.total)} are drawn.
                    </p>
                )}
            </section>
            {(job.elements.failed ?? 0) > 0 && <FailureGroups job={job} />}
            <FailedElements job={job} />
        </div>
    );
}

type ReplicaRow = { replica: number; node: string; state: string; isFirstFailure: boolean };

/** The state of a replica: its own while the attempt lives, else how the attempt ended for it. */
function replicaState(job: Job, attempt: Attempt, replica: number): string {
    const live = job.live?.find((it) => it.element === attempt.element && it.attempt === attempt.attempt);
    const own = live?.replicas[replica];
    if (own !== undefined) return own;
    if (replica === attempt.firstReplica) return `failed first, exit code ${attempt.exitCode ?? "unknown"}`;
    return attempt.firstReplica === undefined ? reasonWords(attempt.reason ?? "ended") : "ended with it";
}

/** Replicas of an attempt, the one that failed first on top. */
function replicaRows(job: Job, attempt: Attempt): ReplicaRow[] {
    const rows = attempt.nodes.slice(0, REPLICAS_SHOWN).map((node, replica) => ({
        replica,
        node,
        state: replicaState(job, attempt, replica),
        isFirstFailure: replica === attempt.firstReplica,
    }));
    return rows.sort((a, b) => Number(b.isFirstFailure) - Number(a.isFirstFailure));
}

/** How long its attempt took to start, ran and was stopped. */
function Phases({ job, attempt }: { job: Job; attempt: Attempt }) {
    const { events } = useJobEvents(job.id);
    const time = attempt.endedAt ? Date.parse(attempt.endedAt) : now.value;
    const all = job.attempts ?? [attempt];
    const rows = buildTimeline(
        job,
        all,
        events.map((item) => item.event),
        time,
    );
    const row = rows.find((one) => one.attempt === attempt.attempt);
    return row ? <p class="quiet attempt-phases">{phaseWords(row)}</p> : null;
}

function PlainReplicas({ job }: { job: Job }) {
    const attempt = job.attempts?.at(-1);
    if (!attempt) {
        return (
            <Empty icon="jobs" title="It has no replica yet">
                Replicas are there once it is placed; its overview says why it waits.
            </Empty>
        );
    }
    return (
        <section class="panel" aria-label="replicas">
            <h2>
                Replicas of attempt {attempt.attempt} on {attempt.cluster}
            </h2>
            <Phases job={job} attempt={attempt} />
            <div class="table-scroll" tabIndex={0} role="region" aria-label="replicas, as a table">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col" class="number replica-number">
                                Replica
                            </th>
                            <th scope="col">Node</th>
                            <th scope="col">State</th>
                            <th scope="col">
                                <span class="hidden-text">log</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {replicaRows(job, attempt).map((row) => (
                            <tr key={row.replica}>
                                <td class="number">{row.replica}</td>
                                <td class="mono">{row.node}</td>
                                <td class={row.isFirstFailure ? "tone-bad" : ""}>{row.state}</td>
                                <td>
                                    <Link
                                        class="link"
                                        href={logsPath(job.id, undefined, attempt.attempt, row.replica)}
                                    >
                                        Log
                                    </Link>
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}

export function Replicas({ job }: { job: Job }) {
    return job.elements.total > 1 ? <ArrayElements job={job} /> : <PlainReplicas job={job} />;
}
