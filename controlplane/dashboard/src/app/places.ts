/* places.ts - the views that the navigation, the shortcuts and the palette lead to. */
import type { IconName } from "../parts/Icon";
import { may, mayFleet } from "../store/session";

export type Place = { path: string; name: string; icon: IconName; key: string; isAllowed(): boolean };

const mayRead = () => may("read");

const PLACES: readonly Place[] = [
    { path: "/", name: "Fleet", icon: "fleet", key: "g f", isAllowed: mayRead },
    { path: "/jobs", name: "Jobs", icon: "jobs", key: "g j", isAllowed: mayRead },
    { path: "/queues", name: "Queues", icon: "queues", key: "g q", isAllowed: mayRead },
    { path: "/events", name: "Events", icon: "events", key: "g e", isAllowed: () => may("read") },
    { path: "/usage", name: "Usage", icon: "usage", key: "g u", isAllowed: mayRead },
    { path: "/health", name: "Health", icon: "health", key: "g h", isAllowed: () => true },
    { path: "/admin", name: "Admin", icon: "admin", key: "g a", isAllowed: () => mayFleet("admin") },
    { path: "/submit", name: "Submit", icon: "submit", key: "g s", isAllowed: () => may("submit") },
];

/** Those that this token may see. */
export function places(): Place[] {
    return PLACES.filter((place) => place.isAllowed());
}

/** The place that a path belongs to, so that the navigation can mark it. */
export function placeOf(path: string): string {
    const first = `/${path.split("/")[1] ?? ""}`;
    return first === "/clusters" || first === "/nodes" ? "/" : first;
}
