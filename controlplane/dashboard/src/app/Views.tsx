/* Views.tsx - which view a path shows. */
import { Redirect, Route, Switch } from "wouter-preact";
import { Empty } from "../parts/Feedback";
import { lazy } from "../parts/lazy";
import { may } from "../store/session";
import { Cluster, Nodes } from "../views/Cluster";
import { Events } from "../views/Events";
import { Fleet } from "../views/Fleet";
import { Health } from "../views/Health";
import { Job } from "../views/job/Job";
import { Jobs } from "../views/jobs/Jobs";
import { Queue } from "../views/Queue";
import { Queues } from "../views/Queues";
import { useTitle } from "./title";

/* Views that people open now and then. */
const Admin = lazy(() => import("../views/admin/Admin").then((it) => it.Admin));
const Submit = lazy(() => import("../views/submit/Submit").then((it) => it.Submit));
const Usage = lazy(() => import("../views/Usage").then((it) => it.Usage));

function NotFound() {
    useTitle("Not found");
    return (
        <Empty icon="search" title="There is nothing at this address">
            The navigation leads to every view.
        </Empty>
    );
}

/** Views for a token without the scope read: it may submit, and see how the control plane is. */
function WithoutRead() {
    return (
        <Switch>
            <Route path="/submit" component={Submit} />
            <Route path="/health" component={Health} />
            <Route>
                <Empty icon="key" title="This token may not read">
                    It takes one with the scope read to see jobs, queues and clusters.
                </Empty>
            </Route>
        </Switch>
    );
}

export function Views() {
    if (!may("read")) return <WithoutRead />;
    return (
        <Switch>
            <Route path="/" component={Fleet} />
            <Route path="/login">
                <Redirect to="/" replace />
            </Route>
            <Route path="/clusters">
                <Redirect to="/" replace />
            </Route>
            <Route path="/clusters/:name">{({ name }) => <Cluster key={name} name={name} />}</Route>
            <Route path="/nodes" component={Nodes} />
            <Route path="/jobs" component={Jobs} />
            <Route path="/jobs/:id/:tab?">
                {({ id, tab }) => <Job key={id} id={id} {...(tab ? { tab } : {})} />}
            </Route>
            <Route path="/queues" component={Queues} />
            <Route path="/queues/:name">{({ name }) => <Queue key={name} name={name} />}</Route>
            <Route path="/events" component={Events} />
            <Route path="/usage" component={Usage} />
            <Route path="/health" component={Health} />
            <Route path="/admin/:part?">{({ part }) => <Admin {...(part ? { part } : {})} />}</Route>
            <Route path="/submit" component={Submit} />
            <Route component={NotFound} />
        </Switch>
    );
}
