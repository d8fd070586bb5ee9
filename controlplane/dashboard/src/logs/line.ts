/* line.ts - a line of output as the viewer holds it, and pieces of the API put together to lines.  Pure.
 * A long line comes in pieces, and so does one that is being written; pieces of several outputs may be mixed.
 * Only the beginning of a very long line is kept, and the number of bytes behind it. */
import type { LogLine } from "../api/types";

export type Gap = {
    why: string;
    bytes: number | undefined;
    element: number;
    attempt: number;
    replica: number;
};

export type Line = {
    element: number;
    attempt: number;
    replica: number;
    /** In its own output, from 0. */
    number: number;
    offset: number;
    /** Unix ms. */
    time: number | null;
    text: string;
    /** Bytes of it that are not kept. */
    bytesCut: number;
    isEnded: boolean;
    /** The line stands for missing bytes and has no text. */
    gap: Gap | null;
    /** How many line numbers it takes: those that are missing in a gap, else one. */
    span: number;
    /** Bytes are missing behind its beginning, or behind it, that take no number of their own. */
    gapsBehind: Gap[];
    /** Goes up with each piece that is added. */
    revision: number;
};

/** The part of one line that is kept, in UTF-16 units. */
export const TEXT_KEPT_MAX = 64 * 1024;

const encoder = new TextEncoder();

export function sourceOf(line: { element: number; attempt: number; replica: number }): string {
    return `${line.element}.${line.attempt}.${line.replica}`;
}

function gapOf(piece: LogLine): Gap {
    const { element, attempt, replica, bytes } = piece;
    return { why: piece.gap ?? "unknown", bytes, element, attempt, replica };
}

export function lineOf(piece: LogLine): Line {
    const { element, attempt, replica, offset } = piece;
    const line: Line = {
        element,
        attempt,
        replica,
        number: piece.line,
        offset,
        time: piece.time === null ? null : Date.parse(piece.time),
        text: "",
        bytesCut: 0,
        isEnded: false,
        gap: piece.gap === undefined ? null : gapOf(piece),
        span: 1,
        gapsBehind: [],
        revision: 0,
    };
    if (line.gap) line.isEnded = true;
    else addText(line, piece.text ?? "");
    return line;
}

/** Adds a further piece of the same line. */
function addText(line: Line, piece: string): void {
    const isEnd = piece.endsWith("\n");
    const text = isEnd ? piece.slice(0, -1) : piece;
    line.isEnded = isEnd;
    line.revision++;
    if (line.text.length + text.length <= TEXT_KEPT_MAX) {
        line.text += text;
        return;
    }
    /* A progress bar is one line for as long as it runs: its newest states are what is shown. */
    const joined = line.text + text;
    const lastReturn = joined.lastIndexOf("\r", joined.length - 2);
    const fromNewest = joined.length - TEXT_KEPT_MAX / 2;
    if (lastReturn >= fromNewest) {
        const begin = joined.indexOf("\r", fromNewest);
        line.bytesCut += encoder.encode(joined.slice(0, begin)).length;
        line.text = joined.slice(begin);
        return;
    }
    const room = Math.max(0, TEXT_KEPT_MAX - line.text.length);
    line.text += text.slice(0, room);
    line.bytesCut += encoder.encode(text.slice(room)).length;
}

/** Takes pieces in the order in which the API gives them. */
export class LineJoin {
    private readonly open = new Map<string, Line>();

    /** The line that the piece begins or, not new, adds to. */
    push(piece: LogLine): { line: Line; isNew: boolean } {
        const source = sourceOf(piece);
        const open = this.open.get(source);
        const goesOn = open !== undefined && !open.isEnded && open.number === piece.line;
        if (goesOn && piece.gap === undefined) {
            addText(open, piece.text ?? "");
            return { line: open, isNew: false };
        }
        const line = lineOf(piece);
        if (goesOn) {
            open.isEnded = true;
            line.number++; /* a gap that cuts a line has the numbers behind it */
        }
        this.open.set(source, line);
        return { line, isNew: true };
    }
}

export type Numbered = { index: number; line: Line };

/** Lines of one answer, which has the numbers `first` to `last`; a gap has those of its missing lines. */
export function joinWindow(pieces: LogLine[], first: number, last: number): Numbered[] {
    const join = new LineJoin();
    const lines: Line[] = [];
    for (const piece of pieces) {
        const { line, isNew } = join.push(piece);
        if (isNew) lines.push(line);
    }
    return numberLines(lines, first, last);
}

/** The next line of its output tells how many lines are missing in a gap; the last gap has the rest. */
function numberLines(lines: Line[], first: number, last: number): Numbered[] {
    const nextOf = new Map<string, Line>();
    let known = 0;
    const unknown: Line[] = [];
    for (const line of [...lines].reverse()) {
        const source = sourceOf(line);
        const next = nextOf.get(source);
        nextOf.set(source, line);
        if (line.gap && next) line.span = Math.max(0, next.number - line.number);
        else if (line.gap) unknown.push(line);
        if (!line.gap || next) known += line.span;
    }
    let rest = Math.max(0, last - first + 1 - known);
    for (const gap of unknown) {
        gap.span = rest;
        rest = 0;
    }
    const numbered: Numbered[] = [];
    let index = first;
    for (const line of lines) {
        const before = numbered[numbered.length - 1];
        if (line.gap && line.span === 0 && before) {
            before.line.gapsBehind.push(line.gap);
            continue;
        }
        numbered.push({ index, line });
        index += line.span;
    }
    return numbered;
}
