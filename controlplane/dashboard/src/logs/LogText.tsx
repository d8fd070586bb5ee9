/* LogText.tsx - text of a line: colours, links, marks for control characters, and hits of the search. */
import type { JSX } from "preact";
import { type Parsed, type Span, type Style, parseAnsi } from "./ansi";
import { coloursOf } from "./ansi_colour";
import { type MarkedSpan, markHits } from "./find";

const SPANS_MAX = 200;

function classOf({ style, isMark, isHit }: MarkedSpan): string {
    const classes: string[] = [];
    if (isMark) classes.push("log-mark");
    if (isHit) classes.push("log-hit");
    if (style) {
        for (const name of ["bold", "italic", "underline", "strike"] as const) {
            if (style[name]) classes.push(`log-${name}`);
        }
        if (!isHit && coloursOf(style)) classes.push("log-coloured");
    }
    return classes.join(" ");
}

/** Both themes at once: the style sheet takes the one that holds. */
function variablesOf(style: Style | null): JSX.CSSProperties | undefined {
    const colours = style && coloursOf(style);
    if (!colours) return undefined;
    const { dark, light } = colours;
    return {
        "--dark": dark.color,
        "--light": light.color,
        "--dark-behind": dark.background ?? "transparent",
        "--light-behind": light.background ?? "transparent",
    } as JSX.CSSProperties;
}

function renderSpan(span: MarkedSpan, key: number) {
    const shared = {
        key,
        class: classOf(span) || undefined,
        style: span.isHit ? undefined : variablesOf(span.style),
    };
    if (span.href) {
        return (
            <a
                {...shared}
                class={`log-link ${shared.class ?? ""}`}
                href={span.href}
                title={span.href}
                target="_blank"
                rel="noopener noreferrer"
            >
                {span.text}
            </a>
        );
    }
    if (!shared.class) return span.text;
    return span.isHit ? <mark {...shared}>{span.text}</mark> : <span {...shared}>{span.text}</span>;
}

/** At most so many UTF-16 units of what is to be seen. */
export function parseShown(text: string, unitsMax: number): Parsed {
    return parseAnsi(text, { visibleMax: unitsMax, spansMax: SPANS_MAX });
}

type Needles = readonly string[];

export function LogSpans({ spans, needles }: { spans: Span[]; needles: Needles }) {
    return <>{markHits(spans, needles).map(renderSpan)}</>;
}

export function LogText({ text, needles, unitsMax }: { text: string; needles: Needles; unitsMax: number }) {
    return <LogSpans spans={parseShown(text, unitsMax).spans} needles={needles} />;
}
