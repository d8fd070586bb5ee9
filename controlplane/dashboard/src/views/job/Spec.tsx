/* Spec.tsx - the job's document in its long form, which may be submitted as it is. */
import { useMemo } from "preact/hooks";
import type { Job } from "../../api/types";
import { CopyButton } from "../../parts/Button";
import { documentOf } from "../../text/job_document";
import { toYaml } from "../../text/yaml";
import "./Spec.css";

export function Spec({ job }: { job: Job }) {
    const text = useMemo(() => toYaml(documentOf(job)), [job]);
    return (
        <section class="panel spec" aria-label="spec">
            <div class="row">
                <h2>Document</h2>
                {job.specDigest && (
                    <span class="quiet mono spec-digest" title="SHA-256 of the spec">
                        {job.specDigest}
                    </span>
                )}
                <span class="spread" />
                <CopyButton text={text} label="the document">
                    Copy
                </CopyButton>
            </div>
            <pre tabIndex={0} aria-label="the document as YAML">
                {text}
            </pre>
        </section>
    );
}
