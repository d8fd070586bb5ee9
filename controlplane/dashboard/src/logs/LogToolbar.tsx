/* LogToolbar.tsx - which output, how it is shown, where to go in it, and what to take away. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/Button";
import { Icon } from "../parts/Icon";
import { copyText } from "./copy_text";
import { HITS_MAX } from "./find";
import { formatCount } from "./gap_text";
import { LogIcon } from "./icons";
import { LEVELS, parseLevels, toggleLevel } from "./level";
import { LogStatus } from "./LogStatus";
import "./LogToolbar.css";
import { logsPath } from "./log_api";
import { timeMode, wrapping } from "./log_settings";
import type { LogStore } from "./log_store";
import { TIME_MODES, type TimeMode } from "./log_time";
import { OutputPicker } from "./OutputPicker";
import { ALL, commandOf } from "./permalink";

const TIME_NAMES: Record<TimeMode, string> = {
    off: "no times",
    relative: "since start",
    utc: "UTC",
    local: "local time",
};

/** Makes the levels of the address others: two presses may come before the page is drawn again. */
export type ChangeLevels = (change: (levels: string) => string) => void;

type LogToolbarProps = {
    store: LogStore;
    onFind: () => void;
    onLevels: ChangeLevels;
    lineField: { current: HTMLInputElement | null };
};

export function LogToolbar({ store, onFind, onLevels, lineField }: LogToolbarProps) {
    void store.version.value;
    const numbered = store.numbered.value;
    const isWrapped = wrapping.value === "wrap";
    return (
        <div class="log-toolbar" role="toolbar" aria-label="Log">
            <OutputPicker store={store} />
            <LogStatus store={store} />
            <span class="log-count">
                {numbered && numbered.end > 0 ? formatCount(numbered.end, "line") : ""}
            </span>
            <LevelChoice store={store} onLevels={onLevels} />
            <span class="spread" />
            <Button look="ghost" icon="search" title="Find (/ or Ctrl-F)" onClick={onFind}>
                <span class="wide-only">Find</span>
            </Button>
            {numbered && (
                <label class="log-pick log-go">
                    <span>Line</span>
                    <input
                        ref={lineField}
                        inputMode="numeric"
                        aria-label="Go to line"
                        title="Go to a line, or select lines: 10-20 (:)"
                        onKeyDown={(event) => {
                            if (event.key === "Enter") store.goToLines(event.currentTarget.value);
                        }}
                    />
                </label>
            )}
            <Button
                look="ghost"
                title="First line (Home)"
                aria-label="First line"
                onClick={() => store.goToTop()}
            >
                <LogIcon name="up" />
            </Button>
            <Button
                look="ghost"
                title="Last line (End)"
                aria-label="Last line"
                onClick={() => store.goToEnd()}
            >
                <LogIcon name="down" />
            </Button>
            <label class="log-pick" title="Times of the lines (t)">
                <span>
                    <Icon name="clock" size={14} />
                </span>
                <select
                    aria-label="Times of the lines"
                    value={timeMode.value}
                    onChange={(event) => (timeMode.value = event.currentTarget.value as TimeMode)}
                >
                    {TIME_MODES.map((mode) => (
                        <option key={mode} value={mode}>
                            {TIME_NAMES[mode]}
                        </option>
                    ))}
                </select>
            </label>
            <Button
                look="ghost"
                aria-pressed={isWrapped}
                title="Wrap long lines (w)"
                aria-label="Wrap long lines"
                onClick={() => (wrapping.value = isWrapped ? "cut" : "wrap")}
            >
                <LogIcon name="wrap" />
            </Button>
            <TakeAway store={store} />
        </div>
    );
}

/** Counting reads the whole output, so the counts come with the first choice. */
function LevelChoice({ store, onLevels }: { store: LogStore; onLevels: ChangeLevels }) {
    const { levels, counts, state } = store.search;
    return (
        <span class="log-levels" role="group" aria-label="Only lines of these levels">
            {LEVELS.map((level) => (
                <button
                    key={level}
                    type="button"
                    class={`log-level-choice ${level}`}
                    aria-pressed={levels.value.includes(level)}
                    title={`Only lines of the level ${level}, as far as they tell it`}
                    onClick={() => onLevels((before) => toggleLevel(parseLevels(before), level).join(","))}
                >
                    {level}
                    {counts.value && <span class="quiet">{counts.value[level].toLocaleString("en")}</span>}
                </button>
            ))}
            {levels.value.length > 0 && state.value === "stopped" && (
                <span class="log-count">the first {formatCount(HITS_MAX, "line")}</span>
            )}
        </span>
    );
}

/** Downloads, and the command that prints the same. */
function TakeAway({ store }: { store: LogStore }) {
    const [isOpen, setOpen] = useState(false);
    const [isCopied, setCopied] = useState(false);
    const element = useRef<HTMLDivElement>(null);
    useEffect(() => {
        if (!isOpen) return;
        const onDown = (event: Event) => {
            if (!element.current?.contains(event.target as Node)) setOpen(false);
        };
        document.addEventListener("pointerdown", onDown);
        return () => document.removeEventListener("pointerdown", onDown);
    }, [isOpen]);
    const selection = store.selection.value;
    const id = store.jobId;
    const command = commandOf(id, selection, store.search.pattern.value);
    const copy = async () => {
        setCopied(await copyText(command));
        window.setTimeout(() => setCopied(false), 1500);
    };
    const isPart = JSON.stringify(selection) !== JSON.stringify(ALL);
    const link = (name: string, of: typeof selection, format: string, ending: string) => (
        <a href={logsPath(id, of, { format })} download={`${id}${ending}`} onClick={() => setOpen(false)}>
            {name}
        </a>
    );
    return (
        <div class="log-menu" ref={element} onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
            <Button
                look="ghost"
                icon="download"
                aria-expanded={isOpen}
                aria-label="Download"
                title="Download"
                onClick={() => setOpen(!isOpen)}
            />
            {isOpen && (
                <div class="log-menu-box">
                    {isPart && link("The shown output, as text", selection, "text", ".part.txt")}
                    {isPart && link("The shown output, as JSON lines", selection, "jsonl", ".part.jsonl")}
                    {link("The whole job, as text", ALL, "text", ".txt")}
                    {link("The whole job, as JSON lines", ALL, "jsonl", ".jsonl")}
                    <button type="button" onClick={() => void copy()}>
                        <code>{command}</code>
                        <Icon name={isCopied ? "check" : "copy"} size={14} />
                    </button>
                </div>
            )}
        </div>
    );
}
