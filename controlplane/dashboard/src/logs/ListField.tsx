/* ListField.tsx - a number, or a list of numbers, beside its label in a toolbar. */
import { useTyped } from "../parts/typed";
import "./OutputPicker.css";

type ListFieldProps = {
    label: string;
    title: string;
    value: string;
    placeholder?: string;
    /** null: not what it takes. */
    parse: (text: string) => string | null;
    onPick: (value: string) => void;
};

/** A field that takes its text on Enter, or when it is left; empty is what the placeholder says. */
export function ListField({ label, title, value, placeholder = "all", parse, onPick }: ListFieldProps) {
    const [text, setText] = useTyped(value);
    const parsed = text.trim() === "" ? "" : parse(text);
    const take = () => {
        if (parsed !== null && parsed !== value) onPick(parsed);
    };
    return (
        <label class="log-pick" title={title}>
            <span>{label}</span>
            <input
                value={text}
                placeholder={placeholder}
                inputMode="numeric"
                aria-invalid={parsed === null}
                onInput={(event) => setText(event.currentTarget.value)}
                onBlur={take}
                onKeyDown={(event) => event.key === "Enter" && take()}
            />
        </label>
    );
}
