/* typed.ts - the text of a field whose value also comes from elsewhere. */
import { useState } from "preact/hooks";

/** The text as it is typed; it begins anew when the value has changed.  That is seen while drawing: an effect comes
 * after it, and would take back what a person typed in between. */
export function useTyped(value: string): [text: string, setText: (text: string) => void] {
    const [text, setText] = useState(value);
    const [shown, setShown] = useState(value);
    if (shown === value) return [text, setText];
    setShown(value);
    setText(value);
    return [value, setText];
}
