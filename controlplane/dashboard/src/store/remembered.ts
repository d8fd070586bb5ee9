/* remembered.ts - a choice of a person that this browser keeps; nothing secret is ever stored. */
import { type Signal, effect, signal } from "@preact/signals";

/** A browser may forbid its store altogether: then a choice lasts as long as the page. */
export function remembered<T extends string>(name: string, allowed: readonly T[], preset: T): Signal<T> {
    const key = `fairlead.${name}`;
    let stored: string | null = null;
    try {
        stored = localStorage.getItem(key);
    } catch {
        stored = null;
    }
    const setting = signal<T>(allowed.find((word) => word === stored) ?? preset);
    effect(() => {
        try {
            localStorage.setItem(key, setting.value);
        } catch {
            /* kept in memory alone */
        }
    });
    return setting;
}
