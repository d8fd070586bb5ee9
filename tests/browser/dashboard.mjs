/* dashboard.mjs - the dashboard in a real browser, against a real control plane with at least one cluster.
 *
 *     node tests/browser/dashboard.mjs --url URL --token TOKEN [--shots DIR]
 *
 * Makes its jobs by the API, goes through every view as a person would, and prints a line for each promise:
 * 'ok - sentence' or 'not ok - sentence: why'.  Exits 1 when one does not hold.  The token has all scopes. */
import { readFileSync } from "node:fs";
import {
    NARROW,
    WAIT_MS,
    WIDE,
    api,
    at,
    axeViolations,
    browser,
    check,
    cut,
    expect,
    finish,
    flags,
    forwarder,
    heading,
    open,
    page,
    see,
    setTheme,
    shell,
    shoot,
    signIn,
    sleep,
    submit,
    takeFaults,
    untilState,
} from "./driver.mjs";

/** So that a second run on the same fleet does not find the jobs of the first. */
const RUN = `r${Date.now()}`;
const HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>";

/** One job of each kind that the views tell apart. */
async function makeJobs() {
    const small = { cpu: "100m" };
    const running = await submit({
        name: "train-resnet",
        command: shell(
            "i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo step $i loss 0.$((RANDOM % 100)); sleep 1; done",
        ),
        labels: { team: "vision", try: "3" },
        resources: small,
    });
    const hostile = await submit({
        name: HOSTILE,
        command: shell("echo '<script>alert(3)</script>'"),
        labels: { team: "vision" },
        resources: small,
    });
    const failed = await submit({
        name: "import-data",
        command: shell("echo missing table; exit 3"),
        resources: small,
    });
    const waiting = await submit({ name: "too-large", command: ["true"], resources: { cpu: "1000" } }, "?waitForCluster=true");
    const held = await submit({ name: "nightly", command: ["true"], hold: true, resources: small });
    const array = await submit({
        name: "sweep",
        command: shell(
            "[ $((FAIRLEAD_ELEMENT % 13)) != 5 ] || { echo Error: part $FAIRLEAD_ELEMENT is lost; exit 1; }",
        ),
        array: 120,
        labels: { team: "vision" },
        resources: small,
    });
    await untilState(running.id, ["running"]);
    for (const job of [hostile, failed, array]) await untilState(job.id, ["succeeded", "failed"]);
    return Object.fromEntries(
        Object.entries({ running, hostile, failed, waiting, held, array }).map(([name, job]) => [
            name,
            job.id,
        ]),
    );
}

// ---- the promises

const jobs = await makeJobs();
const cluster = (await api("GET", "/v1/clusters")).clusters[0].name;

await check(
    "without a session the page is a door, and a token that does not count is refused in words",
    async () => {
        cut.isOnPurpose = true; /* 401 and 403 are logged by the browser itself */
        await page.goto(at("/jobs?q=state:running"));
        await heading("Sign in to Fairlead");
        await shoot("login-dark");
        await signIn("fl_nothing");
        await page.getByRole("alert").waitFor();
    },
);

await check("after signing in the page that was asked for is there", async () => {
    await signIn(flags.token);
    await heading("Jobs");
    expect(page.url() === at("/jobs?q=state:running"), `the address is ${page.url()}`);
    await page.getByText("Live", { exact: true }).waitFor();
    cut.isOnPurpose = false;
    takeFaults();
});

await check("nothing secret is stored in the browser", async () => {
    const stored = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(!stored.includes("fl_"), stored);
});

const VIEWS = [
    ["fleet", "/", () => see("Waiting for a place")],
    ["cluster", `/clusters/${cluster}`, () => page.locator(".node-cell").first().waitFor()],
    ["nodes", "/nodes", () => page.locator(".node-cell").first().waitFor()],
    ["jobs", "/jobs", () => see(jobs.running)],
    ["jobs-grouped", "/jobs?group=label:team", () => page.getByRole("button", { name: /^vision/ }).waitFor()],
    ["queues", "/queues", () => page.getByRole("link", { name: "default" }).waitFor()],
    ["queue", "/queues/default", () => see(jobs.running)],
    ["job-waiting", `/jobs/${jobs.waiting}`, () => see("no cluster could run it")],
    ["job-running", `/jobs/${jobs.running}`, () => see("Running on")],
    ["job-array", `/jobs/${jobs.array}`, () => see("elements failed")],
    ["job-timeline", `/jobs/${jobs.failed}/timeline`, () => see("attempt 1")],
    ["job-replicas-plain", `/jobs/${jobs.failed}/replicas`, () => see(/running \d+m?s/)],
    ["job-replicas", `/jobs/${jobs.array}/replicas`, () => see("Failures alike")],
    ["job-logs", `/jobs/${jobs.running}/logs`, () => see("step 1")],
    ["job-events", `/jobs/${jobs.failed}/events`, () => see("submitted to default")],
    ["job-spec", `/jobs/${jobs.running}/spec`, () => see("containers:")],
    ["job-diff", `/jobs/${jobs.running}/spec?with=${jobs.array}`, () => page.locator(".diff").waitFor()],
    ["events", "/events", () => page.getByRole("button", { name: "Pause" }).waitFor()],
    ["usage", "/usage", () => see("Days are of UTC")],
    ["admin", "/admin", () => see("first-admin")],
    ["admin-join", "/admin/join", () => see("Name the cluster")],
    ["admin-audit", "/admin/audit", () => see("submit")],
    ["health", "/health", () => see("Takes requests")],
    ["submit", "/submit", () => page.getByRole("button", { name: "Submit" }).waitFor()],
    ["not-found", "/jobs/job-1/nothing/here", () => see("There is nothing at this address")],
];

for (const [name, path, isThere] of VIEWS) {
    await check(`${name}: shows itself without an error or a breach of the policy`, async () => {
        await open(path);
        await isThere();
        const said = takeFaults();
        expect(said.length === 0, said.join("; "));
    });
    for (const theme of ["dark", "light"]) {
        await check(`${name}: keeps WCAG AA in the ${theme} theme`, async () => {
            await setTheme(theme);
            await shoot(`${name}-${theme}`);
            const violations = await axeViolations();
            expect(violations.length === 0, violations.join("; "));
        });
    }
    await check(`${name}: fits into 390 px without sideways scroll`, async () => {
        await page.setViewportSize(NARROW);
        await setTheme("light");
        await shoot(`${name}-light-390`);
        await setTheme("dark");
        await shoot(`${name}-dark-390`);
        const over = await page.evaluate(() => {
            const main = document.querySelector("#main");
            return Math.max(
                document.documentElement.scrollWidth - innerWidth,
                main.scrollWidth - main.clientWidth,
            );
        });
        await page.setViewportSize(WIDE);
        expect(over <= 0, `${over} px too wide`);
    });
}

await check("a job's hostile name is text, in the list and on its page", async () => {
    await open("/jobs");
    await page.getByText(HOSTILE).first().waitFor();
    await open(`/jobs/${jobs.hostile}`);
    await page.getByRole("heading", { name: HOSTILE }).waitFor();
    expect((await page.locator("#main img, #main script").count()) === 0, "its name has made elements");
    const said = takeFaults();
    expect(said.length === 0, said.join("; "));
});

await check(
    "a job that waits says why, cluster by cluster, with numbers and what would change it",
    async () => {
        await open(`/jobs/${jobs.waiting}`);
        const panel = page.getByRole("region", { name: "why it waits" });
        await panel.getByText("1000.000 CPU").first().waitFor();
        await panel.getByText("you can change it").waitFor();
        await panel.getByText("Ask for less in each replica").waitFor();
    },
);

await check("the query bar completes, filters, and stands in the address", async () => {
    await open("/jobs");
    await see(jobs.running);
    await page.keyboard.press("/");
    await page.keyboard.type("sta");
    await page.keyboard.press("Tab");
    await page.keyboard.type("fai");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=state%3Afailed/);
    await see(jobs.failed);
    await page.getByText(jobs.running, { exact: true }).waitFor({ state: "detached" });
});

await check("jobs are found by a name with a star, which the query bar completes", async () => {
    await open("/jobs");
    await see(jobs.running);
    await page.keyboard.press("/");
    await page.keyboard.type("name:train-r");
    await page.getByRole("option", { name: "name:train-resnet" }).waitFor();
    await page.keyboard.press("Backspace");
    await page.keyboard.type("*");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=name%3Atrain-\*/);
    await see(jobs.running);
    await page.getByText(jobs.failed, { exact: true }).waitFor({ state: "detached" });
});

await check("an unknown filter is named", async () => {
    await open("/jobs?q=nam:x");
    await see('there is no filter "nam"');
});

await check(
    "a job that is submitted elsewhere appears in the list, and its row goes on to its end",
    async () => {
        await open(`/jobs?q=label:live=${RUN}`);
        await see("No job fits this query");
        const { id } = await submit({
            command: shell("sleep 5"),
            labels: { live: RUN },
            resources: { cpu: "100m" },
        });
        const row = page.getByRole("row").filter({ hasText: id });
        await row.getByText("running").waitFor();
        await row.getByText("succeeded").waitFor();
    },
);

await check("j, k, x and Enter go through the rows, choose and open", async () => {
    await open("/jobs?q=label:team=vision");
    await see(jobs.array);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await see("2 selected");
    await page.keyboard.press("Escape");
    await page.getByText("2 selected").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/jobs\/job-[0-9a-z]+$/);
});

await check("the mark of the keyboard stays with its job when another one comes above it", async () => {
    const make = () => submit({ command: ["true"], hold: true, labels: { mark: RUN } });
    const first = await make();
    await open(`/jobs?q=label:mark=${RUN}`);
    await see(first.id);
    await page.keyboard.press("j");
    const second = await make();
    await see(second.id);
    await page.locator("tr.current", { hasText: first.id }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(at(`/jobs/${first.id}`));
});

await check("many jobs are cancelled by their query, after a count", async () => {
    const made = [];
    for (let i = 0; i < 3; i++)
        made.push(await submit({ command: ["true"], hold: true, labels: { bulk: RUN } }));
    await open(`/jobs?q=label:bulk=${RUN}`);
    await see(made[2].id);
    await page.getByRole("button", { name: "Cancel all ..." }).click();
    await see("3 jobs will be cancelled");
    await shoot("bulk-cancel");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the jobs" }).click();
    await see("3 jobs cancelled");
    for (const { id } of made) await untilState(id, ["cancelled"]);
});

// ---- the document of another run

await check("a job's document is compared with that of the run before it, line by line", async () => {
    const name = `nightly-${RUN}`;
    const make = (more) =>
        submit({ name, command: ["true"], hold: true, resources: { cpu: "100m" }, ...more });
    const first = await make({ env: { RATE: "0.1" } });
    await api("POST", `/v1/jobs/${first.id}:cancel`);
    await untilState(first.id, ["cancelled"]);
    const second = await make({ env: { RATE: "0.2" }, labels: { team: "vision" } });
    await open(`/jobs/${second.id}/spec`);
    await see("the text as it was sent is not kept");
    await page.getByRole("button", { name: "Diff with another run" }).click();
    await page.waitForURL(/with=/);
    await see(`Earlier runs of ${name}`);
    await page.locator(".diff del", { hasText: "0.1" }).waitFor();
    await page.locator(".diff ins", { hasText: "0.2" }).waitFor();
    await see(`only in ${first.id}`);
    await shoot("diff-dark");
    await page.setViewportSize(NARROW);
    await shoot("diff-dark-390");
    await page.setViewportSize(WIDE);
    const third = await make({ env: { RATE: "0.2" }, labels: { team: "vision" } });
    await open(`/jobs/${third.id}/spec?with=`);
    await page.getByLabel("Compare with").fill(at(`/jobs/${second.id}/logs`));
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`with=${second.id}$`));
    await see(`The documents of ${second.id} and ${third.id} are equal`);
    const lists = /\/v1\/jobs\?.*state=ended/;
    let letThemCome;
    const later = new Promise((resolve) => (letThemCome = resolve));
    await page.route(lists, async (route) => (await later, route.continue()));
    await open(`/jobs/${third.id}/spec?with=`);
    await page.getByLabel("Compare with").focus();
    letThemCome();
    await see(`Earlier runs of ${name}`);
    await page.keyboard.type(first.id);
    const text = await page.getByLabel("Compare with").inputValue();
    expect(text === first.id, `a person typed ${first.id}, and the field has ${text}`);
    await page.unroute(lists);
    cut.isOnPurpose = true; /* the browser logs the 404 */
    await open(`/jobs/${third.id}/spec?with=job-zzzzzz`);
    await page.getByRole("alert").waitFor();
    cut.isOnPurpose = false;
    takeFaults();
});

// ---- a fleet of any size

async function withClusters(count, body) {
    const sample = (await api("GET", "/v1/clusters")).clusters[0];
    const list = /\/v1\/clusters(\?|$)/;
    const states = ["ready", "ready", "ready", "ready", "cordoned", "draining", "away", "lost", "joining"];
    await page.route(list, (route) => {
        const clusters = Array.from({ length: count }, (_, i) => {
            const size = 1 + ((i * 7) % 40) ** 2;
            const part = (share) => ({
                ...sample.total,
                cpuMilli: Math.round(size * 1000 * share),
                memoryBytes: Math.round(size * 2 ** 32 * share),
            });
            const state = states[i % states.length];
            return {
                ...sample,
                name: `cluster-${i}`,
                state,
                cordon: state === "cordoned" || state === "draining" ? "new disks" : null,
                connected: !["away", "lost", "joining"].includes(state),
                total: part(1),
                free: part(((i * 13) % 20) / 20),
            };
        });
        return route.fulfill({ json: { clusters } });
    });
    cut.isOnPurpose = true; /* these clusters have no nodes to ask for */
    try {
        await body();
    } finally {
        cut.isOnPurpose = false;
        await page.unroute(list);
        takeFaults();
    }
}

for (const count of [1, 200]) {
    await check(`a fleet of ${count}: areas are as capacities, names stay, also on a phone`, async () => {
        await withClusters(count, async () => {
            for (const [size, name] of [
                [WIDE, "wide"],
                [NARROW, "390"],
            ]) {
                await page.setViewportSize(size);
                await open("/");
                await page
                    .locator(".tile")
                    .nth(count - 1)
                    .waitFor();
                await shoot(`fleet-of-${count}-${name}`);
                const tiles = await page.locator(".tile").evaluateAll((all) =>
                    all.map((tile) => {
                        const { width, height } = tile.parentElement.getBoundingClientRect();
                        const label = tile.querySelector(".tile-head strong");
                        const isWhole = label.scrollWidth <= label.clientWidth + 1;
                        return { area: width * height, width, height, isWhole };
                    }),
                );
                const least = Math.min(...tiles.map((tile) => Math.min(tile.width, tile.height)));
                expect(least >= 36, `a tile has only ${least} px`);
                const cut = tiles.filter((tile) => !tile.isWhole).length;
                expect(cut === 0, `${cut} names are cut on ${name}`);
                expect(
                    count === 1 || tiles[0].area > 3 * tiles.at(-1).area,
                    "the largest is not the largest",
                );
                const over = await page.evaluate(() => {
                    const main = document.querySelector("#main");
                    return main.scrollWidth - main.clientWidth;
                });
                expect(over <= 0, `${over} px too wide`);
            }
            const violations = await axeViolations();
            await page.setViewportSize(WIDE);
            expect(violations.length === 0, violations.join("; "));
        });
    });
}

await check("tiles of clusters that take no work differ in more than colour", async () => {
    await withClusters(9, async () => {
        await open("/");
        await page.locator(".tile").nth(8).waitFor();
        await shoot("fleet-states");
        const styleOf = (tone) =>
            page
                .locator(`.tile-${tone}`)
                .first()
                .evaluate((tile) => getComputedStyle(tile).borderTopStyle);
        const styles = [
            await styleOf("good"),
            await styleOf("warn"),
            await styleOf("bad"),
            await styleOf("quiet"),
        ];
        expect(new Set(styles).size === 4, styles.join(", "));
        for (const word of ["cordoned", "draining", "silent", "lost"])
            await page.locator(".tile").getByText(word, { exact: true }).waitFor();
        await page.getByRole("button", { name: "Memory" }).click();
        await see("Area: Memory of the cluster");
    });
});

// ---- two people at one job

await check(
    "two people at one job: each sees what the other did, also in a dialog that is open",
    async () => {
        const made = await api("POST", "/v1/tokens", {
            name: `ben-${RUN}`,
            scopes: ["read", "submit", "cancel"],
            owner: "ben",
        });
        const document = { name: "shared", command: ["true"], hold: true, resources: { cpu: "1000" } };
        const { id } = await submit(document, "?waitForCluster=true");
        const ben = await browser.newContext({ viewport: WIDE, colorScheme: "light" });
        const other = await ben.newPage();
        other.setDefaultTimeout(WAIT_MS);
        try {
            await other.goto(at(`/jobs/${id}`));
            await other.getByLabel("Token").fill(made.token);
            await other.getByRole("button", { name: "Sign in" }).click();
            await open(`/jobs/${id}`);
            for (const one of [page, other]) await one.getByText("Live", { exact: true }).waitFor();

            await other.getByRole("button", { name: "Release" }).click();
            await page.getByRole("button", { name: "Hold" }).waitFor();
            await page.getByRole("button", { name: "Hold" }).click();
            await other.getByRole("button", { name: "Release" }).waitFor();

            await page.getByRole("button", { name: "Cancel", exact: true }).click();
            const dialog = page.getByRole("dialog");
            await dialog.getByText("This cannot be taken back").waitFor();
            await other.getByRole("button", { name: "Cancel", exact: true }).click();
            await other.getByRole("dialog").getByRole("button", { name: "Cancel the job" }).click();
            await other.getByText("Cancelled").first().waitFor();

            await dialog.getByText(`${id} is cancelled by now: there is nothing left to cancel`).waitFor();
            expect(
                await dialog.getByRole("button", { name: "Cancel the job" }).isDisabled(),
                "it may still be pressed",
            );
            await shoot("two-people");
            await dialog.getByRole("button", { name: "Back" }).click();
            for (const one of [page, other]) {
                await one.getByRole("button", { name: "Run again" }).waitFor();
                const left = await one.getByRole("button", { name: /^(Cancel|Hold|Release)$/ }).count();
                expect(left === 0, `${left} buttons too many`);
            }
        } finally {
            await ben.close();
            await api("DELETE", `/v1/tokens/${made.id}`);
        }
    },
);

await check(
    "a dialog for many jobs drops those that others have cancelled, and says when none is left",
    async () => {
        const held = [];
        for (let i = 0; i < 2; i++)
            held.push((await submit({ command: ["true"], hold: true, labels: { both: RUN } })).id);
        await open(`/jobs?q=label:both=${RUN}&group=queue`);
        await page.getByLabel("select all of default").click();
        await page.getByRole("button", { name: "Cancel 2" }).click();
        const dialog = page.getByRole("dialog", { name: "Cancel 2 jobs?" });
        await dialog.waitFor();
        await api("POST", `/v1/jobs/${held[0]}:cancel`);
        await page.getByRole("dialog", { name: "Cancel 1 job?" }).waitFor();
        await api("POST", `/v1/jobs/${held[1]}:cancel`);
        await see("None of them is left");
        await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
    },
);

await check("a held job is released, held again, and cancelled after a question", async () => {
    const { id } = await submit({ command: ["true"], hold: true, resources: { cpu: "1000" } }, "?waitForCluster=true");
    await open(`/jobs/${id}`);
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByRole("button", { name: "Hold" }).click();
    await page.getByRole("button", { name: "Release" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await see("This cannot be taken back");
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await see("Cancelled");
    await untilState(id, ["cancelled"]);
});

await check("an ended job runs again, as a new one that points back", async () => {
    await open(`/jobs/${jobs.failed}`);
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(jobs.failed));
    await page.getByRole("link", { name: jobs.failed, exact: true }).waitFor();
});

await check("elements that failed alike are a group by their last error line, which runs again by itself", async () => {
    await open(`/jobs/${jobs.array}/replicas`);
    const row = page.getByLabel("failures alike, as a table").getByRole("row").nth(1);
    await row.getByText(/^Error: part \d+ is lost$/).waitFor();
    await row.getByText("5,18,31,44,57,70,83,96,109").waitFor();
    await row.getByRole("button", { name: "Run again" }).click();
    await see("Run 9 elements of");
    await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
    await page.waitForURL((url) => !url.pathname.includes(jobs.array));
    await page.getByRole("link", { name: jobs.array, exact: true }).waitFor();
    const again = await api("GET", `/v1/jobs/${page.url().split("/").at(-1)}`);
    expect(again.elements.total === 9, `it has ${again.elements.total} elements`);
});

await check("a job is submitted by the form, checked before", async () => {
    await open("/submit");
    await page.locator("[name=name]").fill("from-the-form");
    await page.locator("[name=command]").fill("echo from the form");
    await page.locator("[name=cpu]").fill("100m");
    await page.getByRole("button", { name: "Check" }).click();
    await see("The server would accept it");
    await page.getByRole("button", { name: "Submit" }).click();
    await page.waitForURL(/\/jobs\/job-[0-9a-z]+$/);
    await heading("from-the-form");
});

await check("a fault of the form stands at its field", async () => {
    cut.isOnPurpose = true; /* the browser logs the 422 */
    await open("/submit");
    await page.locator("[name=command]").fill("true");
    await page.locator("[name=replicas]").fill("none");
    await page.getByRole("button", { name: "Check" }).click();
    await page.locator(".field-replicas .field-fault").waitFor();
});

await check("a fault of a document stands at its line", async () => {
    await page.getByRole("button", { name: "YAML or JSON" }).click();
    await page.getByLabel("document, as YAML or JSON").fill("name: x\ncommand: [a]\ncpu: 4\n");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "line 3" }).waitFor();
    await page.locator(".editor-gutter .fault", { hasText: "3" }).waitFor();
    await shoot("submit-fault");
    const lines = Array.from({ length: 100 }, (_, index) => `# ${index}`).join("\n");
    await page.getByLabel("document, as YAML or JSON").fill(`${lines}\ncpu: 4`);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "line 101" }).waitFor();
    const [numbers, text] = await page.evaluate(() =>
        [".editor-gutter", ".editor textarea"].map((name) => {
            const style = getComputedStyle(document.querySelector(name));
            return `${style.lineHeight} from ${style.paddingTop}`;
        }),
    );
    expect(numbers === text, `the numbers have lines of ${numbers}, the text of ${text}`);
    await page.getByRole("button", { name: "line 101" }).click();
    await page.waitForFunction(() => {
        const box = document.querySelector(".editor textarea").getBoundingClientRect();
        const fault = document.querySelector(".editor-gutter .fault").getBoundingClientRect();
        return fault.top >= box.top && fault.bottom <= box.bottom;
    });
    await shoot("submit-fault-far");
    cut.isOnPurpose = false;
});

await check("a job that no cluster could run is submitted to wait for one, if that is wanted", async () => {
    cut.isOnPurpose = true; /* the browser logs the 422 */
    await open("/submit");
    await page.getByRole("button", { name: "YAML or JSON" }).click();
    await page.getByLabel("document, as YAML or JSON").fill("name: giant\ncommand: [a]\nresources:\n  cpu: 1000\n");
    await page.getByRole("button", { name: "Submit", exact: true }).click();
    await page.getByRole("button", { name: "Submit and wait for a cluster" }).waitFor();
    await shoot("submit-impossible");
    await page.getByRole("button", { name: "Submit and wait for a cluster" }).click();
    await page.waitForURL(/\/jobs\/job-[0-9a-z]+$/);
    await heading("giant");
    const id = page.url().split("/").at(-1);
    await api("POST", `/v1/jobs/${id}:cancel`);
    cut.isOnPurpose = false;
});

await check("jobs that cannot run again are counted, and the first says why", async () => {
    for (let i = 0; i < 2; i++) {
        const labels = { giant: RUN };
        const { id } = await submit({ command: ["true"], labels, resources: { cpu: "1000" } }, "?waitForCluster=true");
        await api("POST", `/v1/jobs/${id}:cancel`);
        await untilState(id, ["cancelled"]);
    }
    await open(`/jobs?q=label:giant=${RUN} state:cancelled`);
    await page.getByRole("button", { name: "Run all again ..." }).click();
    await see("2 jobs will run again");
    await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
    await page.getByText(/0 jobs submitted again; 2 jobs could not be, first job-[0-9a-z]+: /).waitFor();
    await shoot("bulk-refused");
});

await check("run with changes brings the job's document", async () => {
    await open(`/jobs/${jobs.running}`);
    await page.getByRole("link", { name: "Run with changes" }).click();
    await page.waitForFunction(() => document.querySelector("textarea")?.value.includes("train-resnet"));
    await page.getByRole("button", { name: "Check" }).click();
    await see("The server would accept it");
});

await check("a queue is made, paused and resumed, and removed", async () => {
    const name = `q-${Date.now()}`;
    await open("/queues");
    await page.getByRole("button", { name: "New queue" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill(name);
    await page.getByRole("button", { name: "Create" }).click();
    await heading(name);
    await page.getByRole("button", { name: `pause ${name}` }).click();
    await see("This queue is paused");
    await page.getByRole("button", { name: `resume ${name}` }).click();
    await page.getByRole("button", { name: `pause ${name}` }).waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await heading("Queues");
});

await check("a cluster is cordoned with a reason, and takes work again", async () => {
    await open(`/clusters/${cluster}`);
    await page.getByRole("button", { name: "Cordon" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("new disks");
    await page.getByRole("dialog").getByRole("button", { name: "Cordon" }).click();
    await see("takes no new work: new disks");
    await page.getByRole("button", { name: "Uncordon" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Uncordon" }).click();
    await page.getByText("connected", { exact: true }).first().waitFor();
});

await check("a token's text is shown once, and it is revoked", async () => {
    const name = `t-${Date.now()}`;
    await open("/admin");
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByRole("dialog").getByRole("textbox").first().fill(name);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("dialog").getByText(/^fl_/).waitFor();
    await shoot("token-secret");
    await page.getByRole("button", { name: "I have it" }).click();
    expect((await page.getByText(/^fl_/).count()) === 0, "the text is still there");
    await page.getByRole("row").filter({ hasText: name }).getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("row").filter({ hasText: name }).waitFor({ state: "detached" });
});

await check("the page leads through a cluster's join step by step", async () => {
    await open("/admin/join");
    await page.getByLabel("name of the cluster").fill("north");
    await page.getByRole("button", { name: "Make its join token" }).click();
    await see("join_token = @/etc/fairlead/join.token");
    await see("Waiting until north enrols");
    await shoot("join");
});

await check("usage is saved as CSV", async () => {
    await open("/usage");
    const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "CSV" }).click(),
    ]);
    const text = readFileSync(await file.path(), "utf8");
    expect(text.startsWith("queue,attempts,"), text.slice(0, 80));
});

await check("events come as they happen, and stop while paused", async () => {
    await open("/events");
    await page.getByText("Live", { exact: true }).waitFor();
    const first = await submit({ command: ["true"], resources: { cpu: "100m" } });
    await page.getByRole("link", { name: first.id }).first().waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    const second = await submit({ command: ["true"], resources: { cpu: "100m" } });
    await page.getByText(/paused, [1-9]\d* new/).waitFor();
    expect((await page.getByRole("link", { name: second.id }).count()) === 0, "it went on");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("link", { name: second.id }).first().waitFor();
    await shoot("events-live");
});

await check("g and a letter go to the views", async () => {
    await open("/");
    for (const [letter, path] of [
        ["j", "/jobs"],
        ["q", "/queues"],
        ["e", "/events"],
        ["u", "/usage"],
        ["h", "/health"],
        ["f", "/"],
    ]) {
        await page.keyboard.press("g");
        await page.keyboard.press(letter);
        await page.waitForURL(at(path));
    }
});

await check("? shows the shortcuts, Escape closes them", async () => {
    await page.keyboard.press("?");
    await heading("Shortcuts");
    await shoot("shortcuts");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
});

await check("the palette finds a view by a few letters, and a job by its id", async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("usg");
    await shoot("palette");
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/usage"));
    await page.keyboard.press("Control+k");
    await page.keyboard.type(jobs.array);
    await page.keyboard.press("Enter");
    await page.waitForURL(at(`/jobs/${jobs.array}`));
});

await check("[ and ] go through the parts of a job", async () => {
    await open(`/jobs/${jobs.array}`);
    await see("elements failed");
    await page.keyboard.press("]");
    await page.waitForURL(/timeline$/);
    await page.keyboard.press("[");
    await page.waitForURL(new RegExp(`${jobs.array}$`));
});

await check("times are shown in UTC or locally, and the choice is kept", async () => {
    await open("/health");
    await page.getByRole("button", { name: /change to UTC/ }).click();
    await page.reload();
    await page.getByRole("button", { name: /times: UTC/ }).waitFor();
    await page.getByRole("button", { name: /change to local/ }).click();
});

await check("a cut is shown, and after it the page goes on", async () => {
    await open("/jobs");
    await page.getByText("Live", { exact: true }).waitFor();
    cut.isOnPurpose = true;
    forwarder.cut();
    await see("Reconnecting");
    await shoot("reconnecting");
    const { id } = await submit({ name: "while-away", command: ["true"], resources: { cpu: "100m" } });
    forwarder.mend();
    await page.getByText("Live", { exact: true }).waitFor();
    await see(id);
    cut.isOnPurpose = false;
    takeFaults();
});

await check("a token of one queue without other rights is offered no more than it may do", async () => {
    const made = await api("POST", "/v1/tokens", { name: "reader", scopes: ["read"], queue: "default" });
    const other = await browser.newContext({ viewport: WIDE });
    const reader = await other.newPage();
    await reader.goto(at(`/jobs/${jobs.running}`));
    await reader.getByLabel("Token").fill(made.token);
    await reader.getByRole("button", { name: "Sign in" }).click();
    await reader.getByText("Running on").waitFor();
    await reader.getByText("Live", { exact: true }).waitFor();
    const offered = await reader.getByRole("button", { name: /^(Cancel|Hold|Run again)$/ }).count();
    const places = reader.getByRole("navigation", { name: "views" });
    const links =
        (await places.getByRole("link", { name: /^(Admin|Submit)$/ }).count()) +
        (await reader.getByRole("link", { name: "Run with changes" }).count());
    await api("DELETE", `/v1/tokens/${made.id}`);
    await reader.getByRole("heading", { name: "Your session is over" }).waitFor();
    const stays = reader.url() === at(`/jobs/${jobs.running}`);
    await other.close();
    expect(offered + links === 0, `${offered} buttons and ${links} links too many`);
    expect(stays, "the address has changed");
});

await check("a token of one queue sees its queue live, and nothing of another", async () => {
    const own = `own-${Date.now()}`;
    await api("POST", "/v1/queues", { name: own });
    const made = await api("POST", "/v1/tokens", { name: "own", scopes: ["read"], queue: own });
    const other = await browser.newContext({ viewport: WIDE });
    const reader = await other.newPage();
    await reader.goto(at("/events"));
    await reader.getByLabel("Token").fill(made.token);
    await reader.getByRole("button", { name: "Sign in" }).click();
    await reader.getByText("Live", { exact: true }).waitFor();
    const foreign = await submit({ name: "foreign", command: ["true"], hold: true });
    const mine = await submit({ name: "mine", command: ["true"], hold: true, queue: own });
    await reader.getByText(`submitted to ${own}`).waitFor();
    const leaks = await reader.getByText(foreign.id, { exact: true }).count();
    await reader.goto(at("/jobs"));
    await reader.getByText("mine").waitFor();
    await api("PATCH", `/v1/jobs/${foreign.id}`, { queue: own });
    await reader.getByText("foreign").waitFor();
    await api("PATCH", `/v1/jobs/${mine.id}`, { queue: "default" });
    await reader.getByText("mine").waitFor({ state: "detached" });
    for (const { id } of [foreign, mine]) await api("POST", `/v1/jobs/${id}:cancel`);
    await other.close();
    expect(leaks === 0, `${foreign.id} is shown`);
});

await check("signing out shows the door, also to the next page", async () => {
    cut.isOnPurpose = true;
    await open("/");
    await page.getByRole("button", { name: /signed in as/ }).click();
    await shoot("account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading("Sign in to Fairlead");
    await page.goto(at("/jobs"));
    await heading("Sign in to Fairlead");
});

await check("a link with a code signs in once, leads on, and leaves no code in the address", async () => {
    const { path } = await api("POST", "/v1/session-codes");
    await page.goto("about:blank");
    await page.goto(at(`${path}&next=/jobs/${jobs.running}`));
    await page.waitForURL(at(`/jobs/${jobs.running}`));
    await see("Running on");
    const other = await browser.newContext();
    const second = await other.newPage();
    await second.goto(at(path));
    await second.getByText("This link does not sign in any more").waitFor();
    expect(second.url() === at("/login"), `the address is ${second.url()}`);
    await other.close();
});

await check("nothing of all this threw an error or ran a script of a job", async () => {
    const said = takeFaults();
    expect(said.length === 0, said.join("; "));
});

await api("POST", `/v1/jobs/${jobs.running}:cancel`);
await api("POST", `/v1/jobs/${jobs.waiting}:cancel`);
await finish();
