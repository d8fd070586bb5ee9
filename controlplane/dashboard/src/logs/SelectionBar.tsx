/* SelectionBar.tsx - what can be done with the selected lines: copied as text, as a link, as a command. */
import { useState } from "preact/hooks";
import { Button } from "../parts/Button";
import { addNote } from "../store/notes";
import { copyText } from "./copy_text";
import { formatCount } from "./gap_text";
import { LogIcon } from "./icons";
import type { LogStore } from "./log_store";
import { commandOf, formatPlace } from "./permalink";
import "./SelectionBar.css";

const COPIED_MS = 1500;

export function SelectionBar({ store }: { store: LogStore }) {
    const [copied, setCopied] = useState("");
    const lines = store.selected.value;
    if (!lines || !store.numbered.value) return null;
    const selection = store.selection.value;
    const copy = async (what: string, text: string | Promise<string>) => {
        const isCopied = await copyText(await text);
        if (!isCopied) {
            addNote("The browser does not let this page copy: select the text and copy it yourself.", true);
            return;
        }
        setCopied(what);
        window.setTimeout(() => setCopied(""), COPIED_MS);
    };
    const address = () =>
        location.origin + location.pathname + location.search + formatPlace({ selection, lines });
    const name = (what: string, as: string) => (copied === what ? "Copied" : as);
    const count = lines.last - lines.first + 1;
    return (
        <div class="log-selection" role="toolbar" aria-label="Selected lines">
            <span>
                {count === 1 ? `Line ${(lines.first + 1).toLocaleString("en")}` : formatCount(count, "line")}
            </span>
            <Button look="ghost" icon="copy" onClick={() => void copy("text", store.selectedText())}>
                {name("text", "Text")}
            </Button>
            <Button look="ghost" onClick={() => void copy("link", address())}>
                <LogIcon name="link" />
                {name("link", "Link")}
            </Button>
            <Button
                look="ghost"
                title="The command that prints this output"
                onClick={() => void copy("command", commandOf(store.jobId, selection))}
            >
                <LogIcon name="terminal" />
                {name("command", "Command")}
            </Button>
            <Button
                look="ghost"
                icon="close"
                aria-label="Select no line"
                title="Select no line (Esc)"
                onClick={() => store.clearSelected()}
            />
            <span class="hidden-text" role="status">
                {copied && `${copied} copied`}
            </span>
        </div>
    );
}
