/* Cluster.tsx - one cluster: its resources, its nodes as a dense grid, and the actions of an administrator. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { useTitle } from "../app/title";
import { send, withQuery } from "../api/client";
import type { Cluster as ClusterObject, ClusterPage } from "../api/types";
import { Button } from "../parts/Button";
import { ClusterState } from "../parts/ClusterState";
import { Confirm } from "../parts/Dialog";
import { Facts } from "../parts/Facts";
import { Banner, Loaded } from "../parts/Feedback";
import { ResourceMeters } from "../parts/ResourceMeters";
import { clusterLook } from "../store/cluster_state";
import { addNote } from "../store/notes";
import { useResource } from "../store/resource";
import { mayFleet } from "../store/session";
import { formatCount } from "../text/amount";
import "./Cluster.css";
import { NodeGrid } from "./NodeGrid";

const POLL_MS = 5000;

type Action = {
    verb: string;
    path: string;
    words: string;
    isDanger: boolean;
    /** Asks for the reason that is shown with the cluster. */
    takesReason: boolean;
    /** Asks what becomes of the attempts that run. */
    takesRunning: boolean;
    isPossible(cluster: ClusterObject): boolean;
};

const plain = { isDanger: false, takesReason: false, takesRunning: false };
const isClosed = ({ state }: ClusterObject) => state === "cordoned" || state === "draining";

const ACTIONS: readonly Action[] = [
    {
        ...plain,
        verb: "Cordon",
        path: ":cordon",
        words: "Nothing more starts there. Running jobs go on.",
        takesReason: true,
        isPossible: (cluster) => cluster.state === "ready",
    },
    {
        ...plain,
        verb: "Drain",
        path: ":drain",
        words: "Nothing more starts there, and it empties.",
        isDanger: true,
        takesReason: true,
        takesRunning: true,
        isPossible: (cluster) => cluster.state === "ready" || cluster.state === "cordoned",
    },
    {
        ...plain,
        verb: "Uncordon",
        path: ":uncordon",
        words: "It takes work again.",
        isPossible: isClosed,
    },
    {
        ...plain,
        verb: "Unlock",
        path: ":unlock",
        words: "It was locked because an old certificate came back. It may speak again.",
        isPossible: (cluster) => cluster.state === "locked",
    },
    {
        ...plain,
        verb: "Revoke",
        path: ":revoke",
        words: "Its certificates count no more. It comes back only with a new join token.",
        isDanger: true,
        isPossible: (cluster) => cluster.state !== "revoked",
    },
    {
        ...plain,
        verb: "Forget",
        path: "",
        words: "It is gone for good: its work is queued elsewhere, even if it still runs there.",
        isDanger: true,
        isPossible: (cluster) => !cluster.connected,
    },
];

function ActionDialog({
    cluster,
    action,
    onClose,
}: {
    cluster: ClusterObject;
    action: Action;
    onClose(): void;
}) {
    const [reason, setReason] = useState("");
    const [isStopping, setStopping] = useState(false);
    const act = async () => {
        const path = `/v1/clusters/${cluster.name}${action.path}`;
        if (action.path === "") await send("DELETE", path);
        else {
            const body = {
                ...(action.takesReason && reason ? { reason } : {}),
                ...(action.takesRunning ? { running: isStopping ? "stop" : "wait" } : {}),
            };
            await send("POST", path, action.takesReason || action.takesRunning ? body : undefined);
        }
        addNote(`${action.verb}: done for ${cluster.name}.`);
    };
    return (
        <Confirm
            title={`${action.verb} ${cluster.name}?`}
            verb={action.verb}
            isDanger={action.isDanger}
            act={act}
            onClose={onClose}
        >
            <p>{action.words}</p>
            {action.takesReason && (
                <label class="field">
                    <span>Reason, shown with the cluster</span>
                    <input
                        maxLength={253}
                        value={reason}
                        onInput={(event) => setReason(event.currentTarget.value)}
                    />
                </label>
            )}
            {action.takesRunning && (
                <label class="check">
                    <input
                        type="checkbox"
                        checked={isStopping}
                        onChange={(event) => setStopping(event.currentTarget.checked)}
                    />
                    Stop its {formatCount(cluster.attempts)} attempts now and queue them again
                </label>
            )}
        </Confirm>
    );
}

function Actions({ cluster, reload }: { cluster: ClusterObject; reload(): void }) {
    const [action, setAction] = useState<Action>();
    if (!mayFleet("admin")) return null;
    return (
        <>
            {ACTIONS.filter((it) => it.isPossible(cluster)).map((it) => (
                <Button key={it.verb} look={it.isDanger ? "danger" : "plain"} onClick={() => setAction(it)}>
                    {it.verb}
                </Button>
            ))}
            {action && (
                <ActionDialog
                    cluster={cluster}
                    action={action}
                    onClose={() => {
                        setAction(undefined);
                        reload();
                    }}
                />
            )}
        </>
    );
}

function connectionFacts(cluster: ClusterObject): Array<readonly [string, ComponentChildren]> {
    return [
        ["Attempts", formatCount(cluster.attempts)],
        ["Unconfirmed", formatCount(cluster.unconfirmed)],
        ["Nodes ready", `${cluster.nodesReady} of ${cluster.nodes}`],
        ["Runs", cluster.images ? "container images" : "processes only"],
        ["Session", `${cluster.session}, certificate ${cluster.certificateGeneration}`],
        ["Identity", <code key="id">{cluster.id}</code>],
    ];
}

export function Cluster({ name }: { name: string }) {
    useTitle(name);
    const resource = useResource<ClusterObject>(`/v1/clusters/${encodeURIComponent(name)}`, {
        when: (event) => "cluster" in event && event.cluster === name,
        everyMs: POLL_MS,
    });
    return (
        <div class="view">
            <Loaded resource={resource}>
                {(cluster) => (
                    <div class="stack">
                        <div class="view-head">
                            <p class="quiet">
                                <Link class="link" href="/">
                                    Fleet
                                </Link>{" "}
                                /
                            </p>
                            <h1>{cluster.name}</h1>
                            <ClusterState cluster={cluster} />
                            <span class="spread" />
                            <Actions cluster={cluster} reload={resource.reload} />
                        </div>
                        {clusterLook(cluster).tone !== "good" && (
                            <Banner tone="warn">
                                {cluster.name} {clusterLook(cluster).detail}.
                            </Banner>
                        )}
                        <section class="cluster-head">
                            <div class="panel">
                                <h2>Allocated</h2>
                                <ResourceMeters total={cluster.total} free={cluster.free} hasNamed />
                            </div>
                            <div class="panel">
                                <h2>Connection</h2>
                                <Facts facts={connectionFacts(cluster)} />
                            </div>
                        </section>
                        <NodeGrid cluster={cluster.name} />
                    </div>
                )}
            </Loaded>
        </div>
    );
}

/** The nodes of all clusters, one grid for each. */
export function Nodes() {
    useTitle("Nodes");
    const path = withQuery("/v1/clusters", { limit: 20 });
    const clusters = useResource<ClusterPage>(path, { everyMs: POLL_MS });
    return (
        <div class="view">
            <div class="view-head">
                <h1>Nodes</h1>
            </div>
            <Loaded resource={clusters}>
                {({ clusters: all, cursor }) => (
                    <div class="stack">
                        {all.map(({ name }) => (
                            <NodeGrid key={name} cluster={name} isNamed />
                        ))}
                        {cursor && (
                            <p class="quiet">The nodes of the first {all.length} clusters are shown.</p>
                        )}
                    </div>
                )}
            </Loaded>
        </div>
    );
}
