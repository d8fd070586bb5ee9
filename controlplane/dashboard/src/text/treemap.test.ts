import assert from "node:assert/strict";
import { test } from "node:test";
import { type Tile, treemap } from "./treemap";

const NEAR = 1e-6;
const areaOf = ({ width, height }: Tile) => width * height;
const isNear = (a: number, b: number) => Math.abs(a - b) < NEAR * Math.max(a, b, 1);

function doOverlap(a: Tile, b: Tile): boolean {
    const isApart = (x: number, width: number, y: number, length: number) =>
        x + width <= y + NEAR || y + length <= x + NEAR;
    return !isApart(a.x, a.width, b.x, b.width) && !isApart(a.y, a.height, b.y, b.height);
}

for (const [count, pixels] of [
    [1, 1036],
    [1, 350],
    [3, 1036],
    [7, 350],
    [40, 1036],
    [200, 1600],
    [200, 350],
] as const) {
    test(`${count} tiles fill ${pixels} px, none over another or outside, all large enough to be read`, () => {
        const weights = Array.from({ length: count }, (_, i) => 1 + ((i * 37) % 11) ** 2).sort(
            (a, b) => b - a,
        );
        const { height, tiles } = treemap(weights, pixels);
        assert.equal(tiles.length, count);
        assert.ok(
            isNear(
                tiles.map(areaOf).reduce((a, b) => a + b),
                height,
            ),
        );
        tiles.forEach((tile, at) => {
            assert.ok(tile.x >= -NEAR && tile.y >= -NEAR, "inside");
            assert.ok(tile.x + tile.width <= 1 + NEAR && tile.y + tile.height <= height + NEAR, "inside");
            const wide = tile.width * pixels;
            assert.ok(wide >= 60 && tile.height >= 36, `${wide} by ${tile.height}`);
            for (const other of tiles.slice(at + 1)) assert.ok(!doOverlap(tile, other), "apart");
        });
    });
}

test("a tile of twice the capacity has twice the area", () => {
    const { tiles, isRaised } = treemap([4, 2, 2], 1000);
    assert.ok(isNear(areaOf(tiles[0]!), 2 * areaOf(tiles[1]!)));
    assert.ok(isNear(areaOf(tiles[1]!), areaOf(tiles[2]!)));
    assert.ok(!isRaised);
});

test("a tile that would be too small is raised, and the map says so", () => {
    const { tiles, isRaised } = treemap([1000, 1000, 1], 1000);
    assert.ok(isRaised);
    assert.ok(areaOf(tiles[2]!) > areaOf(tiles[0]!) / 4);
});

test("clusters without capacity are tiles, too", () => {
    const { tiles, isRaised } = treemap([0, 0], 500);
    assert.ok(isNear(areaOf(tiles[0]!), areaOf(tiles[1]!)));
    assert.ok(isRaised);
});
