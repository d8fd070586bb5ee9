/* scroll_scale.ts - from the place of a scrollbar to a line and back.  Pure.
 * Browsers cap the height of an element (Firefox at about 17 million pixels, others at 33), so a long log
 * has a shorter one, and the bar moves over more lines a pixel.  A wheel still moves line by line:
 * LogList.tsx applies small movements as they are, and asks here only for the long ones. */

export const HEIGHT_MAX = 8_000_000;

export type Scale = { rows: number; rowHeight: number; viewport: number };

/** A line and how many pixels of it are above the upper edge. */
export type Anchor = { row: number; pixels: number };

/** As high as all rows would be. */
function fullHeight({ rows, rowHeight }: Scale): number {
    return rows * rowHeight;
}

export function heightOf(scale: Scale): number {
    return Math.max(scale.viewport, Math.min(HEIGHT_MAX, fullHeight(scale)));
}

/** Pixels of rows that one pixel of the bar stands for; 1 but for long logs. */
function ratioOf(scale: Scale): number {
    const bar = heightOf(scale) - scale.viewport;
    return bar > 0 ? (fullHeight(scale) - scale.viewport) / bar : 1;
}

export function anchorAt(scrollTop: number, scale: Scale): Anchor {
    const bar = heightOf(scale) - scale.viewport;
    const pixels = Math.max(0, Math.min(bar, scrollTop)) * ratioOf(scale);
    const row = Math.min(Math.max(0, scale.rows - 1), Math.floor(pixels / scale.rowHeight));
    return { row, pixels: pixels - row * scale.rowHeight };
}

export function scrollTopOf(anchor: Anchor, scale: Scale): number {
    const pixels = anchor.row * scale.rowHeight + anchor.pixels;
    const bar = heightOf(scale) - scale.viewport;
    return Math.max(0, Math.min(bar, pixels / ratioOf(scale)));
}

/** Whether a movement of the bar is one of a wheel, a finger or a key, and not of its thumb. */
export function isStep(pixels: number, { viewport }: Scale): boolean {
    return Math.abs(pixels) <= 2.5 * viewport;
}
