/* query.ts - the query bar of the jobs: `state:running queue:ml name:train-* label:team=vision by:@me`.  Pure.
 * It says what GET /v1/jobs can filter by, and nothing else. */
import { JOB_STATES } from "../store/job_state";

export type JobQuery = { states: string[]; queue: string; name: string; labels: string[]; by: string };

export type ParsedQuery = { query: JobQuery; faults: string[] };

const KEYS = ["state", "queue", "name", "label", "by"] as const;
const NAME_LETTERS_MAX = 253;
const STATE_WORDS = ["open", "ended", ...JOB_STATES];

export function parseQuery(text: string): ParsedQuery {
    const query: JobQuery = { states: [], queue: "", name: "", labels: [], by: "" };
    const faults: string[] = [];
    for (const word of text.split(/\s+/).filter(Boolean)) {
        const colon = word.indexOf(":");
        const fault = colon < 0 ? `"${word}" is not a filter` : takeFilter(query, word, colon);
        if (fault) faults.push(fault);
    }
    return { query, faults };
}

/** Puts one filter into the query, or says what is wrong with it. */
function takeFilter(query: JobQuery, word: string, colon: number): string | undefined {
    const key = word.slice(0, colon);
    const value = word.slice(colon + 1);
    if (!(KEYS as readonly string[]).includes(key)) return `there is no filter "${key}"`;
    if (value === "") return `"${key}:" has no value yet`;
    if (key === "state") {
        const states = value.split(",").filter(Boolean);
        const unknown = states.find((state) => !STATE_WORDS.includes(state));
        if (unknown !== undefined) return `there is no state "${unknown}"`;
        query.states.push(...states);
    } else if (key === "label") {
        if (!/^[^=,]+=[^,]*$/.test(value)) return `a label is written label:KEY=VALUE, not "${word}"`;
        query.labels.push(value);
    } else if (key === "queue") {
        if (query.queue) return "only one queue can be asked for";
        query.queue = value;
    } else if (key === "name") {
        if (query.name) return "only one name can be asked for; a * in it stands for any letters";
        if (value.length > NAME_LETTERS_MAX) return `a name has at most ${NAME_LETTERS_MAX} letters`;
        query.name = value;
    } else {
        if (query.by) return "only one person can be asked for";
        query.by = value;
    }
    return undefined;
}

export function formatQuery(query: JobQuery): string {
    return [
        query.states.length > 0 ? `state:${query.states.join(",")}` : "",
        query.queue && `queue:${query.queue}`,
        query.name && `name:${query.name}`,
        ...query.labels.map((label) => `label:${label}`),
        query.by && `by:${query.by}`,
    ]
        .filter(Boolean)
        .join(" ");
}

/** As parameters of GET /v1/jobs. */
export function toParameters(query: JobQuery): Record<string, string | undefined> {
    return {
        state: query.states.join(",") || undefined,
        queue: query.queue || undefined,
        name: query.name || undefined,
        label: query.labels.join(",") || undefined,
        submittedBy: query.by || undefined,
    };
}

/** As the body of :cancel and :retry; undefined without a filter, which these want. */
export function toBulkFilter(query: JobQuery): Record<string, unknown> | undefined {
    const filter: Record<string, unknown> = {};
    if (query.by) filter.submittedBy = query.by;
    if (query.states.length > 0) filter.state = query.states;
    if (query.queue) filter.queue = query.queue;
    if (query.name) filter.name = query.name;
    if (query.labels.length > 0) {
        filter.labels = Object.fromEntries(
            query.labels.map((label) => {
                const equals = label.indexOf("=");
                return [label.slice(0, equals), label.slice(equals + 1)];
            }),
        );
    }
    return Object.keys(filter).length > 0 ? filter : undefined;
}

/** Words that are known from what the page has seen, to complete with. */
export type KnownWords = {
    queues: readonly string[];
    names: readonly string[];
    labels: readonly string[];
    people: readonly string[];
};

const COMPLETIONS_MAX = 8;

function valuesOf(key: string, known: KnownWords): readonly string[] {
    if (key === "state") return STATE_WORDS;
    if (key === "queue") return known.queues;
    if (key === "name") return known.names;
    if (key === "label") return known.labels;
    return key === "by" ? ["@me", ...known.people] : [];
}

/** The words that the one before the caret may become. */
export function completions(text: string, caret: number, known: KnownWords): string[] {
    const word = /\S*$/.exec(text.slice(0, caret))![0];
    const [, key, before, typed] = /^([a-z]+):(.*,)?(.*)$/.exec(word) ?? [];
    const all =
        key === undefined
            ? KEYS.map((name) => `${name}:`)
            : valuesOf(key, known).map((value) => `${key}:${before ?? ""}${value}`);
    const start = key === undefined ? word : `${key}:${before ?? ""}${typed ?? ""}`;
    return all.filter((option) => option.startsWith(start) && option !== word).slice(0, COMPLETIONS_MAX);
}

/** The text with the word before the caret replaced, and where the caret then stands. */
export function complete(text: string, caret: number, option: string): { text: string; caret: number } {
    const head = text.slice(0, caret).replace(/\S*$/, "") + option;
    const tail = text.slice(caret).replace(/^\S*/, "");
    const space = option.endsWith(":") || tail.startsWith(" ") ? "" : " ";
    return { text: head + space + tail, caret: head.length + space.length };
}
