/* Queues.tsx - where jobs wait: what each queue holds, and whether it takes work. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useTitle } from "../app/title";
import { idempotencyKey, send, withQuery } from "../api/client";
import type { Job, JobPage, Queue, QueuePage } from "../api/types";
import { Button } from "../parts/Button";
import { Confirm } from "../parts/Dialog";
import { Empty, Loaded } from "../parts/Feedback";
import { StateGlyph } from "../parts/State";
import { JOB_STATES, type JobState } from "../store/job_state";
import { addNote } from "../store/notes";
import { useResource } from "../store/resource";
import { may, mayFleet } from "../store/session";
import { formatCount, percent } from "../text/amount";
import { QueueSwitch } from "./QueueSwitch";
import "./Queues.css";

const POLL_MS = 10_000;
/** States are counted over so many open jobs: the API counts open jobs of a queue, not by state. */
const COUNTED_MAX = 500;

type Counts = Partial<Record<JobState, number>>;

function countByQueue(jobs: readonly Job[]): Map<string, Counts> {
    const byQueue = new Map<string, Counts>();
    for (const job of jobs) {
        const counts = byQueue.get(job.queue ?? "") ?? {};
        counts[job.state] = (counts[job.state] ?? 0) + 1;
        byQueue.set(job.queue ?? "", counts);
    }
    return byQueue;
}

function Composition({ counts }: { counts: Counts }) {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const shown = JOB_STATES.filter((state) => counts[state]);
    if (total === 0) return <span class="quiet">nothing open</span>;
    return (
        <div class="composition">
            <span class="composition-bar" aria-hidden="true">
                {shown.map((state) => (
                    <span
                        key={state}
                        class={`composition-${state}`}
                        style={{ flexGrow: percent(counts[state]!, total) + 1 }}
                    />
                ))}
            </span>
            <span class="composition-words">
                {shown.map((state) => (
                    <span key={state}>
                        <StateGlyph state={state} /> {formatCount(counts[state]!)} {state}
                    </span>
                ))}
            </span>
        </div>
    );
}

function CreateDialog({ onClose }: { onClose(): void }) {
    const [, navigate] = useLocation();
    const [name, setName] = useState("");
    const [isPaused, setPaused] = useState(false);
    const act = async () => {
        await send("POST", "/v1/queues", { name, paused: isPaused }, { headers: idempotencyKey() });
        addNote(`Queue ${name} is there.`);
        navigate(`/queues/${name}`);
    };
    return (
        <Confirm title="New queue" verb="Create" isReady={name !== ""} act={act} onClose={onClose}>
            <label class="field">
                <span>Name: a-z, 0-9 and '-'</span>
                <input
                    autofocus
                    maxLength={63}
                    value={name}
                    onInput={(event) => setName(event.currentTarget.value)}
                />
            </label>
            <label class="check">
                <input
                    type="checkbox"
                    checked={isPaused}
                    onChange={(event) => setPaused(event.currentTarget.checked)}
                />
                Paused at first: nothing of it starts until it is resumed
            </label>
        </Confirm>
    );
}

function Row({ queue, counts, reload }: { queue: Queue; counts: Counts; reload(): void }) {
    return (
        <tr>
            <td>
                <Link href={`/queues/${queue.name}`}>{queue.name}</Link>
            </td>
            <td class={queue.paused ? "tone-warn" : "tone-good"}>{queue.paused ? "paused" : "takes work"}</td>
            <td class="number">{formatCount(queue.jobs)}</td>
            <td class="wrap">
                <Composition counts={counts} />
            </td>
            <td>{queue.defaultCpu ?? <span class="quiet">the setting's</span>}</td>
            <td class="number">{may("admin") && <QueueSwitch queue={queue} onDone={reload} />}</td>
        </tr>
    );
}

export function Queues() {
    useTitle("Queues");
    const [isCreating, setCreating] = useState(false);
    const queues = useResource<QueuePage>("/v1/queues", {
        when: ({ type }) => type.startsWith("queue.") || type === "job.submitted" || type === "job.ended",
        everyMs: POLL_MS,
    });
    const open = useResource<JobPage>(withQuery("/v1/jobs", { state: "open", limit: COUNTED_MAX }), {
        when: ({ type }) => type.startsWith("job.") || type === "attempt.assigned",
        everyMs: POLL_MS,
    });
    const counts = countByQueue(open.data?.jobs ?? []);
    return (
        <div class="view">
            <div class="view-head">
                <h1>Queues</h1>
                <span class="spread" />
                {mayFleet("admin") && (
                    <Button icon="submit" onClick={() => setCreating(true)}>
                        New queue
                    </Button>
                )}
            </div>
            <Loaded resource={queues}>
                {({ queues: all, cursor }) =>
                    all.length === 0 ? (
                        <Empty
                            icon="queues"
                            title="There is no queue yet"
                            command="fairlead queue create NAME"
                        />
                    ) : (
                        <div class="stack">
                            <div class="table-scroll" tabIndex={0} role="region" aria-label="queues">
                                <table class="table queues-table">
                                    <thead>
                                        <tr>
                                            <th scope="col">Queue</th>
                                            <th scope="col">State</th>
                                            <th scope="col" class="number">
                                                Open jobs
                                            </th>
                                            <th scope="col">By state</th>
                                            <th scope="col">CPU of a replica that asks for none</th>
                                            <th scope="col">
                                                <span class="hidden-text">actions</span>
                                            </th>
                                        </tr>
                                    </thead>
                                    <tbody>
                                        {all.map((queue) => (
                                            <Row
                                                key={queue.name}
                                                queue={queue}
                                                counts={counts.get(queue.name) ?? {}}
                                                reload={queues.reload}
                                            />
                                        ))}
                                    </tbody>
                                </table>
                            </div>
                            {open.data?.cursor && (
                                <p class="quiet">
                                    By state: of the newest {formatCount(open.data.jobs.length)} open jobs.
                                </p>
                            )}
                            {cursor && (
                                <p class="quiet">The first {formatCount(all.length)} queues are shown.</p>
                            )}
                        </div>
                    )
                }
            </Loaded>
            {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
        </div>
    );
}
