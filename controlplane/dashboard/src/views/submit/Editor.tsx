/* Editor.tsx - a text with numbered lines, and the server's faults at theirs. */
import { useRef } from "preact/hooks";
import type { ProblemError } from "../../api/types";
import "./Editor.css";

type EditorProps = { value: string; faults: readonly ProblemError[]; onInput(text: string): void };

/** Where in the text line `line`, column `col` (both from 1) begins. */
function offsetOf(text: string, line: number, col: number): number {
    const before = text.split("\n").slice(0, line - 1);
    return before.reduce((sum, it) => sum + it.length + 1, 0) + col - 1;
}

export function Editor({ value, faults, onInput }: EditorProps) {
    const area = useRef<HTMLTextAreaElement>(null);
    const gutter = useRef<HTMLPreElement>(null);
    const faultLines = new Set(faults.map((fault) => fault.line));
    const count = value.split("\n").length;
    /* A browser does not show by itself where a selection was set. */
    const goTo = ({ line = 1, col = 1 }: ProblemError) => {
        const text = area.current!;
        const at = offsetOf(value, line, col);
        text.focus();
        text.setSelectionRange(at, at);
        text.scrollTop = (line - 1) * parseFloat(getComputedStyle(text).lineHeight) - text.clientHeight / 2;
    };
    return (
        <div class="editor">
            <div class="editor-box">
                <pre class="editor-gutter" ref={gutter} aria-hidden="true">
                    {Array.from({ length: count }, (_, index) => (
                        <span key={index} class={faultLines.has(index + 1) ? "fault" : ""}>
                            {index + 1}
                            {"\n"}
                        </span>
                    ))}
                </pre>
                <textarea
                    ref={area}
                    aria-label="document, as YAML or JSON"
                    aria-invalid={faults.length > 0}
                    aria-describedby="editor-faults"
                    wrap="off"
                    spellcheck={false}
                    value={value}
                    onInput={(event) => onInput(event.currentTarget.value)}
                    onScroll={(event) =>
                        gutter.current && (gutter.current.scrollTop = event.currentTarget.scrollTop)
                    }
                />
            </div>
            <ul id="editor-faults" class="editor-faults">
                {faults.map((fault) => (
                    <li key={`${fault.pointer}${fault.line}${fault.detail}`}>
                        {fault.line !== undefined && (
                            <button type="button" onClick={() => goTo(fault)}>
                                line {fault.line}
                            </button>
                        )}
                        <span>
                            {fault.pointer && <code>{fault.pointer}</code>} {fault.detail}
                            {fault.allowed && <span class="quiet"> (allowed: {fault.allowed})</span>}
                        </span>
                    </li>
                ))}
            </ul>
        </div>
    );
}
