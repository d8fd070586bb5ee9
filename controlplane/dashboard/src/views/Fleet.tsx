/* Fleet.tsx - all clusters at a glance, and outside of them what waits for a place. */
import { Link } from "wouter-preact";
import { useTitle } from "../app/title";
import type { Cluster, ClusterPage, Job, JobPage, Resources } from "../api/types";
import { Empty, Loaded } from "../parts/Feedback";
import { ResourceMeters } from "../parts/ResourceMeters";
import { Age } from "../parts/Time";
import { useResource } from "../store/resource";
import { mayFleet } from "../store/session";
import { formatCount } from "../text/amount";
import { reasonWords } from "../text/sentence";
import "./Fleet.css";
import { FleetTiles, POLL_MS, isPlacement } from "./FleetTiles";

const WAITING_LISTED = 200;
const WAITING_SHOWN = 4;

const isJobChange = ({ type }: { type: string }) => type.startsWith("job.") || type === "attempt.assigned";

function sum(clusters: readonly Cluster[], part: (cluster: Cluster) => Resources): Resources {
    const total = { cpuMilli: 0, memoryBytes: 0, gpus: 0, named: {} };
    for (const resources of clusters.map(part)) {
        total.cpuMilli += resources.cpuMilli;
        total.memoryBytes += resources.memoryBytes;
        total.gpus += resources.gpus;
    }
    return total;
}

function Summary({ clusters }: { clusters: readonly Cluster[] }) {
    const connected = clusters.filter((cluster) => cluster.connected);
    const nodes = clusters.reduce((count, cluster) => count + cluster.nodesReady, 0);
    const attempts = clusters.reduce((count, cluster) => count + cluster.attempts, 0);
    const figures: ReadonlyArray<readonly [string, string]> = [
        [formatCount(attempts), attempts === 1 ? "attempt lives" : "attempts live"],
        [`${connected.length} / ${clusters.length}`, "clusters connected"],
        [formatCount(nodes), "nodes ready"],
    ];
    return (
        <section class="summary panel" aria-label="the whole fleet">
            {figures.map(([figure, words]) => (
                <p key={words} class="summary-figure">
                    <strong>{figure}</strong> <span class="quiet">{words}</span>
                </p>
            ))}
            <ResourceMeters total={sum(clusters, (it) => it.total)} free={sum(clusters, (it) => it.free)} />
        </section>
    );
}

function byReason(jobs: readonly Job[]): Array<[string, Job[]]> {
    const groups = new Map<string, Job[]>();
    for (const job of jobs) {
        const reason = job.reason ?? "Dispatching";
        groups.set(reason, [...(groups.get(reason) ?? []), job]);
    }
    return [...groups].sort((a, b) => b[1].length - a[1].length);
}

function Waiting() {
    const path = `/v1/jobs?state=queued&limit=${WAITING_LISTED}`;
    const waiting = useResource<JobPage>(path, { when: isJobChange, everyMs: POLL_MS });
    return (
        <section class="panel" aria-label="jobs that wait for a place">
            <h2>Waiting for a place</h2>
            <Loaded resource={waiting}>
                {({ jobs, cursor }) => (
                    <>
                        {jobs.length === 0 && (
                            <p class="quiet">Nothing waits: every job has found its place.</p>
                        )}
                        <div class="waiting-groups">
                            {byReason(jobs).map(([reason, group]) => (
                                <div key={reason} class="waiting-group">
                                    <h3>
                                        {reasonWords(reason)} <span class="quiet">{group.length}</span>
                                    </h3>
                                    <ul>
                                        {group.slice(0, WAITING_SHOWN).map((job) => (
                                            <li key={job.id}>
                                                <Link href={`/jobs/${job.id}`}>
                                                    <span class="mono">{job.id}</span> {job.name}
                                                </Link>
                                                <span class="quiet">
                                                    <Age at={job.submittedAt} />
                                                </span>
                                            </li>
                                        ))}
                                    </ul>
                                </div>
                            ))}
                        </div>
                        {cursor && (
                            <p class="quiet">Only the newest {WAITING_LISTED} that wait; there are more.</p>
                        )}
                    </>
                )}
            </Loaded>
        </section>
    );
}

export function Fleet() {
    useTitle("Fleet");
    const clusters = useResource<ClusterPage>("/v1/clusters", { when: isPlacement, everyMs: POLL_MS });
    return (
        <div class="view">
            <div class="view-head">
                <h1>Fleet</h1>
                <span class="spread" />
                {mayFleet("admin") && (
                    <Link class="button" href="/admin/join">
                        Join a cluster
                    </Link>
                )}
            </div>
            <Loaded resource={clusters}>
                {({ clusters: all, cursor }) =>
                    all.length === 0 ? (
                        <Empty
                            icon="fleet"
                            title="No cluster has joined yet"
                            command="fairlead cluster join NAME"
                        >
                            A cluster is an agent that dials out to this control plane. Make it a token:
                        </Empty>
                    ) : (
                        <div class="stack">
                            <Summary clusters={all} />
                            <FleetTiles clusters={all} />
                            {cursor && <p class="quiet">The first {all.length} clusters are shown.</p>}
                            <Waiting />
                        </div>
                    )
                }
            </Loaded>
        </div>
    );
}
