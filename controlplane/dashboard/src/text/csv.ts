/* csv.ts - a table as CSV (RFC 4180).  Pure.
 * A text that a spreadsheet would take for a formula gets an apostrophe in front: names come from strangers. */

function cell(value: string | number): string {
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toCsv(rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
    return rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
}
