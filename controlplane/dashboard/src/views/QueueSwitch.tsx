/* QueueSwitch.tsx - pauses a queue, or lets it go on: each of the two takes the other back, so neither asks
 * for confirmation. */
import { useState } from "preact/hooks";
import { idempotencyKey, send, toProblem } from "../api/client";
import type { Queue } from "../api/types";
import { Button } from "../parts/Button";
import { addNote } from "../store/notes";

export function QueueSwitch({ queue, onDone }: { queue: Queue; onDone(): void }) {
    const [isBusy, setBusy] = useState(false);
    const verb = queue.paused ? "resume" : "pause";
    const change = async () => {
        setBusy(true);
        try {
            await send("POST", `/v1/queues/${queue.name}:${verb}`, undefined, { headers: idempotencyKey() });
            addNote(
                queue.paused
                    ? `${queue.name} takes work again.`
                    : `${queue.name} is paused: running jobs go on.`,
            );
            onDone();
        } catch (thrown) {
            addNote(toProblem(thrown).detail, true);
        }
        setBusy(false);
    };
    return (
        <Button
            icon={queue.paused ? "play" : "pause"}
            isBusy={isBusy}
            aria-label={`${verb} ${queue.name}`}
            onClick={() => void change()}
        >
            {queue.paused ? "Resume" : "Pause"}
        </Button>
    );
}
