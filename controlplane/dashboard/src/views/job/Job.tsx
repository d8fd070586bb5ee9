/* Job.tsx - one job: a sentence of truth, its actions, and a tab for each thing to know about it. */
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { withQuery } from "../../api/client";
import { useTitle } from "../../app/title";
import type { Explanation, Job as JobObject } from "../../api/types";
import { Banner, Empty, Loaded } from "../../parts/Feedback";
import { lazy } from "../../parts/lazy";
import { StateBadge } from "../../parts/State";
import { Tabs } from "../../parts/Tabs";
import { Ago, Span } from "../../parts/Time";
import { isEnded } from "../../store/job_state";
import type { FleetEvent } from "../../store/live";
import { may } from "../../store/session";
import { useResource } from "../../store/resource";
import { now } from "../../store/ticker";
import { sentenceOf } from "../../text/sentence";
import "./Job.css";
import { JobActions } from "./JobActions";
import { JobEventList } from "./JobEventList";
import { Overview } from "./Overview";
import { Replicas } from "./Replicas";
import { Spec } from "./Spec";
import { Timeline } from "./Timeline";

const LogViewer = lazy(() => import("../../logs/LogViewer").then((it) => it.LogViewer));
const ShellPart = lazy(() => import("../../shell/ShellView").then((it) => it.ShellPart));

const POLL_MS = 10_000;

const TABS: ReadonlyArray<readonly [string, string]> = [
    ["", "Overview"],
    ["timeline", "Timeline"],
    ["replicas", "Replicas"],
    ["logs", "Logs"],
    ["events", "Events"],
    ["spec", "Spec"],
    ["shell", "Shell"],
];
/** They fill the window. */
const FULL_TABS = ["logs", "shell"];

/** A shell is offered to those who may open one, while there is something to open it in. */
function isOffered(part: string, job: JobObject, here: string): boolean {
    return part !== "shell" || here === part || (may("exec") && !isEnded(job.state));
}

function useHash(): [string, (hash: string) => void] {
    const [hash, setHash] = useState(location.hash);
    useEffect(() => {
        const onHash = () => setHash(location.hash);
        window.addEventListener("hashchange", onHash);
        return () => window.removeEventListener("hashchange", onHash);
    }, []);
    const put = useCallback((next: string) => {
        history.replaceState(history.state, "", `${location.pathname}${location.search}${next}`);
        setHash(next);
    }, []);
    return [hash, put];
}

function Logs({ job }: { job: JobObject }) {
    const [hash, setHash] = useHash();
    const [path, navigate] = useLocation();
    const levels = new URLSearchParams(useSearch()).get("level") ?? "";
    const setLevels = useCallback(
        (change: (levels: string) => string) => {
            const level = change(new URLSearchParams(location.search).get("level") ?? "");
            navigate(withQuery(path, { level }) + location.hash, { replace: true });
        },
        [navigate, path],
    );
    return (
        <div class="job-logs">
            <LogViewer job={job} at={hash} onAt={setHash} levels={levels} onLevels={setLevels} />
        </div>
    );
}

function Header({
    job,
    explanation,
    reload,
}: {
    job: JobObject;
    explanation: Explanation | undefined;
    reload(): void;
}) {
    const hasRun = job.attempt !== null || job.elements.total > 1 || (job.elements.live ?? 0) > 0;
    const facts: ReadonlyArray<readonly [string, ComponentChildren] | false> = [
        job.queue !== null && [
            "queue",
            <Link key="q" class="link" href={`/queues/${job.queue}`}>
                {job.queue}
            </Link>,
        ],
        job.cluster !== null && [
            "on",
            <Link key="c" class="link" href={`/clusters/${job.cluster}`}>
                {job.cluster}
            </Link>,
        ],
        job.submittedBy !== null && ["by", job.submittedBy],
        [
            "submitted",
            <>
                <Ago at={job.submittedAt} />
            </>,
        ],
        hasRun && [
            isEnded(job.state) ? "took" : "for",
            <Span key="s" from={job.submittedAt} to={job.endedAt} />,
        ],
    ];
    return (
        <header class="job-header">
            <div class="job-title">
                <p class="quiet">
                    <Link class="link" href="/jobs">
                        Jobs
                    </Link>{" "}
                    /
                </p>
                <h1>{job.name ?? job.id}</h1>
                {job.name !== null && <span class="mono quiet">{job.id}</span>}
                <StateBadge state={job.state} />
                <span class="spread" />
                <JobActions job={job} reload={reload} />
            </div>
            <p class="job-sentence" aria-live="polite">
                {sentenceOf(job, explanation, now.value)}
            </p>
            <p class="job-facts">
                {facts.map(
                    (fact) =>
                        fact && (
                            <span key={fact[0]}>
                                <span class="quiet">{fact[0]}</span> {fact[1]}
                            </span>
                        ),
                )}
            </p>
        </header>
    );
}

function TabView({
    tab,
    job,
    explanation,
}: {
    tab: string;
    job: JobObject;
    explanation: Explanation | undefined;
}) {
    switch (tab) {
        case "":
            return <Overview job={job} explanation={explanation} />;
        case "timeline":
            return <Timeline job={job} />;
        case "replicas":
            return <Replicas job={job} />;
        case "logs":
            return <Logs job={job} />;
        case "events":
            return <JobEventList job={job.id} />;
        case "spec":
            return <Spec job={job} />;
        case "shell":
            return <ShellPart job={job} />;
        default:
            return <Empty icon="search" title="A job has no part of this name" />;
    }
}

export function Job({ id, tab = "" }: { id: string; tab?: string }) {
    useTitle(id);
    const path = `/v1/jobs/${encodeURIComponent(id)}`;
    const isOurs = useCallback((event: FleetEvent) => "job" in event && event.job === id, [id]);
    const resource = useResource<JobObject>(path, { when: isOurs, everyMs: POLL_MS });
    const explanation = useResource<Explanation>(`${path}/explain`, { when: isOurs, everyMs: POLL_MS });
    const reload = () => {
        resource.reload();
        explanation.reload();
    };
    const pathOf = (name: string) => `/jobs/${id}${name && `/${name}`}`;
    return (
        <div class={`view job${FULL_TABS.includes(tab) ? " full" : ""}`}>
            <Loaded resource={resource}>
                {(job) => (
                    <>
                        <Header job={job} explanation={explanation.data} reload={reload} />
                        {job.unknownSince && (
                            <Banner tone="warn">
                                Its cluster has been silent for <Span from={job.unknownSince} to={null} />.
                            </Banner>
                        )}
                        <Tabs
                            label="parts of the job"
                            tabs={TABS.filter(([part]) => isOffered(part, job, tab)).map(([part, name]) => ({
                                path: pathOf(part),
                                name,
                            }))}
                            here={pathOf(tab)}
                        />
                        <div class="job-tab">
                            <TabView tab={tab} job={job} explanation={explanation.data} />
                        </div>
                    </>
                )}
            </Loaded>
        </div>
    );
}
