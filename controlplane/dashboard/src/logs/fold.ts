/* fold.ts - which lines are the middle of a stack trace, and may be folded into one row.  Pure.
 * The line that tells what happened stays in sight: the first of the trace, and Python's last.  Frames of Go
 * and Python are known by the line that begins the trace, all others by their own look. */

export type Fold = {
    /** The first line that is folded away. */ from: number;
    /** Behind the last. */ to: number;
};

/** Fewer frames than this stay as they are: a fold would not save a row. */
const FRAMES_MIN = 3;

const PYTHON_HEAD = "Traceback (most recent call last):";
const GO_HEAD = /^goroutine \d+ \[[^\]]*\]:$/;
const GO_FRAME = /^(?:\S.*\(.*\)(?: in goroutine \d+)?$|created by |\t\S+:\d+)/;
/** Java, Kotlin, JavaScript, C#. */
const AT_FRAME = /^\s+(?:at \S|\.{3} \d+ (?:more|common))/;
/** gdb, the sanitizers, glibc's backtrace_symbols. */
const CPP_FRAME = /^\s*#\d+\s+\S|^\s*\S+\([^()]*\+0x[0-9a-f]+\) ?\[0x[0-9a-f]+\]$/;

type Kind = "python" | "go" | "at" | "cpp" | null;

/** The kind of frame that `line` is, behind a line of the kind `before`. */
function kindOf(line: string, before: Kind): Kind {
    if (before === "python" && /^\s/.test(line)) return "python";
    if (before === "go" && GO_FRAME.test(line)) return "go";
    if (AT_FRAME.test(line)) return "at";
    return CPP_FRAME.test(line) ? "cpp" : null;
}

function headOf(line: string): Kind {
    if (line.trimEnd().endsWith(PYTHON_HEAD)) return "python";
    return GO_HEAD.test(line.trimEnd()) ? "go" : null;
}

/**
 * Folds among the lines `from` to `to`.  `textOf` gives a line's text, or undefined where a trace cannot go
 * on: a gap, a line of another output, or one that is not loaded.
 */
export function findFolds(from: number, to: number, textOf: (at: number) => string | undefined): Fold[] {
    const folds: Fold[] = [];
    let begin = from;
    let kind: Kind = null;
    for (let at = from; at <= to; at++) {
        const text = at < to ? textOf(at) : undefined;
        const line = text?.slice(0, 400);
        const next: Kind = line === undefined ? null : kindOf(line, kind);
        if (next !== null && next === kind) continue;
        if (kind !== null && at - begin >= FRAMES_MIN) folds.push({ from: begin, to: at });
        begin = at;
        kind = next;
        const head = line === undefined ? null : headOf(line);
        if (head) {
            begin = at + 1;
            kind = head;
        }
    }
    return folds;
}
