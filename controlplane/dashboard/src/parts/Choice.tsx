/* Choice.tsx - one of a few, side by side. */
import "./Choice.css";

type ChoiceProps<T extends string> = {
    label: string;
    options: ReadonlyArray<{ value: NoInfer<T>; name: string }>;
    value: T;
    onChange(value: NoInfer<T>): void;
};

export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
    return (
        <div class="choice" role="group" aria-label={label}>
            {options.map((option) => (
                <button
                    key={option.value}
                    type="button"
                    aria-pressed={option.value === value}
                    onClick={() => onChange(option.value)}
                >
                    {option.name}
                </button>
            ))}
        </div>
    );
}
