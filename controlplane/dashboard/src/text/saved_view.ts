/* saved_view.ts - views of the jobs that a person named: a query and its groups.  Pure.
 * They are kept as text that anything may have damaged: an entry that is no view is left out, the rest counts. */
import { withQuery } from "../api/client";
import { groupWords, parseGroup } from "./group";

export type JobView = { query: string; group: string };
export type SavedView = JobView & { name: string };

export const VIEWS_MAX = 50;
export const VIEW_NAME_MAX = 60;
const QUERY_MAX = 1000;
const STORED_MAX = 100_000;

/** The page that shows it: the link that is shared, too. */
export function viewPath({ query, group }: JobView): string {
    return withQuery("/jobs", { q: query.trim(), group });
}

export function viewWords({ query, group }: JobView): string {
    return (query.trim() || "all jobs") + (group ? `, grouped by ${groupWords(group)}` : "");
}

export const isSameView = (a: JobView, b: JobView) => viewPath(a) === viewPath(b);

function toView(value: unknown): SavedView | undefined {
    const { name, query, group } = (value ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || typeof query !== "string" || typeof group !== "string") return undefined;
    const isSound = name.trim() !== "" && name.length <= VIEW_NAME_MAX && query.length <= QUERY_MAX;
    return isSound ? { name: name.trim(), query, group: parseGroup(group) } : undefined;
}

export function readViews(text: string | null): SavedView[] {
    try {
        const stored: unknown = JSON.parse(text !== null && text.length <= STORED_MAX ? text : "[]");
        if (!Array.isArray(stored)) return [];
        return stored.reduce<SavedView[]>((views, value) => saveView(views, value) ?? views, []);
    } catch {
        return [];
    }
}

/** With this view, in the place of one with its name; undefined where it is no view, or one too many. */
export function saveView(views: readonly SavedView[], view: unknown): SavedView[] | undefined {
    const sound = toView(view);
    if (!sound) return undefined;
    if (views.some(({ name }) => name === sound.name))
        return views.map((before) => (before.name === sound.name ? sound : before));
    return views.length < VIEWS_MAX ? [...views, sound] : undefined;
}

/** The views with one renamed; undefined if the name is not allowed, or another view has it. */
export function renameView(views: readonly SavedView[], from: string, to: string): SavedView[] | undefined {
    const renamed = toView({ ...views.find(({ name }) => name === from), name: to });
    const isTaken = views.some(({ name }) => name === renamed?.name && name !== from);
    return renamed && !isTaken ? views.map((view) => (view.name === from ? renamed : view)) : undefined;
}
