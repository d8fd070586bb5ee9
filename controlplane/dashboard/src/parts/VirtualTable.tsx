/* VirtualTable.tsx - a table of any length that holds only the rows that can be seen, and a few around them.
 * Rows have one height, so where a row stands is a product, and the scrollbar is right.  Rows that come or go
 * above those in sight do not move them; at the very top what is new is seen. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import "./VirtualTable.css";

const ROW_PX = 34;
const AROUND_ROWS = 12;
const NEAR_END_ROWS = 40;

export type Column = { name: string; label?: ComponentChildren; class?: string; width?: string };

type VirtualTableProps = {
    label: string;
    columns: readonly Column[];
    count: number;
    /** The cells of row `index`, as td elements. */
    cells(index: number): JSX.Element;
    keyOf(index: number): string;
    rowClass?(index: number): string;
    onRowClick?(index: number, event: MouseEvent): void;
    /** The row of the keyboard, which is kept in sight. */
    current?: number;
    /** The end is near: there may be more to load. */
    onNearEnd?(): void;
};

export function VirtualTable(props: VirtualTableProps) {
    const { label, columns, count, cells, keyOf, rowClass, onRowClick, current, onNearEnd } = props;
    const box = useRef<HTMLDivElement>(null);
    const [seen, setSeen] = useState({ first: 0, rows: 40 });

    const measure = () => {
        const { scrollTop, clientHeight } = box.current!;
        const first = Math.floor(scrollTop / ROW_PX);
        const rows = Math.ceil(clientHeight / ROW_PX);
        setSeen((before) => (before.first === first && before.rows === rows ? before : { first, rows }));
    };
    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return undefined;
        measure();
        element.addEventListener("scroll", measure, { passive: true });
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        return () => {
            element.removeEventListener("scroll", measure);
            observer.disconnect();
        };
    }, []);

    /* The first row in sight: where rows have come or gone above it, the table scrolls as far. */
    const held = useRef({ index: 0, key: "" });
    useLayoutEffect(() => {
        const element = box.current!;
        const { index, key } = held.current;
        const isKept = index === 0 || (index < count && keyOf(index) === key);
        for (let at = isKept ? count : 0; at < count; at++) {
            if (keyOf(at) !== key) continue;
            element.scrollTop += (at - index) * ROW_PX;
            measure();
            break;
        }
        const first = Math.floor(element.scrollTop / ROW_PX);
        held.current = { index: first, key: first < count ? keyOf(first) : "" };
    });

    /* Not where its number alone has changed. */
    const currentKey = current !== undefined && current >= 0 && current < count ? keyOf(current) : "";
    useLayoutEffect(() => {
        const element = box.current;
        if (!element || current === undefined || current < 0) return;
        const top = current * ROW_PX;
        const room = element.clientHeight - ROW_PX * 2; /* the head covers the first row's height */
        if (top < element.scrollTop) element.scrollTop = top;
        else if (top > element.scrollTop + room) element.scrollTop = top - room;
    }, [currentKey]);

    const isNearEnd = seen.first + seen.rows + NEAR_END_ROWS >= count;
    useEffect(() => {
        if (isNearEnd) onNearEnd?.();
    }, [isNearEnd, count, onNearEnd]);

    const from = Math.max(0, Math.min(seen.first, count) - AROUND_ROWS);
    const to = Math.min(count, seen.first + seen.rows + AROUND_ROWS);
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
    return (
        <div class="virtual-table table-scroll" ref={box} tabIndex={0} role="region" aria-label={label}>
            <table class="table" aria-label={label} aria-rowcount={count + 1}>
                <colgroup>
                    {columns.map((column) => (
                        <col key={column.name} style={{ width: column.width }} />
                    ))}
                </colgroup>
                <thead>
                    <tr aria-rowindex={1}>
                        {columns.map((column) => (
                            <th key={column.name} scope="col" class={column.class}>
                                {column.label ?? column.name}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {from > 0 && (
                        <tr
                            class="virtual-space"
                            style={{ height: `${from * ROW_PX}px` }}
                            aria-hidden="true"
                        />
                    )}
                    {rows.map((index) => (
                        <tr
                            key={keyOf(index)}
                            class={`${rowClass?.(index) ?? ""}${index === current ? " current" : ""}`}
                            aria-rowindex={index + 2}
                            onClick={onRowClick && ((event) => onRowClick(index, event))}
                        >
                            {cells(index)}
                        </tr>
                    ))}
                    {to < count && (
                        <tr
                            class="virtual-space"
                            style={{ height: `${(count - to) * ROW_PX}px` }}
                            aria-hidden="true"
                        />
                    )}
                </tbody>
            </table>
        </div>
    );
}
