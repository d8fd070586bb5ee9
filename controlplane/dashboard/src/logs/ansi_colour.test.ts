import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_COLOUR, type Style, TRUE_COLOUR } from "./ansi";
import { CONTRAST_MIN, contrast, coloursOf } from "./ansi_colour";

const PLAIN: Style = {
    fg: NO_COLOUR,
    bg: NO_COLOUR,
    bold: false,
    dim: false,
    italic: false,
    underline: false,
    inverse: false,
    strike: false,
};
const SURFACES = { dark: "#262d3d", light: "#e2e8f8" };

function rgb(colour: string): [number, number, number] {
    const value = parseInt(colour.slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
}

function check(style: Style): void {
    const colours = coloursOf(style);
    assert.ok(colours);
    for (const theme of ["dark", "light"] as const) {
        const { color, background } = colours[theme];
        const ratio = contrast(rgb(color), rgb(background ?? SURFACES[theme]));
        assert.ok(ratio >= CONTRAST_MIN, `${theme} ${JSON.stringify(style)} ${ratio}`);
    }
}

test("every colour of the palette can be read in both themes, dim or not", () => {
    for (let fg = 0; fg < 256; fg++) {
        check({ ...PLAIN, fg });
        check({ ...PLAIN, fg, dim: true });
        check({ ...PLAIN, fg, inverse: true });
    }
});

test("every pair of palette colours can be read", () => {
    for (let fg = -1; fg < 256; fg += 5) {
        for (let bg = 0; bg < 256; bg += 7) check({ ...PLAIN, fg, bg });
    }
});

test("true colours can be read, also white on white", () => {
    for (const colour of [0xffffff, 0x000000, 0x0000ff, 0x808080, 0xffff00]) {
        check({ ...PLAIN, fg: TRUE_COLOUR | colour });
        check({ ...PLAIN, fg: TRUE_COLOUR | colour, bg: TRUE_COLOUR | colour });
    }
});

test("a style without colours has none", () => {
    assert.equal(coloursOf({ ...PLAIN, bold: true }), null);
});
