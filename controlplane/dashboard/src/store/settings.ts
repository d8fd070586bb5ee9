/* settings.ts - how a person wants to see every page. */
import { effect } from "@preact/signals";
import type { Zone } from "../text/clock";
import { remembered } from "./remembered";

export type Theme = "system" | "dark" | "light";

export const theme = remembered<Theme>("theme", ["system", "dark", "light"], "system");
export const zone = remembered<Zone>("zone", ["utc", "local"], "local");

effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
});
