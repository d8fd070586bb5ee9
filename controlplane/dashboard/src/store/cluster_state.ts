/* cluster_state.ts - what a cluster's state means to a person.  Pure. */
import type { Cluster } from "../api/types";

export type ClusterLook = { word: string; tone: "good" | "warn" | "bad" | "quiet"; detail: string };

export function clusterLook(cluster: Cluster): ClusterLook {
    const why = cluster.cordon ? `: ${cluster.cordon}` : "";
    switch (cluster.state) {
        case "ready":
            return { word: "connected", tone: "good", detail: "takes work" };
        case "cordoned":
            return { word: "cordoned", tone: "warn", detail: `takes no new work${why}` };
        case "draining":
            return { word: "draining", tone: "warn", detail: `takes no new work and empties${why}` };
        case "joining":
            return { word: "joining", tone: "quiet", detail: "its agent has not connected yet" };
        case "away":
            return {
                word: "silent",
                tone: "bad",
                detail: "its agent is not connected; jobs go on running there",
            };
        case "lost":
            return { word: "lost", tone: "bad", detail: "silent for long; the state of its jobs is unknown" };
        case "locked":
            return {
                word: "locked",
                tone: "bad",
                detail: "an old certificate came back: a person has to unlock it",
            };
        case "revoked":
            return { word: "revoked", tone: "bad", detail: "its certificates count no more" };
    }
}
