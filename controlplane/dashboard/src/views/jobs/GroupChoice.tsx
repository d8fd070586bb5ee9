/* GroupChoice.tsx - by what the jobs are grouped; `b` goes there. */
import { useRef } from "preact/hooks";
import { useKeys } from "../../app/keys";
import { GROUP_FIELDS, groupWords } from "../../text/group";

type GroupChoiceProps = { by: string; labels: readonly string[]; onChange(by: string): void };

/** The label of the address is offered even when no loaded job carries it. */
export function GroupChoice({ by, labels, onChange }: GroupChoiceProps) {
    const field = useRef<HTMLSelectElement>(null);
    useKeys({ b: () => field.current?.focus() });
    const options = [...new Set([...GROUP_FIELDS, ...labels.map((key) => `label:${key}`), by])].filter(
        Boolean,
    );
    return (
        <select
            ref={field}
            class="group-choice"
            aria-label="group by"
            title="Group by (b)"
            value={by}
            onChange={(event) => onChange(event.currentTarget.value)}
        >
            <option value="">Not grouped</option>
            {options.map((option) => (
                <option key={option} value={option}>
                    By {groupWords(option)}
                </option>
            ))}
        </select>
    );
}
