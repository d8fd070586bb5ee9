/* groups.mjs - the list of jobs in groups, and views of it that are saved under a name, in a real browser, against a
 * real control plane with at least one cluster.
 *
 *     node tests/browser/groups.mjs --url URL --token TOKEN [--shots DIR]
 *
 * Makes its jobs by the API.  Prints 'ok - sentence' or 'not ok - sentence: why' for each promise, and exits 1 when one
 * does not hold.  The token has all scopes. */
import {
    at,
    check,
    cut,
    expect,
    finish,
    flags,
    heading,
    open,
    page,
    see,
    shoot,
    signIn,
    sleep,
    submit,
    takeFaults,
    untilState,
} from "./driver.mjs";

/** So that a second run on the same fleet does not find the jobs of the first. */
const RUN = `g${Date.now()}`;

cut.isOnPurpose = true; /* the browser logs the 401 */
await page.goto(at("/jobs"));
await heading("Sign in to Fairlead");
await signIn(flags.token);
await heading("Jobs");
cut.isOnPurpose = false;
takeFaults();

/** A list of so many jobs that no cluster has: the API's answers, made here. */
async function withManyJobs(total, body) {
    const { id } = await submit({ command: ["true"], resources: { cpu: "100m" } });
    const sample = await untilState(id, ["succeeded"]);
    const list = /\/v1\/jobs\?/;
    await page.route(list, (route) => {
        const query = new URL(route.request().url()).searchParams;
        const from = Number(query.get("cursor") || 0);
        const to = Math.min(total, from + Number(query.get("limit")));
        const made = Array.from({ length: to - from }, (_, i) => ({
            ...sample,
            id: `job-z${from + i}`,
            name: `part ${from + i}`,
            state: ["running", "failed", "succeeded", "queued"][(from + i) % 4],
            labels: { team: ["audio", "speech", "vision"][(from + i) % 3] },
        }));
        return route.fulfill({ json: { jobs: made, ...(to < total ? { cursor: String(to) } : {}) } });
    });
    try {
        await body();
    } finally {
        await page.unroute(list);
    }
}

const groupHead = (name) => page.getByRole("row").filter({ has: page.getByRole("button", { name }) });

await check("jobs are grouped by a label from the keyboard, and the address keeps it", async () => {
    for (const side of ["left", "left", "left", "right", "right", undefined]) {
        const labels = side ? { group: RUN, side } : { group: RUN };
        await submit({ name: "grouped", command: ["true"], hold: true, labels });
    }
    await open(`/jobs?q=label:group=${RUN}`);
    await see("6 shown");
    await page.keyboard.press("b");
    await page.keyboard.type("By label side");
    await page.waitForURL(/group=label%3Aside/);
    await see("3 groups of 6 jobs: all that match");
    await groupHead(/^left 3/)
        .getByText("3 held")
        .waitFor();
    await groupHead(/^right 2/).waitFor();
    await groupHead(/^no label side 1/).waitFor();
    await page.reload();
    await see("3 groups of 6 jobs");
    await shoot("groups");
});

await check("the values of a label are counted by the server, and a click shows the jobs of one", async () => {
    await open(`/jobs?q=label:group=${RUN}&group=label:side`);
    const counts = page.getByRole("navigation", { name: "jobs by label side" });
    const left = counts.getByRole("link", { name: /^left 3/ });
    await counts.getByRole("link", { name: /^right 2/ }).waitFor();
    await counts.getByText("no label side").waitFor();
    expect((await left.getAttribute("title")) === "left: 3 open", await left.getAttribute("title"));
    await left.click();
    await page.waitForURL(/label%3Aside%3Dleft/);
    await see("1 group of 3 jobs: all that match");
    expect((await left.getAttribute("aria-current")) === "true", "the value is not marked");
    await shoot("label-counts");
    await counts.getByRole("link", { name: /^right 2/ }).click();
    await see("1 group of 2 jobs: all that match");
    await counts.getByRole("link", { name: /^right 2/ }).click();
    await see("3 groups of 6 jobs: all that match");
});

await check("a group is folded and chosen as a whole, by keys and by pointer", async () => {
    await open(`/jobs?q=label:group=${RUN}&group=label:side`);
    await see("3 groups of 6 jobs");
    const rows = () => page.locator(".job-table tbody tr").count();
    expect((await rows()) === 9, `${await rows()} rows`);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await see("3 selected");
    await page.keyboard.press("Enter");
    await page.locator('[aria-expanded="false"]', { hasText: "left" }).waitFor();
    expect((await rows()) === 6, `${await rows()} rows with one group closed`);
    await page.getByLabel("select all of right").click();
    await see("5 selected");
    await page.getByRole("button", { name: /^right/ }).press("Enter");
    expect((await rows()) === 4, `${await rows()} rows with two groups closed`);
    await page.getByRole("button", { name: "Close all groups" }).click();
    await page.getByRole("button", { name: "Open all groups" }).click();
    expect((await rows()) === 9, `${await rows()} rows with all groups open`);
    await page.getByRole("button", { name: "Cancel 5" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the jobs" }).click();
    await see("5 jobs cancelled");
    await groupHead(/^right 2/)
        .getByText("2 cancelled")
        .waitFor();
});

await check(
    "groups of a long list say of how many jobs they are, take in what is loaded, and leave the rows in sight in place",
    async () => {
        await withManyJobs(900, async () => {
            await open("/jobs?group=label:team");
            await see(/3 groups of the [1-8]00 newest that match; scroll to load more/);
            await groupHead(/^audio/).waitFor();
            /** The first row below the table's head, once it is drawn. */
            const inSight = async () => {
                const found = await page.waitForFunction(() => {
                    const box = document.querySelector(".virtual-table");
                    const top = box.getBoundingClientRect().top + 34;
                    const rows = [...box.querySelectorAll("tbody tr:not(.virtual-space)")];
                    const row = rows.find((one) => one.getBoundingClientRect().top >= top);
                    return row?.querySelector("a, button").textContent;
                });
                return found.jsonValue();
            };
            await page.locator(".virtual-table").evaluate((box) => box.scrollTo(0, 1700));
            const before = await inSight();
            const foot = page.locator(".job-table-foot p");
            const said = await foot.textContent();
            await page.getByRole("button", { name: "Load more" }).click();
            await page.waitForFunction(
                (old) => document.querySelector(".job-table-foot p").textContent !== old,
                said,
            );
            expect((await inSight()) === before, `the rows in sight moved: ${before}, ${await inSight()}`);
            await page.getByRole("button", { name: "Close all groups" }).click();
            await shoot("groups-closed");
            await page.getByRole("button", { name: "Load more" }).click();
            await page.getByRole("button", { name: "Open all groups" }).click();
            for (
                let tries = 0;
                tries < 60 && !(await page.getByText("3 groups of 900 jobs").count());
                tries++
            ) {
                await page.locator(".virtual-table").evaluate((box) => box.scrollTo(0, box.scrollHeight));
                await sleep(200);
            }
            await see("3 groups of 900 jobs: all that match");
            const rows = await page.locator(".job-table tbody tr").count();
            expect(rows < 120, `${rows} rows are in the page`);
            await page.getByLabel("group by").selectOption("state");
            await page.waitForURL(/group=state/);
            await see("4 groups of");
            await page.locator(".virtual-table").evaluate((box) => box.scrollTo(0, 0));
            await page.getByLabel("select all of queued").click();
            await see("200 selected, the most at once");
            await shoot("groups-many");
        });
    },
);

await check(
    "a view is saved under a name, found in the palette, renamed, overwritten and deleted",
    async () => {
        await open(`/jobs?q=label:group=${RUN}&group=state`);
        await page.getByRole("button", { name: "Views" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("name of the view").fill("My wall");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByRole("link", { name: "My wall" }).waitFor();
        await dialog.getByRole("button", { name: "copy the link" }).click();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        expect(copied === page.url().replace("label:group=", "label%3Agroup%3D"), copied);
        await shoot("views");
        await dialog.getByRole("button", { name: "Close" }).click();
        await page.getByRole("button", { name: "My wall" }).waitFor();
        await open("/health");
        await page.keyboard.press("Control+k");
        await page.keyboard.type("my wall");
        await page.keyboard.press("Enter");
        await page.waitForURL(/q=label%3Agroup.*group=state/);
        await page.getByRole("button", { name: "My wall" }).click();
        await dialog.getByLabel("name of the view").fill("Other");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByRole("button", { name: "rename My wall" }).click();
        await dialog.getByLabel("new name of My wall").fill("Other");
        await page.keyboard.press("Enter");
        await dialog.getByText("Another view is named Other").waitFor();
        await dialog.getByLabel("new name of My wall").fill("Wall");
        await page.keyboard.press("Enter");
        await dialog.getByRole("link", { name: "Wall", exact: false }).waitFor();
        await dialog.getByRole("button", { name: "Close" }).click();
        await page.getByLabel("group by").selectOption("queue");
        await page.waitForURL(/group=queue/);
        await page.getByRole("button", { name: "Views" }).click();
        await dialog.getByLabel("name of the view").fill("Wall");
        await dialog.getByRole("button", { name: "Overwrite" }).click();
        await dialog.getByRole("link", { name: "grouped by queue" }).waitFor();
        await dialog.getByRole("button", { name: "delete Wall" }).click();
        await dialog.getByRole("button", { name: "Delete it" }).click();
        await dialog.getByRole("button", { name: "delete Other" }).click();
        await dialog.getByRole("button", { name: "Delete it" }).click();
        await see("No view is saved in this browser yet");
    },
);

await check("a damaged or a full store breaks no view", async () => {
    const store = (text) => page.evaluate((it) => localStorage.setItem("fairlead.views", it), text);
    for (const text of ["{", "[null, 7]", '{"a": 1}', `["${"x".repeat(200_000)}"]`]) {
        await store(text);
        await open("/jobs");
        await page.getByRole("button", { name: "Views" }).waitFor();
    }
    await page.evaluate(() => {
        localStorage.removeItem("fairlead.views");
        for (let size = 1 << 22; size > 0; size >>= 1) {
            try {
                for (;;) localStorage.setItem(`filler${localStorage.length}`, "x".repeat(size));
            } catch {
                /* no room for so many any more */
            }
        }
    });
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByLabel("name of the view").fill("In memory");
    await page.getByRole("button", { name: "Save" }).click();
    await see("This browser cannot store the views");
    await page.getByRole("link", { name: "In memory" }).waitFor();
    await page.evaluate(() => {
        for (const key of Object.keys(localStorage))
            if (key.startsWith("filler")) localStorage.removeItem(key);
    });
    const said = takeFaults();
    expect(said.length === 0, said.join("; "));
});

await finish();
