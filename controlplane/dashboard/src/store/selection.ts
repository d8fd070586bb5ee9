/* selection.ts - which rows of a list are chosen.  Pure: each change makes a new set. */

/** More than this is a matter of a query, not of single rows. */
export const SELECTED_MAX = 200;

export type Selection = ReadonlySet<string>;

export function toggle(selection: Selection, id: string): Selection {
    const next = new Set(selection);
    if (!next.delete(id) && next.size < SELECTED_MAX) next.add(id);
    return next;
}

/** All of these, as far as the limit lets; none of them, once there is none to add. */
export function toggleAll(selection: Selection, ids: readonly string[]): Selection {
    const next = new Set(selection);
    for (const id of ids) if (next.size < SELECTED_MAX) next.add(id);
    if (next.size === selection.size) for (const id of ids) next.delete(id);
    return next;
}

/** Those that are still in the list. */
export function keepListed(selection: Selection, ids: Iterable<string>): Selection {
    const listed = new Set(ids);
    const kept = [...selection].filter((id) => listed.has(id));
    return kept.length === selection.size ? selection : new Set(kept);
}
