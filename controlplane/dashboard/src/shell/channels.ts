/* channels.ts - what a shell's WebSocket carries, v5.channel.k8s.io: messages of bytes, of which the first is the
 * channel.  Pure. */

export const SUBPROTOCOL = "v5.channel.k8s.io";

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;
export const STATUS = 3;
export const RESIZE = 4;

/** A large paste goes in pieces of so many bytes. */
const INPUT_BYTES_MAX = 16 * 1024;
const SIDE_MAX = 65_535;

export type Size = { columns: number; rows: number };
/** A replica of the job; null: the first that runs. */
export type Place = { element: number | null; replica: number | null };

/** How a shell ended. */
export type Outcome =
    | { kind: "exited"; code: number }
    /** The control plane or the agent says why. */
    | { kind: "stopped"; text: string }
    /** No word came. */
    | { kind: "lost" };

function message(channel: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(bytes.length + 1);
    whole[0] = channel;
    whole.set(bytes, 1);
    return whole;
}

export function inputMessages(bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
    const messages = [];
    for (let at = 0; at < bytes.length; at += INPUT_BYTES_MAX) {
        messages.push(message(STDIN, bytes.subarray(at, at + INPUT_BYTES_MAX)));
    }
    return messages;
}

/** Each letter is a byte: reports of the mouse are not UTF-8. */
export function bytesOfBinary(text: string): Uint8Array {
    return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

const clamp = (side: number) => Math.max(1, Math.min(SIDE_MAX, Math.floor(side)));

export function sizeMessage({ columns, rows }: Size): Uint8Array<ArrayBuffer> {
    const text = JSON.stringify({ Width: clamp(columns), Height: clamp(rows) });
    return message(RESIZE, new TextEncoder().encode(text));
}

/** undefined: it is empty, and means nothing. */
export function readMessage(data: ArrayBuffer): { channel: number; bytes: Uint8Array } | undefined {
    if (data.byteLength === 0) return undefined;
    return { channel: new Uint8Array(data, 0, 1)[0]!, bytes: new Uint8Array(data, 1) };
}

/** The path of a shell with a terminal of this size. */
export function execPath(job: string, { element, replica }: Place, { columns, rows }: Size): string {
    const query = new URLSearchParams({
        tty: "true",
        term: "xterm-256color",
        columns: `${clamp(columns)}`,
        rows: `${clamp(rows)}`,
    });
    if (element !== null) query.set("element", `${element}`);
    if (replica !== null) query.set("replica", `${replica}`);
    return `/v1/jobs/${encodeURIComponent(job)}/exec?${query}`;
}

/** `https://hub` and a path: `wss://hub/path`. */
export function socketUrl(origin: string, path: string): string {
    return origin.replace(/^http/, "ws") + path;
}

type Status = {
    status?: unknown;
    reason?: unknown;
    message?: unknown;
    details?: { causes?: ReadonlyArray<{ reason?: unknown; message?: unknown }> };
};

function readStatus(text: string): Outcome | undefined {
    let status: Status | null;
    try {
        status = JSON.parse(text) as Status | null;
    } catch {
        return undefined;
    }
    if (typeof status !== "object" || status === null) return undefined;
    if (status.status === "Success") return { kind: "exited", code: 0 };
    if (status.reason === "NonZeroExitCode") {
        const cause = status.details?.causes?.find((it) => it.reason === "ExitCode");
        const code = Number(cause?.message);
        if (Number.isInteger(code)) return { kind: "exited", code };
    }
    return typeof status.message === "string" ? { kind: "stopped", text: status.message } : undefined;
}

/** By the status that came, or by the reason of the close; a cut connection has neither. */
export function outcomeOf(status: string, reason: string): Outcome {
    return readStatus(status) ?? (reason ? { kind: "stopped", text: reason } : { kind: "lost" });
}
