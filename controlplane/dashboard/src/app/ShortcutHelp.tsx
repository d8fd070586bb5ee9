/* ShortcutHelp.tsx - all keys on one card. */
import { Dialog } from "../parts/Dialog";
import { places } from "./places";
import "./ShortcutHelp.css";

const GENERAL: ReadonlyArray<readonly [string, string]> = [
    ["/", "search in this view"],
    ["Ctrl K", "find and do anything"],
    ["?", "these shortcuts"],
    ["Esc", "close, leave a field, clear a selection"],
];

const LISTS: ReadonlyArray<readonly [string, string]> = [
    ["j", "next row"],
    ["k", "row before"],
    ["Enter", "open the row, or fold its group"],
    ["x", "select the row or group"],
    ["b", "group the jobs by ..."],
    ["[", "tab before"],
    ["]", "next tab"],
];

function Keys({ title, keys }: { title: string; keys: ReadonlyArray<readonly [string, string]> }) {
    return (
        <section>
            <h3>{title}</h3>
            <dl>
                {keys.map(([key, meaning]) => (
                    <div key={key}>
                        <dt>
                            {key.split(" ").map((part) => (
                                <kbd key={part}>{part}</kbd>
                            ))}
                        </dt>
                        <dd>{meaning}</dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}

export function ShortcutHelp({ onClose }: { onClose(): void }) {
    return (
        <Dialog title="Shortcuts" onClose={onClose}>
            <div class="shortcuts">
                <Keys title="Anywhere" keys={GENERAL} />
                <Keys title="In lists and jobs" keys={LISTS} />
                <Keys title="Go to" keys={places().map((place) => [place.key, place.name] as const)} />
            </div>
        </Dialog>
    );
}
