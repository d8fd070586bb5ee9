/* ClusterState.tsx - the state of a cluster as a shape, a colour and a word. */
import type { Cluster } from "../api/types";
import { clusterLook } from "../store/cluster_state";
import "./ClusterState.css";

const SHAPES = {
    good: <circle cx="5" cy="5" r="4" fill="currentColor" />,
    warn: <path d="M5 1 9.5 9h-9Z" fill="currentColor" />,
    bad: <path d="M5 .5 9.5 5 5 9.5.5 5Z" fill="currentColor" />,
    quiet: <circle cx="5" cy="5" r="3.25" fill="none" stroke="currentColor" stroke-width="1.5" />,
} as const;

/** In a short one the word is there for those who listen alone. */
export function ClusterState({ cluster, isShort }: { cluster: Cluster; isShort?: boolean }) {
    const { word, tone, detail } = clusterLook(cluster);
    return (
        <span class={`cluster-state tone-${tone}`} title={detail}>
            <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
                {SHAPES[tone]}
            </svg>
            <span class={isShort ? "hidden-text" : ""}>{word}</span>
        </span>
    );
}
