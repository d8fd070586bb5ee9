/* job_document.ts - the documents by which jobs are submitted: from a form, or from a job.  Pure. */
import type { Job, JobDocument } from "../api/types";
import { splitWords } from "./shell_words";

export type JobForm = {
    name: string;
    queue: string;
    image: string;
    command: string;
    isShell: boolean;
    cpu: string;
    memory: string;
    gpus: string;
    replicas: string;
    array: string;
    parallelism: string;
    retry: string;
    deadline: string;
    priority: string;
    labels: string;
    env: string;
    isHeld: boolean;
};

export const EMPTY_FORM: JobForm = {
    name: "",
    queue: "",
    image: "",
    command: "",
    isShell: true,
    cpu: "",
    memory: "",
    gpus: "",
    replicas: "",
    array: "",
    parallelism: "",
    retry: "",
    deadline: "",
    priority: "",
    labels: "",
    env: "",
    isHeld: false,
};

/** A number where the text is one; else the text, about which the server has better words than we. */
function numberOrText(text: string): number | string | undefined {
    const trimmed = text.trim();
    if (trimmed === "") return undefined;
    return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed;
}

function pairs(text: string, separator: RegExp): Record<string, string> | undefined {
    const entries = text
        .split(separator)
        .map((part) => part.trim())
        .filter(Boolean)
        .map((part) => {
            const equals = part.indexOf("=");
            return equals < 0 ? [part, ""] : [part.slice(0, equals).trim(), part.slice(equals + 1)];
        });
    return entries.length > 0 ? (Object.fromEntries(entries) as Record<string, string>) : undefined;
}

function commandOf(form: JobForm): string[] | undefined {
    if (form.command.trim() === "") return undefined;
    if (form.isShell) return ["sh", "-c", form.command];
    return splitWords(form.command) ?? [form.command];
}

/** The short document, without the fields that were left empty. */
export function formDocument(form: JobForm): Record<string, unknown> {
    const resources = {
        cpu: numberOrText(form.cpu),
        memory: form.memory.trim() || undefined,
        gpus: numberOrText(form.gpus),
    };
    const document: Record<string, unknown> = {
        name: form.name.trim() || undefined,
        queue: form.queue || undefined,
        image: form.image.trim() || undefined,
        command: commandOf(form),
        env: pairs(form.env, /\n/),
        resources: Object.values(resources).some((value) => value !== undefined) ? resources : undefined,
        replicas: numberOrText(form.replicas),
        array: numberOrText(form.array),
        parallelism: numberOrText(form.parallelism),
        retry: numberOrText(form.retry),
        deadline: numberOrText(form.deadline),
        priority: numberOrText(form.priority),
        labels: pairs(form.labels, /[,\n]/),
        hold: form.isHeld || undefined,
    };
    return JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
}

function notEmpty<T extends object>(object: T | undefined): T | undefined {
    return object && Object.keys(object).length > 0 ? object : undefined;
}

/** The spec of a job with what stands beside it in the API: together they are what was submitted. */
export function documentOf(job: Job): JobDocument {
    const isArray = job.elements.total > 1;
    const own = {
        name: job.name ?? undefined,
        queue: job.queue ?? undefined,
        labels: notEmpty(job.labels),
        priority: job.priority || undefined,
        deadline: job.deadline ?? undefined,
        array: isArray ? job.elements.total : undefined,
        parallelism: (isArray && job.parallelism) || undefined,
        singleton: job.singleton || undefined,
        params: notEmpty(job.params),
    };
    return JSON.parse(JSON.stringify({ ...own, ...job.spec })) as JobDocument;
}

/** The media type of a text that somebody pasted. */
export function mediaTypeOf(text: string): "application/json" | "application/yaml" {
    return text.trimStart().startsWith("{") ? "application/json" : "application/yaml";
}

/** The field of the form that a pointer into its document means. */
export function fieldOf(pointer: string): keyof JobForm | undefined {
    const [, first, second] = pointer.split("/");
    const name = first === "resources" ? second : first === "hold" ? "isHeld" : first;
    return name !== undefined && name in EMPTY_FORM ? (name as keyof JobForm) : undefined;
}
