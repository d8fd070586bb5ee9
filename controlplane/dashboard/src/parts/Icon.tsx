/* Icon.tsx - our icons: 16 px, strokes of 1.5 px, in the colour of the text around them. */
import type { JSX } from "preact";

const PATHS = {
    fleet: "M2 3.5h5v4H2zM9 3.5h5v9H9zM2 9.5h5v3H2z",
    jobs: "M2.5 4h2M7 4h6.5M2.5 8h2M7 8h6.5M2.5 12h2M7 12h6.5",
    queues: "M2.5 3.5h11v2.5h-11zM4 9h8M5.5 12h5",
    events: "M1.5 8h3l2-5 3 10 2-5h3",
    usage: "M2.5 13.5V8.5M6.2 13.5V3M9.8 13.5V6M13.5 13.5v-3",
    health: "M8 13.5S2 10 2 6a3.2 3.2 0 0 1 6-1.5A3.2 3.2 0 0 1 14 6c0 4-6 7.5-6 7.5Z",
    admin: "M8 1.8 13 4v3.7c0 3-2.1 5.3-5 6.5-2.9-1.2-5-3.5-5-6.5V4ZM6 8l1.5 1.5L10.2 6.5",
    submit: "M8 3v10M3 8h10",
    search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
    menu: "M2 4.5h12M2 8h12M2 11.5h12",
    close: "M4 4l8 8M12 4l-8 8",
    sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
    moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
    system: "M2 3h12v8H2zM6 13.5h4",
    clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.5",
    user: "M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8ZM2.8 13.8c.5-2.6 2.6-4 5.2-4s4.7 1.4 5.2 4",
    copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
    check: "M3 8.5l3.3 3.3L13 5",
    pause: "M5.5 3.5v9M10.5 3.5v9",
    play: "M5 3l8 5-8 5Z",
    retry: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
    stop: "M4 4h8v8H4z",
    right: "M6 3.5 10.5 8 6 12.5",
    down: "M3.5 6 8 10.5 12.5 6",
    download: "M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M2.5 13.5h11",
    warning: "M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.5v.2",
    keyboard: "M1.5 4h13v8h-13zM4 6.5h.2M6.7 6.5h.2M9.3 6.5h.2M11.8 6.5h.2M5 9.5h6",
    view: "M4 2.5h8v11L8 10.5l-4 3Z",
    key: "M5.5 10.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8.5 7.5h6M12 7.5v2.5",
    edit: "M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2ZM9.3 4.5l2.2 2.2",
    leave: "M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
    return (
        <svg
            class="icon"
            width={size}
            height={size}
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
