/* Health.tsx - whether the control plane takes requests, and how it is. */
import type { ComponentChildren } from "preact";
import { useTitle } from "../app/title";
import type { ClusterPage, Health as HealthObject, Version } from "../api/types";
import { ClusterState } from "../parts/ClusterState";
import { Facts } from "../parts/Facts";
import { Banner, Loaded } from "../parts/Feedback";
import { Meter } from "../parts/Meter";
import { Time } from "../parts/Time";
import { streamState } from "../store/live";
import { useResource } from "../store/resource";
import { may } from "../store/session";
import { formatBytes, formatCount } from "../text/amount";
import "./Health.css";

const POLL_MS = 5000;

type Fact = readonly [string, ComponentChildren];

function yesNo(value: boolean | undefined): ComponentChildren {
    return <span class={value ? "tone-good" : "tone-bad"}>{value ? "yes" : "no"}</span>;
}

function millis(micros: number): string {
    return `${(micros / 1000).toFixed(micros < 10_000 ? 2 : 0)} ms`;
}

function controlPlaneFacts(health: HealthObject): Fact[] {
    const facts: Fact[] = [["Takes requests", yesNo(health.ready)]];
    if (health.why) facts.push(["Why not", health.why]);
    if (health.leading !== undefined) facts.push(["Leads", yesNo(health.leading)]);
    if (health.epoch !== undefined) facts.push(["Term", formatCount(health.epoch)]);
    if (health.tunnelAddress) facts.push(["Agents dial", <code key="t">{health.tunnelAddress}</code>]);
    if (health.turnLongestMicros !== undefined)
        facts.push(["Longest turn", millis(health.turnLongestMicros)]);
    if (health.eventsWaiting !== undefined) facts.push(["Events waiting", formatCount(health.eventsWaiting)]);
    if (health.streams !== undefined) facts.push(["Open streams", formatCount(health.streams)]);
    return facts;
}

function History({ history }: { history: NonNullable<HealthObject["history"]> }) {
    if (history.disputed) {
        return (
            <Banner tone="warn">
                Agents know of a later database than this one, so it starts nothing. To go on with it all the
                same:
                <code> fairlead admin accept-restore</code>.
            </Banner>
        );
    }
    if (history.losses === 0) return null;
    const range = `${formatCount(history.lostJobsMin)} to ${formatCount(history.lostJobsMax)}`;
    return (
        <Banner tone="warn">
            The database went back in time {history.losses} times; the newest cost {range} jobs.
        </Banner>
    );
}

function Tunnels() {
    const clusters = useResource<ClusterPage>("/v1/clusters", { everyMs: POLL_MS });
    return (
        <section class="panel" aria-label="tunnels">
            <h2>Tunnels</h2>
            <Loaded resource={clusters}>
                {({ clusters: all }) =>
                    all.length === 0 ? (
                        <p class="quiet">No cluster has joined.</p>
                    ) : (
                        <Facts
                            facts={all.map((cluster) => [
                                cluster.name,
                                <span class="row" key={cluster.name}>
                                    <ClusterState cluster={cluster} />
                                    <span class="quiet">session {cluster.session}</span>
                                </span>,
                            ])}
                        />
                    )
                }
            </Loaded>
        </section>
    );
}

export function Health() {
    useTitle("Health");
    const health = useResource<HealthObject>("/readyz?verbose=true", { everyMs: POLL_MS });
    const version = useResource<Version>("/version");
    const { kind, since } = streamState.value;
    return (
        <div class="view">
            <div class="view-head">
                <h1>Health</h1>
            </div>
            <Loaded resource={health}>
                {(state) => (
                    <>
                        {state.history && <History history={state.history} />}
                        <div class="health">
                            <section class="panel" aria-label="control plane">
                                <h2>Control plane</h2>
                                <Facts facts={controlPlaneFacts(state)} />
                            </section>
                            {state.database && (
                                <section class="panel" aria-label="database">
                                    <h2>Database</h2>
                                    <Facts
                                        facts={[
                                            [
                                                "State",
                                                <span
                                                    key="s"
                                                    class={
                                                        state.database.state === "ok"
                                                            ? "tone-good"
                                                            : "tone-bad"
                                                    }
                                                >
                                                    {state.database.state}
                                                </span>,
                                            ],
                                            ["Commits", formatCount(state.database.commits)],
                                            [
                                                "Slowest commit",
                                                `${formatCount(state.database.commitLongestMillis)} ms`,
                                            ],
                                        ]}
                                    />
                                </section>
                            )}
                            {state.disk && (
                                <section class="panel" aria-label="disk">
                                    <h2>Disk of logs and keys</h2>
                                    <Meter
                                        label="Used"
                                        used={state.disk.totalBytes - state.disk.freeBytes}
                                        total={state.disk.totalBytes}
                                        format={formatBytes}
                                    />
                                    {state.disk.full && (
                                        <p class="tone-bad">Full: logs are not stored any more.</p>
                                    )}
                                </section>
                            )}
                            {may("read") && <Tunnels />}
                            <section class="panel" aria-label="versions">
                                <h2>Versions</h2>
                                <Facts
                                    facts={[
                                        ["Control plane", version.data?.version ?? ""],
                                        ["API", version.data?.api ?? ""],
                                    ]}
                                />
                            </section>
                            {may("read") && (
                                <section class="panel" aria-label="this page">
                                    <h2>This page</h2>
                                    <Facts
                                        facts={[
                                            ["Events", kind],
                                            ["Since", <Time key="s" at={new Date(since).toISOString()} />],
                                        ]}
                                    />
                                </section>
                            )}
                        </div>
                    </>
                )}
            </Loaded>
        </div>
    );
}
