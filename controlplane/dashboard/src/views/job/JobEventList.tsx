/* JobEventList.tsx - everything that happened to a job, in words, the newest first. */
import { EventTable } from "../EventTable";
import { Banner, Empty, ProblemView, Skeleton } from "../../parts/Feedback";
import { useJobEvents } from "../../store/job_events";
import "./JobEventList.css";

export function JobEventList({ job }: { job: string }) {
    const { events, isCut, state, problem } = useJobEvents(job);
    if (problem) return <ProblemView problem={problem} />;
    if (events.length === 0)
        return state ? <Empty icon="events" title="Nothing has happened to it yet" /> : <Skeleton />;
    return (
        <div class="job-events">
            {isCut && <Banner tone="info">Its oldest events are left out.</Banner>}
            <EventTable events={events} label={`events of ${job}`} />
        </div>
    );
}
