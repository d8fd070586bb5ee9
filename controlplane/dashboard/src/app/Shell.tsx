/* Shell.tsx - the frame around every view: navigation at the left, the bar above, notes at the lower edge. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { Button } from "../parts/Button";
import { Icon } from "../parts/Icon";
import { notes, removeNote } from "../store/notes";
import { useKeys } from "./keys";
import { Logo } from "./Logo";
import { Palette } from "./Palette";
import { placeOf, places } from "./places";
import "./Shell.css";
import { ShortcutHelp } from "./ShortcutHelp";
import { TopBar } from "./TopBar";

type Overlay = "palette" | "help" | "navigation" | undefined;

/** The field of the view that `/` goes to. */
export const SEARCH_FIELD = "[data-search]";

function focusSearch(): boolean {
    const field = document.querySelector<HTMLElement>(SEARCH_FIELD);
    field?.focus();
    return field !== null;
}

function Navigation({ onFollow }: { onFollow(): void }) {
    const [location] = useLocation();
    const here = placeOf(location);
    return (
        <nav class="navigation" aria-label="views">
            {places().map((place) => (
                <Link
                    key={place.path}
                    href={place.path}
                    class={`navigation-item${place.path === here ? " here" : ""}`}
                    aria-current={place.path === here ? "page" : undefined}
                    title={`${place.name} (${place.key})`}
                    onClick={onFollow}
                >
                    <Icon name={place.icon} />
                    {place.name}
                </Link>
            ))}
        </nav>
    );
}

function Notes() {
    return (
        <div class="notes" role="status" aria-live="polite">
            {notes.value.map((note) => (
                <div key={note.id} class={`note${note.isProblem ? " problem" : ""}`}>
                    <Icon name={note.isProblem ? "warning" : "check"} />
                    <span>{note.text}</span>
                    <Button
                        look="ghost"
                        icon="close"
                        aria-label="dismiss"
                        onClick={() => removeNote(note.id)}
                    />
                </div>
            ))}
        </div>
    );
}

export function Shell({ children }: { children: ComponentChildren }) {
    const [location, navigate] = useLocation();
    const [opened, setOpened] = useState<Overlay>();
    /* Only what is still open: a dialog tells of its end late, when the next one may be there already. */
    const closing = (overlay: Overlay) => () =>
        setOpened((before) => (before === overlay ? undefined : before));
    const closeNavigation = closing("navigation");

    const search = () => {
        if (focusSearch()) return;
        navigate("/jobs");
        requestAnimationFrame(() => focusSearch());
    };
    const goKeys = Object.fromEntries(places().map((place) => [place.key, () => navigate(place.path)]));
    /* The log viewer finds in its log by the same key. */
    const isLog = /^\/jobs\/[^/]+\/logs$/.test(location);
    useKeys({ ...goKeys, "?": () => setOpened("help"), ...(isLog ? {} : { "/": search }) });

    useEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") {
                event.preventDefault();
                setOpened((before) => (before === "palette" ? undefined : "palette"));
            } else if (event.key === "Escape" && document.activeElement?.matches(SEARCH_FIELD)) {
                (document.activeElement as HTMLElement).blur();
            }
        };
        window.addEventListener("keydown", onKey);
        return () => window.removeEventListener("keydown", onKey);
    }, []);

    return (
        <div class={`shell${opened === "navigation" ? " navigation-open" : ""}`}>
            <a class="skip" href="#main">
                Skip to the content
            </a>
            <div class="side">
                <Link href="/" class="brand" onClick={closeNavigation}>
                    <Logo />
                    Fairlead
                </Link>
                <Navigation onFollow={closeNavigation} />
                <div class="side-foot">
                    <Button look="ghost" icon="keyboard" onClick={() => setOpened("help")}>
                        Shortcuts <kbd>?</kbd>
                    </Button>
                </div>
            </div>
            <div class="side-shade" onClick={closeNavigation} />
            <TopBar onMenu={() => setOpened("navigation")} onPalette={() => setOpened("palette")} />
            <main id="main" class="main" tabIndex={-1}>
                {children}
            </main>
            <Notes />
            {opened === "palette" && <Palette onClose={closing("palette")} />}
            {opened === "help" && <ShortcutHelp onClose={closing("help")} />}
        </div>
    );
}
