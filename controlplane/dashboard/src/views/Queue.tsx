/* Queue.tsx - one queue: its state, what an administrator may change of it, and its jobs. */
import { useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useTitle } from "../app/title";
import { idempotencyKey, send } from "../api/client";
import type { Job, Queue as QueueObject } from "../api/types";
import { Button } from "../parts/Button";
import { Confirm } from "../parts/Dialog";
import { Banner, Loaded } from "../parts/Feedback";
import { addNote } from "../store/notes";
import { useResource } from "../store/resource";
import type { Selection } from "../store/selection";
import { may } from "../store/session";
import { BulkBar } from "./jobs/BulkBar";
import { JobTable } from "./jobs/JobTable";
import "./Queue.css";
import { QueueFlow } from "./QueueFlow";
import { QueueStates } from "./QueueStates";
import { QueueSwitch } from "./QueueSwitch";

const POLL_MS = 10_000;

function EditDialog({ queue, onClose }: { queue: QueueObject; onClose(): void }) {
    const [cpu, setCpu] = useState(queue.defaultCpu ?? "");
    const act = async () => {
        const body = { defaultCpu: cpu.trim() === "" ? null : cpu.trim() };
        await send("PATCH", `/v1/queues/${queue.name}`, body, { headers: idempotencyKey() });
        addNote(`${queue.name} is changed. Jobs that are there keep what they have.`);
    };
    return (
        <Confirm title={`Edit ${queue.name}`} verb="Save" act={act} onClose={onClose}>
            <label class="field">
                <span>
                    CPU of a replica that asks for none, like 500m; empty: as the setting default_cpu says
                </span>
                <input autofocus value={cpu} onInput={(event) => setCpu(event.currentTarget.value)} />
            </label>
        </Confirm>
    );
}

function RemoveDialog({ queue, onClose }: { queue: QueueObject; onClose(): void }) {
    const [, navigate] = useLocation();
    const act = async () => {
        await send("DELETE", `/v1/queues/${queue.name}`, undefined, { headers: idempotencyKey() });
        addNote(`Queue ${queue.name} is gone.`);
        navigate("/queues");
    };
    return (
        <Confirm title={`Remove ${queue.name}?`} verb="Remove" isDanger act={act} onClose={onClose}>
            <p>Its ended jobs keep its name. It can be made again under the same one.</p>
        </Confirm>
    );
}

export function Queue({ name }: { name: string }) {
    useTitle(name);
    const [jobs, setJobs] = useState<readonly Job[]>([]);
    const [selection, setSelection] = useState<Selection>(new Set());
    const filter = useMemo(() => ({ queue: name }), [name]);
    const [asked, setAsked] = useState<"edit" | "remove">();
    const resource = useResource<QueueObject>(`/v1/queues/${encodeURIComponent(name)}`, {
        when: (event) =>
            ("queue" in event && event.queue === name) || /^(job|attempt|replica)/.test(event.type),
        everyMs: POLL_MS,
    });
    const close = () => {
        setAsked(undefined);
        resource.reload();
    };
    return (
        <div class="view queue">
            <Loaded resource={resource}>
                {(queue) => (
                    <>
                        <div class="view-head">
                            <p class="quiet">
                                <Link class="link" href="/queues">
                                    Queues
                                </Link>{" "}
                                /
                            </p>
                            <h1>{queue.name}</h1>
                            <span class="spread" />
                            <BulkBar
                                filter={filter}
                                jobs={jobs}
                                selection={selection}
                                onClear={() => setSelection(new Set())}
                            />
                            <Link class="button" href={`/jobs?q=queue:${queue.name}`}>
                                Query its jobs
                            </Link>
                            {may("admin") && (
                                <>
                                    <Button icon="edit" onClick={() => setAsked("edit")}>
                                        Edit
                                    </Button>
                                    <QueueSwitch queue={queue} onDone={resource.reload} />
                                    <Button
                                        look="danger"
                                        disabled={queue.jobs > 0}
                                        onClick={() => setAsked("remove")}
                                        title={queue.jobs > 0 ? "a queue with open jobs stays" : undefined}
                                    >
                                        Remove
                                    </Button>
                                </>
                            )}
                        </div>
                        <div>
                            <QueueStates queue={queue} />
                            <QueueFlow name={queue.name} />
                        </div>
                        {queue.paused && (
                            <Banner tone="warn">This queue is paused: nothing of it starts.</Banner>
                        )}
                        <JobTable
                            filter={filter}
                            selection={selection}
                            onSelect={setSelection}
                            onRows={setJobs}
                            emptyTitle="This queue has had no job yet"
                        />
                        {asked === "edit" && <EditDialog queue={queue} onClose={close} />}
                        {asked === "remove" && <RemoveDialog queue={queue} onClose={close} />}
                    </>
                )}
            </Loaded>
        </div>
    );
}
