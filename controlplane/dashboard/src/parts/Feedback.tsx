/* Feedback.tsx - what a view shows in place of its content: nothing there, not yet, refused, out of reach. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../api/client";
import { Button, CopyButton } from "./Button";
import "./Feedback.css";
import { Icon, type IconName } from "./Icon";

const SKELETON_AFTER_MS = 150;

/** Grey lines, once it has taken so long that a person notices; a quick answer does not flicker. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
    const [isShown, setShown] = useState(false);
    useEffect(() => {
        const timer = window.setTimeout(() => setShown(true), SKELETON_AFTER_MS);
        return () => window.clearTimeout(timer);
    }, []);
    return (
        <div class="skeleton" role="status" aria-label="loading">
            {isShown && Array.from({ length: lines }, (_, line) => <span key={line} class="skeleton-line" />)}
        </div>
    );
}

type EmptyProps = { icon: IconName; title: string; children?: ComponentChildren; command?: string };

/** Nothing is there: why, and the command that changes it. */
export function Empty({ icon, title, children, command }: EmptyProps) {
    return (
        <div class="feedback">
            <Icon name={icon} size={22} />
            <h2>{title}</h2>
            {children && <p>{children}</p>}
            {command && <CommandLine command={command} />}
        </div>
    );
}

export function CommandLine({ command }: { command: string }) {
    return (
        <div class="command-line">
            <code>{command}</code>
            <CopyButton text={command} label="the command" />
        </div>
    );
}

function titleOf(problem: Problem): string {
    if (problem.status === 0) return "Out of reach";
    if (problem.status === 403) return "This token may not see it";
    if (problem.status === 404) return "Not found";
    return "The control plane refused";
}

/** A refusal, with what to do. */
export function ProblemView({ problem, retry }: { problem: Problem; retry?: () => void }) {
    return (
        <div class="feedback" role="alert">
            <Icon name="warning" size={22} />
            <h2>{titleOf(problem)}</h2>
            <p>{problem.detail}</p>
            {problem.traceId && <p class="quiet mono">trace {problem.traceId}</p>}
            {retry && (
                <Button icon="retry" onClick={retry}>
                    Try again
                </Button>
            )}
        </div>
    );
}

/** The same in a line, above content that is still there. */
export function ProblemLine({ problem }: { problem: Problem }) {
    return (
        <p class="problem-line" role="alert">
            <Icon name="warning" size={14} />
            <span>{problem.detail}</span>
        </p>
    );
}

export function Banner({ tone, children }: { tone: "warn" | "info"; children: ComponentChildren }) {
    return <p class={`banner ${tone}`}>{children}</p>;
}

type LoadedProps<T> = {
    resource: { data: T | undefined; problem: Problem | undefined; reload(): void };
    children: (data: T) => ComponentChildren;
};

/** A resource by its state: waiting, refused, or there; the last answer stays while a reload fails. */
export function Loaded<T>({ resource, children }: LoadedProps<T>) {
    const { data, problem, reload } = resource;
    if (data === undefined) return problem ? <ProblemView problem={problem} retry={reload} /> : <Skeleton />;
    return (
        <>
            {problem && <ProblemLine problem={problem} />}
            {children(data)}
        </>
    );
}
