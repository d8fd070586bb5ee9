/* ansi.ts - what a terminal would colour, as spans of plain text.  Pure; never makes HTML.
 * Colours, bold, dim, italic, underline, inverse and strike are kept, and OSC 8 links to http and https.
 * Every other escape sequence is dropped, and one that does not end shows its text: nothing that a job wrote
 * can hide what comes behind it.  Controls that would reorder the text for the reader are shown as marks.
 * The text's length and the limits bound work and result for every text. */

export type Style = {
    fg: number /* NO_COLOUR, 0..255 of the palette, or TRUE_COLOUR | rgb */;
    bg: number;
    bold: boolean;
    dim: boolean;
    italic: boolean;
    underline: boolean;
    inverse: boolean;
    strike: boolean;
};

export type Span = {
    text: string;
    style: Style | null;
    href?: string;
    /** The text stands for a control character. */
    isMark?: true;
};

export type Parsed = {
    spans: Span[];
    /** How much of the input the spans stand for; less than its length once `visibleMax` is reached. */
    consumed: number;
};

export type Limits = { visibleMax: number; spansMax: number };

export const NO_COLOUR = -1;
export const TRUE_COLOUR = 0x1000000;

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

/** A string of an OSC, DCS, SOS, PM or APC that is longer is not one that a terminal would take. */
const STRING_MAX = 4096;
const PARAMETERS_MAX = 64;
const URL_MAX = 2048;

/** All that is not simply shown: controls but tab, marks of direction, line separators, surrogates. */
const SPECIAL = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/g;

const ESC = 0x1b;
const BEL = 0x07;
const CSI = 0x9b;
const ST = 0x9c;
const OSC = 0x9d;

/** ESC and one of these begin a string that ST ends: DCS, SOS, OSC, PM, APC. */
const STRING_BEGINS = "PX]^_";

class Parser {
    private readonly spans: Span[] = [];
    private run = "";
    private style: Style | null = null;
    private href: string | undefined;
    private visible = 0;
    private at = 0;
    /** Up to here nothing ends a string, so that many which do not end cost one look. */
    private lookedTo = 0;

    constructor(
        private readonly text: string,
        private readonly limits: Limits,
    ) {}

    parse(): Parsed {
        const { text, limits } = this;
        while (this.at < text.length && this.visible < limits.visibleMax) {
            SPECIAL.lastIndex = this.at;
            const found = SPECIAL.exec(text);
            const end = Math.min(
                found ? found.index : text.length,
                this.at + limits.visibleMax - this.visible,
            );
            if (end > this.at) {
                this.show(text.slice(this.at, end));
                this.at = end;
            } else {
                this.takeSpecial();
            }
        }
        this.endSpan();
        return { spans: this.spans, consumed: this.at };
    }

    private show(piece: string): void {
        this.run += piece;
        this.visible += piece.length;
    }

    private endSpan(isMark?: true): void {
        if (this.run === "") return;
        const span: Span = { text: this.run, style: this.style };
        if (this.href) span.href = this.href;
        if (isMark) span.isMark = isMark;
        this.spans.push(span);
        this.run = "";
    }

    /** Past spansMax the text goes on in one span, as it is. */
    private get isFull(): boolean {
        return this.spans.length >= this.limits.spansMax;
    }

    private mark(text: string): void {
        if (this.isFull) return this.show(text);
        this.endSpan();
        this.show(text);
        this.endSpan(true);
    }

    private takeSpecial(): void {
        const code = this.text.charCodeAt(this.at);
        if (code >= 0xd800 && code <= 0xdfff) return this.takeSurrogate(code);
        this.at++;
        if (code === ESC) this.takeEscape();
        else if (code === CSI) this.takeCsi();
        else if (code === OSC) this.takeString(true);
        else if (code === 0x90 || code === 0x98 || code === 0x9e || code === 0x9f) this.takeString(false);
        else if (code < 0x20) this.mark(`^${String.fromCharCode(code + 0x40)}`);
        else if (code === 0x7f) this.mark("^?");
        else this.mark(`U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
    }

    private takeSurrogate(code: number): void {
        const next = this.text.charCodeAt(this.at + 1);
        const isPair = code < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
        this.show(isPair ? this.text.slice(this.at, this.at + 2) : "\ufffd");
        this.at += isPair ? 2 : 1;
    }

    /** Behind ESC. */
    private takeEscape(): void {
        const next = this.text[this.at];
        if (next === undefined) return;
        if (next === "[") {
            this.at++;
            this.takeCsi();
        } else if (STRING_BEGINS.includes(next)) {
            this.at++;
            this.takeString(next === "]");
        } else {
            this.skipWhile(0x20, 0x2f);
            this.skipOne(0x30, 0x7e);
        }
    }

    private skipWhile(low: number, high: number): void {
        while (this.skipOne(low, high));
    }

    private skipOne(low: number, high: number): boolean {
        const code = this.text.charCodeAt(this.at);
        if (!(code >= low && code <= high)) return false;
        this.at++;
        return true;
    }

    /** Behind ESC [ : parameters, intermediates, and the one that says what it is. */
    private takeCsi(): void {
        const begin = this.at;
        this.skipWhile(0x30, 0x3f);
        const end = this.at;
        this.skipWhile(0x20, 0x2f);
        const isSgr = this.at === end && this.text[this.at] === "m";
        this.skipOne(0x40, 0x7e);
        if (!isSgr || this.isFull) return;
        this.endSpan();
        this.style = applySgr(this.style ?? PLAIN, this.text.slice(begin, Math.min(end, begin + 256)));
    }

    private takeString(isOsc: boolean): void {
        const begin = this.at;
        const end = this.findEnd(begin);
        if (end < 0) return; /* it does not end: the rest is text */
        this.at = end + (this.text.charCodeAt(end) === ESC ? 2 : 1);
        if (isOsc && end - begin <= STRING_MAX) this.takeLink(this.text.slice(begin, end));
    }

    private findEnd(begin: number): number {
        const limit = Math.min(this.text.length, begin + STRING_MAX);
        for (let i = Math.max(begin, this.lookedTo); i < limit; i++) {
            this.lookedTo = i;
            const code = this.text.charCodeAt(i);
            if (code === BEL || code === ST) return i;
            if (code === ESC) return this.text[i + 1] === "\\" ? i : -1;
        }
        return -1;
    }

    /** 8;parameters;address begins a link, without an address ends it. */
    private takeLink(command: string): void {
        const parts = /^8;[^;]*;(.*)$/s.exec(command);
        if (!parts || this.isFull) return;
        this.endSpan();
        this.href = safeAddress(parts[1] ?? "");
    }
}

/** The address as the browser reads it, if it is one of the web; a click opens the address that is shown. */
export function safeAddress(address: string): string | undefined {
    if (address === "" || address.length > URL_MAX) return undefined;
    try {
        const url = new URL(address);
        const isWeb = url.protocol === "http:" || url.protocol === "https:";
        return isWeb && url.username === "" && url.password === "" ? url.href : undefined;
    } catch {
        return undefined;
    }
}

/** 38;5;n or 38;2;r;g;b from parts[at] on, also with colons; `next` is behind it. */
function extendedColour(parts: number[], at: number): { colour: number; next: number } {
    const kind = parts[at];
    const byte = (i: number) => Math.min(255, Math.max(0, parts[i] ?? 0));
    if (kind === 5) return { colour: byte(at + 1), next: at + 2 };
    if (kind !== 2) return { colour: NO_COLOUR, next: at + 1 };
    const rgb = (byte(at + 1) << 16) | (byte(at + 2) << 8) | byte(at + 3);
    return { colour: TRUE_COLOUR | rgb, next: at + 4 };
}

function numbers(text: string): number[] {
    return text.split(/[;:]/, PARAMETERS_MAX).map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : 0));
}

/** 38:2:SPACE:r:g:b has the colour space that 38;2;r;g;b has not; 4:3 is an underline of some kind. */
function withoutColons(text: string): string {
    return text
        .replace(/([34]8):2:\d*:(\d*:\d*:\d*)/g, "$1;2;$2")
        .replace(/(^|;)4:0/g, "$124")
        .replace(/(^|;)4:[1-5]/g, "$14");
}

function applySgr(before: Style, parameters: string): Style | null {
    const style = { ...before };
    const parts = numbers(withoutColons(parameters));
    for (let i = 0; i < parts.length;) {
        const code = parts[i++] ?? 0;
        if (code === 38 || code === 48) {
            const { colour, next } = extendedColour(parts, i);
            if (code === 38) style.fg = colour;
            else style.bg = colour;
            i = next;
        } else {
            applyCode(style, code);
        }
    }
    return isPlain(style) ? null : style;
}

function applyCode(style: Style, code: number): void {
    if (code === 0) Object.assign(style, PLAIN);
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4 || code === 21) style.underline = true;
    else if (code === 7) style.inverse = true;
    else if (code === 9) style.strike = true;
    else if (code === 22) style.bold = style.dim = false;
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code === 27) style.inverse = false;
    else if (code === 29) style.strike = false;
    else if (code >= 30 && code <= 37) style.fg = code - 30;
    else if (code === 39) style.fg = NO_COLOUR;
    else if (code >= 40 && code <= 47) style.bg = code - 40;
    else if (code === 49) style.bg = NO_COLOUR;
    else if (code >= 90 && code <= 97) style.fg = code - 90 + 8;
    else if (code >= 100 && code <= 107) style.bg = code - 100 + 8;
}

function isPlain(style: Style): boolean {
    return (Object.keys(PLAIN) as (keyof Style)[]).every((key) => style[key] === PLAIN[key]);
}

export function parseAnsi(text: string, limits: Limits): Parsed {
    return new Parser(text, limits).parse();
}

/** Only what is to be read, as for a copy: no escapes, no controls. */
export function plainText(text: string): string {
    const { spans } = parseAnsi(text, { visibleMax: Infinity, spansMax: Infinity });
    return spans.map((span) => (span.isMark ? "" : span.text)).join("");
}
