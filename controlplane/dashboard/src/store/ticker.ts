/* ticker.ts - the time of day as a signal, once a second while the page is visible: ages count by it. */
import { signal } from "@preact/signals";

export const now = signal(Date.now());

window.setInterval(() => {
    if (!document.hidden) now.value = Date.now();
}, 1000);
document.addEventListener("visibilitychange", () => {
    if (!document.hidden) now.value = Date.now();
});
