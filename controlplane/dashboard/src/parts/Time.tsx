/* Time.tsx - moments and lengths of time, in the zone that the person chose; they count while they are shown. */
import { zone } from "../store/settings";
import { now } from "../store/ticker";
import { formatExact, formatMoment } from "../text/clock";
import { elapsedMs, formatAge, formatAgo, formatDuration } from "../text/duration";

type Moment = string | null | undefined;

export function Time({ at }: { at: Moment }) {
    if (!at) return <span class="quiet">-</span>;
    return (
        <time dateTime={at} title={formatExact(at, zone.value)}>
            {formatMoment(at, zone.value, now.value)}
        </time>
    );
}

/** How long ago. */
export function Age({ at }: { at: Moment }) {
    if (!at) return <span class="quiet">-</span>;
    return (
        <time dateTime={at} title={formatExact(at, zone.value)}>
            {formatAge(elapsedMs(at, now.value))}
        </time>
    );
}

/** The same within a sentence. */
export function Ago({ at }: { at: Moment }) {
    if (!at) return <span class="quiet">-</span>;
    return (
        <time dateTime={at} title={formatExact(at, zone.value)}>
            {formatAgo(elapsedMs(at, now.value))}
        </time>
    );
}

/** From one moment to another, or to now while there is no other. */
export function Span({ from, to }: { from: Moment; to: Moment }) {
    if (!from) return <span class="quiet">-</span>;
    return <>{formatDuration(elapsedMs(from, to ?? now.value))}</>;
}
