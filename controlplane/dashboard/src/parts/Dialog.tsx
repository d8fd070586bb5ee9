/* Dialog.tsx - the browser's own modal dialog, which keeps the focus inside and gives it back. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { toProblem, type Problem } from "../api/client";
import { Button } from "./Button";
import "./Dialog.css";
import { Banner, ProblemLine } from "./Feedback";

type DialogProps = { title: string; onClose(): void; children: ComponentChildren; isTitleHidden?: boolean };

export function Dialog({ title, onClose, children, isTitleHidden }: DialogProps) {
    const dialog = useRef<HTMLDialogElement>(null);
    /* Before the next key: keys typed right after a shortcut belong to the dialog. */
    useLayoutEffect(() => {
        dialog.current?.showModal();
    }, []);
    /* A click that lands on the dialog itself lands on its backdrop: the box inside fills all else. */
    const closeOnBackdrop = (event: MouseEvent) => {
        if (event.target === dialog.current) onClose();
    };
    return (
        <dialog ref={dialog} class="dialog" aria-label={title} onClose={onClose} onClick={closeOnBackdrop}>
            <div class="dialog-box">
                {!isTitleHidden && <h2>{title}</h2>}
                {children}
            </div>
        </dialog>
    );
}

type ConfirmProps = {
    title: string;
    /** The label of the button: the verb of the action. */
    verb: string;
    isDanger?: boolean;
    isReady?: boolean;
    /** Why there is nothing left to do: somebody else was faster while this was open. */
    impossible?: string | undefined;
    act(): Promise<unknown>;
    onClose(): void;
    children: ComponentChildren;
};

/** Asks before what cannot be taken back; stays open, with the problem, when it was refused. */
export function Confirm({
    title,
    verb,
    isDanger,
    isReady = true,
    impossible,
    act,
    onClose,
    children,
}: ConfirmProps) {
    const [isBusy, setBusy] = useState(false);
    const [problem, setProblem] = useState<Problem>();
    const run = async (event: Event) => {
        event.preventDefault();
        setBusy(true);
        setProblem(undefined);
        try {
            await act();
            onClose();
        } catch (thrown) {
            setProblem(toProblem(thrown));
        }
        setBusy(false);
    };
    return (
        <Dialog title={title} onClose={onClose}>
            <form class="stack" onSubmit={(event) => void run(event)}>
                {children}
                {/* not what this dialog itself is doing */}
                {impossible && !isBusy && (
                    <div role="alert">
                        <Banner tone="warn">{impossible}</Banner>
                    </div>
                )}
                {problem && <ProblemLine problem={problem} />}
                <div class="dialog-actions">
                    <Button onClick={onClose}>Back</Button>
                    <Button
                        type="submit"
                        look={isDanger ? "danger" : "primary"}
                        isBusy={isBusy}
                        disabled={!isReady || impossible !== undefined}
                    >
                        {verb}
                    </Button>
                </div>
            </form>
        </Dialog>
    );
}
