/* FailureGroups.tsx - the failed elements of an array, those that failed alike together: by reason, exit code and
 * the last error line of their output, and each group to be run again by itself. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { FailureGroup, Failures, Job } from "../../api/types";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Dialog";
import { Loaded } from "../../parts/Feedback";
import { isEnded } from "../../store/job_state";
import { addNote } from "../../store/notes";
import { useResource } from "../../store/resource";
import { may } from "../../store/session";
import { countOf, formatCount } from "../../text/amount";
import { reasonWords } from "../../text/sentence";
import { act } from "./JobActions";
import { logsPath } from "./links";

function RetryGroup({ job, group, onClose }: { job: Job; group: FailureGroup; onClose(): void }) {
    const [, navigate] = useLocation();
    const retry = async () => {
        const next = await act(job, "retry", { failure: group.id });
        addNote(`${next.id} runs ${countOf(group.count, "element")} of ${job.id} again.`);
        navigate(`/jobs/${next.id}`);
    };
    return (
        <Confirm
            title={`Run ${countOf(group.count, "element")} of ${job.id} again?`}
            verb="Run again"
            act={retry}
            onClose={onClose}
        >
            <p>This makes a new job with the same spec, of the elements that failed like this:</p>
            <p class="mono">{group.line || reasonWords(group.reason)}</p>
        </Confirm>
    );
}

function GroupRow({ job, group, retry }: { job: Job; group: FailureGroup; retry?: () => void }) {
    const { element, attempt, replica } = group.first;
    return (
        <tr>
            <td class="number">{formatCount(group.count)}</td>
            <td>{reasonWords(group.reason)}</td>
            <td class="number">{group.exitCode}</td>
            <td class="text" title={group.pattern}>
                <span class="mono">{group.line}</span>
            </td>
            <td class="text mono" title={group.elements}>
                {group.elements}
                {group.hasMoreElements && " …"}
            </td>
            <td>
                <Link class="link" href={logsPath(job.id, element, attempt, replica ?? undefined)}>
                    Log<span class="hidden-text"> of element {element}</span>
                </Link>
            </td>
            <td>
                {retry && (
                    <Button look="ghost" icon="retry" onClick={retry}>
                        Run again
                    </Button>
                )}
            </td>
        </tr>
    );
}

/** Says which failures the groups leave out. */
function rest({ others, isWhole }: Failures): string {
    const more = others > 0 ? `${countOf(others, "further element")} in smaller groups. ` : "";
    return isWhole ? more : `${more}There are more failures than are counted here.`;
}

function GroupTable({ job, failures }: { job: Job; failures: Failures }) {
    const [asked, setAsked] = useState<FailureGroup>();
    const left = rest(failures);
    const mayRetry = may("submit") && isEnded(job.state);
    return (
        <>
            <div class="table-scroll" tabIndex={0} role="region" aria-label="failures alike, as a table">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col" class="number">
                                Elements
                            </th>
                            <th scope="col">Why</th>
                            <th scope="col" class="number">
                                Exit code
                            </th>
                            <th scope="col">Last error line, of one of them</th>
                            <th scope="col">Which</th>
                            <th scope="col">
                                <span class="hidden-text">log</span>
                            </th>
                            <th scope="col">
                                <span class="hidden-text">action</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {failures.groups.map((group) => (
                            <GroupRow
                                key={group.id}
                                job={job}
                                group={group}
                                retry={mayRetry ? () => setAsked(group) : undefined}
                            />
                        ))}
                    </tbody>
                </table>
            </div>
            {left && <p class="quiet">{left}</p>}
            {asked && <RetryGroup job={job} group={asked} onClose={() => setAsked(undefined)} />}
        </>
    );
}

export function FailureGroups({ job }: { job: Job }) {
    const failures = useResource<Failures>(`/v1/jobs/${job.id}/failures`, {
        when: (event) => event.type === "element.ended" && event.job === job.id && event.state === "failed",
    });
    return (
        <section class="panel" aria-label="elements that failed alike">
            <h2>Failures alike</h2>
            <Loaded resource={failures}>{(it) => <GroupTable job={job} failures={it} />}</Loaded>
        </section>
    );
}
