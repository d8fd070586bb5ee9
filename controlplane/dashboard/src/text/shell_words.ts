/* shell_words.ts - a command line to words, and back, as a POSIX shell quotes them.  Pure.
 * Nothing is substituted: `$HOME` is five letters. */

/** The words; undefined while a quote is open. */
export function splitWords(text: string): string[] | undefined {
    const words: string[] = [];
    let word: string | undefined;
    let quote = "";
    for (let at = 0; at < text.length; at++) {
        const letter = text[at]!;
        if (quote === "'") {
            if (letter === "'") quote = "";
            else word += letter;
        } else if (
            letter === "\\" &&
            at + 1 < text.length &&
            (quote === "" || /["\\$`]/.test(text[at + 1]!))
        ) {
            word = (word ?? "") + text[++at]!;
        } else if (quote === '"') {
            if (letter === '"') quote = "";
            else word += letter;
        } else if (letter === "'" || letter === '"') {
            quote = letter;
            word ??= "";
        } else if (/\s/.test(letter)) {
            if (word !== undefined) words.push(word);
            word = undefined;
        } else {
            word = (word ?? "") + letter;
        }
    }
    if (quote) return undefined;
    return word === undefined ? words : [...words, word];
}

export function quoteWord(word: string): string {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function joinWords(words: readonly string[]): string {
    return words.map(quoteWord).join(" ");
}
