/* QueryBar.tsx - the filters of the jobs as one line of text, with completion. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts/Icon";
import { useTyped } from "../../parts/typed";
import { type KnownWords, complete, completions, parseQuery } from "../../text/query";
import "./QueryBar.css";

type QueryBarProps = { value: string; known: KnownWords; onChange(query: string): void };

/** A query is asked for so long after the last letter. */
const SETTLE_MS = 300;

export function QueryBar({ value, known, onChange }: QueryBarProps) {
    const [text, setText] = useTyped(value);
    const [caret, setCaret] = useState(value.length);
    const [chosen, setChosen] = useState(-1);
    const [isOpen, setOpen] = useState(false);
    const input = useRef<HTMLInputElement>(null);

    useEffect(() => {
        if (text === value) return undefined;
        const timer = window.setTimeout(() => onChange(text), SETTLE_MS);
        return () => window.clearTimeout(timer);
    }, [text, value, onChange]);

    const options = isOpen ? completions(text, caret, known) : [];
    const { faults } = parseQuery(text);

    const take = (option: string) => {
        const completed = complete(text, caret, option);
        setText(completed.text);
        setCaret(completed.caret);
        setChosen(-1);
        /* Now, and not with the next drawing: the next keys go behind the completion. */
        const field = input.current;
        if (!field) return;
        field.value = completed.text;
        field.focus();
        field.setSelectionRange(completed.caret, completed.caret);
    };
    const onKey = (event: KeyboardEvent) => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            const step = event.key === "ArrowDown" ? 1 : -1;
            setOpen(true);
            setChosen(Math.max(-1, Math.min(options.length - 1, chosen + step)));
        } else if ((event.key === "Enter" || event.key === "Tab") && options[chosen] !== undefined) {
            take(options[chosen]);
        } else if (event.key === "Tab" && options.length === 1 && text.trim() !== "") {
            take(options[0]!);
        } else if (event.key === "Enter") {
            setOpen(false);
            onChange(text);
            input.current?.blur();
        } else return;
        event.preventDefault();
    };
    const noteCaret = () => setCaret(input.current?.selectionStart ?? text.length);
    return (
        <div class="query-bar">
            <Icon name="search" size={14} />
            <input
                ref={input}
                data-search
                type="text"
                role="combobox"
                aria-label="jobs by state, queue, name, label or person"
                aria-expanded={options.length > 0}
                aria-controls="query-options"
                aria-activedescendant={chosen >= 0 ? `query-option-${chosen}` : undefined}
                aria-invalid={faults.length > 0}
                placeholder="state:running name:train-* by:@me"
                value={text}
                spellcheck={false}
                autocomplete="off"
                onInput={(event) => {
                    setText(event.currentTarget.value);
                    setChosen(-1);
                    setOpen(true);
                    noteCaret();
                }}
                onSelect={noteCaret}
                onFocus={() => setOpen(true)}
                onBlur={() => setOpen(false)}
                onKeyDown={onKey}
            />
            <kbd class="wide-only">/</kbd>
            <ul id="query-options" role="listbox" aria-label="completions" hidden={options.length === 0}>
                {options.map((option, index) => (
                    <li
                        key={option}
                        id={`query-option-${index}`}
                        role="option"
                        aria-selected={index === chosen}
                        /* before the field loses the focus, which closes the list */
                        onPointerDown={(event) => {
                            event.preventDefault();
                            take(option);
                        }}
                    >
                        {option}
                    </li>
                ))}
            </ul>
            {faults.length > 0 && !isOpen && (
                <p class="query-fault" role="status">
                    {faults.join("; ")}
                </p>
            )}
        </div>
    );
}
