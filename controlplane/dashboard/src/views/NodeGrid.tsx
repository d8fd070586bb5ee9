/* NodeGrid.tsx - the nodes of a cluster as a dense grid of cells with their allocation, or a table. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { withQuery } from "../api/client";
import type { Node, NodePage } from "../api/types";
import { Choice } from "../parts/Choice";
import { Loaded } from "../parts/Feedback";
import { Labels } from "../parts/Labels";
import { useResource } from "../store/resource";
import { formatBytes, formatCores, formatCount, percent } from "../text/amount";
import "./NodeGrid.css";

const POLL_MS = 5000;
const NODES_MAX = 500;

const used = (node: Node, kind: "cpuMilli" | "memoryBytes" | "gpus") => node.total[kind] - node.free[kind];

function Bar({ share }: { share: number }) {
    return (
        <span class="meter-track">
            <span class={`meter-fill${share >= 90 ? " full" : ""}`} style={{ width: `${share}%` }} />
        </span>
    );
}

function allocation(node: Node): string {
    const gpus = node.total.gpus > 0 ? `, ${used(node, "gpus")} of ${node.total.gpus} GPUs` : "";
    return (
        `${formatCores(used(node, "cpuMilli"))} of ${formatCores(node.total.cpuMilli)} CPU, ` +
        `${formatBytes(used(node, "memoryBytes"))} of ${formatBytes(node.total.memoryBytes)}${gpus}`
    );
}

function Cell({ node }: { node: Node }) {
    const labels = Object.entries(node.labels).map(([key, value]) => `${key}=${value}`);
    return (
        <li
            class={`node-cell${node.ready ? "" : " unready"}`}
            title={[allocation(node), ...labels].join("\n")}
        >
            <span class="node-name">{node.name}</span>
            <span class="hidden-text">
                {node.ready ? "" : "not ready, "}
                {allocation(node)}
            </span>
            <span class="node-bars" aria-hidden="true">
                <Bar share={percent(used(node, "cpuMilli"), node.total.cpuMilli)} />
                <Bar share={percent(used(node, "memoryBytes"), node.total.memoryBytes)} />
                {node.total.gpus > 0 && <Bar share={percent(used(node, "gpus"), node.total.gpus)} />}
            </span>
            {!node.ready && <span class="node-unready">not ready</span>}
        </li>
    );
}

function NodeTable({ nodes }: { nodes: readonly Node[] }) {
    return (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="nodes">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">Node</th>
                        <th scope="col">State</th>
                        <th scope="col" class="number">
                            CPU
                        </th>
                        <th scope="col" class="number">
                            Memory
                        </th>
                        <th scope="col" class="number">
                            GPUs
                        </th>
                        <th scope="col">Labels</th>
                    </tr>
                </thead>
                <tbody>
                    {nodes.map((node) => (
                        <tr key={node.name}>
                            <td class="mono">{node.name}</td>
                            <td class={node.ready ? "tone-good" : "tone-bad"}>
                                {node.ready ? "ready" : "not ready"}
                            </td>
                            <td class="number">
                                {formatCores(used(node, "cpuMilli"))} / {formatCores(node.total.cpuMilli)}
                            </td>
                            <td class="number">
                                {formatBytes(used(node, "memoryBytes"))} /{" "}
                                {formatBytes(node.total.memoryBytes)}
                            </td>
                            <td class="number">
                                {formatCount(used(node, "gpus"))} / {formatCount(node.total.gpus)}
                            </td>
                            <td>
                                <Labels labels={node.labels} />
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

export function NodeGrid({ cluster, isNamed = false }: { cluster: string; isNamed?: boolean }) {
    const [look, setLook] = useState<"grid" | "table">("grid");
    const [typed, setTyped] = useState("");
    const path = withQuery(`/v1/clusters/${encodeURIComponent(cluster)}/nodes`, { limit: NODES_MAX });
    const nodes = useResource<NodePage>(path, {
        when: (event) => event.type.startsWith("attempt.") || event.type === "element.ended",
        everyMs: POLL_MS,
    });
    const isWanted = (node: Node) =>
        [node.name, ...Object.entries(node.labels).map((pair) => pair.join("="))].some((text) =>
            text.includes(typed),
        );
    return (
        <section class="panel node-grid" aria-label={`nodes of ${cluster}`}>
            <div class="row">
                <h2>{isNamed ? <Link href={`/clusters/${cluster}`}>{cluster}</Link> : "Nodes"}</h2>
                <span class="quiet wide-only">bars: CPU, memory, GPUs</span>
                <span class="spread" />
                <input
                    data-search
                    class="node-search"
                    type="search"
                    aria-label={`nodes of ${cluster} by name or label`}
                    placeholder="Name or label"
                    value={typed}
                    onInput={(event) => setTyped(event.currentTarget.value)}
                />
                <Choice
                    label="how nodes are shown"
                    options={[
                        { value: "grid", name: "Grid" },
                        { value: "table", name: "Table" },
                    ]}
                    value={look}
                    onChange={setLook}
                />
            </div>
            <Loaded resource={nodes}>
                {({ nodes: all, cursor }) => {
                    const shown = all.filter(isWanted);
                    return (
                        <>
                            {shown.length === 0 && (
                                <p class="quiet">
                                    {all.length === 0 ? "Its agent reports no node." : "No node is named so."}
                                </p>
                            )}
                            {look === "grid" ? (
                                <ul class={`node-cells${all.length > 120 ? " dense" : ""}`}>
                                    {shown.map((node) => (
                                        <Cell key={node.name} node={node} />
                                    ))}
                                </ul>
                            ) : (
                                <NodeTable nodes={shown} />
                            )}
                            {cursor && (
                                <p class="quiet">The first {formatCount(all.length)} nodes are shown.</p>
                            )}
                        </>
                    );
                }}
            </Loaded>
        </section>
    );
}
