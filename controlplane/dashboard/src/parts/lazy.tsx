/* lazy.tsx - a part of the application that is loaded when it is shown first. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./Button";
import { Skeleton } from "./Feedback";
import { Icon } from "./Icon";

/** Parts have names that change with them, so a page that is older than the control plane asks in vain.  Only a reload
 * asks again: Chromium keeps a failed import, and fails the next one with it.  So nothing imports a part before it is
 * shown: a failure that no person sees would stay. */
function Missing() {
    return (
        <div class="feedback" role="alert">
            <Icon name="warning" size={22} />
            <h2>This part of the page did not load</h2>
            <p>The control plane does not answer, or was updated after this page was loaded.</p>
            <Button look="primary" icon="retry" onClick={() => location.reload()}>
                Load the page again
            </Button>
        </div>
    );
}

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => preact.JSX.Element {
    let part: ComponentType<P> | undefined;
    const fetchPart = async () => {
        part ??= await load();
    };
    return (props: P) => {
        const [isMissing, setMissing] = useState(false);
        const [, setThere] = useState(part !== undefined);
        useEffect(() => {
            fetchPart().then(
                () => setThere(true),
                () => setMissing(true),
            );
        }, []);
        if (part) {
            const Loaded = part;
            return <Loaded {...props} />;
        }
        return isMissing ? <Missing /> : <Skeleton />;
    };
}
