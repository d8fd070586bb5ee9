/* saved_views.ts - the named views of the jobs, which this browser keeps for all who sign in at it. */
import { signal } from "@preact/signals";
import { type SavedView, readViews } from "../text/saved_view";

const KEY = "fairlead.views";

function stored(): SavedView[] {
    try {
        return readViews(localStorage.getItem(KEY));
    } catch {
        return [];
    }
}

export const savedViews = signal<readonly SavedView[]>(stored());
/** A browser may forbid its store, or have no room in it: then views last as long as the page. */
export const areStored = signal(true);

/** Beginning with what another tab may have saved since; false where `change` makes nothing of it. */
export function changeViews(change: (views: readonly SavedView[]) => SavedView[] | undefined): boolean {
    const views = change(areStored.peek() ? stored() : savedViews.peek());
    if (!views) return false;
    savedViews.value = views;
    try {
        localStorage.setItem(KEY, JSON.stringify(views));
        areStored.value = true;
    } catch {
        areStored.value = false;
    }
    return true;
}

window.addEventListener("storage", ({ key }) => {
    if (areStored.peek() && (key === KEY || key === null)) savedViews.value = stored();
});
