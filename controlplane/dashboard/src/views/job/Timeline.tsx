/* Timeline.tsx - attempts as rows on one scale of time: waiting, starting, running, stopping. */
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Job } from "../../api/types";
import { Empty, ProblemLine, Skeleton } from "../../parts/Feedback";
import { useAttempts } from "../../store/attempts";
import { useJobEvents } from "../../store/job_events";
import { isEnded } from "../../store/job_state";
import { isNarrow } from "../../store/screen";
import { now } from "../../store/ticker";
import { formatCount } from "../../text/amount";
import { formatDuration } from "../../text/duration";
import { reasonWords } from "../../text/sentence";
import { logsPath } from "./links";
import "./Timeline.css";
import {
    type Scale,
    type SegmentKind,
    type TimelineRow,
    buildScale,
    buildTimeline,
    phaseWords,
    ticksOf,
} from "./timeline_rows";

const ATTEMPTS_MAX = 1000;
const ROWS_MAX = 200;
const TICKS = 6;
const TICKS_NARROW = 3;
/** Further to the right a tick has no room for its words. */
const LAST_TICK_AT = 0.94;
const KINDS: readonly SegmentKind[] = ["waiting", "starting", "running", "stopping"];

const at = (scale: Scale, ms: number) => `${(scale.position(ms) * 100).toFixed(3)}%`;
const width = (scale: Scale, from: number, to: number) =>
    `${Math.max(0.15, (scale.position(to) - scale.position(from)) * 100).toFixed(3)}%`;

/** The patterns that tell the kinds apart without colour; SVG finds them by id in the whole page. */
function Patterns() {
    return (
        <svg class="timeline-patterns" width="0" height="0" aria-hidden="true">
            <defs>
                <pattern id="timeline-waiting" width="6" height="6" patternUnits="userSpaceOnUse">
                    <circle cx="3" cy="3" r="1" class="timeline-dot" />
                </pattern>
                <pattern
                    id="timeline-starting"
                    width="6"
                    height="6"
                    patternUnits="userSpaceOnUse"
                    patternTransform="rotate(45)"
                >
                    <rect width="3" height="6" class="timeline-starting" />
                </pattern>
                <pattern id="timeline-stopping" width="4" height="4" patternUnits="userSpaceOnUse">
                    <rect width="2" height="4" class="timeline-stopping" />
                </pattern>
            </defs>
        </svg>
    );
}

function rowName(job: Job, row: TimelineRow): string {
    const attempt = row.attempt === 0 ? "no attempt yet" : `attempt ${row.attempt}`;
    return job.elements.total > 1 ? `${row.element} · ${attempt}` : attempt;
}

function outcomeOf(row: TimelineRow): string {
    if (row.isLive) return "runs";
    return row.outcome ? reasonWords(row.outcome) : "waits";
}

function Row({ job, row, scale }: { job: Job; row: TimelineRow; scale: Scale }) {
    const name = rowName(job, row);
    return (
        <li class="timeline-row">
            <span class="timeline-name">
                {row.attempt === 0 ? (
                    name
                ) : (
                    <Link href={logsPath(job.id, row.element, row.attempt)} title="its log">
                        {name}
                    </Link>
                )}
                <span class="quiet">{row.cluster}</span>
            </span>
            <svg class="timeline-bars" role="img" aria-label={`${name}: ${phaseWords(row)}`}>
                <title>{phaseWords(row)}</title>
                {row.segments.map(({ kind, from, to }) => (
                    <rect
                        key={kind}
                        class={`timeline-${kind}${kind === "running" && row.isFailed ? " failed" : ""}`}
                        x={at(scale, from)}
                        width={width(scale, from, to)}
                        y={kind === "waiting" ? 9 : 5}
                        height={kind === "waiting" ? 6 : 14}
                        rx="2"
                    />
                ))}
            </svg>
            <span
                class={`timeline-outcome ${row.isFailed ? "tone-bad" : row.isLive ? "tone-info" : "quiet"}`}
            >
                {outcomeOf(row)}
            </span>
        </li>
    );
}

function Axis({ scale }: { scale: Scale }) {
    const ticks = ticksOf(scale, isNarrow.value ? TICKS_NARROW : TICKS).filter(
        (ms) => scale.position(ms) <= LAST_TICK_AT,
    );
    return (
        <div class="timeline-row timeline-axis" aria-hidden="true">
            <span />
            <span class="timeline-ticks">
                {ticks.map((ms) => (
                    <span key={ms} class="timeline-tick" style={{ left: at(scale, ms) }}>
                        {ms === scale.from ? "0" : `+${formatDuration(ms - scale.from)}`}
                    </span>
                ))}
                {scale.gaps.map((gap) => (
                    <span
                        key={gap.from}
                        class="timeline-gap"
                        style={{ left: at(scale, gap.from), width: width(scale, gap.from, gap.to) }}
                    >
                        {formatDuration(gap.to - gap.from)}
                    </span>
                ))}
            </span>
            <span />
        </div>
    );
}

export function Timeline({ job }: { job: Job }) {
    const { attempts, hasMore, isRead, problem } = useAttempts(job.id, ATTEMPTS_MAX);
    const { events } = useJobEvents(job.id);
    const time = isEnded(job.state) && job.endedAt ? Date.parse(job.endedAt) : now.value;
    const rows = useMemo(
        () =>
            buildTimeline(
                job,
                attempts,
                events.map((item) => item.event),
                time,
            ),
        [job, attempts, events, time],
    );
    if (problem) return <ProblemLine problem={problem} />;
    if (!isRead) return <Skeleton />;
    if (rows.length === 0) {
        return (
            <Empty icon="clock" title="Nothing of it has been placed yet">
                Its overview says why it waits.
            </Empty>
        );
    }
    const shown = rows.slice(0, ROWS_MAX);
    const scale = buildScale(shown);
    return (
        <section class="panel timeline" aria-label="timeline">
            <Patterns />
            <ul class="timeline-legend">
                {KINDS.map((kind) => (
                    <li key={kind}>
                        <svg width="18" height="12" aria-hidden="true">
                            <rect class={`timeline-${kind}`} width="18" height="12" rx="2" />
                        </svg>
                        {kind}
                    </li>
                ))}
            </ul>
            <Axis scale={scale} />
            <ol>
                {shown.map((row) => (
                    <Row key={`${row.element}.${row.attempt}`} job={job} row={row} scale={scale} />
                ))}
            </ol>
            {(hasMore || rows.length > shown.length) && (
                <p class="quiet">
                    {formatCount(shown.length)} attempts are drawn
                    {job.elements.total > 1 && ", those that failed first"}. The replicas' tab has every
                    element.
                </p>
            )}
        </section>
    );
}
