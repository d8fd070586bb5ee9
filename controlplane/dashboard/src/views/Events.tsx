/* Events.tsx - what happens in the fleet, or in the queue that the token sees, as it happens. */
import { useState } from "preact/hooks";
import { useTitle } from "../app/title";
import { Button } from "../parts/Button";
import { Empty } from "../parts/Feedback";
import { type LiveEvent, recentEvents } from "../store/live";
import { may } from "../store/session";
import { formatCount } from "../text/amount";
import { EVENT_KINDS, type EventKind, eventKind, eventWords } from "../text/event_words";
import { EventTable } from "./EventTable";
import "./Events.css";

function isShown(item: LiveEvent, kinds: ReadonlySet<EventKind>, typed: string): boolean {
    const kind = eventKind(item.event);
    if (kinds.size > 0 && (kind === undefined || !kinds.has(kind))) return false;
    if (typed === "") return true;
    const job = "job" in item.event ? item.event.job : "";
    const name = "name" in item.event ? (item.event.name ?? "") : "";
    return `${job} ${name} ${eventWords(item.event)}`.toLowerCase().includes(typed.toLowerCase());
}

export function Events() {
    useTitle("Events");
    if (may("read")) return <FleetEvents />;
    return (
        <Empty icon="events" title="This token may not follow events">
            It takes one with the scope read.
        </Empty>
    );
}

function FleetEvents() {
    const [typed, setTyped] = useState("");
    const [kinds, setKinds] = useState<ReadonlySet<EventKind>>(new Set());
    const [frozen, setFrozen] = useState<readonly LiveEvent[]>();
    const live = recentEvents.value;
    const shown = (frozen ?? live).filter((item) => isShown(item, kinds, typed));
    const newest = frozen?.at(-1);
    const waiting = frozen ? live.length - 1 - live.findLastIndex((item) => item.key === newest?.key) : 0;
    const toggleKind = (kind: EventKind) => {
        const next = new Set(kinds);
        if (!next.delete(kind)) next.add(kind);
        setKinds(next);
    };
    return (
        <div class="view events">
            <div class="view-head">
                <h1>Events</h1>
                <input
                    data-search
                    class="events-search"
                    type="search"
                    aria-label="events with this text"
                    placeholder="job-7, failed, east ..."
                    value={typed}
                    onInput={(event) => setTyped(event.currentTarget.value)}
                />
                <div class="choice" role="group" aria-label="kinds">
                    {EVENT_KINDS.map((kind) => (
                        <button
                            key={kind}
                            type="button"
                            aria-pressed={kinds.has(kind)}
                            onClick={() => toggleKind(kind)}
                        >
                            {kind}
                        </button>
                    ))}
                </div>
                <span class="spread" />
                <span class="quiet" role="status">
                    {frozen ? `paused, ${formatCount(waiting)} new` : `${formatCount(shown.length)} shown`}
                </span>
                <Button icon={frozen ? "play" : "pause"} onClick={() => setFrozen(frozen ? undefined : live)}>
                    {frozen ? "Go on" : "Pause"}
                </Button>
            </div>
            {shown.length > 0 ? (
                <EventTable events={shown} label="events of the fleet" hasJob />
            ) : (
                <Empty
                    icon="events"
                    title={
                        live.length === 0
                            ? "Nothing has happened since this page was opened"
                            : "No event fits"
                    }
                    {...(live.length === 0 ? { command: "fairlead run -- true" } : {})}
                >
                    {live.length === 0
                        ? "Events appear here as they are committed. A job makes some:"
                        : "Other kinds or another text may."}
                </Empty>
            )}
        </div>
    );
}
