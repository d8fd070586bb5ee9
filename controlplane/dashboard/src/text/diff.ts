/* diff.ts - two texts line by line: the lines of both, and those of only one.  Pure.
 * It finds a shortest list of changes (Myers, 1986) within bounds; beyond them it says so: texts are cut, or the one
 * is given as removed and the other as added. */

export type DiffLine = { sign: " " | "+" | "-"; text: string };

export type Diff = {
    lines: DiffLine[];
    added: number;
    removed: number;
    /** Lines behind LINES_MAX were left out. */
    isCut: boolean;
    /** There are more changes than EDITS_MAX: all lines are given as changed. */
    isRough: boolean;
};

export const LINES_MAX = 5000;
export const EDITS_MAX = 800;

const as = (sign: DiffLine["sign"]) => (text: string) => ({ sign, text });

/** The step to diagonal `k` adds a line, down from the one above; else it removes one: whichever reaches further. */
const isDown = (reach: Int32Array, middle: number, d: number, k: number) =>
    k === -d || (k !== d && reach[middle + k - 1]! < reach[middle + k + 1]!);

/** `reach` holds, for each diagonal, the line of `a` that so many changes lead to. */
function shortest(a: readonly string[], b: readonly string[]): DiffLine[] | undefined {
    const max = Math.min(a.length + b.length, EDITS_MAX);
    const middle = max + 1;
    const reach = new Int32Array(2 * middle + 1);
    const steps: Int32Array[] = [];
    for (let d = 0; d <= max; d++) {
        steps.push(reach.slice());
        for (let k = -d; k <= d; k += 2) {
            let x = isDown(reach, middle, d, k) ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1;
            while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
            reach[middle + k] = x;
            if (x >= a.length && x - k >= b.length) return walkBack(a, b, steps, middle);
        }
    }
    return undefined;
}

function walkBack(
    a: readonly string[],
    b: readonly string[],
    steps: Int32Array[],
    middle: number,
): DiffLine[] {
    const lines: DiffLine[] = [];
    let x = a.length;
    let y = b.length;
    for (let d = steps.length - 1; d > 0; d--) {
        const reach = steps[d]!;
        const k = x - y;
        const down = isDown(reach, middle, d, k);
        const from = reach[middle + k + (down ? 1 : -1)]!;
        for (const end = down ? from : from + 1; x > end; y--) lines.push(as(" ")(a[--x]!));
        lines.push(down ? as("+")(b[--y]!) : as("-")(a[--x]!));
    }
    while (x > 0) lines.push(as(" ")(a[--x]!));
    return lines.reverse();
}

export function diffLines(before: string, after: string): Diff {
    const [one, two] = [before, after].map((text) => text.replace(/\n$/, "").split("\n")) as [
        string[],
        string[],
    ];
    const a = one.slice(0, LINES_MAX);
    const b = two.slice(0, LINES_MAX);
    const changes = shortest(a, b);
    const lines = changes ?? [...a.map(as("-")), ...b.map(as("+"))];
    const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
    return {
        lines,
        added: count("+"),
        removed: count("-"),
        isCut: Math.max(one.length, two.length) > LINES_MAX,
        isRough: !changes,
    };
}

/** With `around` equal lines left on each side of a change; a number stands for those that are left out. */
export function foldEqual(lines: readonly DiffLine[], around: number): Array<DiffLine | number> {
    const folded: Array<DiffLine | number> = [];
    lines.forEach((line, at) => {
        const last = folded.at(-1);
        const near = lines.slice(Math.max(0, at - around), at + around + 1);
        if (near.some(({ sign }) => sign !== " ")) folded.push(line);
        else if (typeof last === "number") folded.splice(-1, 1, last + 1);
        else folded.push(1);
    });
    return folded;
}
