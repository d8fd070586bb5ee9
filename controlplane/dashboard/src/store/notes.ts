/* notes.ts - short messages at the lower edge: the outcome of an action, or why it failed. */
import { signal } from "@preact/signals";

export type Note = { id: number; text: string; isProblem: boolean };

const NOTES_MAX = 4;
const SHOWN_MS = 6000;

export const notes = signal<readonly Note[]>([]);
let lastId = 0;

export function addNote(text: string, isProblem = false): void {
    const id = ++lastId;
    notes.value = [...notes.peek(), { id, text, isProblem }].slice(-NOTES_MAX);
    window.setTimeout(() => removeNote(id), isProblem ? SHOWN_MS * 2 : SHOWN_MS);
}

export function removeNote(id: number): void {
    notes.value = notes.peek().filter((note) => note.id !== id);
}
