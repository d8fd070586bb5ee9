/* ShellView.tsx - a shell in a replica that runs.  It begins when a person asks for it, since each one is in the
 * audit, and ends when the view is left. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Job } from "../api/types";
import { ListField } from "../logs/ListField";
import { shapeOf } from "../logs/job_outputs";
import { Button } from "../parts/Button";
import { Empty } from "../parts/Feedback";
import { isEnded } from "../store/job_state";
import { addNote } from "../store/notes";
import { may } from "../store/session";
import { theme } from "../store/settings";
import type { Outcome, Place } from "./channels";
import { type Screen, openScreen } from "./screen";
import "./ShellView.css";
import { type Visit, openVisit } from "./visit";

type Phase = { kind: "before" | "connecting" | "open" } | { kind: "ended"; text: string };

const FIRST: Place = { element: null, replica: null };

function textOf(outcome: Outcome): string {
    switch (outcome.kind) {
        case "exited":
            return `The shell has ended with exit code ${outcome.code}.`;
        case "stopped":
            return `${outcome.text.charAt(0).toUpperCase()}${outcome.text.slice(1)}`.replace(/([^.!?])$/, "$1.");
        case "lost":
            return "The connection was lost, and what ran in this shell has ended with it.";
    }
}

function PlacePicker({
    job,
    place,
    onPick,
}: {
    job: Job;
    place: Place;
    onPick(place: Place): void;
}) {
    const { elements, replicas } = shapeOf(job);
    const parse = (max: number) => (text: string) =>
        /^\d{1,9}$/.test(text) && Number(text) < max ? `${Number(text)}` : null;
    /* The elements of a retry keep their numbers: the server knows which there are, and says so. */
    const fields = [
        { key: "element" as const, label: "Element", of: elements, max: Infinity, numbers: "its number" },
        {
            key: "replica" as const,
            label: "Replica",
            of: replicas,
            max: replicas,
            numbers: `0 to ${replicas - 1}`,
        },
    ].filter(({ of }) => of > 1);
    return (
        <>
            {fields.map(({ key, label, max, numbers }) => (
                <ListField
                    key={key}
                    label={label}
                    title={`${numbers}; empty: the first that runs`}
                    placeholder="first"
                    value={place[key] === null ? "" : `${place[key]}`}
                    parse={parse(max)}
                    onPick={(value) => onPick({ ...place, [key]: value === "" ? null : Number(value) })}
                />
            ))}
        </>
    );
}

/** In place of the terminal, before a shell was opened. */
function Before({ job, connect }: { job: Job; connect(): void }) {
    if (isEnded(job.state)) {
        return (
            <Empty icon="stop" title="The job has ended" command={`fairlead logs ${job.id}`}>
                A shell opens only in a replica that runs. Its output is in its log.
            </Empty>
        );
    }
    if (job.state !== "running") {
        return (
            <Empty icon="clock" title="Nothing of it runs now">
                A shell opens in a replica that runs; this job is {job.state}.
            </Empty>
        );
    }
    return (
        <div class="feedback">
            <h2>A shell in {job.name ?? job.id}</h2>
            <p>It has the rights of the replica. The audit records its beginning and its end.</p>
            <Button look="primary" icon="play" onClick={connect}>
                Connect
            </Button>
        </div>
    );
}

export function ShellView({ job }: { job: Job }) {
    const [place, setPlace] = useState(FIRST);
    const [phase, setPhase] = useState<Phase>({ kind: "before" });
    const box = useRef<HTMLDivElement>(null);
    const way = useRef<HTMLDivElement>(null);
    const screen = useRef<Screen>();
    const visit = useRef<Visit>();

    const end = (text: string) => {
        visit.current = undefined;
        screen.current?.setActive(false);
        setPhase({ kind: "ended", text });
    };
    const leave = () => way.current?.querySelector<HTMLElement>("button")?.focus();
    const connect = () => {
        let opened: Visit | undefined;
        /* The shell gets a new terminal: the one before may have output of its shell that it has not drawn yet, and
         * queries in that output are answered as if they were typed. */
        screen.current?.close();
        const at = openScreen(box.current!, {
            onInput: (bytes) => {
                if (opened?.input(bytes) === false)
                    addNote("The replica has not read what was typed before: this was not sent.", true);
            },
            onResize: (size) => opened?.resize(size),
            onLeave: leave,
        });
        setPhase({ kind: "connecting" });
        opened = openVisit({
            job: job.id,
            place,
            size: at.size(),
            onOpen: () => {
                setPhase({ kind: "open" });
                opened?.resize(at.size()); /* it may have changed while the visit was opened */
                at.setActive(true);
            },
            onOutput: at.write,
            onEnd: (outcome) => end(textOf(outcome)),
        });
        screen.current = at;
        visit.current = opened;
    };
    const disconnect = () => {
        visit.current?.close();
        end("You have closed this shell.");
    };

    useEffect(
        () => () => {
            visit.current?.close();
            screen.current?.close();
        },
        [],
    );
    const chosenTheme = theme.value;
    useEffect(() => {
        const paint = () => screen.current?.paint();
        paint();
        const scheme = matchMedia("(prefers-color-scheme: dark)");
        scheme.addEventListener("change", paint);
        return () => scheme.removeEventListener("change", paint);
    }, [chosenTheme]);
    const isOpen = phase.kind === "open";
    useEffect(() => {
        /* Ctrl-W takes a word away in a shell, and the tab in a browser. */
        const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
        if (isOpen) window.addEventListener("beforeunload", onUnload);
        return () => window.removeEventListener("beforeunload", onUnload);
    }, [isOpen]);

    const isGone = isEnded(job.state);
    return (
        <section class="terminal-view" aria-label={`Shell in ${job.name ?? job.id}`}>
            <div class="terminal-bar" ref={way}>
                {phase.kind === "open" || phase.kind === "connecting" ? (
                    <>
                        <Button icon="stop" onClick={disconnect}>
                            Disconnect
                        </Button>
                        <span role="status">{isOpen ? "connected" : "connecting"}</span>
                        <span class="spread" />
                        <span class="quiet wide-only">
                            <kbd>Ctrl Shift C</kbd> copies, <kbd>Ctrl Shift V</kbd> pastes,{" "}
                            <kbd>Ctrl Shift Enter</kbd> leaves the terminal
                        </span>
                    </>
                ) : (
                    <>
                        {!isGone && <PlacePicker job={job} place={place} onPick={setPlace} />}
                        {phase.kind === "ended" && (
                            <>
                                <span role="status">{phase.text}</span>
                                <span class="spread" />
                                {isGone ? (
                                    <span class="quiet">The job has ended.</span>
                                ) : (
                                    <Button icon="retry" onClick={connect}>
                                        Connect again
                                    </Button>
                                )}
                            </>
                        )}
                    </>
                )}
            </div>
            <div class="terminal-body">
                <div class="terminal-screen" ref={box} />
                {phase.kind === "before" && (
                    <div class="terminal-cover">
                        <Before job={job} connect={connect} />
                    </div>
                )}
            </div>
        </section>
    );
}

/** The part of a job's page; a token without the right is not offered it, but may have its address. */
export function ShellPart({ job }: { job: Job }) {
    if (may("exec")) return <ShellView job={job} />;
    return (
        <Empty icon="key" title="This token may not open a shell">
            It takes one with the scope exec, for the queue of the job.
        </Empty>
    );
}
