/* screen.ts - the terminal on the page, for one shell: xterm.js with our colours, keys and limits. */
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { sixteenColours } from "../logs/ansi_colour";
import { addNote } from "../store/notes";
import { type Size, bytesOfBinary } from "./channels";
import { Flood } from "./flood";

const SCROLLBACK_LINES = 5000;
/** A job's program may ask for any pair of colours; all of them can be read. */
const CONTRAST_MIN = 4.5;

export type Screen = {
    size(): Size;
    write(bytes: Uint8Array): void;
    /** Without a shell keys do nothing. */
    setActive(isActive: boolean): void;
    /** Takes the colours of the page as they are now. */
    paint(): void;
    close(): void;
};

type ScreenOptions = {
    onInput(bytes: Uint8Array): void;
    onResize(size: Size): void;
    /** The keys that lead out of it were pressed. */
    onLeave(): void;
};

function colours(box: HTMLElement) {
    const style = getComputedStyle(box);
    const value = (name: string) => style.getPropertyValue(name).trim();
    const isDark = style.colorScheme === "dark";
    const [black, red, green, yellow, blue, magenta, cyan, white, ...bright] = sixteenColours(isDark);
    return {
        background: value("--surface"),
        foreground: value("--text"),
        cursor: value("--accent"),
        cursorAccent: value("--surface"),
        selectionBackground: isDark ? "#3d4a7a" : "#c9d3f7",
        ...{ black, red, green, yellow, blue, magenta, cyan, white },
        brightBlack: bright[0],
        brightRed: bright[1],
        brightGreen: bright[2],
        brightYellow: bright[3],
        brightBlue: bright[4],
        brightMagenta: bright[5],
        brightCyan: bright[6],
        brightWhite: bright[7],
    };
}

async function copy(text: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        addNote("The browser does not let this page copy: use the menu of the right mouse button.", true);
    }
}

/** Keys that are the page's and not the shell's: they are those of other terminals. */
function pageKey(event: KeyboardEvent, terminal: Terminal, onLeave: () => void): boolean {
    if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return false;
    if (event.code === "KeyV") return true; /* the browser pastes */
    if (event.code !== "KeyC" && event.key !== "Enter") return false;
    event.preventDefault();
    event.stopPropagation();
    if (event.type !== "keydown") return true;
    if (event.key === "Enter") onLeave();
    else if (terminal.hasSelection()) void copy(terminal.getSelection());
    return true;
}

export function openScreen(box: HTMLElement, { onInput, onResize, onLeave }: ScreenOptions): Screen {
    const terminal = new Terminal({
        scrollback: SCROLLBACK_LINES,
        minimumContrastRatio: CONTRAST_MIN,
        fontFamily: getComputedStyle(box).fontFamily,
        fontSize: 13,
        theme: colours(box),
        disableStdin: true,
    });
    const fit = new FitAddon();
    const encoder = new TextEncoder();
    const flood = new Flood();
    const draw = (bytes: Uint8Array) =>
        terminal.write(bytes, () => {
            const next = flood.drawn(bytes.length);
            if (next) draw(next);
        });
    terminal.loadAddon(fit);
    terminal.attachCustomKeyEventHandler((event) => !pageKey(event, terminal, onLeave));
    terminal.open(box);
    terminal.onData((text) => onInput(encoder.encode(text)));
    terminal.onBinary((text) => onInput(bytesOfBinary(text)));
    terminal.onResize(({ cols, rows }) => onResize({ columns: cols, rows }));
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(box);
    fit.fit();
    return {
        size: () => ({ columns: terminal.cols, rows: terminal.rows }),
        write: (bytes) => {
            if (flood.take(bytes)) draw(bytes);
        },
        setActive: (isActive) => {
            terminal.options.disableStdin = !isActive;
            terminal.options.cursorBlink = isActive;
            if (isActive) terminal.focus();
        },
        paint: () => {
            terminal.options.theme = colours(box);
        },
        close: () => {
            observer.disconnect();
            flood.close();
            terminal.dispose();
        },
    };
}
