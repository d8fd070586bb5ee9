/* keys.ts - shortcuts of the keyboard.  A key does nothing of ours while somebody types, in a dialog, or with a
 * modifier; one that another part has taken (preventDefault) is left alone, and so is Enter on a button or link. */
import { useLayoutEffect, useRef } from "preact/hooks";

export type KeyMap = Record<string, () => void>;

/** After the first key of a pair, as in `g j`, the second has to come within this time. */
const PAIR_MS = 1200;

export function isTyping(target: EventTarget | null): boolean {
    return (
        target instanceof HTMLElement &&
        (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"))
    );
}

function isOurs(event: KeyboardEvent): boolean {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    return (
        !isModified &&
        !event.defaultPrevented &&
        !isTyping(event.target) &&
        !(event.key === "Enter" && (event.target as Element).closest?.("a, button, summary")) &&
        !document.querySelector("dialog[open]")
    );
}

/** Keys (`j`, `?`, `Enter`) and pairs (`g j`) of a view, from when it can be seen. */
export function useKeys(map: KeyMap): void {
    const latest = useRef(map);
    latest.current = map;
    useLayoutEffect(() => {
        let first = "";
        let firstAt = 0;
        const onKey = (event: KeyboardEvent) => {
            if (!isOurs(event)) return;
            const isPair = first !== "" && event.timeStamp - firstAt < PAIR_MS;
            const run = latest.current[isPair ? `${first} ${event.key}` : event.key];
            first = isPair ? "" : event.key;
            firstAt = event.timeStamp;
            if (!run) return;
            event.preventDefault();
            first = "";
            run();
        };
        window.addEventListener("keydown", onKey);
        return () => window.removeEventListener("keydown", onKey);
    }, []);
}
