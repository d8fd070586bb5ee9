/* permalink.ts - which output of a job is shown, and which lines of it, as the hash of the address.  Pure.
 *
 *     #L10              line 10 of the job's output       #r3:L10-20    lines of replica 3
 *     #e5r3a2:L10       element 5, replica 3, attempt 2   #r0-7,9       these replicas, merged
 *     #all              all of it, also where a failed replica would be offered first
 *
 * People count lines from 1, and the API from 0: the one place that knows is here. */
import { NO_PATTERN, type Pattern } from "./find";

export type Selection = {
    element: number | null;
    /** As the API takes it: "3", "0-7,9"; null: all. */
    replicas: string | null;
    attempt: number | null;
};

/** Both are in it, counted from 0. */
export type LineRange = { first: number; last: number };

export type Place = { selection: Selection; lines: LineRange | null };

export const ALL: Selection = { element: null, replicas: null, attempt: null };

const REPLICA_MAX = 65535;
const REPLICA_PARTS_MAX = 16;
const PLACE =
    /^#?(?:all|(?:e(\d{1,10}))?(?:r(\d[\d,-]{0,200}))?(?:a(\d{1,5}))?)(?::?L(\d{1,15})(?:-L?(\d{1,15}))?)?$/;

/** The shortest way to say it, or null if it is not a list of replicas: "0-7, 9" is "0-7,9". */
export function parseReplicas(text: string): string | null {
    const parts = text.replace(/\s/g, "").split(",");
    if (parts.length > REPLICA_PARTS_MAX) return null;
    const ranges: string[] = [];
    for (const part of parts) {
        const bounds = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
        if (!bounds) return null;
        const first = Number(bounds[1]);
        const last = Number(bounds[2] ?? bounds[1]);
        if (first > last || last > REPLICA_MAX) return null;
        ranges.push(first === last ? `${first}` : `${first}-${last}`);
    }
    return ranges.join(",");
}

/** null: it names no place of a log. */
export function parsePlace(hash: string): Place | null {
    const parts = PLACE.exec(hash);
    if (!parts || hash === "" || hash === "#") return null;
    const [, element, replicaList, attempt, firstShown, lastShown] = parts;
    const replicas = replicaList === undefined ? null : parseReplicas(replicaList);
    if (replicaList !== undefined && replicas === null) return null;
    const numberOf = (text: string | undefined) => (text === undefined ? null : Number(text));
    const selection = { element: numberOf(element), replicas, attempt: numberOf(attempt) };
    const first = numberOf(firstShown);
    if (first === null) return { selection, lines: null };
    if (first === 0) return null;
    const last = numberOf(lastShown) ?? first;
    return { selection, lines: { first: Math.min(first, last) - 1, last: Math.max(first, last) - 1 } };
}

export function formatSelection({ element, replicas, attempt }: Selection): string {
    const part = (letter: string, value: number | string | null) =>
        value === null ? "" : `${letter}${value}`;
    return part("e", element) + part("r", replicas) + part("a", attempt);
}

export function formatLines({ first, last }: LineRange): string {
    return first === last ? `L${first + 1}` : `L${first + 1}-${last + 1}`;
}

export function formatPlace({ selection, lines }: Place): string {
    const output = formatSelection(selection);
    if (!lines) return `#${output || "all"}`;
    return `#${output}${output ? ":" : ""}${formatLines(lines)}`;
}

export function isSameSelection(one: Selection, other: Selection): boolean {
    return formatSelection(one) === formatSelection(other);
}

/** As parameters of /v1/jobs/{job}/logs, and of /logs/stream. */
export function parametersOf({ element, replicas, attempt }: Selection): Record<string, string> {
    const parameters: Record<string, string> = {};
    if (element !== null) parameters.element = `${element}`;
    if (replicas !== null) parameters.replica = replicas;
    if (attempt !== null) parameters.attempt = `${attempt}`;
    return parameters;
}

/** For a shell: in single quotes where it has to be. */
function quoted(word: string): string {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that prints the same output. */
export function commandOf(
    job: string,
    { element, replicas, attempt }: Selection,
    find: Pattern = NO_PATTERN,
): string {
    const words = ["fairlead", "logs", job];
    if (element !== null) words.push("--element", `${element}`);
    if (replicas !== null) words.push("--replica", replicas);
    if (attempt !== null) words.push("--attempt", `${attempt}`);
    if (find.text) words.push("--grep", quoted(find.text));
    if (find.text && find.isRegex) words.push("--regex");
    if (find.text && find.ignoresCase) words.push("--ignore-case");
    return words.join(" ");
}
