/* App.tsx - signed in or not: the views, or the door to them. */
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import { type Problem, toProblem } from "../api/client";
import { ProblemView } from "../parts/Feedback";
import { forgetResources } from "../store/resource";
import { askSession, may, sessionState, signIn } from "../store/session";
import { startLive, stopLive } from "../store/live";
import { parseLoginLink } from "../text/next_path";
import { Login } from "./Login";
import { Shell } from "./Shell";
import { Views } from "./Views";

const ASK_AGAIN_MS = 3000;

const linkProblem = signal("");

/** A sign-in link carries a code that counts once; it leaves the address before anything else happens. */
async function followLink(otherwise: () => Promise<void>): Promise<void> {
    const link = location.pathname === "/login" ? parseLoginLink(location.hash) : undefined;
    if (!link) return otherwise();
    history.replaceState(null, "", "/login");
    try {
        await signIn({ code: link.code });
        navigate(link.next, { replace: true });
    } catch (thrown) {
        linkProblem.value = toProblem(thrown).detail;
        sessionState.value = { kind: "closed", isOver: false };
    }
}

/** Asks again by itself: a control plane that was restarted is back within seconds. */
function OutOfReach({ problem }: { problem: Problem }) {
    useEffect(() => {
        const timer = window.setInterval(() => void askSession(), ASK_AGAIN_MS);
        return () => window.clearInterval(timer);
    }, []);
    return <ProblemView problem={problem} retry={() => void askSession()} />;
}

export function App() {
    useEffect(() => {
        const onHash = () => void followLink(async () => undefined);
        void followLink(askSession);
        window.addEventListener("hashchange", onHash);
        return () => window.removeEventListener("hashchange", onHash);
    }, []);
    useSignalEffect(() => {
        if (sessionState.value.kind === "open") {
            if (may("read")) startLive();
        } else {
            stopLive();
            forgetResources();
        }
    });
    const state = sessionState.value;
    switch (state.kind) {
        case "asking":
            return null;
        case "failed":
            return <OutOfReach problem={state.problem} />;
        case "closed":
            return <Login isOver={state.isOver} linkProblem={linkProblem.value} />;
        case "open":
            return (
                <Shell>
                    <Views />
                </Shell>
            );
    }
}
