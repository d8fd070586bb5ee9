/* download.ts - gives a text to the browser as a file. */

const KEPT_MS = 10_000;

export function download(name: string, mediaType: string, text: string): void {
    const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
