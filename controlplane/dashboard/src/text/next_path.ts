/* next_path.ts - where to go after signing in.  Pure. */

/** The code and the next path in the fragment of a sign-in link: `#code=...&next=/jobs/job-1`. */
export function parseLoginLink(hash: string): { code: string; next: string } | undefined {
    const parameters = new URLSearchParams(hash.replace(/^#/, ""));
    const code = parameters.get("code");
    return code ? { code, next: nextPath(parameters.get("next")) } : undefined;
}

/** Only a path of this application, so that no link leads a person who has just signed in to another site. */
export function nextPath(text: string | null): string {
    return text && /^\/(?![/\\])[^\\\u0000-\u0020]*$/.test(text) ? text : "/";
}
