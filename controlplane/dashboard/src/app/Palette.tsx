/* Palette.tsx - find a view, a job, a cluster or a queue by a few letters, or do a thing. */
import { useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { ClusterPage, JobPage, QueuePage } from "../api/types";
import { Dialog } from "../parts/Dialog";
import { Icon, type IconName } from "../parts/Icon";
import { useResource } from "../store/resource";
import { savedViews } from "../store/saved_views";
import { may } from "../store/session";
import { theme, zone } from "../store/settings";
import { bestMatches } from "../text/match";
import { viewPath } from "../text/saved_view";
import "./Palette.css";
import { places } from "./places";

type Command = { name: string; hint: string; icon: IconName; run(): void };

const SHOWN_MAX = 12;
/** The newest jobs are found by name; every other one by its id. */
const JOBS_KNOWN = 200;

function useCommands(): Command[] {
    const [, navigate] = useLocation();
    const isReader = may("read");
    const jobs = useResource<JobPage>(isReader ? `/v1/jobs?limit=${JOBS_KNOWN}` : undefined);
    const clusters = useResource<ClusterPage>(isReader ? "/v1/clusters" : undefined);
    const queues = useResource<QueuePage>(isReader ? "/v1/queues" : undefined);
    return useMemo(() => {
        const go = (name: string, hint: string, icon: IconName, path: string): Command => ({
            name,
            hint,
            icon,
            run: () => navigate(path),
        });
        return [
            ...places().map((place) => go(place.name, place.key, place.icon, place.path)),
            { name: "Use the dark theme", hint: "", icon: "moon", run: () => (theme.value = "dark") },
            { name: "Use the light theme", hint: "", icon: "sun", run: () => (theme.value = "light") },
            { name: "Use the system's theme", hint: "", icon: "system", run: () => (theme.value = "system") },
            { name: "Show times in UTC", hint: "", icon: "clock", run: () => (zone.value = "utc") },
            { name: "Show local times", hint: "", icon: "clock", run: () => (zone.value = "local") },
            go("Jobs that run", "", "jobs", "/jobs?q=state:running"),
            go("Jobs that failed", "", "jobs", "/jobs?q=state:failed"),
            go("My jobs", "", "jobs", "/jobs?q=by:@me"),
            ...savedViews.value.map((view) => go(view.name, "view", "view", viewPath(view))),
            ...(clusters.data?.clusters ?? []).map(({ name }) =>
                go(name, "cluster", "fleet", `/clusters/${name}`),
            ),
            ...(queues.data?.queues ?? []).map(({ name }) => go(name, "queue", "queues", `/queues/${name}`)),
            ...(jobs.data?.jobs ?? []).map((job) =>
                go(job.name ? `${job.id} ${job.name}` : job.id, job.state, "jobs", `/jobs/${job.id}`),
            ),
        ];
    }, [jobs.data, clusters.data, queues.data, savedViews.value]);
}

/** An id that is typed whole opens its job, however old that is. */
function jobCommand(typed: string, navigate: (path: string) => void): Command[] {
    const id = typed.trim();
    if (!/^job-[0-9a-z]{1,20}$/.test(id)) return [];
    return [{ name: `Open ${id}`, hint: "job", icon: "right", run: () => navigate(`/jobs/${id}`) }];
}

export function Palette({ onClose }: { onClose(): void }) {
    const [, navigate] = useLocation();
    const [typed, setTyped] = useState("");
    const [chosen, setChosen] = useState(0);
    const list = useRef<HTMLUListElement>(null);
    const commands = useCommands();
    const shown = [
        ...jobCommand(typed, navigate),
        ...bestMatches(typed, commands, (it) => it.name, SHOWN_MAX),
    ];

    const run = (command: Command | undefined) => {
        if (!command) return;
        onClose();
        command.run();
    };
    const move = (step: number) => {
        const next = Math.min(Math.max(chosen + step, 0), shown.length - 1);
        setChosen(next);
        list.current?.children[next]?.scrollIntoView({ block: "nearest" });
    };
    const onKey = (event: KeyboardEvent) => {
        if (event.key === "ArrowDown") move(1);
        else if (event.key === "ArrowUp") move(-1);
        else if (event.key === "Enter") run(shown[chosen]);
        else return;
        event.preventDefault();
    };
    return (
        <Dialog title="Find and do" isTitleHidden onClose={onClose}>
            <div class="palette">
                <input
                    type="text"
                    role="combobox"
                    aria-label="find and do"
                    aria-expanded="true"
                    aria-controls="palette-list"
                    aria-activedescendant={shown[chosen] ? `palette-${chosen}` : undefined}
                    placeholder="A view, a job, a cluster, a queue ..."
                    value={typed}
                    onInput={(event) => {
                        setTyped(event.currentTarget.value);
                        setChosen(0);
                    }}
                    onKeyDown={onKey}
                    spellcheck={false}
                    autofocus
                />
                <ul id="palette-list" role="listbox" aria-label="commands found" ref={list}>
                    {shown.map((command, index) => (
                        <li
                            key={`${command.name} ${command.hint}`}
                            id={`palette-${index}`}
                            role="option"
                            aria-selected={index === chosen}
                            onPointerMove={() => setChosen(index)}
                            onClick={() => run(command)}
                        >
                            <Icon name={command.icon} />
                            <span class="palette-name">{command.name}</span>
                            <span class="quiet">{command.hint}</span>
                        </li>
                    ))}
                </ul>
                {shown.length === 0 && (
                    <p class="quiet palette-none">Nothing fits. An id like job-7 opens any job.</p>
                )}
            </div>
        </Dialog>
    );
}
