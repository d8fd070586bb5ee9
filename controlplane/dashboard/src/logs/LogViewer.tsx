/* LogViewer.tsx - the output of a job: live or archived, one replica or many, of any length. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Job } from "../api/types";
import { Button } from "../parts/Button";
import { Empty, ProblemLine, ProblemView, Skeleton } from "../parts/Feedback";
import { FindBar } from "./FindBar";
import { formatCount } from "./gap_text";
import { HitMap } from "./HitMap";
import { LogIcon } from "./icons";
import { parseLevels } from "./level";
import { ListControl, ROW_HEIGHT } from "./list_control";
import { LogList } from "./LogList";
import { isWaitingToStart } from "./LogStatus";
import { type ChangeLevels, LogToolbar } from "./LogToolbar";
import "./LogViewer.css";
import { timeMode, wrapping } from "./log_settings";
import { LogStore } from "./log_store";
import { TIME_MODES } from "./log_time";
import { SelectionBar } from "./SelectionBar";

export type LogViewerProps = {
    job: Job;
    /** The hash of the address, "" or "#...". */
    at: string;
    onAt(hash: string): void;
    /** The levels of the lines that are shown, "error,warn"; "": all lines. */
    levels: string;
    onLevels: ChangeLevels;
};

const PAIR_MS = 1200;

export function LogViewer({ job, at, onAt, levels, onLevels }: LogViewerProps) {
    const goTo = useRef(onAt);
    goTo.current = onAt;
    const { store, control } = useMemo(() => {
        const store = new LogStore(job, (hash) => goTo.current(hash));
        return { store, control: new ListControl(store) };
    }, [job.id]);
    store.takeJob(job);
    useEffect(() => () => store.close(), [store]);
    useEffect(() => store.takeLevels(parseLevels(levels)), [store, levels]);
    useEffect(() => store.takeAddress(at), [store, at]);

    const [isFinding, setFinding] = useState(false);
    const root = useRef<HTMLElement>(null);
    const scroller = useRef<HTMLDivElement>(null);
    const findInput = useRef<HTMLInputElement>(null);
    const lineField = useRef<HTMLInputElement>(null);
    const openFind = () => {
        setFinding(true);
        requestAnimationFrame(() => findInput.current?.select());
    };
    const closeFind = () => {
        setFinding(false);
        store.clearFind();
        scroller.current?.focus();
    };
    useEffect(() => {
        let pairAt = -PAIR_MS;
        const onKeyDown = (event: KeyboardEvent) => {
            /* g and a letter go to another view of the page. */
            const isPair = event.timeStamp - pairAt < PAIR_MS;
            pairAt = event.key === "g" && !isPair ? event.timeStamp : -PAIR_MS;
            if (isPair) return;
            const keys = { store, control, openFind, closeFind, isFinding, lineField: lineField.current };
            if (!isOurs(event, root.current) || !handleKey(event, keys)) return;
            event.preventDefault();
            event.stopPropagation();
        };
        /* Before the page's own keys: where the log is in sight, / searches in it. */
        window.addEventListener("keydown", onKeyDown, true);
        return () => window.removeEventListener("keydown", onKeyDown, true);
    }, [store, control, isFinding]);

    return (
        <section class="log-viewer" aria-label={`Output of ${job.name ?? job.id}`} ref={root}>
            <LogToolbar store={store} onFind={openFind} onLevels={onLevels} lineField={lineField} />
            {isFinding && (
                <FindBar
                    store={store}
                    near={() => control.firstShown}
                    input={findInput}
                    onClose={closeFind}
                />
            )}
            {store.problem.value && store.source.value && <ProblemLine problem={store.problem.value} />}
            <div
                class="log-body"
                onClick={(event) => onClick(event, store, control, (hash) => goTo.current(hash))}
            >
                <div
                    class="log-scroller"
                    ref={scroller}
                    tabIndex={0}
                    role="log"
                    aria-live="off"
                    aria-label="Lines of output: arrows, Page Up and Page Down, Home and End move"
                >
                    <LogList store={store} control={control} scroller={scroller} />
                </div>
                <HitMap store={store} />
                <Placeholder store={store} job={job} />
                <SelectionBar store={store} />
                <NewLines store={store} />
            </div>
        </section>
    );
}

/** A message in place of lines. */
function Placeholder({ store, job }: { store: LogStore; job: Job }) {
    void store.version.value;
    const source = store.source.value;
    const problem = store.problem.value;
    if (problem && !source) {
        return (
            <div class="log-cover">
                <ProblemView problem={problem} retry={() => store.reload()} />
            </div>
        );
    }
    if (!source)
        return (
            <div class="log-cover log-loading">
                <Skeleton lines={12} />
            </div>
        );
    if (source.end > source.first) return null;
    if (store.search.isFilter.value) {
        const { state, problem } = store.search;
        const title = state.value === "running" ? "Looking through the log ..." : "No line fits";
        return (
            <div class="log-cover">
                <Empty icon="search" title={title}>
                    {problem.value?.detail ?? "Only lines of the levels that are pressed are shown."}
                </Empty>
            </div>
        );
    }
    return (
        <div class="log-cover">
            <Nothing store={store} job={job} />
        </div>
    );
}

function Nothing({ store, job }: { store: LogStore; job: Job }) {
    if (job.endedAt !== null && store.link.value === "ended") {
        const isLost = store.extent.value === "incomplete";
        return (
            <Empty
                icon="jobs"
                title={isLost ? "The output was lost" : "Nothing was written"}
                command={`fairlead describe ${job.id}`}
            >
                {isLost
                    ? "The agent that had it is gone, or did not bring it in time. It will not come any more."
                    : "This output has ended without a byte."}
            </Empty>
        );
    }
    const isWaiting = isWaitingToStart(job.state);
    return (
        <Empty
            icon="clock"
            title={isWaiting ? "Not started yet" : "Nothing is written yet"}
            command={isWaiting ? `fairlead explain ${job.id}` : undefined}
        >
            Lines appear here as they are written.
        </Empty>
    );
}

/** Tells of lines below, and goes there; and of lines above that a tail does not have. */
function NewLines({ store }: { store: LogStore }) {
    const count = store.newLines.value;
    const isShown = !store.isAtEnd.value && !store.search.isFilter.value;
    const hasWhole = store.hasWhole.value;
    const isFull = store.link.value === "full";
    if (hasWhole) {
        return (
            <div class="log-new">
                <Button onClick={() => store.showWhole("top")}>Complete: show it from the beginning</Button>
            </div>
        );
    }
    if (!isShown || count === 0) return <div class="log-new" role="status" />;
    return (
        <div class="log-new" role="status">
            <Button onClick={() => store.goToEnd()}>
                <LogIcon name="down" />
                {isFull ? `more than ${formatCount(count, "new line")}` : formatCount(count, "new line")}
            </Button>
        </div>
    );
}

/** Clicks on parts of rows, which are many: one listener for all. */
function onClick(
    event: MouseEvent,
    store: LogStore,
    control: ListControl,
    goTo: (hash: string) => void,
): void {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("a, button") : null;
    if (!target || event.ctrlKey || event.metaKey) return;
    const { number, place, fold, to, fields, more } = target.dataset;
    const lineAt = (index: string) => store.source.peek()?.get(Number(index))?.line;
    if (fold ?? fields ?? more) control.holdPlace(); /* the opened part pushes down the lines below it */
    if (number !== undefined) store.selectLine(Number(number), event.shiftKey);
    else if (place !== undefined) goTo(place);
    else if (fold !== undefined) store.toggleFold(Number(fold), Number(to));
    else if (fields !== undefined) withLine(lineAt(fields), (line) => store.toggleFields(line));
    else if (more !== undefined) withLine(lineAt(more), (line) => store.showMore(line));
    else return;
    event.preventDefault();
}

function withLine<T>(line: T | undefined, then: (line: T) => void): void {
    if (line !== undefined) then(line);
}

type Keys = {
    store: LogStore;
    control: ListControl;
    openFind: () => void;
    closeFind: () => void;
    isFinding: boolean;
    lineField: HTMLInputElement | null;
};

/** Not keys that go into a field, a dialog, or another part of the page. */
function isOurs(event: KeyboardEvent, root: HTMLElement | null): boolean {
    const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f";
    if (document.querySelector("dialog[open], [role=dialog]")) return false;
    if (isFind) return true;
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && focused.matches("input, select, textarea, [contenteditable]"))
        return false;
    return focused === null || focused === document.body || root?.contains(focused) === true;
}

/** Whether the key meant something here. */
function handleKey(event: KeyboardEvent, keys: Keys): boolean {
    const { store, control } = keys;
    const page = control.viewport - 2 * ROW_HEIGHT;
    if (event.ctrlKey || event.metaKey) {
        if (event.key.toLowerCase() !== "f" || event.altKey || event.shiftKey) return false;
        keys.openFind();
        return true;
    }
    if (event.altKey) return false;
    const isOnControl = document.activeElement?.matches("button, a") === true;
    if (isOnControl && (event.key === " " || event.key === "Enter")) return false;
    const actions: Record<string, () => void> = {
        "/": keys.openFind,
        ":": () => keys.lineField?.select(),
        j: () => control.moveBy(ROW_HEIGHT),
        k: () => control.moveBy(-ROW_HEIGHT),
        ArrowDown: () => control.moveBy(ROW_HEIGHT),
        ArrowUp: () => control.moveBy(-ROW_HEIGHT),
        PageDown: () => control.moveBy(page),
        PageUp: () => control.moveBy(-page),
        " ": () => control.moveBy(event.shiftKey ? -page : page),
        Home: () => store.goToTop(),
        End: () => store.goToEnd(),
        n: () => store.step(1),
        N: () => store.step(-1),
        w: () => (wrapping.value = wrapping.value === "wrap" ? "cut" : "wrap"),
        t: () =>
            (timeMode.value =
                TIME_MODES[(TIME_MODES.indexOf(timeMode.value) + 1) % TIME_MODES.length] ?? "off"),
    };
    if (event.key === "Escape") return handleEscape(keys);
    const action = actions[event.key];
    action?.();
    return action !== undefined;
}

function handleEscape({ store, isFinding, closeFind }: Keys): boolean {
    if (isFinding) closeFind();
    else if (store.selected.peek()) store.clearSelected();
    else return false;
    return true;
}
