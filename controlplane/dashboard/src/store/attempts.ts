/* attempts.ts - the attempts of a job, page by page up to a bound, read again while it runs. */
import { useEffect, useState } from "preact/hooks";
import { type Problem, get, isAbort, toProblem, withQuery } from "../api/client";
import type { Attempt, AttemptPage } from "../api/types";
import { startReader } from "./reader";

const PAGE_ROWS = 1000;
const GAP_MS = 2000;
const GAP_PER_DURATION = 6;

export type Attempts = {
    attempts: readonly Attempt[];
    hasMore: boolean;
    isRead: boolean;
    problem: Problem | undefined;
};

async function readPages(job: string, most: number, signal: AbortSignal): Promise<Attempts> {
    const attempts: Attempt[] = [];
    let cursor = "";
    do {
        const parameters = { limit: Math.min(PAGE_ROWS, most), cursor };
        const path = withQuery(`/v1/jobs/${encodeURIComponent(job)}/attempts`, parameters);
        const page = await get<AttemptPage>(path, { signal });
        attempts.push(...page.attempts);
        cursor = page.attemptsCursor ?? "";
    } while (cursor !== "" && attempts.length < most);
    return { attempts, hasMore: cursor !== "", isRead: true, problem: undefined };
}

/** The first `most` attempts, by element and number. */
export function useAttempts(job: string, most: number): Attempts {
    const [shown, setShown] = useState<Attempts>({
        attempts: [],
        hasMore: false,
        isRead: false,
        problem: undefined,
    });
    useEffect(() => {
        const reader = startReader({
            read: async (signal) => {
                try {
                    setShown(await readPages(job, most, signal));
                } catch (thrown) {
                    if (!isAbort(thrown)) setShown((before) => ({ ...before, problem: toProblem(thrown) }));
                }
            },
            when: (event) => "job" in event && event.job === job,
            gapMs: GAP_MS,
            gapPerDuration: GAP_PER_DURATION,
        });
        return () => reader.stop();
    }, [job, most]);
    return shown;
}
