/* HeatGrid.tsx - every element of an array as a cell on one canvas, with colour and mark by state. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { theme } from "../../store/settings";
import { formatCount } from "../../text/amount";
import { CELL_STATES, type CellLayout, type CellState, countCells, layoutCells } from "./cells";
import "./HeatGrid.css";

const HEIGHT_MAX = 420;
/** Smaller cells have no room for a mark; the counts beside the grid say the same. */
const MARK_FROM_PX = 9;

const COLOURS: Record<CellState, string> = {
    failed: "--bad",
    running: "--info",
    starting: "--info",
    waiting: "--wait",
    succeeded: "--good",
    cancelled: "--text-3",
    unknown: "--line-strong",
};

function drawMark(
    context: CanvasRenderingContext2D,
    state: CellState,
    x: number,
    y: number,
    side: number,
): void {
    const inset = side * 0.28;
    context.beginPath();
    if (state === "failed") {
        context.moveTo(x + inset, y + inset);
        context.lineTo(x + side - inset, y + side - inset);
        context.moveTo(x + side - inset, y + inset);
        context.lineTo(x + inset, y + side - inset);
    } else if (state === "cancelled") {
        context.moveTo(x + inset, y + side / 2);
        context.lineTo(x + side - inset, y + side / 2);
    } else if (state === "running") {
        context.arc(x + side / 2, y + side / 2, side * 0.16, 0, Math.PI * 2);
    }
    context.stroke();
}

const OUTLINED: ReadonlySet<CellState> = new Set<CellState>(["waiting", "starting", "unknown"]);

function draw(canvas: HTMLCanvasElement, cells: Uint8Array, layout: CellLayout): void {
    const context = canvas.getContext("2d");
    if (!context) return;
    const { size, columns, rows } = layout;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = columns * size * ratio;
    canvas.height = rows * size * ratio;
    canvas.style.width = `${columns * size}px`;
    canvas.style.height = `${rows * size}px`;
    context.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const colours = CELL_STATES.map((state) => style.getPropertyValue(COLOURS[state]));
    const ground = style.getPropertyValue("--surface");
    const side = size - (size > 4 ? 2 : 1);
    for (let index = 0; index < cells.length; index++) {
        const state = CELL_STATES[cells[index]!]!;
        const x = (index % columns) * size;
        const y = Math.floor(index / columns) * size;
        const isOutlined = OUTLINED.has(state) && size >= MARK_FROM_PX;
        context.fillStyle = context.strokeStyle = colours[cells[index]!]!;
        context.lineWidth = 1;
        if (isOutlined) context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
        else context.fillRect(x, y, side, side);
        if (size < MARK_FROM_PX || isOutlined) continue;
        context.strokeStyle = ground;
        context.lineWidth = 1.5;
        drawMark(context, state, x, y, side);
    }
}

type HeatGridProps = { cells: Uint8Array; onOpen(element: number): void };

export function HeatGrid({ cells, onOpen }: HeatGridProps) {
    const box = useRef<HTMLDivElement>(null);
    const canvas = useRef<HTMLCanvasElement>(null);
    const [width, setWidth] = useState(0);
    const [pointed, setPointed] = useState<number>();

    useLayoutEffect(() => {
        const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
        observer.observe(box.current!);
        return () => observer.disconnect();
    }, []);
    const layout = layoutCells(cells.length, width, HEIGHT_MAX);
    const chosenTheme = theme.value;
    useEffect(() => {
        const paint = () => {
            if (canvas.current && width > 0) draw(canvas.current, cells, layout);
        };
        paint();
        /* without a choice the theme follows the system's, which may change under an open page */
        const scheme = matchMedia("(prefers-color-scheme: dark)");
        scheme.addEventListener("change", paint);
        return () => scheme.removeEventListener("change", paint);
    }, [cells, width, chosenTheme]);

    const elementAt = (event: MouseEvent): number | undefined => {
        const column = Math.floor(event.offsetX / layout.size);
        const element = Math.floor(event.offsetY / layout.size) * layout.columns + column;
        return column < layout.columns && element < cells.length ? element : undefined;
    };
    const counts = countCells(cells);
    const summary = counts.map(({ state, count }) => `${formatCount(count)} ${state}`).join(", ");
    return (
        <div class="heat" ref={box}>
            <ul class="heat-legend">
                {counts.map(({ state, count }) => (
                    <li key={state}>
                        <span class={`heat-key heat-${state}`} aria-hidden="true" />
                        <strong>{formatCount(count)}</strong> {state === "unknown" ? "not read" : state}
                    </li>
                ))}
            </ul>
            <canvas
                ref={canvas}
                role="img"
                aria-label={`${formatCount(cells.length)} elements: ${summary}`}
                onPointerMove={(event) => setPointed(elementAt(event))}
                onPointerLeave={() => setPointed(undefined)}
                onClick={(event) => {
                    const element = elementAt(event);
                    if (element !== undefined) onOpen(element);
                }}
            />
            <p class="quiet" aria-hidden="true">
                {pointed === undefined
                    ? "Point at a cell to see its element; click to read its log."
                    : `element ${pointed}: ${CELL_STATES[cells[pointed]!]}`}
            </p>
        </div>
    );
}
