/* LogList.tsx - the lines in sight, drawn where list_control.ts says. */
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { startOf } from "./job_outputs";
import { type Line, TEXT_KEPT_MAX } from "./line";
import { type ListControl, ROW_HEIGHT, ScrollBar } from "./list_control";
import { LogRow, SHOWN_UNITS } from "./LogRow";
import "./LogList.css";
import { timeMode, wrapping } from "./log_settings";
import { type LogStore, placeOfLine } from "./log_store";
import { formatLineTime, formatWhole } from "./log_time";
import { formatPlace } from "./permalink";
import type { Row } from "./row_walk";
import { heightOf } from "./scroll_scale";

const HUES = 12;
/** Pixels that a finger moves before it is a movement. */
const TOUCH_MIN = 4;
/** A hit further to the left may be behind the gutter. */
const GUTTER_MAX = 100;

type LogListProps = { store: LogStore; control: ListControl; scroller: RefObject<HTMLDivElement> };

export function LogList({ store, control, scroller }: LogListProps) {
    const layer = useRef<HTMLDivElement>(null);
    const port = useRef<HTMLDivElement>(null);
    const bar = useRef<ScrollBar>();
    /** The list has moved to a hit, whose line may still be loading. */
    const isHitWanted = useRef(false);
    const [, redraw] = useReducer((count: number) => count + 1, 0);
    control.redraw = () => redraw(0);

    const source = store.source.value;
    void store.version.value;
    void store.search.version.value;
    const isWrapped = wrapping.value === "wrap";

    useLayoutEffect(() => {
        const element = scroller.current;
        if (!element) return;
        const known = (bar.current = new ScrollBar(element, control));
        const onScroll = () => known.onScroll();
        /* The end is left at the first sign of it, before lines that come could pull the list back. */
        const leaveEnd = () => {
            control.holdPlace();
            known.followLater();
        };
        const onWheel = (event: WheelEvent) => event.deltaY < 0 && leaveEnd();
        let touchedAt = 0;
        const onTouchStart = (event: TouchEvent) => (touchedAt = event.touches[0]?.clientY ?? 0);
        const onTouchMove = (event: TouchEvent) => {
            if ((event.touches[0]?.clientY ?? 0) > touchedAt + TOUCH_MIN) leaveEnd();
        };
        const listeners = new AbortController();
        const options = { passive: true, signal: listeners.signal };
        const measure = () => {
            control.viewport = element.clientHeight;
            element.style.setProperty("--log-viewport", `${element.clientHeight}px`);
            redraw(0);
        };
        const sizes = new ResizeObserver(measure);
        sizes.observe(element);
        element.addEventListener("scroll", onScroll, options);
        element.addEventListener("wheel", onWheel, options);
        element.addEventListener("touchstart", onTouchStart, options);
        element.addEventListener("touchmove", onTouchMove, options);
        measure();
        return () => {
            sizes.disconnect();
            known.close();
            listeners.abort();
        };
    }, [control]);

    const jump = store.jump.value;
    useLayoutEffect(() => {
        if (!jump) return;
        isHitWanted.current = jump.to === "line";
        if (jump.to === "line") control.showLine(jump.index);
        else control.moveTo(jump.to === "end" ? "end" : { row: source?.first ?? 0, pixels: 0 });
        bar.current?.follow();
    }, [jump, source]);

    const rows = source ? control.rows() : [];
    useLayoutEffect(() => {
        if (!layer.current) return;
        control.settle(layer.current, rows);
        if (isHitWanted.current && port.current) isHitWanted.current = !showHit(port.current);
        const last = rows[rows.length - 1];
        if (rows[0] && last) store.want(rows[0].index, last.next);
        store.takeAtEnd(control.place === "end");
        if (control.place === "end") bar.current?.follow();
        else bar.current?.followSoon();
    });

    const height = heightOf(control.scale);
    return (
        <div class="log-height" style={{ height: `${height}px` }}>
            <div class={`log-port${isWrapped ? " log-wrap" : ""}`} ref={port}>
                <div class="log-layer" ref={layer} style={variablesOf(store, source?.end ?? 0)}>
                    {rows.map((row) => (
                        <LogRow key={row.index} {...propsOf(store, row)} />
                    ))}
                </div>
            </div>
        </div>
    );
}

/** Moves a long line so that the hit in it is seen; whether there was one. */
function showHit(port: HTMLElement): boolean {
    const hit = port.querySelector(".is-current mark.log-hit");
    if (!hit) return false;
    const frame = port.getBoundingClientRect();
    const { left, right } = hit.getBoundingClientRect();
    const isSeen = left >= frame.left + GUTTER_MAX && right <= frame.right;
    if (!isSeen) port.scrollLeft += left - frame.left - frame.width / 3;
    return true;
}

function variablesOf(store: LogStore, end: number) {
    const { elements, replicas } = store.shape;
    const rankLength =
        (elements > 1 ? 1 + `e${elements - 1}`.length : 0) + (replicas > 1 ? `r${replicas - 1}`.length : 0);
    return {
        "--log-row": `${ROW_HEIGHT}px`,
        "--log-digits": `${Math.max(3, `${end}`.length)}ch`,
        "--log-rank": `calc(${rankLength}ch + 9px)`,
    } as Record<string, string>;
}

function rankOf(store: LogStore, line: Line) {
    const { elements, replicas } = store.shape;
    const names = [elements > 1 ? `e${line.element}` : "", replicas > 1 ? `r${line.replica}` : ""].filter(
        Boolean,
    );
    const element = elements > 1 ? `element ${line.element}, ` : "";
    return {
        name: names.join(" "),
        title: `${element}replica ${line.replica}, attempt ${line.attempt}: its own output`,
        href: placeOfLine(line, elements, replicas),
        hue: (elements > 1 && replicas === 1 ? line.element : line.replica) % HUES,
    };
}

function propsOf(store: LogStore, row: Row) {
    const { line, index } = row;
    const isFilter = store.search.isFilter.peek();
    const hit = isFilter ? store.search.hits[index] : undefined;
    const current = store.search.hits[store.search.current.value];
    const mode = timeMode.value;
    const selected = store.selected.value;
    const hasNumbers = store.numbered.peek() !== null;
    const ownNumber = hasNumbers && !store.isMerged ? index : (line?.number ?? index);
    const number = isFilter ? (hit?.index ?? line?.number ?? 0) : hasNumbers ? index : ownNumber;
    const lines = { first: number, last: number };
    const isCurrent = current !== undefined && (isFilter ? hit === current : current.index === index);
    return {
        row,
        revision: line?.revision ?? 0,
        number,
        numberHref: formatPlace({ selection: store.selection.peek(), lines }),
        isSelected:
            selected !== null && !(isFilter && !hit) && selected.first <= number && number <= selected.last,
        isCurrent,
        needles: store.search.needlesOf(line),
        time: line ? formatLineTime(line.time, mode, startOf(store.currentJob)) : "",
        timeTitle: formatWhole(line?.time ?? null, mode),
        rank: store.isMerged && line ? rankOf(store, line) : null,
        areFieldsOpen: line !== undefined && store.openFields.has(line),
        shownUnits: isCurrent ? TEXT_KEPT_MAX : ((line && store.shownUnits.get(line)) ?? SHOWN_UNITS),
        isLinked: hasNumbers,
    };
}
