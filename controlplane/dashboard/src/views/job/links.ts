/* links.ts - addresses inside a job's view.  Pure. */
import { formatPlace } from "../../logs/permalink";

export function logsPath(job: string, element?: number, attempt?: number, replica?: number): string {
    const selection = {
        element: element ?? null,
        replicas: replica === undefined ? null : String(replica),
        attempt: attempt ?? null,
    };
    return `/jobs/${job}/logs${formatPlace({ selection, lines: null })}`;
}
