/* settings.ts - what this browser remembers of a person's taste; nothing secret is ever stored. */
import { effect, signal } from "@preact/signals";
import type { Zone } from "../text/clock";

export type Theme = "system" | "dark" | "light";

/** A browser may forbid its store altogether: then a choice lasts as long as the page. */
function remembered<T extends string>(name: string, allowed: readonly T[], preset: T) {
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

export const theme = remembered<Theme>("theme", ["system", "dark", "light"], "system");
export const zone = remembered<Zone>("zone", ["utc", "local"], "local");

effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
});
