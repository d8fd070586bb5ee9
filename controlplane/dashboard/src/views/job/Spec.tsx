/* Spec.tsx - the job's document in its long form, which may be submitted as it is, and how it differs from that
 * of another run.  The address says which: `?with=job-7`, or `?with=` for the run before. */
import { useMemo } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import type { Job } from "../../api/types";
import { CopyButton } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { lazy } from "../../parts/lazy";
import { documentOf } from "../../text/job_document";
import { toYaml } from "../../text/yaml";
import "./Spec.css";

const SpecDiff = lazy(() => import("./SpecDiff").then((it) => it.SpecDiff));

function Resolved({ job }: { job: Job }) {
    const text = useMemo(() => toYaml(documentOf(job)), [job]);
    return (
        <>
            <div class="row">
                <p class="quiet">
                    The long form in which the control plane keeps it; the text as it was sent is not kept.
                </p>
                <span class="spread" />
                {job.specDigest && (
                    <span
                        class="quiet mono spec-digest wide-only"
                        title={`SHA-256 of the spec: ${job.specDigest}`}
                    >
                        {job.specDigest}
                    </span>
                )}
                <CopyButton text={text} label="the document">
                    Copy
                </CopyButton>
            </div>
            <pre tabIndex={0} aria-label="the document as YAML">
                {text}
            </pre>
        </>
    );
}

export function Spec({ job }: { job: Job }) {
    const [path, navigate] = useLocation();
    const other = new URLSearchParams(useSearch()).get("with");
    const show = (id: string | null) =>
        navigate(id === null ? path : `${path}?with=${encodeURIComponent(id)}`, { replace: true });
    return (
        <section class="panel spec" aria-label="spec">
            <div class="view-head">
                <h2>Document</h2>
                <Choice
                    label="how the document is shown"
                    options={[
                        { value: "resolved", name: "As resolved" },
                        { value: "diff", name: "Diff with another run" },
                    ]}
                    value={other === null ? "resolved" : "diff"}
                    onChange={(look) => show(look === "diff" ? "" : null)}
                />
            </div>
            {other === null ? <Resolved job={job} /> : <SpecDiff job={job} other={other} onOther={show} />}
        </section>
    );
}
