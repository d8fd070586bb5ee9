/* FleetTiles.tsx - one tile for each cluster: its area is the capacity, its filled part the allocation. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { withQuery } from "../api/client";
import type { Cluster, NodePage } from "../api/types";
import { Choice } from "../parts/Choice";
import { ClusterState } from "../parts/ClusterState";
import { ResourceMeters } from "../parts/ResourceMeters";
import { clusterLook } from "../store/cluster_state";
import type { FleetEvent } from "../store/live";
import { useResource } from "../store/resource";
import { countOf, formatBytes, formatCores, formatCount, percent } from "../text/amount";
import { treemap } from "../text/treemap";
import "./FleetTiles.css";

export const POLL_MS = 5000;

export const isPlacement = ({ type }: FleetEvent) =>
    type.startsWith("attempt.") || type === "element.ended" || type === "cluster.changed";

/** Nodes are asked for cluster by cluster, so only those of large tiles are drawn, and of so many. */
const STRIPS_MAX = 24;
const STRIP_NODES_MAX = 64;
/** The least size of a tile that has room for all its facts, or for some. */
const LARGE = { width: 270, height: 214 };
const MEDIUM = { width: 150, height: 96 };

const KINDS = {
    cpuMilli: { name: "CPU", format: formatCores },
    memoryBytes: { name: "Memory", format: formatBytes },
    gpus: { name: "GPUs", format: formatCount },
} as const;
type Kind = keyof typeof KINDS;

/** Each node as a column that is filled as far as its CPU is allocated. */
function NodeStrip({ cluster }: { cluster: string }) {
    const path = withQuery(`/v1/clusters/${encodeURIComponent(cluster)}/nodes`, { limit: STRIP_NODES_MAX });
    const nodes = useResource<NodePage>(path, { when: isPlacement, everyMs: POLL_MS });
    return (
        <span class="node-strip" aria-hidden="true">
            {(nodes.data?.nodes ?? []).map(({ name, ready, total, free }) => (
                <span key={name} class={ready ? "" : "unready"} title={name}>
                    <span style={{ height: `${percent(total.cpuMilli - free.cpuMilli, total.cpuMilli)}%` }} />
                </span>
            ))}
        </span>
    );
}

type TileProps = { cluster: Cluster; kind: Kind; size: "large" | "medium" | "small"; hasStrip: boolean };

function Tile({ cluster, kind, size, hasStrip }: TileProps) {
    const { tone, detail } = clusterLook(cluster);
    const { name, format } = KINDS[kind];
    const total = cluster.total[kind];
    const used = total - cluster.free[kind];
    const share = percent(used, total);
    const amount = total > 0 ? `${format(used)} of ${format(total)} ${name}` : `no ${name}`;
    const isShort = cluster.nodesReady < cluster.nodes;
    return (
        <Link
            href={`/clusters/${cluster.name}`}
            class={`tile tile-${tone} tile-${size}`}
            title={`${cluster.name}: ${amount} allocated; ${detail}`}
        >
            <span
                class={`meter-fill tile-fill${share >= 90 ? " full" : ""}`}
                style={{ height: `${share}%` }}
                aria-hidden="true"
            />
            <span class="tile-head">
                <strong>{cluster.name}</strong>
                <ClusterState cluster={cluster} isShort={size === "small"} />
            </span>
            <span class="tile-share">
                <strong>{share} %</strong> {/* the meters of a large tile say the rest */}
                <span class={size === "small" ? "hidden-text" : ""}>
                    {size === "large" ? `of ${name} allocated` : amount}
                </span>
            </span>
            {size === "large" && <ResourceMeters total={cluster.total} free={cluster.free} />}
            {hasStrip && tone === "good" && <NodeStrip cluster={cluster.name} />}
            <span class={size === "small" ? "hidden-text" : "tile-foot"}>
                <span>{countOf(cluster.attempts, "attempt")} here</span>{" "}
                <span class={isShort ? "tone-warn" : ""}>
                    {isShort ? `${formatCount(cluster.nodesReady)} of ` : ""}
                    {countOf(cluster.nodes, "node")}
                    {isShort ? " ready" : ""}
                </span>{" "}
                {tone !== "good" && size === "large" && <span class="tile-detail">{detail}</span>}
            </span>
        </Link>
    );
}

export function FleetTiles({ clusters }: { clusters: readonly Cluster[] }) {
    const box = useRef<HTMLUListElement>(null);
    const [width, setWidth] = useState(1000);
    const [kind, setKind] = useState<Kind>("cpuMilli");
    useLayoutEffect(() => {
        const measure = () => setWidth(box.current?.clientWidth || 1000);
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(box.current!);
        return () => observer.disconnect();
    }, []);

    const hasGpus = clusters.some((cluster) => cluster.total.gpus > 0);
    const sorted = useMemo(
        () => [...clusters].sort((a, b) => b.total[kind] - a.total[kind] || (a.name < b.name ? -1 : 1)),
        [clusters, kind],
    );
    const { height, tiles, isRaised } = treemap(
        sorted.map((cluster) => cluster.total[kind]),
        width,
    );
    const kinds = (Object.keys(KINDS) as Kind[]).filter((it) => it !== "gpus" || hasGpus);
    return (
        <section class="fleet-tiles" aria-label="clusters">
            <div class="row">
                <p class="quiet">
                    Area: {KINDS[kind].name} of the cluster. Hatched: allocated.
                    {isRaised && " The smallest are drawn larger, so that they can be read."}
                </p>
                <span class="spread" />
                <Choice
                    label="area and filled part"
                    options={kinds.map((value) => ({ value, name: KINDS[value].name }))}
                    value={kind}
                    onChange={setKind}
                />
            </div>
            <ul ref={box} style={{ height: `${height}px` }}>
                {sorted.map((cluster, index) => {
                    const tile = tiles[index]!;
                    const fits = (size: typeof LARGE) =>
                        tile.width * width >= size.width && tile.height >= size.height;
                    return (
                        <li
                            key={cluster.name}
                            style={{
                                left: `${tile.x * 100}%`,
                                top: `${tile.y}px`,
                                width: `${tile.width * 100}%`,
                                height: `${tile.height}px`,
                            }}
                        >
                            <Tile
                                cluster={cluster}
                                kind={kind}
                                size={fits(LARGE) ? "large" : fits(MEDIUM) ? "medium" : "small"}
                                hasStrip={fits(LARGE) && index < STRIPS_MAX}
                            />
                        </li>
                    );
                })}
            </ul>
        </section>
    );
}
