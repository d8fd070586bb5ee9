/* WhyPanel.tsx - why a job waits: the reason of each cluster, in numbers, and who can change it. */
import { Link } from "wouter-preact";
import type { Explanation } from "../../api/types";
import { reasonWords } from "../../text/sentence";
import "./WhyPanel.css";

type Actor = Explanation["whoCanAct"];

const ACTORS: Record<Actor, string> = {
    nobody: "passes by itself",
    user: "you can change it",
    admin: "an administrator can change it",
};

/** The next step for reasons that a person can do something about. */
const REMEDIES: Record<string, string> = {
    Held: "Release it and it may start.",
    QueuePaused: "It starts once its queue is resumed.",
    NoCluster: "It starts once a cluster has joined: Admin shows how, step by step.",
    NoMatchingCluster: "Ask for less in each replica, or add a node that is large enough.",
    NodeSelectorUnmatched: "Change its nodeSelector or its affinity, or label a node so.",
    TaintNotTolerated: "Add the taint to its tolerations.",
    ClusterExcluded: "Its own lists of clusters leave this one out: run it again with others.",
    NoImages: "It has an image: let a cluster join that runs images, or run it without one.",
    ClusterUnhealthy: "Uncordon the clusters that could run it, or bring back their agents.",
    ClusterSilent: "It goes on when its cluster is back; a cluster that is gone for good can be forgotten.",
    Fragmented: "Fewer or smaller replicas would fit into what is free now.",
    InsufficientCapacity: "It starts when others have ended; asking for less may start it sooner.",
    ArrayThrottle: "A higher parallelism of the array lets more of its elements run.",
    PriorityBehind: "A higher priority puts it further to the front of its queue.",
};

export function WhyPanel({ explanation }: { explanation: Explanation }) {
    const { reason, sentence, whoCanAct, clusters } = explanation;
    const remedy = reason ? REMEDIES[reason] : undefined;
    return (
        <section class="panel why" aria-label="why it waits">
            <h2>Why it waits</h2>
            <p class="why-reason">
                <strong>{reasonWords(reason ?? "none")}</strong>
                {sentence && <span>{sentence}</span>}
                <span class={`why-actor why-${whoCanAct}`}>{ACTORS[whoCanAct]}</span>
            </p>
            {remedy && <p>{remedy}</p>}
            {clusters.length > 0 && (
                <ul class="why-clusters">
                    {clusters.map((verdict) => (
                        <li key={verdict.cluster}>
                            <Link class="link" href={`/clusters/${verdict.cluster}`}>
                                {verdict.cluster}
                            </Link>
                            <span class={verdict.reason === "Fits" ? "tone-good" : "tone-warn"}>
                                {reasonWords(verdict.reason)}
                            </span>
                            <span>{verdict.detail}</span>
                        </li>
                    ))}
                </ul>
            )}
        </section>
    );
}
