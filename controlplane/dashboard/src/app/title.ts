import { useEffect } from "preact/hooks";

/** Names the view in the browser's tab. */
export function useTitle(title: string): void {
    useEffect(() => {
        document.title = `${title} · Fairlead`;
    }, [title]);
}
