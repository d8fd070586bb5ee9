/* log_settings.ts - what this browser remembers of how a person reads logs. */
import { effect, signal } from "@preact/signals";
import { TIME_MODES, type TimeMode } from "./log_time";

function remembered<T extends string>(name: string, allowed: readonly T[], preset: T) {
    const key = `fairlead.logs.${name}`;
    let stored: string | null = null;
    try {
        stored = localStorage.getItem(key);
    } catch {
        /* a browser may forbid its store: then the choice lasts as long as the page */
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

export const timeMode = remembered<TimeMode>("times", TIME_MODES, "off");
export const wrapping = remembered("lines", ["cut", "wrap"] as const, "cut");
