/* StateCounts.tsx - how many are in which state: a bar, and beside it each number with its glyph and word. */
import type { JobState } from "../store/job_state";
import { formatCount } from "../text/amount";
import { StateGlyph } from "./State";
import "./StateCounts.css";

type Counts = ReadonlyArray<readonly [JobState, number]>;

/** For the eyes alone: numbers and words stand beside it. */
export function StateBar({ counts }: { counts: Counts }) {
    return (
        <span class="state-bar" aria-hidden="true">
            {counts.map(([state, count]) => (
                <span key={state} class={`state-${state}`} style={{ flexGrow: count }} />
            ))}
        </span>
    );
}

/** Without words the glyphs say the states, and the words are there for those who listen. */
export function StateCounts({ counts, hasWords }: { counts: Counts; hasWords?: boolean }) {
    return (
        <span class="state-counts">
            <StateBar counts={counts} />
            {counts.map(([state, count]) => (
                <span key={state} class={`state-count state-${state}`} title={state}>
                    <StateGlyph state={state} />
                    {formatCount(count)} <span class={hasWords ? "" : "hidden-text"}>{state}</span>
                </span>
            ))}
        </span>
    );
}
