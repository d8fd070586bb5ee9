/* Admin.tsx - what only an administrator does: tokens, a new cluster, and who did what. */
import { useTitle } from "../../app/title";
import { Empty } from "../../parts/Feedback";
import { Tabs } from "../../parts/Tabs";
import { mayFleet } from "../../store/session";
import { Audit } from "./Audit";
import { JoinCluster } from "./JoinCluster";
import { Tokens } from "./Tokens";

const TABS = [
    { path: "/admin", name: "Tokens" },
    { path: "/admin/join", name: "Join a cluster" },
    { path: "/admin/audit", name: "Audit" },
] as const;

function Part({ part }: { part: string }) {
    if (part === "") return <Tokens />;
    if (part === "join") return <JoinCluster />;
    if (part === "audit") return <Audit />;
    return <Empty icon="search" title="Administration has no part of this name" />;
}

export function Admin({ part = "" }: { part?: string }) {
    useTitle("Admin");
    if (!mayFleet("admin")) {
        return (
            <Empty icon="admin" title="Only administrators see this">
                It takes a token with the scope admin that is not limited to one queue.
            </Empty>
        );
    }
    return (
        <div class="view stack">
            <div>
                <h1>Admin</h1>
                <Tabs label="parts of administration" tabs={TABS} here={part ? `/admin/${part}` : "/admin"} />
            </div>
            <Part part={part} />
        </div>
    );
}
