/* treemap.ts - rectangles whose areas are as weights are, near to one shape, which together fill a rectangle
 * ("squarified treemaps", Bruls, Huizing and van Wijk, 2000).  Pure. */

/** Places and widths are shares of the whole width, tops and heights are pixels. */
export type Tile = { x: number; y: number; width: number; height: number };
/** `isRaised`: some tiles are larger than their weights. */
export type Treemap = { height: number; tiles: Tile[]; isRaised: boolean };

/** The shape to come near to: so many times as wide as high, since tiles have text. */
const SHAPE = 2;
/** None is smaller than this share of the mean tile: a name has to fit. */
const SMALLEST = 0.5;
const MEAN_AREA_MIN = 15_000;
const MEAN_AREA_MAX = 88_000;
const HEIGHT_MIN = 240;

/** Tiles for weights, the largest first, in a place of this width: high enough that a mean one can be read. */
export function treemap(weights: readonly number[], pixels: number): Treemap {
    const count = weights.length;
    const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0);
    const least = (sum(weights) / count) * SMALLEST || 1;
    const mean = Math.max(MEAN_AREA_MIN, MEAN_AREA_MAX * Math.min(1, Math.sqrt(6 / count)));
    const height = Math.max(HEIGHT_MIN, Math.round((mean * count) / pixels));
    /* In a place that is narrower by the shape, squares are wanted. */
    const width = pixels / SHAPE;
    const raised = weights.map((weight) => Math.max(weight, least));
    const scale = (width * height) / sum(raised);
    const tiles: Tile[] = [];
    let [left, top] = [0, 0];
    while (tiles.length < count) {
        const isRow = height - top > width - left;
        const side = isRow ? width - left : height - top;
        const from = tiles.length;
        /* A row or a column takes in tiles as long as its worst shape gets better. */
        let [to, depth, worst] = [from, 0, Infinity];
        for (; to < count; to++) {
            const next = (sum(raised.slice(from, to + 1)) * scale) / side;
            const shape = (weight: number) => (weight * scale) / next ** 2;
            const ratio = Math.max(shape(raised[from]!), 1 / shape(raised[to]!));
            if (ratio > worst) break;
            [depth, worst] = [next, ratio];
        }
        let along = isRow ? left : top;
        for (const weight of raised.slice(from, to)) {
            const length = (weight * scale) / depth;
            tiles.push({
                x: (isRow ? along : left) / width,
                y: isRow ? top : along,
                width: (isRow ? length : depth) / width,
                height: isRow ? depth : length,
            });
            along += length;
        }
        if (isRow) top += depth;
        else left += depth;
    }
    return { height, tiles, isRaised: weights.some((weight) => weight < least) };
}
