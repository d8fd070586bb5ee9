/* JoinCluster.tsx - a new cluster, step by step: name it, run a command there, see it come. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { send, toProblem, type Problem } from "../../api/client";
import type { ClusterPage, JoinTokenWithSecret } from "../../api/types";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { ClusterState } from "../../parts/ClusterState";
import { CommandLine, ProblemLine } from "../../parts/Feedback";
import { Time } from "../../parts/Time";
import { useResource } from "../../store/resource";
import "./JoinCluster.css";

const POLL_MS = 2000;
const HOUR_S = 3600;

type Kind = "debian" | "kubernetes";

function commandOf(kind: Kind, token: string): string {
    if (kind === "kubernetes") {
        return (
            "helm install fairlead-agent deploy/charts/fairlead-agent \\\n" +
            `  --namespace fairlead-agent --create-namespace --set joinToken=${token}`
        );
    }
    return (
        `install -m 0640 -g fairlead-agent /dev/stdin /etc/fairlead/join.token <<'END'\n${token}\nEND\n` +
        'echo "join_token = @/etc/fairlead/join.token" >> /etc/fairlead/agent.conf\n' +
        "systemctl enable --now fairlead-agent"
    );
}

function Step({
    number,
    title,
    isDone,
    children,
}: {
    number: number;
    title: string;
    isDone: boolean;
    children: ComponentChildren;
}) {
    return (
        <li class={`join-step panel${isDone ? " done" : ""}`}>
            <span class="join-number" aria-hidden="true">
                {isDone ? "✓" : number}
            </span>
            <div class="stack">
                <h2>{title}</h2>
                {children}
            </div>
        </li>
    );
}

function Arrival({ name }: { name: string }) {
    const clusters = useResource<ClusterPage>("/v1/clusters", { everyMs: POLL_MS });
    const cluster = clusters.data?.clusters.find((it) => it.name === name);
    if (!cluster?.connected) {
        return (
            <p role="status" class="quiet">
                {cluster ? `${name} has enrolled; it connects next ...` : `Waiting until ${name} enrols ...`}
            </p>
        );
    }
    return (
        <p role="status" class="row">
            <ClusterState cluster={cluster} />{" "}
            <Link class="link" href={`/clusters/${name}`}>
                Look at {name}
            </Link>
        </p>
    );
}

export function JoinCluster() {
    const [name, setName] = useState("");
    const [kind, setKind] = useState<Kind>("debian");
    const [made, setMade] = useState<JoinTokenWithSecret>();
    const [problem, setProblem] = useState<Problem>();
    const [isBusy, setBusy] = useState(false);
    const make = async (event: Event) => {
        event.preventDefault();
        setBusy(true);
        setProblem(undefined);
        try {
            const path = `/v1/clusters/${encodeURIComponent(name)}/join-tokens`;
            setMade(await send<JoinTokenWithSecret>("POST", path, { ttlSeconds: HOUR_S }));
        } catch (thrown) {
            setProblem(toProblem(thrown));
        }
        setBusy(false);
    };
    return (
        <ol class="join stack">
            <Step number={1} title="Name the cluster" isDone={made !== undefined}>
                <form class="row" onSubmit={(event) => void make(event)}>
                    <input
                        class="join-name"
                        aria-label="name of the cluster"
                        placeholder="east"
                        maxLength={63}
                        value={name}
                        onInput={(event) => setName(event.currentTarget.value)}
                    />
                    <Button type="submit" look="primary" isBusy={isBusy} disabled={name === ""}>
                        Make its join token
                    </Button>
                </form>
                {problem && <ProblemLine problem={problem} />}
                <p class="quiet">The token lets one agent enrol once under this name, within an hour.</p>
            </Step>
            {made && (
                <Step number={2} title="Start its agent" isDone={false}>
                    <Choice
                        label="where the agent runs"
                        options={[
                            { value: "debian", name: "Debian host" },
                            { value: "kubernetes", name: "Kubernetes" },
                        ]}
                        value={kind}
                        onChange={setKind}
                    />
                    <p class="quiet">
                        {kind === "debian"
                            ? "On the host, as root, where the package fairlead-agent is installed:"
                            : "Where kubectl is at the new cluster, in a checkout of Fairlead:"}
                    </p>
                    <CommandLine command={commandOf(kind, made.token)} />
                    <p class="quiet">
                        The token is shown now and never again. It counts until <Time at={made.expiresAt} />.
                    </p>
                </Step>
            )}
            {made && (
                <Step number={3} title="See it come" isDone={false}>
                    <Arrival name={made.cluster} />
                </Step>
            )}
        </ol>
    );
}
