/* lazy.tsx - a part of the application that is loaded when it is shown first. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./Button";
import { Skeleton } from "./Feedback";
import { Icon } from "./Icon";

type Lazy<P> = {
    (props: P): preact.JSX.Element;
    /** Loads it before it is needed. */
    preload(): void;
};

/** Parts have names that change with them, so a page that is older than the control plane asks in vain. */
function Missing({ retry }: { retry(): void }) {
    return (
        <div class="feedback" role="alert">
            <Icon name="warning" size={22} />
            <h2>This part of the page did not load</h2>
            <p>The control plane does not answer, or was updated after this page was loaded.</p>
            <p class="row">
                <Button look="primary" icon="retry" onClick={() => location.reload()}>
                    Load the page again
                </Button>
                <Button onClick={retry}>Try again</Button>
            </p>
        </div>
    );
}

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): Lazy<P> {
    let part: ComponentType<P> | undefined;
    const fetchPart = async () => {
        part ??= await load();
    };
    const Part = (props: P) => {
        const [tries, setTries] = useState(0);
        const [isMissing, setMissing] = useState(false);
        const [, setThere] = useState(part !== undefined);
        useEffect(() => {
            setMissing(false);
            fetchPart().then(
                () => setThere(true),
                () => setMissing(true),
            );
        }, [tries]);
        if (part) {
            const Loaded = part;
            return <Loaded {...props} />;
        }
        return isMissing ? <Missing retry={() => setTries(tries + 1)} /> : <Skeleton />;
    };
    return Object.assign(Part, { preload: () => void fetchPart().catch(() => undefined) });
}
