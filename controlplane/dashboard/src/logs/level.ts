/* level.ts - how grave a line is, as far as its beginning tells.  Pure.  A guess: it marks the gutter, and
 * hides nothing unless a reader asks for some levels alone. */

export const LEVELS = ["error", "warn", "info", "debug"] as const;
export type Level = (typeof LEVELS)[number];

/** From the address, as the API takes it: "error,warn".  Words that are no level are left out. */
export function parseLevels(text: string): readonly Level[] {
    const words = text.split(",");
    return LEVELS.filter((level) => words.includes(level));
}

export const toggleLevel = (levels: readonly Level[], level: Level) =>
    LEVELS.filter((one) => levels.includes(one) !== (one === level));

/** Further to the right, a level's word is more likely a part of the message. */
const LOOKED_AT = 160;

const WORDS: Record<string, Level> = {
    fatal: "error",
    panic: "error",
    critical: "error",
    crit: "error",
    alert: "error",
    emerg: "error",
    severe: "error",
    error: "error",
    err: "error",
    warning: "warn",
    warn: "warn",
    wrn: "warn",
    notice: "info",
    info: "info",
    inf: "info",
    debug: "debug",
    dbg: "debug",
    trace: "debug",
    trc: "debug",
    verbose: "debug",
};

const CAPITALS =
    /(?<![A-Za-z0-9_])(FATAL|PANIC|CRITICAL|SEVERE|ERROR|WARNING|WARN|INFO|DEBUG|TRACE)(?![A-Za-z0-9_])/;
const NAMED = /\b(?:level|lvl|severity)["']?\s*[=:]\s*["']?([a-z]+)/i;
/** [warn], <error>, "error:" at the beginning, "panic: ..." of Go. */
const DELIMITED = /(?:^|[\s])[[<(]([A-Za-z]{3,8})[\])>]|^\s*([A-Za-z]{4,8}):\s/;
/** klog and glog: E0102 15:04:05.000000 */
const KLOG = /^([EWIDF])\d{4} \d\d:\d\d:\d\d/;
const KLOG_LEVELS: Record<string, Level> = { F: "error", E: "error", W: "warn", I: "info", D: "debug" };
/** How an uncaught exception of Python or Java is written. */
const EXCEPTION =
    /^(?:Traceback \(most recent call last\)|Exception in thread |Caused by: )|^[\w.$]+(?:Error|Exception): /;

/** A word, or a number as pino and syslog's libraries write them. */
export function levelOfWord(word: unknown): Level | null {
    if (typeof word === "number") {
        if (word >= 50) return "error";
        if (word >= 40) return "warn";
        if (word >= 30) return "info";
        return word >= 10 ? "debug" : null;
    }
    return typeof word === "string" ? (WORDS[word.toLowerCase()] ?? null) : null;
}

export function guessLevel(line: string): Level | null {
    const text = line.slice(0, LOOKED_AT);
    const klog = KLOG.exec(text);
    if (klog) return KLOG_LEVELS[klog[1] ?? ""] ?? null;
    const named = NAMED.exec(text);
    if (named) return levelOfWord(named[1]);
    const capitals = CAPITALS.exec(text);
    if (capitals) return levelOfWord(capitals[1]);
    const delimited = DELIMITED.exec(text);
    const word = delimited && levelOfWord(delimited[1] ?? delimited[2]);
    if (word) return word;
    return EXCEPTION.test(text) ? "error" : null;
}
