/* LogRow.tsx - a line of output with its gutter: number, rank, time, level; and what stands between lines. */
import { Component } from "preact";
import { formatDuration } from "../text/duration";
import { formatCount, formatBytes, gapText } from "./gap_text";
import { type Gap, type Line, TEXT_KEPT_MAX } from "./line";
import { type LineView, viewOf } from "./line_view";
import { LogSpans, LogText, parseShown } from "./LogText";
import type { Row } from "./row_walk";
import "./LogRow.css";

/** A longer line is cut for show. */
export const SHOWN_UNITS = 4000;

export type LogRowProps = {
    row: Row;
    /** The line's, since the line itself grows. */
    revision: number;
    number: number;
    numberHref: string;
    isSelected: boolean;
    isCurrent: boolean;
    needles: readonly string[];
    time: string;
    timeTitle: string;
    /** With several outputs in sight: "r3" or "e5 r3", with the link to this line in its own output. */
    rank: { name: string; title: string; href: string; hue: number } | null;
    areFieldsOpen: boolean;
    shownUnits: number;
    isLinked: boolean;
};

const LEVEL_LETTERS = { error: "E", warn: "W", info: "", debug: "" };

/** Rows are many and change seldom: one is drawn again only when something of it has changed. */
export class LogRow extends Component<LogRowProps> {
    override shouldComponentUpdate(next: LogRowProps): boolean {
        const before = this.props;
        if (next.row.line !== before.row.line || next.row.index !== before.row.index) return true;
        if (
            next.row.fold?.isOpen !== before.row.fold?.isOpen ||
            next.row.fold?.lines !== before.row.fold?.lines
        )
            return true;
        if (next.row.pause !== before.row.pause || next.row.next !== before.row.next) return true;
        if (next.row.isNewAttempt !== before.row.isNewAttempt) return true;
        if (next.rank?.name !== before.rank?.name || next.rank?.href !== before.rank?.href) return true;
        const keys = [
            "revision",
            "number",
            "numberHref",
            "isSelected",
            "isCurrent",
            "needles",
            "time",
            "areFieldsOpen",
            "shownUnits",
        ] as const;
        return keys.some((key) => next[key] !== before[key]);
    }

    render() {
        const { row } = this.props;
        const { line, fold } = row;
        const isFolded = fold !== null && !fold.isOpen;
        return (
            <div class="log-row" data-row={row.index}>
                {row.isNewAttempt && line && <p class="log-between">attempt {line.attempt} begins</p>}
                {row.pause > 0 && (
                    <p class="log-between log-pause">{formatDuration(row.pause)} without output</p>
                )}
                {fold && <FoldLine from={row.index} lines={fold.lines} isOpen={fold.isOpen} />}
                {!isFolded && this.renderLine()}
                {!isFolded && line?.gapsBehind.map((gap, i) => <GapLine key={i} gap={gap} lines={0} />)}
            </div>
        );
    }

    private renderLine() {
        const { row, number, numberHref, isSelected, isCurrent, isLinked } = this.props;
        const { line } = row;
        if (line?.gap) return <GapLine gap={line.gap} lines={row.next - row.index} />;
        const view = line && viewOf(line);
        const level = view?.level;
        const classes = ["log-line"];
        if (level) classes.push(`log-${level}`);
        if (isSelected) classes.push("is-selected");
        if (isCurrent) classes.push("is-current");
        return (
            <div class={classes.join(" ")}>
                <span class="log-gutter">
                    <span
                        class="log-level"
                        title={level ? `level, as far as the text tells: ${level}` : undefined}
                    >
                        {level && LEVEL_LETTERS[level]}
                    </span>
                    {isLinked && (
                        <a
                            class="log-number"
                            href={numberHref}
                            data-number={row.index}
                            tabIndex={-1}
                            aria-label={`line ${number + 1}`}
                        >
                            {number + 1}
                        </a>
                    )}
                    {this.renderRank()}
                    {this.renderTime()}
                </span>
                {line && view ? (
                    this.renderText(line, view)
                ) : (
                    <span class="log-text log-absent" aria-label="loading" />
                )}
            </div>
        );
    }

    private renderRank() {
        const { rank } = this.props;
        if (!rank) return null;
        return (
            <a
                class={`log-rank log-hue-${rank.hue}`}
                href={rank.href}
                title={rank.title}
                data-place={rank.href}
                tabIndex={-1}
            >
                {rank.name}
            </a>
        );
    }

    private renderTime() {
        const { time, timeTitle } = this.props;
        return time ? (
            <time class="log-time" title={timeTitle}>
                {time}
            </time>
        ) : null;
    }

    private renderText(line: Line, view: LineView) {
        const { needles, areFieldsOpen, shownUnits } = this.props;
        const text = view.json ? view.json.message : view.text;
        const { spans, consumed } = parseShown(text, shownUnits);
        const hidden = text.length - consumed;
        const main = (
            <span class="log-text">
                {view.json && (
                    <button
                        type="button"
                        class="log-fields-toggle"
                        data-fields={this.props.row.index}
                        aria-expanded={areFieldsOpen}
                        aria-label={formatCount(view.json.fields.length, "field")}
                    >
                        {areFieldsOpen ? "\u25be" : "\u25b8"}
                    </button>
                )}
                <LogSpans spans={spans} needles={needles} />
                {view.json && !areFieldsOpen && <FieldsInBrief view={view} />}
                {view.overwritten > 0 && (
                    <span
                        class="log-note"
                        title="Written over itself, as progress bars do. The download has every state."
                    >
                        {formatCount(view.overwritten, "earlier state")}
                    </span>
                )}
                {view.json && areFieldsOpen && <Fields view={view} needles={needles} />}
            </span>
        );
        const isLong = hidden > 0 || (line.bytesCut > 0 && view.overwritten === 0);
        return isLong ? [main, this.renderMore(line, hidden)] : main;
    }

    /** Stays at the right edge, wherever the line is scrolled to. */
    private renderMore(line: Line, hidden: number) {
        const bytes = Math.max(0, hidden) + line.bytesCut;
        return (
            <span class="log-more">
                {line.bytesCut === 1 && hidden <= 0
                    ? "\u2026 more bytes"
                    : `\u2026 ${formatBytes(bytes)} more`}
                {hidden > 0 && (
                    <button type="button" data-more={this.props.row.index}>
                        show more
                    </button>
                )}
                {hidden <= 0 && (
                    <span title={`The page keeps ${formatBytes(TEXT_KEPT_MAX)} of a line.`}>
                        in the download
                    </span>
                )}
            </span>
        );
    }
}

function FoldLine({ from, lines, isOpen }: { from: number; lines: number; isOpen: boolean }) {
    return (
        <button type="button" class="log-fold" data-fold={from} data-to={from + lines} aria-expanded={isOpen}>
            {isOpen ? "\u25be" : "\u25b8"} {formatCount(lines, "line")} of stack trace
        </button>
    );
}

function GapLine({ gap, lines }: { gap: Gap; lines: number }) {
    return (
        <p class="log-gap" role="note">
            {gapText(gap, lines)}
        </p>
    );
}

const BRIEF_FIELDS = 4;
const BRIEF_UNITS = 40;

function FieldsInBrief({ view }: { view: LineView }) {
    const fields = view.json?.fields ?? [];
    return (
        <span class="log-brief">
            {fields.slice(0, BRIEF_FIELDS).map(({ name, value }) => (
                <span key={name}>
                    <LogText text={name} needles={[]} unitsMax={BRIEF_UNITS} />=
                    <LogText text={value} needles={[]} unitsMax={BRIEF_UNITS} />
                </span>
            ))}
            {fields.length > BRIEF_FIELDS && <span>+{fields.length - BRIEF_FIELDS}</span>}
        </span>
    );
}

function Fields({ view, needles }: { view: LineView; needles: readonly string[] }) {
    return (
        <dl class="log-fields">
            {view.json?.fields.map(({ name, value }) => (
                <div key={name}>
                    <dt>
                        <LogText text={name} needles={[]} unitsMax={200} />
                    </dt>
                    <dd>
                        <LogText text={value} needles={needles} unitsMax={SHOWN_UNITS} />
                    </dd>
                </div>
            ))}
        </dl>
    );
}
