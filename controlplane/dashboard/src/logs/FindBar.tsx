/* FindBar.tsx - the search in the log: a text or a regular expression, how often it was found, and the list of
 * hits. */
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../parts/Button";
import { HITS_MAX, isSamePattern, nextPlace } from "./find";
import "./FindBar.css";
import { formatCount } from "./gap_text";
import { LogIcon } from "./icons";
import { viewOf } from "./line_view";
import { LogSpans, parseShown } from "./LogText";
import type { LogStore } from "./log_store";

const LISTED_MAX = 200;
/** The list shows only the text around the hit of a long line. */
const BEFORE_HIT = 40;
const LISTED_UNITS = 160;

type FindBarProps = {
    store: LogStore;
    near: () => number;
    input: RefObject<HTMLInputElement>;
    onClose: () => void;
};

export function FindBar({ store, near, input, onClose }: FindBarProps) {
    const { search } = store;
    const [isListed, setListed] = useState(false);
    const [isRegex, setRegex] = useState(false);
    const [ignoresCase, setIgnoresCase] = useState(false);
    const find = (pattern: { isRegex: boolean; ignoresCase: boolean }, step: 1 | -1 = 1) => {
        const wanted = { text: input.current?.value ?? "", ...pattern };
        if (wanted.text !== "" && isSamePattern(wanted, search.pattern.peek())) store.step(step);
        else store.find(wanted, near());
    };
    /* Searches again for the same text, in the new way. */
    const toggle = (pattern: { isRegex: boolean; ignoresCase: boolean }) => {
        setRegex(pattern.isRegex);
        setIgnoresCase(pattern.ignoresCase);
        if (search.pattern.peek().text !== "") find(pattern);
    };
    const toggleRegex = () => toggle({ isRegex: !isRegex, ignoresCase });
    const toggleCase = () => toggle({ isRegex, ignoresCase: !ignoresCase });
    const onKeyDown = (event: KeyboardEvent) => {
        const isAlt = event.altKey && !event.ctrlKey && !event.metaKey;
        const isInField = event.target === input.current; /* Enter on a button presses it */
        if (event.key === "Escape" && isInField) onClose();
        if (isAlt && event.code === "KeyR") toggleRegex();
        else if (isAlt && event.code === "KeyC") toggleCase();
        else if (event.key === "Enter" && isInField) find({ isRegex, ignoresCase }, event.shiftKey ? -1 : 1);
        else return;
        event.preventDefault();
    };
    const hasHits = search.version.value >= 0 && search.hits.length > 0;
    return (
        <div class="log-find" role="search" onKeyDown={onKeyDown}>
            <div class="log-find-line">
                <input
                    ref={input}
                    type="search"
                    aria-label="Find in this log"
                    placeholder={isRegex ? "Find a regular expression" : "Find text, exactly as written"}
                    aria-invalid={search.problem.value !== null || search.refusal.value !== null}
                    spellcheck={false}
                    autocomplete="off"
                    onSearch={(event: Event) => {
                        if ((event.currentTarget as HTMLInputElement).value === "") store.clearFind();
                    }}
                />
                <Button
                    look="ghost"
                    aria-pressed={!ignoresCase}
                    title="Upper and lower case count (Alt+C)"
                    aria-label="Match case"
                    onClick={toggleCase}
                >
                    Aa
                </Button>
                <Button
                    look="ghost"
                    aria-pressed={isRegex}
                    title="Regular expression (Alt+R)"
                    aria-label="Regular expression"
                    onClick={toggleRegex}
                >
                    .*
                </Button>
                <span class="log-find-count" role="status" title={statusOf(store)}>
                    {statusOf(store)}
                </span>
                <Button
                    look="ghost"
                    disabled={!hasHits}
                    title="Previous hit (N)"
                    aria-label="Previous hit"
                    onClick={() => store.step(-1)}
                >
                    <LogIcon name="previous" />
                </Button>
                <Button
                    look="ghost"
                    disabled={!hasHits}
                    title="Next hit (n)"
                    aria-label="Next hit"
                    onClick={() => store.step(1)}
                >
                    <LogIcon name="next" />
                </Button>
                <Button
                    look="ghost"
                    disabled={!hasHits}
                    aria-pressed={isListed}
                    title="List of hits"
                    aria-label="List of hits"
                    onClick={() => setListed(!isListed)}
                >
                    <LogIcon name="list" />
                </Button>
                <Button
                    look="ghost"
                    disabled={!hasHits}
                    aria-pressed={search.isFilter.value}
                    title="Only lines that match"
                    aria-label="Only lines that match"
                    onClick={() => store.setFilter(!search.isFilter.peek())}
                >
                    <LogIcon name="filter" />
                </Button>
                <Button
                    look="ghost"
                    icon="close"
                    title="Close (Esc)"
                    aria-label="Close the search"
                    onClick={onClose}
                />
            </div>
            {isListed && hasHits && <HitList store={store} />}
        </div>
    );
}

function statusOf(store: LogStore): string {
    const { undecided, state } = store.search;
    const isToTell = undecided.value > 0 && state.value !== "idle";
    return isToTell
        ? `${foundOf(store)}, ${undecided.value.toLocaleString("en")} too costly to decide`
        : foundOf(store);
}

function foundOf({ search }: LogStore): string {
    if (search.refusal.value) return search.refusal.value;
    if (search.problem.value) return search.problem.value.detail;
    const found = search.version.value >= 0 ? search.hits.length : 0;
    if (search.state.value === "idle") return "Enter to search";
    if (search.state.value === "running")
        return found > 0 ? `${found.toLocaleString("en")} so far` : "searching";
    if (found === 0) return "not found";
    const at = search.current.value >= 0 ? `${(search.current.value + 1).toLocaleString("en")} of ` : "";
    if (search.state.value === "stopped")
        return `${at}the first ${formatCount(HITS_MAX, "hit")}, there are more`;
    return `${at}${formatCount(found, "hit")}`;
}

function HitList({ store }: { store: LogStore }) {
    const { search } = store;
    const { elements, replicas } = store.shape;
    const from = Math.max(
        0,
        Math.min(search.current.value - LISTED_MAX / 2, search.hits.length - LISTED_MAX),
    );
    return (
        <ol class="log-hits" start={from + 1}>
            {search.hits.slice(from, from + LISTED_MAX).map(({ line, index }, i) => {
                const { text } = viewOf(line);
                const needles = search.needlesOf(line);
                const begin = Math.max(0, nextPlace(text, needles, 0).at - BEFORE_HIT);
                const part = parseShown(text.slice(begin, begin + 4 * LISTED_UNITS), LISTED_UNITS);
                const spans = part.spans.map((span) => ({ ...span, href: undefined })); /* in a button */
                const output = [
                    elements > 1 ? `e${line.element}` : "",
                    replicas > 1 ? `r${line.replica}` : "",
                ];
                return (
                    <li key={from + i}>
                        <button
                            type="button"
                            aria-current={from + i === search.current.value}
                            onClick={() => store.showHit(from + i)}
                        >
                            <span class="log-hit-place">
                                {store.isMerged ? output.filter(Boolean).join(" ") + " " : ""}
                                {((store.isMerged ? line.number : (index ?? line.number)) + 1).toLocaleString(
                                    "en",
                                )}
                            </span>
                            <span class="log-hit-text">
                                {begin > 0 && "\u2026"}
                                <LogSpans spans={spans} needles={needles} />
                            </span>
                        </button>
                    </li>
                );
            })}
        </ol>
    );
}
