/* VirtualTable.tsx - a table of any length that holds only the rows that can be seen, and a few around them.
 * Rows have one height, so where a row stands is a product, and the scrollbar is right. */
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

    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return undefined;
        const measure = () => {
            const first = Math.floor(element.scrollTop / ROW_PX);
            const rows = Math.ceil(element.clientHeight / ROW_PX);
            setSeen((before) => (before.first === first && before.rows === rows ? before : { first, rows }));
        };
        measure();
        element.addEventListener("scroll", measure, { passive: true });
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        return () => {
            element.removeEventListener("scroll", measure);
            observer.disconnect();
        };
    }, []);

    useLayoutEffect(() => {
        const element = box.current;
        if (!element || current === undefined || current < 0) return;
        const top = current * ROW_PX;
        const room = element.clientHeight - ROW_PX * 2; /* the head covers the first row's height */
        if (top < element.scrollTop) element.scrollTop = top;
        else if (top > element.scrollTop + room) element.scrollTop = top - room;
    }, [current]);

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
