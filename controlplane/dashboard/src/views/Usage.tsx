/* Usage.tsx - what ended work held and used: by queue, person, label or day; for a spreadsheet as CSV. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { useTitle } from "../app/title";
import { withQuery } from "../api/client";
import type { UsageReport } from "../api/types";
import { Button } from "../parts/Button";
import { Choice } from "../parts/Choice";
import { download } from "../parts/download";
import { Empty, Loaded } from "../parts/Feedback";
import { Time } from "../parts/Time";
import { useResource } from "../store/resource";
import { formatCount, formatHours, percent } from "../text/amount";
import { toCsv } from "../text/csv";
import { type GroupKind, type UsageRow, usageCsv, usageRows } from "../text/usage_rows";
import "./Usage.css";

const GROUPS: ReadonlyArray<{ value: GroupKind; name: string }> = [
    { value: "queue", name: "Queue" },
    { value: "submittedBy", name: "Person" },
    { value: "label", name: "Label" },
    { value: "day", name: "Day" },
];

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

type Measure = "cpuMillis" | "gpuMillis" | "memoryMibMillis";
const MEASURES: ReadonlyArray<{ value: Measure; name: string }> = [
    { value: "cpuMillis", name: "CPU" },
    { value: "gpuMillis", name: "GPU" },
    { value: "memoryMibMillis", name: "Memory" },
];

const GROUP_QUERY: Partial<Record<GroupKind, (value: string, label: string) => string>> = {
    queue: (value) => `queue:${value}`,
    submittedBy: (value) => `by:${value}`,
    label: (value, label) => `label:${label}=${value}`,
};

function Name({ row, kind, label }: { row: UsageRow; kind: GroupKind; label: string }) {
    const query = row.value === null ? undefined : GROUP_QUERY[kind]?.(row.value, label);
    if (query === undefined) return <>{row.name}</>;
    return (
        <Link href={`/jobs?q=${encodeURIComponent(query)}`} title="its jobs">
            {row.name}
        </Link>
    );
}

function UsageTable({
    rows,
    kind,
    label,
    measure,
}: {
    rows: UsageRow[];
    kind: GroupKind;
    label: string;
    measure: Measure;
}) {
    const most = Math.max(...rows.map((row) => row[measure]));
    return (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="usage">
            <table class="table usage-table">
                <thead>
                    <tr>
                        <th scope="col">{GROUPS.find((group) => group.value === kind)!.name}</th>
                        <th scope="col" class="usage-bars">
                            <span class="hidden-text">share</span>
                        </th>
                        <th scope="col" class="number">
                            CPU hours
                        </th>
                        <th scope="col" class="number">
                            CPU used, share
                        </th>
                        <th scope="col" class="number">
                            GPU hours
                        </th>
                        <th scope="col" class="number">
                            GiB hours
                        </th>
                        <th scope="col" class="number">
                            Replica hours
                        </th>
                        <th scope="col" class="number">
                            Attempts
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row) => (
                        <tr key={row.name}>
                            <td class="text">
                                <Name row={row} kind={kind} label={label} />
                            </td>
                            <td aria-hidden="true">
                                <span class="meter-track">
                                    <span
                                        class="meter-fill"
                                        style={{ width: `${percent(row[measure], most)}%` }}
                                    />
                                </span>
                            </td>
                            <td class="number">{formatHours(row.cpuMillis)}</td>
                            <td class="number">
                                {row.measuredCpuMillis > 0
                                    ? `${percent(row.usedCpuMillis, row.measuredCpuMillis)} %`
                                    : "-"}
                            </td>
                            <td class="number">{formatHours(row.gpuMillis)}</td>
                            <td class="number">{formatHours(row.memoryMibMillis / 1024)}</td>
                            <td class="number">{formatHours(row.replicaMillis)}</td>
                            <td class="number">{formatCount(row.attempts)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

export function Usage() {
    useTitle("Usage");
    const [kind, setKind] = useState<GroupKind>("queue");
    const [measure, setMeasure] = useState<Measure>("cpuMillis");
    const [label, setLabel] = useState("team");
    const [since, setSince] = useState(dayBefore(29));
    const [until, setUntil] = useState(dayBefore(0));
    const isAsked = kind !== "label" || label.trim() !== "";
    const by = kind === "label" ? `label:${label.trim()}` : kind;
    const report = useResource<UsageReport>(
        isAsked ? withQuery("/v1/usage", { by, since, until }) : undefined,
    );
    const rows = usageRows(report.data?.usage ?? [], kind);
    const save = () =>
        download(`fairlead-usage-${since}-${until}.csv`, "text/csv", toCsv(usageCsv(rows, kind)));
    return (
        <div class="view">
            <div class="view-head">
                <h1>Usage</h1>
                <Choice label="by" options={GROUPS} value={kind} onChange={setKind} />
                {kind === "label" && (
                    <input
                        class="usage-label"
                        aria-label="key of the label"
                        value={label}
                        placeholder="team"
                        onChange={(event) => setLabel(event.currentTarget.value)}
                    />
                )}
                <span class="row usage-days">
                    <input
                        type="date"
                        aria-label="first day"
                        value={since}
                        max={until}
                        onChange={(event) => setSince(event.currentTarget.value)}
                    />
                    <span class="quiet">to</span>
                    <input
                        type="date"
                        aria-label="last day"
                        value={until}
                        min={since}
                        onChange={(event) => setUntil(event.currentTarget.value)}
                    />
                </span>
                <span class="spread" />
                <Choice label="bars show" options={MEASURES} value={measure} onChange={setMeasure} />
                <Button icon="download" disabled={rows.length === 0} onClick={save}>
                    CSV
                </Button>
            </div>
            {!isAsked ? (
                <Empty icon="usage" title="Which label?">
                    Name the key of a label, like team.
                </Empty>
            ) : (
                <Loaded resource={report}>
                    {({ countedTo, hasMore }) =>
                        rows.length === 0 ? (
                            <Empty icon="usage" title="Nothing ended in these days">
                                Usage counts attempts when they end. Another range of days may have some.
                            </Empty>
                        ) : (
                            <div class="stack">
                                <UsageTable rows={rows} kind={kind} label={label} measure={measure} />
                                <p class="quiet">
                                    Days are of UTC. Amounts are what was set aside for attempts that have
                                    ended
                                    {countedTo && (
                                        <>
                                            , counted until <Time at={countedTo} />
                                        </>
                                    )}
                                    .{hasMore && " There are more groups than are shown."}
                                </p>
                            </div>
                        )
                    }
                </Loaded>
            )}
        </div>
    );
}
