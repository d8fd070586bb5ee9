/* list_control.ts - which rows are in sight, and how they move.
 * The bar's height stands for all lines, but only those in sight are in the page, in a layer that stays in
 * place.  The list is held by an anchor: a line and how much of it is above the edge, or the end.  So the rows
 * in sight never move by themselves when rows come behind them or prove higher than a line; and at the end,
 * the end stays in sight. */
import type { LogStore } from "./log_store";
import { type LineSource, type Row, RowWalk } from "./row_walk";
import { type Anchor, type Scale, anchorAt, isStep, scrollTopOf } from "./scroll_scale";

export const ROW_HEIGHT = 20;
/** Rows outside of what is in sight, so that a step finds its rows measured. */
const OVERSCAN = 16;
const ROWS_MAX = 240;
const SETTLED_MS = 150;

type Place = "end" | Anchor;

/** Where the rows of the last drawing lie in the layer. */
type Drawn = { rows: Row[]; tops: number[]; bottoms: number[]; shift: number };

export class ListControl {
    place: Place = { row: 0, pixels: 0 };
    drawn: Drawn = { rows: [], tops: [], bottoms: [], shift: 0 };
    viewport = 400;
    /** The reader moves down: the list holds on to the end once it is in sight. */
    private isEndWanted = true;
    redraw: () => void = () => undefined;

    constructor(private readonly store: LogStore) {}

    private get source(): LineSource {
        return this.store.source.peek() ?? { first: 0, end: 0, get: () => undefined };
    }

    get scale(): Scale {
        const { first, end } = this.source;
        return { rows: end - first, rowHeight: ROW_HEIGHT, viewport: this.viewport };
    }

    /** The first line in sight. */
    get firstShown(): number {
        const { rows, bottoms, shift } = this.drawn;
        return rows[bottoms.findIndex((bottom) => bottom > shift + 1)]?.index ?? 0;
    }

    moveTo(place: Place, isEndWanted = true): void {
        this.place = place;
        this.isEndWanted = isEndWanted;
        this.redraw();
    }

    /** By so many pixels, as far as there are lines. */
    moveBy(pixels: number): void {
        const { rows, tops, bottoms, shift } = this.drawn;
        const firstRow = rows[0];
        const lastRow = rows[rows.length - 1];
        if (!firstRow || !lastRow || pixels === 0) return;
        const height = bottoms[bottoms.length - 1] ?? 0;
        const { first, end } = this.source;
        let target = shift + pixels;
        if (firstRow.index <= first) target = Math.max(0, target);
        if (pixels > 0 && lastRow.next >= end && target >= height - this.viewport - 1)
            return this.moveTo("end");
        const isEndWanted = pixels > 0;
        if (target < 0) {
            const row = Math.max(first, firstRow.index + Math.floor(target / ROW_HEIGHT));
            this.moveTo({ row, pixels: 0 }, isEndWanted);
        } else if (target >= height) {
            const row = lastRow.next + Math.floor((target - height) / ROW_HEIGHT);
            this.moveTo({ row: Math.min(end - 1, row), pixels: 0 }, isEndWanted);
        } else {
            const at = bottoms.findIndex((bottom) => bottom > target);
            this.moveTo({ row: rows[at]?.index ?? first, pixels: target - (tops[at] ?? 0) }, isEndWanted);
        }
    }

    /** The line comes into sight, a third down from the edge, unless it is in sight already. */
    showLine(index: number): void {
        const { rows, tops, bottoms, shift } = this.drawn;
        const at = rows.findIndex((row) => row.index <= index && index < row.next);
        const isSeen = (tops[at] ?? -1) >= shift && (bottoms[at] ?? Infinity) <= shift + this.viewport;
        if (at >= 0 && isSeen) return this.redraw();
        const above = Math.floor(this.viewport / ROW_HEIGHT / 3);
        this.moveTo({ row: Math.max(this.source.first, index - above), pixels: 0 });
    }

    /** Leaves the end, and what is in sight stays where it is. */
    holdPlace(): void {
        if (this.place !== "end") return;
        const { rows, tops, bottoms, shift } = this.drawn;
        const at = bottoms.findIndex((bottom) => bottom > shift);
        const row = rows[at];
        if (row) this.moveTo({ row: row.index, pixels: shift - (tops[at] ?? 0) }, false);
    }

    /** The rows to draw. */
    rows(): Row[] {
        const { source } = this;
        const inSight = Math.min(ROWS_MAX - 2 * OVERSCAN, Math.ceil(this.viewport / ROW_HEIGHT) + 1);
        if (this.place === "end") {
            const walk = new RowWalk(
                source,
                source.end - inSight - OVERSCAN,
                source.end,
                this.store.openFolds,
            );
            return walk.backward(source.end, inSight + OVERSCAN);
        }
        const from = Math.min(Math.max(source.first, this.place.row), Math.max(source.first, source.end - 1));
        const walk = new RowWalk(source, from - OVERSCAN, from + inSight + OVERSCAN, this.store.openFolds);
        const below = walk.forward(from, inSight + OVERSCAN);
        const above = walk.backward(below[0]?.index ?? from, OVERSCAN + Math.max(0, inSight - below.length));
        return [...above, ...below];
    }

    /** The rows are in the page: puts the layer where the anchor says. */
    settle(layer: HTMLElement, rows: Row[]): void {
        const tops: number[] = [];
        const bottoms: number[] = [];
        for (const child of Array.from(layer.children) as HTMLElement[]) {
            tops.push(child.offsetTop);
            bottoms.push(child.offsetTop + child.offsetHeight);
        }
        const lowest = Math.max(0, (bottoms[bottoms.length - 1] ?? 0) - this.viewport);
        const hasEnd = (rows[rows.length - 1]?.next ?? this.source.end) >= this.source.end;
        let shift = lowest;
        if (this.place !== "end") {
            const { row, pixels } = this.place;
            const at = rows.findIndex((one) => one.next > row);
            shift = Math.max(0, (tops[at] ?? 0) + Math.min(pixels, (bottoms[at] ?? 0) - (tops[at] ?? 0)));
            if (hasEnd && shift >= lowest) {
                if (this.isEndWanted || lowest === 0) this.place = "end";
                shift = lowest;
            }
        }
        layer.style.transform = `translateY(${-shift}px)`;
        this.drawn = { rows, tops, bottoms, shift };
    }

    /** Where the bar belongs. */
    get scrollTop(): number {
        const { scale, place, source } = this;
        if (place === "end") return scrollTopOf({ row: scale.rows, pixels: 0 }, scale);
        return scrollTopOf({ row: place.row - source.first, pixels: place.pixels }, scale);
    }

    /** The bar was moved far. */
    moveToBar(scrollTop: number): void {
        const { row, pixels } = anchorAt(scrollTop, this.scale);
        this.moveTo({ row: this.source.first + row, pixels });
    }
}

/** Turns movements of the browser's bar into those of the list, and keeps the bar where the list is. */
export class ScrollBar {
    private known = 0;
    private timer = 0;

    constructor(
        private readonly element: HTMLElement,
        private readonly control: ListControl,
    ) {}

    onScroll(): void {
        const { element, control } = this;
        const moved = element.scrollTop - this.known;
        if (Math.abs(moved) < 1) return;
        this.known = element.scrollTop;
        if (isStep(moved, control.scale)) control.moveBy(moved);
        else control.moveToBar(element.scrollTop);
        this.followLater();
    }

    /** Moves the bar only while the user does not move it. */
    followLater(): void {
        this.close();
        this.followSoon();
    }

    /** The list has moved, or its lines have become more. */
    followSoon(): void {
        this.timer ||= window.setTimeout(() => this.follow(), SETTLED_MS);
    }

    follow(): void {
        const { element, control } = this;
        this.close();
        const place = control.scrollTop;
        if (Math.abs(place - element.scrollTop) >= 1) element.scrollTop = place;
        this.known = element.scrollTop;
    }

    close(): void {
        window.clearTimeout(this.timer);
        this.timer = 0;
    }
}
