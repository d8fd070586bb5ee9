/* screen.ts - whether the page has only a phone's width, as in the style sheets. */
import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 720px)");

export const isNarrow = signal(query.matches);

query.addEventListener("change", () => (isNarrow.value = query.matches));
