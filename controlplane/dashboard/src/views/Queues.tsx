/* Queues.tsx - where jobs wait: the jobs of each queue, and whether it takes work. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useTitle } from "../app/title";
import { idempotencyKey, send } from "../api/client";
import type { Queue, QueuePage } from "../api/types";
import { Button } from "../parts/Button";
import { Confirm } from "../parts/Dialog";
import { Empty, Loaded } from "../parts/Feedback";
import { addNote } from "../store/notes";
import { useResource } from "../store/resource";
import { may, mayFleet } from "../store/session";
import { formatCount } from "../text/amount";
import { QueueStates } from "./QueueStates";
import { QueueSwitch } from "./QueueSwitch";

const POLL_MS = 10_000;

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

function Row({ queue, reload }: { queue: Queue; reload(): void }) {
    return (
        <tr>
            <td>
                <Link href={`/queues/${queue.name}`}>{queue.name}</Link>
            </td>
            <td class={queue.paused ? "tone-warn" : "tone-good"}>{queue.paused ? "paused" : "takes work"}</td>
            <td class="number">{formatCount(queue.jobs)}</td>
            <td class="wrap">
                <QueueStates queue={queue} />
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
        when: ({ type }) => /^(queue|job|attempt|replica)/.test(type),
        everyMs: POLL_MS,
    });
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
                                <table class="table">
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
                                                reload={queues.reload}
                                            />
                                        ))}
                                    </tbody>
                                </table>
                            </div>
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
