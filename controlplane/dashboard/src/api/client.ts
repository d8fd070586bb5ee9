/* client.ts - requests to the control plane, and the one error they end in.
 * The session cookie rides along by itself; the header Fairlead-Page tells the server that a page of its own
 * asks, which another site's form cannot say.  A 401 means that the session is over: the listeners of
 * onUnauthorized show the login view over the present one. */
import type { Problem as ProblemBody, ProblemError } from "./types";

/** A refusal, or a request that never arrived (status 0, code "unreachable"). */
export class Problem extends Error {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    readonly errors: ProblemError[];
    readonly traceId: string | undefined;

    constructor(body: Pick<ProblemBody, "status" | "code" | "detail"> & Partial<ProblemBody>) {
        super(body.detail);
        this.name = "Problem";
        this.status = body.status;
        this.code = body.code;
        this.detail = body.detail;
        this.errors = body.errors ?? [];
        this.traceId = body.traceId;
    }

    /** Trying again later may help: the control plane is away, busy or has another leader. */
    get passing(): boolean {
        return this.status === 0 || this.status === 429 || this.status >= 500;
    }
}

export type RequestOptions = { signal?: AbortSignal; headers?: Record<string, string> };

const unauthorizedListeners = new Set<() => void>();

/** Calls back whenever a request was answered 401, or a stream said that its token counts no more. */
export function onUnauthorized(listener: () => void): () => void {
    unauthorizedListeners.add(listener);
    return () => unauthorizedListeners.delete(listener);
}

export function raiseUnauthorized(): void {
    for (const listener of unauthorizedListeners) listener();
}

/** The Problem of anything that was thrown, so that a view has one kind of error to show. */
export function toProblem(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown;
    const detail = thrown instanceof Error ? thrown.message : String(thrown);
    return new Problem({ status: 0, code: "page", detail: `this page failed: ${detail}` });
}

export function isAbort(thrown: unknown): boolean {
    return thrown instanceof DOMException && thrown.name === "AbortError";
}

async function problemOf(response: Response): Promise<Problem> {
    const text = await response.text().catch(() => "");
    try {
        const body = JSON.parse(text) as ProblemBody & { why?: string };
        if (typeof body.detail === "string") return new Problem({ ...body, status: response.status });
        /* /readyz is no problem document: it says why it does not take requests */
        if (body.why) return new Problem({ status: response.status, code: "unavailable", detail: body.why });
    } catch {
        /* a proxy in between answers in HTML: its status says more than its text */
    }
    const detail = `the server answered ${response.status} ${response.statusText}`.trim();
    return new Problem({ status: response.status, code: "http", detail });
}

/** fetch with the page's header; throws a Problem on every status from 400 up. */
export async function fetchRaw(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Fairlead-Page", "1");
    let response: Response;
    try {
        response = await fetch(path, { ...init, headers, credentials: "same-origin" });
    } catch (thrown) {
        if (isAbort(thrown)) throw thrown;
        throw new Problem({ status: 0, code: "unreachable", detail: "the control plane does not answer" });
    }
    if (response.status < 400) return response;
    if (response.status === 401) raiseUnauthorized();
    throw await problemOf(response);
}

async function readJson<T>(path: string, init: RequestInit): Promise<T> {
    const response = await fetchRaw(path, init);
    if (response.status === 204) return undefined as T;
    return (await response.json()) as T;
}

export async function get<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return readJson<T>(path, options);
}

type Method = "POST" | "PATCH" | "DELETE";

/** A request that changes something; `body` is sent as JSON, and none is sent without it. */
export async function send<T>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
): Promise<T> {
    const init: RequestInit = { ...options, method };
    if (body !== undefined) {
        init.body = JSON.stringify(body);
        init.headers = { "Content-Type": "application/json", ...options.headers };
    }
    return readJson<T>(path, init);
}

/** A key under which the server does a repeated request once. */
export function idempotencyKey(): Record<string, string> {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return { "Idempotency-Key": Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** `path?a=b`, without the parameters that have no value. */
export function withQuery(path: string, parameters: Record<string, string | number | undefined>): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== "") query.set(name, String(value));
    }
    const text = query.toString();
    return text ? `${path}?${text}` : path;
}
