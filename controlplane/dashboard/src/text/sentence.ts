/* sentence.ts - one sentence of truth about a job, from what the API says of it.  Pure. */
import type { Elements, Explanation, Job } from "../api/types";
import { countOf, formatCount } from "./amount";
import { elapsedMs, formatDuration } from "./duration";

/** `NoMatchingCluster` as words. */
export function reasonWords(reason: string): string {
    return reason.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

function capitalized(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

function endedCount(elements: Elements): number {
    return (elements.succeeded ?? 0) + (elements.failed ?? 0) + (elements.cancelled ?? 0);
}

/** `12 of 60 elements have ended, 4 run, 3 failed`; an empty text for a plain job. */
function progressOf({ elements }: Job): string {
    if (elements.total === 1) return "";
    const parts = [
        `${formatCount(endedCount(elements))} of ${countOf(elements.total, "element")} have ended`,
    ];
    if (elements.live) parts.push(`${formatCount(elements.live)} run`);
    if (elements.failed) parts.push(`${formatCount(elements.failed)} failed`);
    return parts.join(", ");
}

const REMEDY: Record<Explanation["whoCanAct"], string> = {
    nobody: "It goes on by itself.",
    user: "You can change that.",
    admin: "An administrator can change that.",
};

function waiting(job: Job, explanation: Explanation | undefined, now: number): string {
    const time = job.submittedAt ? ` for ${formatDuration(elapsedMs(job.submittedAt, now))}` : "";
    const reason = explanation?.sentence ?? (job.reason ? reasonWords(job.reason) : "");
    const progress = progressOf(job);
    const state = `Waiting${time}${reason ? `: ${reason}` : ""}.`;
    const remedy = explanation && reason ? ` ${REMEDY[explanation.whoCanAct]}` : "";
    return `${state}${remedy}${progress ? ` ${progress}.` : ""}`;
}

function failed(job: Job, explanation: Explanation | undefined): string {
    const { elements } = job;
    if (elements.total > 1) {
        const count = elements.failed === undefined ? "Some" : formatCount(elements.failed);
        return `${count} of ${countOf(elements.total, "element")} failed.`;
    }
    const reason = explanation?.sentence ?? (job.reason ? reasonWords(job.reason) : "it failed");
    const first = job.firstReplica === null ? "" : `replica ${job.firstReplica} failed first`;
    const code = job.exitCode ? `exit code ${job.exitCode}` : "";
    const attempt = job.attempt !== null && job.attempt > 1 ? `in attempt ${job.attempt}` : "";
    const detail = [first, code, attempt].filter(Boolean).join(", ");
    return `Failed: ${reason}${detail ? ` (${detail})` : ""}.`;
}

/** How long it took from its submission, for what has ended. */
function took(job: Job): string {
    const ms = elapsedMs(job.submittedAt, job.endedAt);
    return ms > 0 ? `${formatDuration(ms)} after it was submitted` : "";
}

export function sentenceOf(job: Job, explanation: Explanation | undefined, now: number): string {
    const place = job.cluster ? ` on ${job.cluster}` : "";
    const progress = progressOf(job);
    if (job.unknownSince && job.sentence) return `${capitalized(job.sentence)}.`;
    switch (job.state) {
        case "held":
            return `Held: it starts once it is released.${progress ? ` ${progress}.` : ""}`;
        case "queued":
            return waiting(job, explanation, now);
        case "starting":
            return `Starting${place}.${progress ? ` ${progress}.` : ""}`;
        case "running":
            return progress ? `Running: ${progress}.` : `Running${place}.`;
        case "stopping":
            return `Being stopped${place}; nothing new of it starts.`;
        case "succeeded": {
            const all = progress ? `All ${countOf(job.elements.total, "element")} succeeded` : "Succeeded";
            return `${[all, took(job)].filter(Boolean).join(" ")}.`;
        }
        case "failed":
            return failed(job, explanation);
        case "cancelled": {
            const reason = explanation?.sentence ?? "cancelled";
            const words = reason.startsWith("cancelled") ? capitalized(reason) : `Cancelled: ${reason}`;
            return `${words}.${progress ? ` ${progress}.` : ""}`;
        }
    }
}
