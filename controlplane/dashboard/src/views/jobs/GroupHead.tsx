/* GroupHead.tsx - the cells of a group's row: choose it whole, open and close it, and how its jobs stand. */
import { Icon } from "../../parts/Icon";
import { StateCounts } from "../../parts/StateCounts";
import type { Selection } from "../../store/selection";
import { formatCount } from "../../text/amount";
import type { JobGroup } from "../../text/group";

type GroupHeadProps = {
    group: JobGroup;
    columns: number;
    isOpen: boolean;
    selection: Selection;
    onToggle(): void;
    onSelect(): void;
};

export function GroupHead({ group, columns, isOpen, selection, onToggle, onSelect }: GroupHeadProps) {
    const { name, jobs, counts } = group;
    const chosen = jobs.filter((job) => selection.has(job.id)).length;
    return (
        <>
            <td>
                <input
                    type="checkbox"
                    aria-label={`select all of ${name}`}
                    checked={chosen === jobs.length}
                    indeterminate={chosen > 0 && chosen < jobs.length}
                    onChange={onSelect}
                    onClick={(event) => event.stopPropagation()}
                />
            </td>
            <td colSpan={columns}>
                <span class="group-head">
                    <button type="button" aria-expanded={isOpen} onClick={onToggle} title={name}>
                        <Icon name={isOpen ? "down" : "right"} size={12} />
                        <strong>{name}</strong>
                        <span class="quiet">{formatCount(jobs.length)}</span>
                    </button>
                    <StateCounts counts={counts} />
                </span>
            </td>
        </>
    );
}
