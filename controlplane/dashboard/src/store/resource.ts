/* resource.ts - one GET of the API as a view sees it: its last answer, kept fresh while it is shown.
 * It is read again when an event concerns it, when events were missed, and now and then without either. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Problem, get, isAbort, toProblem } from "../api/client";
import type { FleetEvent } from "./live";
import { startReader } from "./reader";

export type Resource<T> = {
    data: T | undefined;
    problem: Problem | undefined;
    reload(): void;
};

type Options = {
    /** An event after which it is read again. */
    when?: (event: FleetEvent) => boolean;
    /** Read again after so long without an event, while the page is visible. */
    everyMs?: number;
};

const REMEMBERED_MAX = 64;
const GAP_MS = 500;
const GAP_PER_DURATION = 4;

const remembered = new Map<string, unknown>();

function remember(path: string, data: unknown): void {
    remembered.delete(path);
    remembered.set(path, data);
    if (remembered.size > REMEMBERED_MAX) remembered.delete(remembered.keys().next().value!);
}

/** For a person who signs out: the next must not see what this one saw. */
export function forgetResources(): void {
    remembered.clear();
}

type Shown = { path: string | undefined; data: unknown; problem: Problem | undefined };

/** Without a path nothing is read. */
export function useResource<T>(path: string | undefined, options: Options = {}): Resource<T> {
    const [shown, setShown] = useState<Shown>({ path: undefined, data: undefined, problem: undefined });
    const latest = useRef(options);
    latest.current = options;
    const wish = useRef<() => void>(() => undefined);

    useEffect(() => {
        if (path === undefined) return undefined;
        const reader = startReader({
            read: async (signal) => {
                try {
                    const data = await get<T>(path, { signal });
                    remember(path, data);
                    setShown({ path, data, problem: undefined });
                } catch (thrown) {
                    if (isAbort(thrown)) return;
                    const problem = toProblem(thrown);
                    setShown((before) => {
                        const data = before.path === path ? before.data : remembered.get(path);
                        return { path, data, problem };
                    });
                }
            },
            when: (event) => latest.current.when?.(event) ?? false,
            gapMs: GAP_MS,
            gapPerDuration: GAP_PER_DURATION,
            everyMs: latest.current.everyMs,
        });
        wish.current = () => reader.schedule();
        return () => reader.stop();
    }, [path]);

    const reload = useCallback(() => wish.current(), []);
    const isCurrent = shown.path === path;
    const data = isCurrent ? shown.data : path === undefined ? undefined : remembered.get(path);
    return { data: data as T | undefined, problem: isCurrent ? shown.problem : undefined, reload };
}
