/* TopBar.tsx - the way into the palette, how the stream of events is, theme, zone, and who is signed in. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/Button";
import { Icon, type IconName } from "../parts/Icon";
import { Time } from "../parts/Time";
import { streamState } from "../store/live";
import { addNote } from "../store/notes";
import { may, signOut, token } from "../store/session";
import { type Theme, theme, zone } from "../store/settings";
import "./TopBar.css";

function Connection() {
    const { kind, since } = streamState.value;
    const words = {
        connected: "Live",
        reconnecting: "Reconnecting",
        offline: "Offline since",
    }[kind];
    return (
        <span class={`connection ${kind}`} role="status">
            <span class="connection-dot" aria-hidden="true" />
            <span class="connection-words">
                {words} {kind === "offline" && <Time at={new Date(since).toISOString()} />}
            </span>
        </span>
    );
}

const NEXT_THEME: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const THEME_ICON: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

function ThemeSwitch() {
    const next = NEXT_THEME[theme.value];
    return (
        <Button
            look="ghost"
            icon={THEME_ICON[theme.value]}
            title={`Theme: ${theme.value}`}
            aria-label={`theme: ${theme.value}; change to ${next}`}
            onClick={() => (theme.value = next)}
        />
    );
}

function ZoneSwitch() {
    const isUtc = zone.value === "utc";
    return (
        <Button
            look="ghost"
            icon="clock"
            title={isUtc ? "Times in UTC" : "Times in this browser's zone"}
            aria-label={`times: ${isUtc ? "UTC" : "local"}; change to ${isUtc ? "local" : "UTC"}`}
            onClick={() => (zone.value = isUtc ? "local" : "utc")}
        >
            {isUtc ? "UTC" : "Local"}
        </Button>
    );
}

function Account() {
    const [isOpen, setOpen] = useState(false);
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => {
        if (!isOpen) return undefined;
        const closeOutside = (event: Event) => {
            const isKey = event instanceof KeyboardEvent;
            if (isKey ? event.key === "Escape" : !box.current?.contains(event.target as Node)) setOpen(false);
        };
        document.addEventListener("pointerdown", closeOutside);
        document.addEventListener("keydown", closeOutside);
        return () => {
            document.removeEventListener("pointerdown", closeOutside);
            document.removeEventListener("keydown", closeOutside);
        };
    }, [isOpen]);

    const me = token.value;
    if (!me) return null;
    const leave = () => void signOut().catch((thrown: Error) => addNote(thrown.message, true));
    return (
        <div class="account" ref={box}>
            <Button
                look="ghost"
                icon="user"
                aria-expanded={isOpen}
                aria-label={`signed in as ${me.owner ?? me.name}`}
                onClick={() => setOpen(!isOpen)}
            />
            {isOpen && (
                <div class="account-card">
                    <p class="account-name">{me.owner ?? me.name}</p>
                    <dl>
                        <dt>Token</dt>
                        <dd>
                            {me.name} <span class="quiet mono">{me.id}</span>
                        </dd>
                        <dt>May</dt>
                        <dd>{me.scopes.join(", ")}</dd>
                        <dt>Queues</dt>
                        <dd>{me.queue ?? "all"}</dd>
                        <dt>Counts until</dt>
                        <dd>{me.expiresAt ? <Time at={me.expiresAt} /> : "for ever"}</dd>
                    </dl>
                    <Button icon="leave" onClick={leave}>
                        Sign out
                    </Button>
                </div>
            )}
        </div>
    );
}

export function TopBar({ onMenu, onPalette }: { onMenu(): void; onPalette(): void }) {
    return (
        <header class="top-bar">
            <span class="menu-button">
                <Button look="ghost" icon="menu" aria-label="open the navigation" onClick={onMenu} />
            </span>
            <button type="button" class="palette-button" onClick={onPalette}>
                <Icon name="search" size={14} />
                <span>Find and do</span>
                <kbd>{/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"} K</kbd>
            </button>
            <span class="spread" />
            {may("read") && <Connection />}
            <ZoneSwitch />
            <ThemeSwitch />
            <Account />
        </header>
    );
}
