/* State.tsx - the state of a job: a glyph, a colour and the word, so that none stands alone. */
import type { JobState } from "../store/job_state";
import "./State.css";

/* 12 px: open states are outlines that fill as a job goes on, ended ones are solid with a mark. */
function Glyph({ state }: { state: JobState }) {
    const ring = <circle cx="6" cy="6" r="4.75" fill="none" stroke="currentColor" stroke-width="1.5" />;
    const disc = <circle cx="6" cy="6" r="5.5" fill="currentColor" />;
    const mark = (d: string) => <path d={d} fill="none" stroke="var(--surface)" stroke-width="1.5" />;
    switch (state) {
        case "held":
            return (
                <>
                    {ring}
                    <path d="M4.75 4v4M7.25 4v4" stroke="currentColor" stroke-width="1.25" />
                </>
            );
        case "queued":
            return (
                <circle
                    cx="6"
                    cy="6"
                    r="4.75"
                    fill="none"
                    stroke="currentColor"
                    stroke-width="1.5"
                    stroke-dasharray="2.2 1.5"
                />
            );
        case "starting":
            return (
                <>
                    {ring}
                    <path d="M6 6V3a3 3 0 0 1 3 3Z" fill="currentColor" />
                </>
            );
        case "running":
            return (
                <>
                    {ring}
                    <path d="M6 3a3 3 0 0 1 0 6Z" fill="currentColor" />
                </>
            );
        case "stopping":
            return (
                <>
                    {ring}
                    <rect x="4.25" y="4.25" width="3.5" height="3.5" fill="currentColor" />
                </>
            );
        case "succeeded":
            return (
                <>
                    {disc}
                    {mark("M3.5 6.2 5.3 8 8.5 4.3")}
                </>
            );
        case "failed":
            return (
                <>
                    {disc}
                    {mark("M4.2 4.2l3.6 3.6M7.8 4.2 4.2 7.8")}
                </>
            );
        case "cancelled":
            return (
                <>
                    {disc}
                    {mark("M3.5 6h5")}
                </>
            );
    }
}

export function StateGlyph({ state }: { state: JobState }) {
    return (
        <svg
            class={`state-glyph state-${state}`}
            width="12"
            height="12"
            viewBox="0 0 12 12"
            aria-hidden="true"
        >
            <Glyph state={state} />
        </svg>
    );
}

export function StateBadge({ state }: { state: JobState }) {
    return (
        <span class={`state-badge state-${state}`}>
            <StateGlyph state={state} />
            {state}
        </span>
    );
}
