/* ansi_colour.ts - the colours of a span in each theme, always with enough contrast to be read.  Pure.
 * A job may ask for any pair of colours, also for blue on black or white on white.  The hue stays as asked;
 * the text is moved towards white or black until it has the contrast that WCAG AA wants. */
import { NO_COLOUR, type Style, TRUE_COLOUR } from "./ansi";

export type Pair = { color: string; background: string | null };
export type ThemeColours = { dark: Pair; light: Pair };

type Rgb = [number, number, number];
type Theme = {
    sixteen: Rgb[];
    text: Rgb;
    /** The row's surface that is hardest to read on: a selected one. */
    surface: Rgb;
};

export const CONTRAST_MIN = 4.5;
const DIM_SHARE = 0.35;

function hex(colours: string): Rgb[] {
    return colours.split(" ").map((text) => {
        const rgb = parseInt(text, 16);
        return [rgb >> 16, (rgb >> 8) & 255, rgb & 255];
    });
}

const DARK: Theme = {
    sixteen: hex(
        "5c6370 f2777a 7fce8e e5c07b 7aa7f7 d59cf0 5ccfe6 d0d6e0 " +
            "8b93a1 ff9598 9be8a8 f5d78f 9dc0ff e6b8ff 8ae6f5 ffffff",
    ),
    text: [0xe6, 0xe9, 0xef],
    surface: [0x26, 0x2d, 0x3d],
};
const LIGHT: Theme = {
    sixteen: hex(
        "24292f b3261e 1a7f37 8a5a00 0b5cc2 8432b8 006d7d 57606a " +
            "4c5560 c9332b 1f8a3d 946200 1a6fdd 9a45cf 00798a 3d444d",
    ),
    text: [0x1b, 0x1f, 0x26],
    surface: [0xe2, 0xe8, 0xf8],
};

/** The sixteen of a terminal, as `#rrggbb`. */
export function sixteenColours(isDark: boolean): string[] {
    return (isDark ? DARK : LIGHT).sixteen.map(
        (rgb) => `#${rgb.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
    );
}

const CUBE = [0, 95, 135, 175, 215, 255];
const STYLES_MAX = 4096;

function rgbOf(colour: number, theme: Theme): Rgb {
    if (colour >= TRUE_COLOUR) return [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
    if (colour < 16) return theme.sixteen[colour] ?? theme.text;
    if (colour >= 232) return Array<number>(3).fill(8 + (colour - 232) * 10) as Rgb;
    const at = colour - 16;
    const step = (i: number) => CUBE[i] ?? 0;
    return [step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)];
}

function luminance(rgb: Rgb): number {
    const [red, green, blue] = rgb.map((byte) => {
        const part = byte / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as Rgb;
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: Rgb, other: Rgb): number {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
    return (high + 0.05) / (low + 0.05);
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
    return from.map((part, i) => Math.round(part + ((to[i] ?? 0) - part) * share)) as Rgb;
}

function farthestFrom(colour: Rgb): Rgb {
    const white: Rgb = [255, 255, 255];
    const black: Rgb = [0, 0, 0];
    return contrast(white, colour) > contrast(black, colour) ? white : black;
}

/** `colour`, moved as little as it takes. */
function readable(colour: Rgb, on: Rgb): Rgb {
    const towards = farthestFrom(on);
    for (let share = 0; share < 1; share += 0.05) {
        const moved = mix(colour, towards, share);
        if (contrast(moved, on) >= CONTRAST_MIN) return moved;
    }
    return towards;
}

function css(rgb: Rgb): string {
    return `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function pairOf(style: Style, theme: Theme): Pair {
    const asked = (colour: number, otherwise: Rgb) =>
        colour === NO_COLOUR ? otherwise : rgbOf(colour, theme);
    let behind = asked(style.bg, theme.surface);
    let text = asked(style.fg, style.bg === NO_COLOUR ? theme.text : farthestFrom(behind));
    if (style.inverse) [text, behind] = [behind, text];
    if (style.dim) text = mix(text, behind, DIM_SHARE);
    const hasBackground = style.bg !== NO_COLOUR || style.inverse;
    return { color: css(readable(text, behind)), background: hasBackground ? css(behind) : null };
}

const known = new Map<string, ThemeColours>();

/** null: the style has no colours of its own. */
export function coloursOf(style: Style): ThemeColours | null {
    if (style.fg === NO_COLOUR && style.bg === NO_COLOUR && !style.inverse && !style.dim) return null;
    const key = `${style.fg} ${style.bg} ${style.inverse} ${style.dim}`;
    let colours = known.get(key);
    if (!colours) {
        if (known.size >= STYLES_MAX) known.clear(); /* a rainbow of true colours */
        colours = { dark: pairOf(style, DARK), light: pairOf(style, LIGHT) };
        known.set(key, colours);
    }
    return colours;
}
