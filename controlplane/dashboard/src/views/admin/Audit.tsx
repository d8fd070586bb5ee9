/* Audit.tsx - who did what, and what was refused; the newest first, page by page. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { withQuery } from "../../api/client";
import type { AuditPage, AuditRecord } from "../../api/types";
import { Button } from "../../parts/Button";
import { Loaded } from "../../parts/Feedback";
import { Time } from "../../parts/Time";
import { useResource } from "../../store/resource";
import "./Audit.css";

const PAGE_ROWS = 100;

const OUTCOMES: ReadonlyArray<readonly [AuditRecord["outcome"] | "", string]> = [
    ["", "all outcomes"],
    ["done", "done"],
    ["denied", "denied"],
    ["hidden", "hidden"],
    ["unauthenticated", "unauthenticated"],
];

function Rows({ records }: { records: readonly AuditRecord[] }) {
    return (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="audit">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">Time</th>
                        <th scope="col">Who</th>
                        <th scope="col">What</th>
                        <th scope="col">Outcome</th>
                        <th scope="col">From</th>
                    </tr>
                </thead>
                <tbody>
                    {records.map((record) => (
                        <tr key={record.id}>
                            <td>
                                <Time at={record.at} />
                            </td>
                            <td class="text" title={record.actor}>
                                {record.actor}
                            </td>
                            <td class="text" title={record.what}>
                                {/^job-[0-9a-z]+$/.test(record.object) ? (
                                    <>
                                        {record.action}{" "}
                                        <Link href={`/jobs/${record.object}`} class="mono">
                                            {record.object}
                                        </Link>
                                    </>
                                ) : (
                                    record.what
                                )}
                            </td>
                            <td class={record.outcome === "done" ? "quiet" : "tone-bad"}>{record.outcome}</td>
                            <td class="mono quiet">{record.peer}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

export function Audit() {
    const [filter, setFilter] = useState({ subject: "", action: "", object: "", outcome: "" });
    /* The cursors of the pages up to this one, so that one can go back. */
    const [cursors, setCursors] = useState<readonly string[]>([""]);
    const path = withQuery("/v1/audit", { ...filter, cursor: cursors.at(-1), limit: PAGE_ROWS });
    const page = useResource<AuditPage>(path);
    const set = (name: keyof typeof filter, value: string) => {
        setFilter({ ...filter, [name]: value.trim() });
        setCursors([""]);
    };
    return (
        <section class="stack" aria-label="audit">
            <div class="row audit-filter">
                <input
                    type="search"
                    aria-label="the actor: a token's id"
                    placeholder="Who: token:ID"
                    onChange={(event) => set("subject", event.currentTarget.value)}
                />
                <input
                    type="search"
                    aria-label="action"
                    placeholder="Action: cancel"
                    onChange={(event) => set("action", event.currentTarget.value)}
                />
                <input
                    type="search"
                    aria-label="object"
                    placeholder="Object: job-7"
                    onChange={(event) => set("object", event.currentTarget.value)}
                />
                <select aria-label="outcome" onChange={(event) => set("outcome", event.currentTarget.value)}>
                    {OUTCOMES.map(([value, name]) => (
                        <option key={value} value={value}>
                            {name}
                        </option>
                    ))}
                </select>
                <Button icon="retry" onClick={page.reload}>
                    Refresh
                </Button>
            </div>
            <Loaded resource={page}>
                {({ audit, cursor }) => (
                    <>
                        {audit.length === 0 ? <p class="quiet">No record fits.</p> : <Rows records={audit} />}
                        <div class="row">
                            <Button
                                disabled={cursors.length === 1}
                                onClick={() => setCursors(cursors.slice(0, -1))}
                            >
                                Newer
                            </Button>
                            <Button
                                disabled={!cursor}
                                onClick={() => cursor && setCursors([...cursors, cursor])}
                            >
                                Older
                            </Button>
                        </div>
                    </>
                )}
            </Loaded>
        </section>
    );
}
