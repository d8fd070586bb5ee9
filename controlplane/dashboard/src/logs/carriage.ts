/* carriage.ts - the state of a line that was written over and over, as progress bars do.  Pure.
 * Only what is shown is collapsed; the download has every byte. */

export type Collapsed = { text: string; /** states before the last one */ overwritten: number };

/** Only escapes and blanks: a bar that clears itself ends so, and its state before tells more. */
function isBlank(text: string): boolean {
    return text.trim() === "" || text.replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, "").trim() === "";
}

/** As a terminal does it: a step back, and the next character takes the place. */
function applyBackspaces(text: string): string {
    if (!text.includes("\b")) return text;
    const cells: string[] = [];
    let cursor = 0;
    for (const character of text) {
        if (character === "\b") cursor = Math.max(0, cursor - 1);
        else cells[cursor++] = character;
    }
    return cells.join("");
}

function countReturns(text: string): number {
    let returns = 0;
    for (let at = text.indexOf("\r"); at >= 0; at = text.indexOf("\r", at + 1)) returns++;
    return returns;
}

export function collapse(line: string): Collapsed {
    let end = line.length;
    while (end > 0 && line[end - 1] === "\r") end--; /* it belongs to CR LF, or ends a bar that has just been drawn */
    const text = line.slice(0, end);
    const returns = countReturns(text);
    if (returns === 0) return { text: applyBackspaces(text), overwritten: 0 };

    let last = end;
    let state = "";
    while (last > 0 && isBlank(state)) {
        const begin = text.lastIndexOf("\r", last - 1);
        state = text.slice(begin + 1, last);
        last = begin;
    }
    return { text: applyBackspaces(state), overwritten: returns };
}
