/* Login.tsx - the door: a pasted token becomes a session of the server.  The token is kept nowhere here. */
import { useState } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import { toProblem } from "../api/client";
import { Button } from "../parts/Button";
import { CommandLine, ProblemLine } from "../parts/Feedback";
import type { Problem } from "../api/client";
import { signIn } from "../store/session";
import "./Login.css";
import { Logo } from "./Logo";
import { useTitle } from "./title";

export function Login({ isOver, linkProblem }: { isOver: boolean; linkProblem: string }) {
    const [text, setText] = useState("");
    const [isBusy, setBusy] = useState(false);
    const [problem, setProblem] = useState<Problem>();
    useTitle("Sign in");

    const submit = async (event: Event) => {
        event.preventDefault();
        setBusy(true);
        setProblem(undefined);
        try {
            await signIn({ token: text.trim() });
            if (location.pathname === "/login") navigate("/", { replace: true });
        } catch (thrown) {
            setProblem(toProblem(thrown));
            setBusy(false);
        }
    };

    return (
        <main class="login">
            <form class="login-box" onSubmit={(event) => void submit(event)}>
                <Logo size={36} />
                <h1>{isOver ? "Your session is over" : "Sign in to Fairlead"}</h1>
                {isOver && <p class="quiet">Sign in again and this page goes on where it was.</p>}
                {linkProblem && !problem && (
                    <p class="login-link-problem" role="alert">
                        This link does not sign in any more: {linkProblem}
                    </p>
                )}
                <label>
                    <span>Token</span>
                    <input
                        type="password"
                        name="token"
                        value={text}
                        onInput={(event) => setText(event.currentTarget.value)}
                        placeholder="fl_..."
                        autocomplete="off"
                        spellcheck={false}
                        autofocus
                        required
                    />
                </label>
                {problem && <ProblemLine problem={problem} />}
                <Button type="submit" look="primary" isBusy={isBusy} disabled={text.trim() === ""}>
                    Sign in
                </Button>
                <hr />
                <p class="quiet">Or let the command line open this page, signed in:</p>
                <CommandLine command="fairlead open" />
            </form>
        </main>
    );
}
