/* Tabs.tsx - the parts of a view, each with an address of its own; `[` and `]` go through them. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useKeys } from "../app/keys";
import "./Tabs.css";

export type Tab = { path: string; name: string };

export function Tabs({ label, tabs, here }: { label: string; tabs: readonly Tab[]; here: string }) {
    const [, navigate] = useLocation();
    const index = tabs.findIndex((tab) => tab.path === here);
    const go = (step: number) => {
        const tab = tabs[index + step];
        if (tab) navigate(tab.path);
    };
    const row = useRef<HTMLElement>(null);
    /* a phone has no room for all of them in a row */
    useLayoutEffect(() => {
        row.current?.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }, [here]);
    useKeys({ "[": () => go(-1), "]": () => go(1) });
    return (
        <nav class="tabs" aria-label={label} ref={row}>
            {tabs.map((tab) => (
                <Link
                    key={tab.path}
                    href={tab.path}
                    class={tab.path === here ? "tab here" : "tab"}
                    aria-current={tab.path === here ? "page" : undefined}
                >
                    {tab.name}
                </Link>
            ))}
        </nav>
    );
}
