/* json_line.ts - a line that is a JSON object: its level, its message and the rest as fields.  Pure. */
import { type Level, levelOfWord } from "./level";

export type JsonLine = {
    level: Level | null;
    message: string;
    /** All members but level and message, with their values as text, in the order in which they stand. */
    fields: { name: string; value: string }[];
};

const BYTES_MAX = 64 * 1024;
const FIELDS_MAX = 200;
const MESSAGE_NAMES = ["msg", "message", "event", "text"];
const LEVEL_NAMES = ["level", "lvl", "severity", "levelname"];

function parseObject(text: string): Record<string, unknown> | null {
    try {
        const value: unknown = JSON.parse(text);
        return typeof value === "object" && value !== null && !Array.isArray(value)
            ? (value as Record<string, unknown>)
            : null;
    } catch {
        return null;
    }
}

function textOf(value: unknown): string {
    if (typeof value === "string") return value;
    try {
        return JSON.stringify(value);
    } catch {
        return "(nested too deeply to be shown)";
    }
}

/** null: the line is no JSON object, or has no message, and is best shown as it is. */
export function parseJsonLine(line: string): JsonLine | null {
    const text = line.trim();
    if (text.length > BYTES_MAX || !text.startsWith('{"') || !text.endsWith("}")) return null;
    const object = parseObject(text);
    if (!object) return null;
    const messageName = MESSAGE_NAMES.find((name) => typeof object[name] === "string");
    if (!messageName) return null;
    const levelName = LEVEL_NAMES.find((name) => levelOfWord(object[name]) !== null);
    const fields = Object.entries(object)
        .filter(([name]) => name !== messageName && name !== levelName)
        .slice(0, FIELDS_MAX)
        .map(([name, value]) => ({ name, value: textOf(value) }));
    return {
        level: levelName ? levelOfWord(object[levelName]) : null,
        message: object[messageName] as string,
        fields,
    };
}
