/* visit.ts - one shell on a WebSocket.  The browser shows no script why a WebSocket was refused, so the page asks for
 * the same path without one, and hears it. */
import { Problem, fetchRaw } from "../api/client";
import {
    type Outcome,
    type Place,
    STATUS,
    STDERR,
    STDOUT,
    SUBPROTOCOL,
    type Size,
    execPath,
    inputMessages,
    outcomeOf,
    readMessage,
    sizeMessage,
    socketUrl,
} from "./channels";

/** So much input may wait for the control plane, which holds it up while the replica does not read. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;

export type Visit = {
    /** False: too much waits already, and nothing of it is sent. */
    input(bytes: Uint8Array): boolean;
    resize(size: Size): void;
    close(): void;
};

type VisitOptions = {
    job: string;
    place: Place;
    size: Size;
    onOpen(): void;
    onOutput(bytes: Uint8Array): void;
    /** Once, unless this page closed it. */
    onEnd(outcome: Outcome): void;
};

/* 400: only the WebSocket is missing.  A proxy has not passed it on, or the page's Origin was refused, which the
 * control plane checks for a WebSocket only. */
async function whyNot(path: string): Promise<Outcome> {
    try {
        await fetchRaw(path);
    } catch (thrown) {
        if (thrown instanceof Problem && thrown.status !== 400) return { kind: "stopped", text: thrown.detail };
    }
    return {
        kind: "stopped",
        text:
            "The connection did not open: a proxy before the control plane has to pass WebSockets on, and the " +
            `setting api_url has to be the address of this page, ${location.origin}.`,
    };
}

export function openVisit({ job, place, size, onOpen, onOutput, onEnd }: VisitOptions): Visit {
    const path = execPath(job, place, size);
    const socket = new WebSocket(socketUrl(location.origin, path), SUBPROTOCOL);
    let isOpen = false;
    let isClosed = false;
    let status = "";
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
        isOpen = true;
        onOpen();
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
        const message = readMessage(data);
        if (message?.channel === STDOUT || message?.channel === STDERR) onOutput(message.bytes);
        else if (message?.channel === STATUS) status = new TextDecoder().decode(message.bytes);
    };
    socket.onclose = async ({ reason }) => {
        const outcome = isOpen ? outcomeOf(status, reason) : isClosed ? undefined : await whyNot(path);
        if (!isClosed && outcome) onEnd(outcome);
    };
    const send = (message: Uint8Array<ArrayBuffer>) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(message);
    };
    return {
        input: (bytes) => {
            if (socket.bufferedAmount + bytes.length > UNSENT_BYTES_MAX) return false;
            inputMessages(bytes).forEach(send);
            return true;
        },
        resize: (next) => send(sizeMessage(next)),
        close: () => {
            isClosed = true;
            socket.close();
        },
    };
}
