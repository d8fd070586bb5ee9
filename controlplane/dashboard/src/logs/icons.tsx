/* icons.tsx - the viewer's own icons, drawn like those of parts/Icon.tsx. */
const PATHS = {
    up: "M8 13V3M4 7l4-4 4 4",
    down: "M8 3v10M4 9l4 4 4-4",
    previous: "M4 10l4-4 4 4",
    next: "M4 6l4 4 4-4",
    wrap: "M2 4h12M2 8h9.5a2.2 2.2 0 0 1 0 4.5H8M9.5 10.8 7.8 12.5l1.7 1.7M2 12h3",
    filter: "M2 3.5h12L9.5 8.5v4l-3 1v-5Z",
    link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5 7.5 13a3 3 0 0 1-4.3-4.3L4.7 7.2",
    list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1",
    terminal: "M2 3h12v10H2zM4.5 6 7 8l-2.5 2M8.5 10.5h3",
} as const;

export function LogIcon({ name }: { name: keyof typeof PATHS }) {
    return (
        <svg
            class="icon"
            width="14"
            height="14"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            stroke-width="1.5"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
        >
            <path d={PATHS[name]} />
        </svg>
    );
}
