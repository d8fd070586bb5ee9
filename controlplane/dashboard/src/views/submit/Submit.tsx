/* Submit.tsx - a new job, by a form or as a document; checked by the server before anything is made. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { useTitle } from "../../app/title";
import { type Problem, fetchRaw, get, idempotencyKey, toProblem } from "../../api/client";
import type { DryRun, Job } from "../../api/types";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { Empty, ProblemLine } from "../../parts/Feedback";
import { addNote } from "../../store/notes";
import { may } from "../../store/session";
import { EMPTY_FORM, documentOf, fieldOf, formDocument, mediaTypeOf } from "../../text/job_document";
import { toYaml } from "../../text/yaml";
import { Editor } from "./Editor";
import { FormFields } from "./FormFields";
import "./Submit.css";

type Mode = "form" | "document";

const EXAMPLE = toYaml({
    name: "hello",
    command: ["sh", "-c", "echo hello from $FAIRLEAD_JOB_ID"],
    resources: { cpu: 1 },
});

/* Typed text outlives the view: a session that ends, or a look at another view, loses nothing. */
const draftForm = signal(EMPTY_FORM);
const draftText = signal(EXAMPLE);
const draftMode = signal<Mode>("form");
const draftFrom = signal("");

/** Fills the document with that of a job, once for each job that is asked for. */
function useJobAsDraft(from: string): Problem | undefined {
    const [problem, setProblem] = useState<Problem>();
    useEffect(() => {
        if (!from || draftFrom.peek() === from) return;
        get<Job>(`/v1/jobs/${encodeURIComponent(from)}`).then(
            (job) => {
                draftFrom.value = from;
                draftForm.value = EMPTY_FORM;
                draftText.value = toYaml(documentOf(job));
                draftMode.value = "document";
            },
            (thrown: unknown) => setProblem(toProblem(thrown)),
        );
    }, [from]);
    return problem;
}

/** A refusal is certain; a lost answer is not, but the key of the document makes another try harmless. */
function wordsOf(problem: Problem): string {
    return problem.passing
        ? "No answer. Try again: the same document is not submitted twice."
        : "The server refused it; nothing was made.";
}

type Checked = { body: string; result: DryRun };
type Busy = "check" | "submit" | "wait";

export function Submit() {
    useTitle("Submit");
    const [, navigate] = useLocation();
    const from = new URLSearchParams(useSearch()).get("from") ?? "";
    const fromProblem = useJobAsDraft(from);
    const [checked, setChecked] = useState<Checked>();
    const [problem, setProblem] = useState<Problem>();
    const [busyWith, setBusyWith] = useState<Busy>();
    /* No cluster could ever run it, as far as the last answer about it says. */
    const [impossibleBody, setImpossibleBody] = useState<string>();
    /* One key for one document: a submission whose answer was lost is not done twice. */
    const [key, setKey] = useState({ body: "", headers: idempotencyKey() });

    if (!may("submit")) {
        return (
            <Empty icon="submit" title="This token may not submit jobs">
                It takes one with the scope submit.
            </Empty>
        );
    }
    const mode = draftMode.value;
    const body = mode === "form" ? JSON.stringify(formDocument(draftForm.value)) : draftText.value;
    const mediaType = mode === "form" ? "application/json" : mediaTypeOf(body);
    const post = async <T,>(path: string, headers: Record<string, string>): Promise<T> => {
        const init = { method: "POST", body, headers: { "Content-Type": mediaType, ...headers } };
        return (await (await fetchRaw(path, init)).json()) as T;
    };
    const run = async (what: Busy, work: () => Promise<void>) => {
        setBusyWith(what);
        setProblem(undefined);
        try {
            await work();
            setImpossibleBody(undefined);
        } catch (thrown) {
            const found = toProblem(thrown);
            setChecked(undefined);
            setProblem(found);
            if (found.code === "impossible") setImpossibleBody(body);
        }
        setBusyWith(undefined);
    };
    const check = () =>
        run("check", async () =>
            setChecked({ body, result: await post<DryRun>("/v1/jobs?dryRun=true", {}) }),
        );
    const submit = (what: "submit" | "wait") =>
        run(what, async () => {
            const own = key.body === body ? key : { body, headers: idempotencyKey() };
            const path = what === "wait" ? "/v1/jobs?waitForCluster=true" : "/v1/jobs";
            setKey(own);
            const job = await post<Job>(path, own.headers);
            addNote(`${job.id} is accepted.`);
            draftForm.value = EMPTY_FORM;
            draftText.value = EXAMPLE;
            draftFrom.value = "";
            navigate(`/jobs/${job.id}`);
        });
    const change = (edit: () => void) => {
        edit();
        setProblem(undefined);
    };
    const toMode = (next: Mode) =>
        change(() => {
            const form = draftForm.peek();
            if (next === "document" && form !== EMPTY_FORM) draftText.value = toYaml(formDocument(form));
            draftMode.value = next;
        });
    const faults = problem?.errors ?? [];
    const isShownAtFields =
        faults.length > 0 && faults.every((it) => mode === "document" || fieldOf(it.pointer ?? ""));
    const isCurrent = checked?.body === body;
    const isEmpty = mode === "document" || draftForm.value === EMPTY_FORM;
    const preview = isCurrent
        ? toYaml(checked.result.job)
        : isEmpty
          ? "Check shows it as the server understands it."
          : toYaml(formDocument(draftForm.value));
    return (
        <div class="view submit">
            <div class="view-head">
                <h1>Submit a job</h1>
                {draftFrom.value && (
                    <p class="quiet">
                        as{" "}
                        <Link class="link" href={`/jobs/${draftFrom.value}`}>
                            {draftFrom.value}
                        </Link>
                        , with changes
                    </p>
                )}
                <span class="spread" />
                <Choice
                    label="how"
                    options={[
                        { value: "form", name: "Form" },
                        { value: "document", name: "YAML or JSON" },
                    ]}
                    value={mode}
                    onChange={toMode}
                />
            </div>
            {fromProblem && <ProblemLine problem={fromProblem} />}
            <div class="submit-columns">
                <form
                    class="panel stack"
                    onSubmit={(event) => {
                        event.preventDefault();
                        void submit("submit");
                    }}
                >
                    {mode === "form" ? (
                        <FormFields
                            form={draftForm.value}
                            faults={faults}
                            onChange={(form) => change(() => (draftForm.value = form))}
                        />
                    ) : (
                        <Editor
                            value={draftText.value}
                            faults={faults}
                            onInput={(text) => change(() => (draftText.value = text))}
                        />
                    )}
                    {problem && !isShownAtFields && <ProblemLine problem={problem} />}
                    <div class="row">
                        <Button isBusy={busyWith === "check"} onClick={() => void check()}>
                            Check
                        </Button>
                        <Button type="submit" look="primary" isBusy={busyWith === "submit"}>
                            Submit
                        </Button>
                        {(impossibleBody === body || busyWith === "wait") && (
                            <Button isBusy={busyWith === "wait"} onClick={() => void submit("wait")}>
                                Submit and wait for a cluster
                            </Button>
                        )}
                        <span class="quiet" role="status">
                            {isCurrent && "The server would accept it."}
                            {problem && wordsOf(problem)}
                        </span>
                    </div>
                </form>
                <section class="panel" aria-label="document">
                    <h2>{isCurrent ? "As the server understands it" : "Document"}</h2>
                    <pre class="submit-document" tabIndex={0} aria-label="document as YAML">
                        {preview}
                    </pre>
                </section>
            </div>
        </div>
    );
}
