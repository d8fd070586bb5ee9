/* EventTable.tsx - events as rows, the newest first. */
import { Link } from "wouter-preact";
import { Time } from "../parts/Time";
import { type Column, VirtualTable } from "../parts/VirtualTable";
import type { LiveEvent } from "../store/live";
import { isNarrow } from "../store/screen";
import { eventKind, eventTime, eventTone, eventWords } from "../text/event_words";
import "./EventTable.css";

const TIME: Column = { name: "Time", width: "140px" };
const SHORT_TIME: Column = { name: "Time", width: "76px" };
const KIND: Column = { name: "Kind", width: "92px" };
const JOB: Column = { name: "Job", width: "88px" };
const WORDS: Column = { name: "What happened" };

function Cells({ item, hasJob }: { item: LiveEvent; hasJob: boolean }) {
    const { event } = item;
    return (
        <>
            <td class="quiet">
                <Time at={eventTime(event)} />
            </td>
            {!isNarrow.value && <td class="quiet">{eventKind(event)}</td>}
            {hasJob && (
                <td>
                    {"job" in event && (
                        <Link href={`/jobs/${event.job}`} class="mono">
                            {event.job}
                        </Link>
                    )}
                </td>
            )}
            <td>
                <span class={`event-dot tone-${eventTone(event)}`} aria-hidden="true" />
                {eventWords(event)}
                {event.type === "job.submitted" && event.name && <span class="quiet"> {event.name}</span>}
            </td>
        </>
    );
}

function columnsFor(hasJob: boolean, isShort: boolean): Column[] {
    const time = isShort ? [SHORT_TIME] : [TIME, KIND];
    return [...time, ...(hasJob ? [JOB] : []), WORDS];
}

type EventTableProps = { events: readonly LiveEvent[]; label: string; hasJob?: boolean };

export function EventTable({ events, label, hasJob = false }: EventTableProps) {
    const itemAt = (index: number) => events[events.length - 1 - index]!;
    return (
        <VirtualTable
            label={label}
            columns={columnsFor(hasJob, isNarrow.value)}
            count={events.length}
            keyOf={(index) => itemAt(index).key}
            cells={(index) => <Cells item={itemAt(index)} hasJob={hasJob} />}
        />
    );
}
