/* line_view.ts - what a line shows: its last state, its level, its fields if it is JSON.  Pure; made once a
 * line and revision. */
import { plainText } from "./ansi";
import { collapse } from "./carriage";
import { type JsonLine, parseJsonLine } from "./json_line";
import { type Level, guessLevel } from "./level";
import type { Line } from "./line";

export type LineView = {
    text: string;
    /** States of a progress bar before the one in `text`. */
    overwritten: number;
    json: JsonLine | null;
    level: Level | null;
    /** Its beginning without escapes, by which a stack trace is known. */
    beginning: string;
};

const BEGINNING_MAX = 400;

const views = new WeakMap<Line, { revision: number; view: LineView }>();

function make(line: Line): LineView {
    const { text, overwritten } = collapse(line.text);
    const head = text.slice(0, BEGINNING_MAX);
    const beginning = head.includes("\x1b") ? plainText(head) : head;
    const json = parseJsonLine(text);
    return { text, overwritten, json, level: json ? json.level : guessLevel(beginning), beginning };
}

export function viewOf(line: Line): LineView {
    const known = views.get(line);
    if (known && known.revision === line.revision) return known.view;
    const view = make(line);
    views.set(line, { revision: line.revision, view });
    return view;
}
