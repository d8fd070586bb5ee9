/* event_words.ts - an event as a sentence, its kind, and its tone.  Pure. */
import type { Event as FleetEvent } from "../api/types";
import { countOf } from "./amount";
import { reasonWords } from "./sentence";

export const EVENT_KINDS = ["job", "attempt", "element", "replica", "queue", "cluster"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
export type EventTone = "good" | "bad" | "warn" | "info" | "quiet";

export function eventKind(event: FleetEvent): EventKind | undefined {
    const word = event.type.split(".")[0];
    return EVENT_KINDS.find((kind) => kind === word);
}

/** The time of the commit; undefined for what is no commit. */
export function eventTime(event: FleetEvent): string | undefined {
    return "at" in event ? event.at : undefined;
}

function exitOf(event: { exitCode?: number; firstReplica?: number }): string {
    const code = event.exitCode ? ` with exit code ${event.exitCode}` : "";
    return event.firstReplica === undefined ? code : `${code}, replica ${event.firstReplica} first`;
}

/** The audit's words are "token:ID NAME", or "token:ID as NAME"; a token of one queue gets them without the id. */
function byWhom(event: { by?: string }): string {
    return event.by ? ` by ${event.by.replace(/^(token:\S+ )?(as )?/, "")}` : "";
}

/** Without the job's id, which a list shows beside it. */
export function eventWords(event: FleetEvent): string {
    switch (event.type) {
        case "job.submitted": {
            const size = event.elements > 1 ? ` with ${countOf(event.elements, "element")}` : "";
            return `submitted${event.queue ? ` to ${event.queue}` : ""}${size}`;
        }
        case "job.edited":
            return `edited: revision ${event.revision}, priority ${event.priority}`;
        case "job.left":
            return "moved to another queue";
        case "job.held":
            return `held${byWhom(event)}`;
        case "job.released":
            return `released${byWhom(event)}`;
        case "job.stopping":
            return `is being stopped${byWhom(event)}`;
        case "job.ended": {
            const reason = reasonWords(event.reason);
            return `${event.state}${reason === event.state ? "" : `: ${reason}`}`;
        }
        case "attempt.assigned": {
            const place = event.cluster ? `placed on ${event.cluster}` : "placed";
            return `element ${event.element} ${place}, attempt ${event.attempt}`;
        }
        case "attempt.stopping":
            return `element ${event.element} is being stopped: ${reasonWords(event.reason)}${exitOf(event)}`;
        case "attempt.ended":
            return (
                `element ${event.element}, attempt ${event.attempt} ended: ` +
                `${reasonWords(event.reason)}${exitOf(event)}`
            );
        case "element.ended":
            return `element ${event.element} ${event.state}${event.state === "failed" ? exitOf(event) : ""}`;
        case "replica.changed": {
            const code = event.exitCode === undefined ? "" : ` with ${event.exitCode}`;
            return `replica ${event.replica} of element ${event.element} ${event.state}${code}`;
        }
        case "queue.changed":
            if (event.removed) return `queue ${event.queue} removed`;
            return `queue ${event.queue} ${event.paused ? "paused" : "takes work"}`;
        case "cluster.changed":
            return `cluster ${event.cluster} ${event.cordon ? `cordoned: ${event.cordon}` : "takes work"}`;
        case "unknown":
            return "something that only a newer control plane knows";
        case "reset":
            return "events were missed";
        case "closed":
            return event.text;
    }
}

export function eventTone(event: FleetEvent): EventTone {
    switch (event.type) {
        case "job.ended":
        case "element.ended":
            return event.state === "succeeded" ? "good" : event.state === "failed" ? "bad" : "quiet";
        case "replica.changed":
            return event.state === "running" ? "info" : event.exitCode ? "bad" : "quiet";
        case "attempt.stopping":
        case "attempt.ended":
            return event.exitCode ? "bad" : "warn";
        case "job.held":
        case "job.stopping":
            return "warn";
        case "attempt.assigned":
            return "info";
        case "queue.changed":
            return event.paused || event.removed ? "warn" : "good";
        case "cluster.changed":
            return event.cordon ? "warn" : "good";
        default:
            return "quiet";
    }
}
