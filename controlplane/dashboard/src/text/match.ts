/* match.ts - how well a few typed letters fit a text: they must come in it in order.  Pure. */

export type Match = { score: number; hits: number[] };

/** Higher is better; undefined where the letters do not come.  Starts of words and runs count most. */
export function matchText(typed: string, text: string): Match | undefined {
    const wanted = typed.toLowerCase().replace(/\s+/g, "");
    const lower = text.toLowerCase();
    const hits: number[] = [];
    let score = 0;
    let from = 0;
    for (const letter of wanted) {
        const at = nextHit(lower, letter, from);
        if (at < 0) return undefined;
        if (hits.length > 0 && at === hits.at(-1)! + 1) score += 4;
        if (isWordStart(lower, at)) score += 3;
        hits.push(at);
        from = at + 1;
    }
    return { score: score - lower.length / 100 - (hits[0] ?? 0) / 50, hits };
}

function isWordStart(text: string, at: number): boolean {
    return at === 0 || !/[a-z0-9]/.test(text[at - 1]!);
}

/** The letter where a run goes on, else at the start of a word, else anywhere behind `from`. */
function nextHit(text: string, letter: string, from: number): number {
    if (text[from] === letter) return from;
    for (let at = text.indexOf(letter, from); at >= 0; at = text.indexOf(letter, at + 1)) {
        if (isWordStart(text, at)) return at;
    }
    return text.indexOf(letter, from);
}

/** The `most` items that fit best; all of them, in their order, when nothing is typed. */
export function bestMatches<T>(
    typed: string,
    items: readonly T[],
    textOf: (item: T) => string,
    most: number,
): T[] {
    if (!typed.trim()) return items.slice(0, most);
    return items
        .map((item) => ({ item, match: matchText(typed, textOf(item)) }))
        .filter((pair): pair is { item: T; match: Match } => pair.match !== undefined)
        .sort((a, b) => b.match.score - a.match.score)
        .slice(0, most)
        .map((pair) => pair.item);
}
