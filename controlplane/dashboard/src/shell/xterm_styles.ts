/* xterm_styles.ts - styles of xterm.js under the page's policy.  It writes <style> elements and style attributes, and
 * the policy allows neither; build.mjs leads it here.  A sheet that a script constructs and a property of an
 * element's style are no text of the page, and the policy does not concern them. */

/** Stands where a <style> would, and keeps its text in a sheet of the document for as long as it stands. */
export function createStyle(): HTMLElement {
    const stand = document.createElement("span");
    const sheet = new CSSStyleSheet();
    stand.hidden = true;
    document.adoptedStyleSheets.push(sheet);
    Object.defineProperty(stand, "textContent", { set: (text: string) => sheet.replaceSync(text) });
    stand.remove = () => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((it) => it !== sheet);
        Element.prototype.remove.call(stand);
    };
    return stand;
}

export function putStyle(element: HTMLElement, text: string): void {
    element.style.cssText = text;
}
