/* HitMap.tsx - where in the log the hits are, beside the scrollbar.  A picture for those who see it: hits are
 * reached by n and N, or by their list. */
import { marksOf } from "./find";
import "./HitMap.css";
import type { LogStore } from "./log_store";

const MARKS_MAX = 300;

export function HitMap({ store }: { store: LogStore }) {
    void store.search.version.value;
    const numbered = store.numbered.value;
    if (!numbered || store.search.isFilter.value || !store.search.isActive.value) return null;
    const current = store.search.hits[store.search.current.value];
    const marks = marksOf(store.search.hits, numbered.end, MARKS_MAX);
    return (
        <div class="log-map" aria-hidden="true">
            {marks.map((mark) => (
                <span key={mark} style={{ top: `${mark * 100}%` }} />
            ))}
            {current && current.index !== null && (
                <span class="is-current" style={{ top: `${(current.index / numbered.end) * 100}%` }} />
            )}
        </div>
    );
}
