/* log_api.ts - the requests for a job's output. */
import { Problem, fetchRaw, withQuery } from "../api/client";
import type { LogFound, LogHit, LogLine, LogSearch } from "../api/types";
import { type Pattern, patternQuery } from "./find";
import { type Line, LineJoin, type Numbered, TEXT_KEPT_MAX, joinWindow, sourceOf } from "./line";
import type { Level } from "./level";
import { type Selection, parametersOf } from "./permalink";

/** Whether all of the output is there; "more": some is, or may be, still to come. */
export type Extent = "more" | "complete" | "incomplete";

export type LogWindow = {
    lines: Numbered[];
    /** Numbers of the lines that it has; `end` is behind the last. */
    first: number;
    end: number;
    total: number;
    extent: Extent;
};

export type Start = { from: number } | { tail: number };

/** The server takes no larger window. */
export const COUNT_MAX = 10_000;

export function logsPath(
    job: string,
    selection: Selection,
    more: Record<string, string | number> = {},
): string {
    return withQuery(`/v1/jobs/${encodeURIComponent(job)}/logs`, { ...parametersOf(selection), ...more });
}

export function streamPath(job: string, selection: Selection, start: Start): string {
    const path = `/v1/jobs/${encodeURIComponent(job)}/logs/stream`;
    return withQuery(path, { ...parametersOf(selection), ...start });
}

function extentOf(response: Response): Extent {
    const word = response.headers.get("X-Fairlead-Output");
    return word === "complete" || word === "incomplete" ? word : "more";
}

/** `lines 100-199/5000`, or `lines *` + `/5000` where there are none. */
function rangeOf(response: Response, from: number): { first: number; end: number; total: number } {
    const parts = /^lines (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "");
    const total = Number(parts?.[3] ?? 0);
    if (parts?.[1] === undefined) return { first: Math.min(from, total), end: Math.min(from, total), total };
    return { first: Number(parts[1]), end: Number(parts[2]) + 1, total };
}

function parsePieces(text: string): LogLine[] {
    return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as LogLine);
}

/** At most `count` lines; about 1 MiB of them, so it may have fewer than there are. */
export async function fetchWindow(
    job: string,
    selection: Selection,
    start: Start,
    count: number,
    signal: AbortSignal,
): Promise<LogWindow> {
    const path = logsPath(job, selection, { ...start, count, format: "jsonl" });
    try {
        const response = await fetchRaw(path, { signal });
        const pieces = parsePieces(await response.text());
        const { first, end, total } = rangeOf(response, "from" in start ? start.from : 0);
        return { lines: joinWindow(pieces, first, end - 1), first, end, total, extent: extentOf(response) };
    } catch (thrown) {
        const isTooLong = thrown instanceof Problem && thrown.status === 413;
        if (!isTooLong) throw thrown;
        return fetchLongLine(job, selection, start, signal);
    }
}

/** The server gives no window of a line of over 8 MiB: its beginning is read from the whole output. */
async function fetchLongLine(
    job: string,
    selection: Selection,
    start: Start,
    signal: AbortSignal,
): Promise<LogWindow> {
    const total = await countLines(job, selection, signal);
    const at = "from" in start ? start.from : Math.max(0, total - 1);
    const response = await fetchRaw(logsPath(job, selection, { from: at, format: "jsonl" }), { signal });
    const join = new LineJoin();
    let line: Line | undefined;
    for await (const piece of readPieces(response)) {
        const { line: next, isNew } = join.push(piece);
        if (line && isNew) break;
        line = next;
        if (line.text.length >= TEXT_KEPT_MAX || line.isEnded) break;
    }
    if (!line) return { lines: [], first: at, end: at, total, extent: extentOf(response) };
    line.bytesCut = await bytesBehind(job, selection, at, line, signal);
    return { lines: [{ index: at, line }], first: at, end: at + 1, total, extent: extentOf(response) };
}

async function countLines(job: string, selection: Selection, signal: AbortSignal): Promise<number> {
    const path = logsPath(job, selection, { from: Number.MAX_SAFE_INTEGER, count: 1 });
    const response = await fetchRaw(path, { signal });
    await response.text();
    return rangeOf(response, 0).total;
}

/** Told by where the next line of the same output begins, behind a newline; 1 where that is not known. */
async function bytesBehind(
    job: string,
    selection: Selection,
    at: number,
    line: Line,
    signal: AbortSignal,
): Promise<number> {
    const shown = new TextEncoder().encode(line.text).length;
    try {
        const path = logsPath(job, selection, { from: at + 1, count: 1, format: "jsonl" });
        const [next] = parsePieces(await (await fetchRaw(path, { signal })).text());
        return next && next.line === line.number + 1 ? next.offset - line.offset - shown - 1 : 1;
    } catch (thrown) {
        if (thrown instanceof Problem && thrown.status === 413) return 1;
        throw thrown;
    }
}

/** The number, in its own output, of the line behind a gap at `from`; null: there is none, or not soon. */
export async function numberBehindGap(
    job: string,
    selection: Selection,
    from: number,
    gap: Line,
    signal: AbortSignal,
): Promise<number | null> {
    const response = await fetchRaw(logsPath(job, selection, { from, format: "jsonl" }), { signal });
    let pieces = 0;
    for await (const piece of readPieces(response)) {
        const isBehind = piece.gap === undefined && piece.offset > gap.offset;
        if (isBehind && sourceOf(piece) === sourceOf(gap)) return piece.line;
        if (++pieces > COUNT_MAX) return null;
    }
    return null;
}

function readPieces(response: Response): AsyncGenerator<LogLine> {
    return readObjects<LogLine>(response);
}

/** Objects as they arrive; leaving the loop ends the request. */
async function* readObjects<T>(response: Response): AsyncGenerator<T> {
    const reader = response.body?.getReader();
    if (!reader) return;
    const decoder = new TextDecoder();
    let rest = "";
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines) if (line !== "") yield JSON.parse(line) as T;
        }
        if (rest) yield JSON.parse(rest) as T;
    } finally {
        await reader.cancel().catch(() => undefined);
    }
}

export type Search = { selection: Selection; pattern: Pattern; levels: readonly Level[] };

/** The lines that match, from the first one on; those that are undecided, and gaps, too. */
export async function* searchLines(
    job: string,
    { selection, pattern, levels }: Search,
    signal: AbortSignal,
    onEnd: (found: LogFound) => void,
): AsyncGenerator<LogHit> {
    const path = withQuery(`/v1/jobs/${encodeURIComponent(job)}/logs/search`, {
        ...parametersOf(selection),
        ...(pattern.text ? patternQuery(pattern) : {}),
        level: levels.join(","),
    });
    const headers = { Accept: "application/x-ndjson" };
    for await (const found of readObjects<LogSearch>(await fetchRaw(path, { signal, headers }))) {
        if (!("type" in found)) yield found;
        else if (found.type === "end") return onEnd(found);
        else throw new Error(found.text);
    }
    throw new Error("The search was cut before its end.");
}
