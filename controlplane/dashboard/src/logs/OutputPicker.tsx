/* OutputPicker.tsx - which outputs of the job are shown: element, replicas, attempt.  Only what the job has
 * several of can be picked. */
import { ListField } from "./ListField";
import type { LogStore } from "./log_store";
import { ALL, type Selection, formatSelection, isSameSelection, parseReplicas } from "./permalink";
import "./OutputPicker.css";

export function OutputPicker({ store }: { store: LogStore }) {
    const selection = store.selection.value;
    const { elements, replicas, attempts } = store.shape;
    const failure = store.failure();
    const pick = (part: Partial<Selection>) => store.select({ ...selection, ...part });
    /* The elements of a retry keep their numbers: the server knows which there are, and says so. */
    const parseElement = (text: string) => (/^\d{1,9}$/.test(text) ? `${Number(text)}` : null);
    return (
        <>
            {failure && (
                <button
                    type="button"
                    class="log-failure"
                    aria-pressed={isSameSelection(failure, selection)}
                    title="The output that failed first: later failures are most often its consequence"
                    onClick={() => store.select(isSameSelection(failure, selection) ? ALL : failure)}
                >
                    First failure{" "}
                    {formatSelection(failure).replace(/r/, failure.element === null ? "r" : " r")}
                </button>
            )}
            {elements > 1 && (
                <ListField
                    label="Element"
                    title="One element of the array by its number, or all"
                    value={selection.element === null ? "" : `${selection.element}`}
                    parse={parseElement}
                    onPick={(value) => pick({ element: value === "" ? null : Number(value) })}
                />
            )}
            {replicas > 1 && (
                <ListField
                    label="Replicas"
                    title={`Ranks 0 to ${replicas - 1}: 3, 0-7 or 0-7,9, or all`}
                    value={selection.replicas ?? ""}
                    parse={parseReplicas}
                    onPick={(value) => pick({ replicas: value || null })}
                />
            )}
            {attempts > 1 && (
                <label class="log-pick">
                    <span>Attempt</span>
                    <select
                        value={selection.attempt ?? ""}
                        onChange={({ currentTarget: { value } }) =>
                            pick({ attempt: value === "" ? null : Number(value) })
                        }
                    >
                        <option value="">all</option>
                        {Array.from({ length: attempts }, (_, i) => (
                            <option key={i} value={i + 1}>
                                {i + 1}
                            </option>
                        ))}
                    </select>
                </label>
            )}
        </>
    );
}
