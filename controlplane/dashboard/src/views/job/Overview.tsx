/* Overview.tsx - what a job is and how far it has come. */
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import type { Attempt, Explanation, Job } from "../../api/types";
import { CopyButton } from "../../parts/Button";
import { Facts } from "../../parts/Facts";
import { Labels } from "../../parts/Labels";
import { StateBar } from "../../parts/StateCounts";
import { Span, Time } from "../../parts/Time";
import { type JobState, isEnded } from "../../store/job_state";
import { countOf, formatBytes, formatCount, percent } from "../../text/amount";
import { formatDuration } from "../../text/duration";
import { reasonWords } from "../../text/sentence";
import { joinWords } from "../../text/shell_words";
import { logsPath } from "./links";
import "./Overview.css";
import { WhyPanel } from "./WhyPanel";

const ATTEMPTS_SHOWN = 5;

/** The command of each role, as a person would type it. */
function commandsOf(job: Job): Array<{ role: string; command: string; image: string | undefined }> {
    return (job.spec?.roles ?? []).map((role) => {
        const container = role.template.spec.containers[0];
        const words = [...(container?.command ?? []), ...(container?.args ?? [])];
        return { role: role.name, command: joinWords(words), image: container?.image };
    });
}

function Progress({ job }: { job: Job }) {
    const { total, succeeded = 0, failed = 0, cancelled = 0, live = 0 } = job.elements;
    const parts: ReadonlyArray<readonly [JobState, number]> = [
        ["succeeded", succeeded],
        ["failed", failed],
        ["cancelled", cancelled],
        ["running", live],
        ["queued", Math.max(0, total - succeeded - failed - cancelled - live)],
    ];
    const shown = parts.filter(([name, count]) => count > 0 && !(name === "queued" && isEnded(job.state)));
    return (
        <section class="panel" aria-label="progress">
            <h2>Elements</h2>
            <StateBar counts={shown} />
            <ul class="progress-words">
                {shown.map(([name, count]) => (
                    <li key={name}>
                        <strong class={`state-${name}`}>{formatCount(count)}</strong>{" "}
                        {name === "queued" ? "waiting" : name}{" "}
                        <span class="quiet">{percent(count, total)} %</span>
                    </li>
                ))}
            </ul>
        </section>
    );
}

/** The newest attempts of a plain job; for an array, the first elements that failed. */
function Attempts({ job }: { job: Job }) {
    const isPlain = job.elements.total === 1;
    const known = job.attempts ?? [];
    const attempts = isPlain
        ? known.slice(-ATTEMPTS_SHOWN).reverse()
        : known.filter((attempt) => attempt.elementState === "failed").slice(0, ATTEMPTS_SHOWN);
    if (attempts.length === 0) return null;
    return (
        <section class="panel" aria-label={isPlain ? "attempts" : "elements that failed"}>
            <div class="row">
                <h2>{isPlain ? "Attempts" : "Failed elements"}</h2>
                <span class="spread" />
                <Link class="link" href={`/jobs/${job.id}/${isPlain ? "timeline" : "replicas"}`}>
                    All
                </Link>
            </div>
            <ul class="attempts">
                {attempts.map((attempt) => (
                    <AttemptRow key={`${attempt.element}.${attempt.attempt}`} job={job} attempt={attempt} />
                ))}
            </ul>
        </section>
    );
}

function AttemptRow({ job, attempt }: { job: Job; attempt: Attempt }) {
    const isFailed = attempt.endedAt !== null && attempt.reason !== "Succeeded";
    const usage = attempt.usage;
    return (
        <li>
            <span>
                {job.elements.total > 1 && <>element {attempt.element}, </>}
                attempt {attempt.attempt} on {attempt.cluster ?? "a cluster that is gone"}
            </span>
            <span class={attempt.endedAt === null ? "tone-info" : isFailed ? "tone-bad" : "tone-good"}>
                {attempt.endedAt === null ? "runs" : reasonWords(attempt.reason ?? "ended")}
                {attempt.exitCode ? `, exit code ${attempt.exitCode}` : ""}
            </span>
            <span class="quiet">
                <Span from={attempt.placedAt} to={attempt.endedAt} />
            </span>
            <span class="quiet">
                {usage && `${formatDuration(usage.cpuMillis)} CPU, peak ${formatBytes(usage.memoryBytes)}`}
            </span>
            <Link class="link" href={logsPath(job.id, attempt.element, attempt.attempt)}>
                Logs
            </Link>
            {attempt.words && <p class="attempt-words">{attempt.words}</p>}
        </li>
    );
}

function jobLink(id: string) {
    return (
        <Link key={id} class="link mono" href={`/jobs/${id}`}>
            {id}
        </Link>
    );
}

function Details({ job }: { job: Job }) {
    const facts: Array<readonly [string, ComponentChildren]> = [
        ["Submitted", <Time key="t" at={job.submittedAt} />],
        ["Priority", job.priority],
    ];
    if (job.endedAt) facts.push(["Ended", <Time key="e" at={job.endedAt} />]);
    if (job.deadline !== null)
        facts.push(["Deadline", `${formatDuration(job.deadline * 1000)} from its first start`]);
    if (job.parallelism !== null)
        facts.push(["Parallelism", `at most ${countOf(job.parallelism, "element")} at the same time`]);
    if (job.singleton) facts.push(["Singleton", "one at a time under its name and owner"]);
    if (job.spec?.retry) facts.push(["Retries", job.spec.retry]);
    if (job.retryOf) facts.push(["Repeats", jobLink(job.retryOf)]);
    if (job.after.length > 0) {
        facts.push([
            "Runs after",
            job.after.map(({ job: id, on }) => (
                <span key={id}>
                    {jobLink(id)} ({on}){" "}
                </span>
            )),
        ]);
    }
    for (const [name, value] of Object.entries(job.params ?? {}))
        facts.push([name, <code key={name}>{value}</code>]);
    if (Object.keys(job.labels).length > 0) facts.push(["Labels", <Labels key="l" labels={job.labels} />]);
    return (
        <section class="panel" aria-label="details">
            <h2>Details</h2>
            <Facts facts={facts} />
        </section>
    );
}

export function Overview({ job, explanation }: { job: Job; explanation: Explanation | undefined }) {
    const isWaiting = job.state === "queued" || job.state === "held";
    return (
        <div class="overview">
            <div class="stack">
                {isWaiting && explanation && <WhyPanel explanation={explanation} />}
                {job.elements.total > 1 && <Progress job={job} />}
                <Attempts job={job} />
                <section class="panel" aria-label="command">
                    <h2>Command</h2>
                    {commandsOf(job).map(({ role, command, image }) => (
                        <div key={role} class="command">
                            {(job.spec?.roles?.length ?? 0) > 1 && <h3>{role}</h3>}
                            {image && <p class="quiet mono">{image}</p>}
                            <div class="row">
                                <pre tabIndex={0} aria-label={`command of ${role}`}>
                                    {command || "as the image says"}
                                </pre>
                                <CopyButton text={command} label="the command" />
                            </div>
                        </div>
                    ))}
                </section>
            </div>
            <Details job={job} />
        </div>
    );
}
