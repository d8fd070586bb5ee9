/* yaml.ts - a JSON value as YAML that people read and Fairlead takes back.  Pure.
 * A text stands without quotes only where no reader of YAML could take it for anything else. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const PLAIN = /^[A-Za-z/][\w./-]*( [\w./-]+)*$/;
const WORDS_WITH_MEANING = /^(true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

function scalar(value: null | boolean | number | string): string {
    if (typeof value !== "string") return String(value);
    return PLAIN.test(value) && !WORDS_WITH_MEANING.test(value) ? value : JSON.stringify(value);
}

/** Lines as a block, `|`, where nothing would be lost that way. */
function block(text: string, indent: string): string | undefined {
    const isPlain = /^[^\s][^\r\t\u0000-\u0008\u000b-\u001f\u007f\u0085\u2028\u2029\ufeff]*$/.test(text);
    if (!isPlain || !text.includes("\n") || / \n| $|\n\n$/.test(text)) return undefined;
    const mark = text.endsWith("\n") ? "|" : "|-";
    const lines = text.replace(/\n$/, "").split("\n");
    return `${mark}\n${lines.map((line) => (line ? indent + line : "")).join("\n")}`;
}

const isScalar = (value: Json): value is null | boolean | number | string =>
    value === null || typeof value !== "object";

function lines(value: Json, indent: string): string[] {
    if (isScalar(value)) return [scalar(value)];
    const deeper = `${indent}  `;
    const entries: Array<[string, Json]> = Array.isArray(value)
        ? value.map((item) => ["-", item])
        : Object.entries(value).map(([key, item]) => [`${scalar(key)}:`, item]);
    return entries.flatMap(([head, item]) => {
        if (isScalar(item)) {
            const text = typeof item === "string" ? block(item, deeper) : undefined;
            return [`${indent}${head} ${text ?? scalar(item)}`];
        }
        if (Object.keys(item).length === 0) return [`${indent}${head} ${Array.isArray(item) ? "[]" : "{}"}`];
        if (head !== "-") return [`${indent}${head}`, ...lines(item, deeper)];
        const [first, ...rest] = lines(item, deeper);
        return [`${indent}- ${first!.slice(deeper.length)}`, ...rest];
    });
}

export function toYaml(value: unknown): string {
    const json = JSON.parse(JSON.stringify(value ?? null)) as Json;
    if (!isScalar(json) && Object.keys(json).length === 0) return Array.isArray(json) ? "[]\n" : "{}\n";
    return lines(json, "").join("\n") + "\n";
}
