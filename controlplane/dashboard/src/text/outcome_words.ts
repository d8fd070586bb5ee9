/* outcome_words.ts - what an action on many jobs did, in a sentence.  Pure. */
import { countOf } from "./amount";

export type Outcome = {
    changed: number;
    failed: number;
    /** Why the first of those could not be. */
    first?: { job?: string; detail: string } | undefined;
};

/** `done` is the verb: "cancelled". */
export function outcomeWords(done: string, { changed, failed, first }: Outcome): string {
    const did = `${countOf(changed, "job")} ${done}`;
    if (failed === 0) return `${did}.`;
    const trouble = `${did}; ${countOf(failed, "job")} could not be`;
    if (!first) return `${trouble}.`;
    return `${trouble}${failed > 1 ? ", first" : ":"} ${first.job ? `${first.job}: ` : ""}${first.detail}`;
}
