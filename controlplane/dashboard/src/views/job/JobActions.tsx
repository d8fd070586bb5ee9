/* JobActions.tsx - what may be done to a job in its state, with the rights of this token. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { idempotencyKey, send, toProblem } from "../../api/client";
import type { Job } from "../../api/types";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Dialog";
import { isEnded } from "../../store/job_state";
import { addNote } from "../../store/notes";
import { may } from "../../store/session";
import { countOf } from "../../text/amount";

type JobProps = { job: Job; reload(): void };

export function act(job: Job, verb: string, body?: unknown): Promise<Job> {
    return send<Job>("POST", `/v1/jobs/${job.id}:${verb}`, body, { headers: idempotencyKey() });
}

/** Other people work on the same job: their changes arrive while the dialog is open. */
function nothingToCancel(job: Job): string | undefined {
    if (job.state === "stopping")
        return `${job.id} is already being stopped: there is nothing left to cancel.`;
    return isEnded(job.state)
        ? `${job.id} is ${job.state} by now: there is nothing left to cancel.`
        : undefined;
}

function CancelDialog({ job, onClose }: { job: Job; onClose(): void }) {
    const live = job.elements.live ?? 0;
    const cancel = async () => {
        await act(job, "cancel");
        addNote(`${job.id} is cancelled: nothing new of it starts.`);
    };
    return (
        <Confirm
            title={`Cancel ${job.id}?`}
            verb="Cancel the job"
            isDanger
            impossible={nothingToCancel(job)}
            act={cancel}
            onClose={onClose}
        >
            <p>
                {job.name && <strong>{job.name}: </strong>}
                {live > 0
                    ? `${countOf(live, "element")} of it run now and will be stopped. `
                    : "It has nothing that runs. "}
                This cannot be taken back; it can be run again as a new job.
            </p>
        </Confirm>
    );
}

function RetryDialog({ job, onClose }: { job: Job; onClose(): void }) {
    const [, navigate] = useLocation();
    const failed = job.elements.failed ?? 0;
    const hasChoice = job.elements.total > 1 && failed > 0;
    const [isOnlyFailed, setOnlyFailed] = useState(hasChoice);
    const retry = async () => {
        const next = await act(job, "retry", isOnlyFailed ? { only: "failed" } : undefined);
        addNote(`${next.id} runs ${job.id} again.`);
        navigate(`/jobs/${next.id}`);
    };
    return (
        <Confirm title={`Run ${job.id} again?`} verb="Run again" act={retry} onClose={onClose}>
            <p>This makes a new job with the same spec, which points back to this one.</p>
            {hasChoice && (
                <label class="check">
                    <input
                        type="checkbox"
                        checked={isOnlyFailed}
                        onChange={(event) => setOnlyFailed(event.currentTarget.checked)}
                    />
                    Only the {countOf(failed, "element")} that failed
                </label>
            )}
        </Confirm>
    );
}

/** Hold and release take each other back, so neither asks for confirmation. */
function HoldSwitch({ job, reload }: JobProps) {
    const [isBusy, setBusy] = useState(false);
    const isHeld = job.state === "held";
    const change = async () => {
        setBusy(true);
        try {
            await act(job, isHeld ? "release" : "hold");
            addNote(isHeld ? `${job.id} may start.` : `${job.id} is held: nothing new of it starts.`);
            reload();
        } catch (thrown) {
            addNote(toProblem(thrown).detail, true);
        }
        setBusy(false);
    };
    return (
        <Button icon={isHeld ? "play" : "pause"} isBusy={isBusy} onClick={() => void change()}>
            {isHeld ? "Release" : "Hold"}
        </Button>
    );
}

export function JobActions({ job, reload }: JobProps) {
    const [asked, setAsked] = useState<"cancel" | "retry">();
    const close = () => {
        setAsked(undefined);
        reload();
    };
    const isOver = isEnded(job.state);
    return (
        <span class="row">
            {may("submit") && (
                <Link class="button ghost" href={`/submit?from=${job.id}`}>
                    Run with changes
                </Link>
            )}
            {isOver && may("submit") && (
                <Button icon="retry" onClick={() => setAsked("retry")}>
                    Run again
                </Button>
            )}
            {!isOver && job.state !== "stopping" && may("cancel") && (
                <>
                    <HoldSwitch job={job} reload={reload} />
                    <Button look="danger" icon="stop" onClick={() => setAsked("cancel")}>
                        Cancel
                    </Button>
                </>
            )}
            {asked === "cancel" && <CancelDialog job={job} onClose={close} />}
            {asked === "retry" && <RetryDialog job={job} onClose={close} />}
        </span>
    );
}
