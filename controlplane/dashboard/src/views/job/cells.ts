/* cells.ts - the state of every element of an array in a byte each.  Pure. */
import type { Attempt, Event as FleetEvent, Job } from "../../api/types";

export const CELL_STATES = [
    "failed",
    "running",
    "starting",
    "waiting",
    "succeeded",
    "cancelled",
    "unknown",
] as const;
export type CellState = (typeof CELL_STATES)[number];

/** More elements than these are not drawn. */
export const CELLS_MAX = 100_000;

const codeOf = (state: CellState) => CELL_STATES.indexOf(state);

function attemptCell(attempt: Attempt): CellState {
    switch (attempt.elementState) {
        case "succeeded":
        case "failed":
        case "cancelled":
            return attempt.elementState;
        default:
            return attempt.endedAt === null ? "running" : "waiting";
    }
}

/** `known` attempts come by element, so that those behind the last of them are known only if these are all. */
export function buildCells(job: Job, attempts: readonly Attempt[], hasMore: boolean): Uint8Array {
    const count = Math.min(job.elements.total, CELLS_MAX);
    const hasEnded = job.endedAt !== null;
    const cells = new Uint8Array(count).fill(codeOf(hasEnded ? "cancelled" : "waiting"));
    let behind = 0;
    for (const attempt of attempts) {
        if (attempt.element < count) cells[attempt.element] = codeOf(attemptCell(attempt));
        behind = Math.max(behind, attempt.element + 1);
    }
    if (hasMore) cells.fill(codeOf("unknown"), Math.min(behind, count));
    return cells;
}

/** The same cells, changed, or undefined where the events change none. */
export function patchCells(
    cells: Uint8Array,
    job: string,
    events: readonly FleetEvent[],
): Uint8Array | undefined {
    let patched: Uint8Array | undefined;
    const set = (element: number, state: CellState) => {
        if (element >= cells.length) return;
        patched ??= cells.slice();
        patched[element] = codeOf(state);
    };
    for (const event of events) {
        if (!("job" in event) || event.job !== job) continue;
        if (event.type === "attempt.assigned") set(event.element, "starting");
        else if (event.type === "attempt.ended") set(event.element, "waiting");
        else if (event.type === "replica.changed" && event.state === "running") set(event.element, "running");
        else if (event.type === "element.ended") {
            const { state } = event;
            if (state === "succeeded" || state === "failed" || state === "cancelled")
                set(event.element, state);
        }
    }
    return patched;
}

export function countCells(cells: Uint8Array): Array<{ state: CellState; count: number }> {
    const counts = CELL_STATES.map((state) => ({ state, count: 0 }));
    for (const cell of cells) counts[cell]!.count += 1;
    return counts.filter(({ count }) => count > 0);
}

export type CellLayout = { size: number; columns: number; rows: number };

const SIZES = [18, 14, 11, 9, 7, 5, 4, 3];

/** The largest cells with which all fit into `width` and `heightMost`; the smallest, if none do. */
export function layoutCells(count: number, width: number, heightMost: number): CellLayout {
    for (const size of SIZES) {
        const columns = Math.max(1, Math.floor(width / size));
        const rows = Math.ceil(count / columns);
        if (rows * size <= heightMost || size === SIZES.at(-1)) return { size, columns, rows };
    }
    return { size: 3, columns: 1, rows: count };
}
