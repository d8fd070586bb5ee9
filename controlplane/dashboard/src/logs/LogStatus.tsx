/* LogStatus.tsx - says in two or three words whether more output comes, and from where. */
import type { Job } from "../api/types";
import type { LogStore } from "./log_store";
import "./LogStatus.css";

type Status = { word: string; tone: "good" | "info" | "warn" | "quiet"; title?: string };

function statusOf(store: LogStore): Status {
    const link = store.link.value;
    const waiting = store.waiting.value;
    if (store.problem.value) return { word: "out of reach", tone: "warn" };
    if (link === "loading") return { word: "loading", tone: "quiet" };
    if (link === "connecting") return { word: "connecting", tone: "quiet" };
    if (link === "reconnecting" || link === "offline") {
        return {
            word: link === "offline" ? "offline" : "reconnecting",
            tone: "warn",
            title: "The lines written meanwhile come then, without a gap.",
        };
    }
    if (link === "full") {
        return {
            word: "paused",
            tone: "warn",
            title: "So many lines came while you read that the page stopped reading. The end goes on.",
        };
    }
    if (link === "ended") return endOf(store);
    if (waiting) {
        const output = waiting.outputs === 1 ? `replica ${waiting.replica}` : `${waiting.outputs} replicas`;
        const until = waiting.until ? `, until ${waiting.until} at the latest` : "";
        return {
            word: `waiting for output of ${waiting.cluster ?? "its cluster"}`,
            tone: "warn",
            title: `The job has ended; output of ${output} is still with its agent${until}.`,
        };
    }
    if (isWaitingToStart(store.currentJob.state)) return { word: "not started", tone: "quiet" };
    return { word: "live", tone: "good" };
}

export function isWaitingToStart(state: Job["state"]): boolean {
    return state === "queued" || state === "held";
}

function endOf(store: LogStore): Status {
    if (store.extent.value === "incomplete") {
        return {
            word: "incomplete",
            tone: "warn",
            title: "The end of some output was lost and will not come.",
        };
    }
    return {
        word: "complete",
        tone: "quiet",
        title: "All that was written is here, but for gaps that are marked.",
    };
}

export function LogStatus({ store }: { store: LogStore }) {
    const { word, tone, title } = statusOf(store);
    return (
        <span class={`log-status ${tone}`} role="status" title={title}>
            <i aria-hidden="true" />
            {word}
        </span>
    );
}
