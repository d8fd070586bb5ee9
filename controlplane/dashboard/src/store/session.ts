/* session.ts - who is signed in at this page, and what that token may do.
 * The session is the server's: a cookie that no script can read.  Here is what GET /v1/session says of it. */
import { computed, signal } from "@preact/signals";
import { Problem, get, onUnauthorized, send, toProblem } from "../api/client";
import type { Session, Token } from "../api/types";

export type SessionState =
    | { kind: "asking" }
    | { kind: "closed"; isOver: boolean }
    | { kind: "open"; session: Session }
    | { kind: "failed"; problem: Problem };

export const sessionState = signal<SessionState>({ kind: "asking" });

export const token = computed<Token | undefined>(() =>
    sessionState.value.kind === "open" ? sessionState.value.session.token : undefined,
);

type Scope = Token["scopes"][number];

/** The token has this right; admin includes all but outlive. */
export function may(scope: Scope): boolean {
    const scopes = token.value?.scopes ?? [];
    return scopes.includes(scope) || (scope !== "outlive" && scopes.includes("admin"));
}

/** The same for what concerns the whole fleet, which a token of one queue may not touch. */
export function mayFleet(scope: Scope): boolean {
    return may(scope) && token.value?.queue === null;
}

onUnauthorized(() => {
    const isOver = sessionState.peek().kind === "open";
    sessionState.value = { kind: "closed", isOver };
});

export async function askSession(): Promise<void> {
    try {
        sessionState.value = { kind: "open", session: await get<Session>("/v1/session") };
    } catch (thrown) {
        const problem = toProblem(thrown);
        if (problem.status !== 401) sessionState.value = { kind: "failed", problem };
    }
}

/** Throws the Problem of a token or code that does not count. */
export async function signIn(proof: { token: string } | { code: string }): Promise<void> {
    sessionState.value = { kind: "open", session: await send<Session>("POST", "/v1/session", proof) };
}

export async function signOut(): Promise<void> {
    await send("DELETE", "/v1/session");
    sessionState.value = { kind: "closed", isOver: false };
}
