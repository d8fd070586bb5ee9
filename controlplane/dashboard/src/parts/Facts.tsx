/* Facts.tsx - names and values, one under the other. */
import type { ComponentChildren } from "preact";
import "./Facts.css";

export function Facts({ facts }: { facts: ReadonlyArray<readonly [string, ComponentChildren]> }) {
    return (
        <dl class="facts">
            {facts.map(([name, value]) => (
                <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                </div>
            ))}
        </dl>
    );
}
