/* FormFields.tsx - the short document as fields. */
import type { ComponentChildren } from "preact";
import type { ProblemError, QueuePage } from "../../api/types";
import { useResource } from "../../store/resource";
import { type JobForm, fieldOf } from "../../text/job_document";
import "./FormFields.css";

type TextField = { [Name in keyof JobForm]: JobForm[Name] extends string ? Name : never }[keyof JobForm];

type FormFieldsProps = { form: JobForm; faults: readonly ProblemError[]; onChange(form: JobForm): void };

const AMOUNTS: ReadonlyArray<{ field: TextField; label: string; hint: string }> = [
    { field: "cpu", label: "CPU a replica", hint: "1.5 or 500m" },
    { field: "memory", label: "Memory a replica", hint: "2Gi" },
    { field: "gpus", label: "GPUs a replica", hint: "0" },
    { field: "replicas", label: "Replicas (together)", hint: "1" },
    { field: "array", label: "Elements (apart)", hint: "1" },
    { field: "parallelism", label: "Elements at once", hint: "all" },
    { field: "retry", label: "Retries", hint: "0" },
    { field: "deadline", label: "Deadline", hint: "1h30m" },
    { field: "priority", label: "Priority", hint: "0" },
];

export function FormFields({ form, faults, onChange }: FormFieldsProps) {
    const queues = useResource<QueuePage>("/v1/queues");
    const set = (field: TextField, value: string) => onChange({ ...form, [field]: value });
    const faultOf = (field: keyof JobForm) => faults.find((fault) => fieldOf(fault.pointer ?? "") === field);

    const field = (name: keyof JobForm, label: string, input: ComponentChildren) => {
        const fault = faultOf(name);
        return (
            <label class={`field field-${name}`}>
                <span>{label}</span>
                {input}
                {fault && (
                    <span class="field-fault" role="alert">
                        {fault.detail}
                        {fault.allowed && `: ${fault.allowed}`}
                    </span>
                )}
            </label>
        );
    };
    const line = (name: TextField, label: string, hint: string) =>
        field(
            name,
            label,
            <input
                name={name}
                value={form[name]}
                placeholder={hint}
                autocomplete="off"
                onInput={(event) => set(name, event.currentTarget.value)}
            />,
        );
    const lines = (name: TextField, label: string, hint: string, rows: number) =>
        field(
            name,
            label,
            <textarea
                name={name}
                class="mono"
                rows={rows}
                value={form[name]}
                placeholder={hint}
                spellcheck={false}
                onInput={(event) => set(name, event.currentTarget.value)}
            />,
        );
    return (
        <div class="form-fields">
            {line("name", "Name", "for people, need not be unique")}
            {field(
                "queue",
                "Queue",
                <select
                    name="queue"
                    value={form.queue}
                    onChange={(event) => set("queue", event.currentTarget.value)}
                >
                    <option value="">default</option>
                    {(queues.data?.queues ?? [])
                        .filter((queue) => queue.name !== "default")
                        .map((queue) => (
                            <option key={queue.name} value={queue.name}>
                                {queue.name}
                            </option>
                        ))}
                </select>,
            )}
            {lines("command", "Command", "python train.py --lr 0.1", 3)}
            <label class="check">
                <input
                    type="checkbox"
                    checked={form.isShell}
                    onChange={(event) => onChange({ ...form, isShell: event.currentTarget.checked })}
                />
                By a shell (sh -c): pipes, variables and loops work
            </label>
            {line("image", "Image", "none: a process on the node")}
            {line("labels", "Labels", "team=vision, try=3")}
            <div class="form-amounts">
                {AMOUNTS.map((it) => (
                    <div key={it.field}>{line(it.field, it.label, it.hint)}</div>
                ))}
            </div>
            {lines("env", "Environment, a line each", "LEARNING_RATE=0.1", 2)}
            <label class="check">
                <input
                    type="checkbox"
                    checked={form.isHeld}
                    onChange={(event) => onChange({ ...form, isHeld: event.currentTarget.checked })}
                />
                Hold: accepted, and waits until it is released
            </label>
        </div>
    );
}
