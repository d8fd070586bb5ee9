/* QueueFlow.tsx - what a queue did in the last day: a bar for each hour, and how long its jobs waited. */
import { withQuery } from "../api/client";
import type { Throughput } from "../api/types";
import { useResource } from "../store/resource";
import { countOf, formatCount } from "../text/amount";
import { formatDuration } from "../text/duration";
import "./QueueFlow.css";

const POLL_MS = 30_000;
const HEIGHT = 32;

export function QueueFlow({ name }: { name: string }) {
    const { data } = useResource<Throughput>(withQuery("/v1/throughput", { queue: name }), { everyMs: POLL_MS });
    if (!data) return null;
    const { total, steps } = data;
    const ended = steps.map(({ succeeded, failed, cancelled }) => succeeded + failed + cancelled);
    const most = Math.max(1, ...ended);
    const bars = (className: string, upTo: (step: Throughput["steps"][number]) => number) =>
        steps.map((step, i) => {
            const height = (upTo(step) / most) * HEIGHT;
            return <rect key={i} class={className} x={i * 6} y={HEIGHT - height} width="5" height={height} />;
        });
    const waits = total.waits;
    return (
        <p class="queue-flow quiet">
            <svg viewBox={`0 0 ${steps.length * 6} ${HEIGHT}`} aria-hidden="true">
                {bars("flow-cancelled", (step) => step.succeeded + step.failed + step.cancelled)}
                {bars("flow-failed", (step) => step.succeeded + step.failed)}
                {bars("flow-succeeded", (step) => step.succeeded)}
            </svg>
            <span>
                In 24 hours {countOf(total.submitted, "job")} came, {formatCount(total.succeeded)} succeeded,{" "}
                {formatCount(total.failed)} failed.
                {waits.count > 0 &&
                    ` Half waited at most ${formatDuration(waits.p50Millis!)}, 95 % ${formatDuration(waits.p95Millis!)}.`}
            </span>
        </p>
    );
}
