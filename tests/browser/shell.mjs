/* shell.mjs - a shell in the browser, and parts of the page that are loaded late, against a real control plane with at
 * least one cluster.
 *
 *     node tests/browser/shell.mjs --url URL --token TOKEN [--shots DIR]
 *
 * Makes its jobs by the API.  Prints 'ok - sentence' or 'not ok - sentence: why' for each promise, and exits 1 when one
 * does not hold.  The token has all scopes. */
import { createServer } from "node:http";
import {
    NARROW,
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

const small = { cpu: "100m" };
const running = await submit({ name: "train", command: ["sleep", "3600"], resources: small });
const array = await submit({ name: "sweep", command: shell("[ $FAIRLEAD_ELEMENT = 1 ] || sleep 3600"), array: 3, resources: small });
const brief = await submit({ name: "brief", command: ["sleep", "3600"], resources: small });
const waiting = await submit({ name: "too-large", command: ["true"], resources: { cpu: "1000" } }, "?waitForCluster=true");
for (const { id } of [running, array, brief]) await untilState(id, ["running"]);

const status = page.locator(".terminal-bar [role=status]");
const rows = page.locator(".xterm-rows");

/** The text in the terminal, without the spaces at its lines' ends. */
async function shown() {
    const lines = await rows.locator("> div").allTextContents();
    return lines.map((line) => line.replaceAll("\u00a0", " ").trimEnd()).join("\n");
}

async function untilShown(pattern) {
    for (let tries = 0; tries < 300; tries++) {
        if (pattern.test(await shown())) return;
        await sleep(100);
    }
    throw new Error(`${pattern} is not shown, but ${JSON.stringify((await shown()).trim().slice(-300))}`);
}

async function connect(id, before = async () => undefined) {
    await open(`/jobs/${id}/shell`);
    await page.getByRole("button", { name: "Connect" }).waitFor();
    await before();
    await page.getByRole("button", { name: "Connect" }).click();
    await status.getByText("connected").waitFor();
    await untilShown(/[$#>] ?$/m);
}

const type = (text) => page.keyboard.type(text);

async function run(command) {
    await type(command);
    await page.keyboard.press("Enter");
}

async function disconnect() {
    await page.getByRole("button", { name: "Disconnect" }).click();
    await status.getByText("You have closed this shell").waitFor();
}

/** For a page: whether a shell opens from it. */
const tryShell = ([url, job]) =>
    new Promise((resolve) => {
        const socket = new WebSocket(`${url.replace("http", "ws")}/v1/jobs/${job}/exec?tty=true`, "v5.channel.k8s.io");
        socket.onopen = () => (socket.close(), resolve("opened"));
        socket.onerror = () => resolve("refused");
    });

/** For a page: opens a shell that stays open. */
const keepShell = ([url, job]) =>
    new Promise((resolve) => {
        const socket = new WebSocket(`${url.replace("http", "ws")}/v1/jobs/${job}/exec?tty=true`, "v5.channel.k8s.io");
        globalThis.keptShell = socket;
        socket.onopen = () => resolve("opened");
        socket.onerror = () => resolve("refused");
    });

function isSilent() {
    const said = takeFaults();
    expect(said.length === 0, said.join("; "));
}

/** The rows of the audit that say how shells in a job ended, the newest first. */
async function endsOfShells(id) {
    return (await api("GET", `/v1/audit?action=end_exec&object=${id}&limit=200`)).audit;
}

/** Does what ends the open shell in a job, and waits for a row that was not there before and says how it ended. */
async function endsShell(id, how, act) {
    const old = new Set((await endsOfShells(id)).map((row) => row.id));
    let newer = [];
    await act();
    for (let tries = 0; tries < 300; tries++) {
        newer = (await endsOfShells(id)).filter((row) => !old.has(row.id)).map((row) => row.what);
        if (newer.some((what) => how.test(what))) return;
        await sleep(100);
    }
    throw new Error(`no new row says ${how} of the shell in ${id}, but ${JSON.stringify(newer)}`);
}

async function look(name) {
    for (const theme of ["dark", "light"]) {
        await setTheme(theme);
        await shoot(`${name}-${theme}`);
        const violations = await axeViolations();
        expect(violations.length === 0, `${theme}: ${violations.join("; ")}`);
    }
    await page.setViewportSize(NARROW);
    for (const theme of ["light", "dark"]) {
        await setTheme(theme);
        await shoot(`${name}-${theme}-390`);
    }
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await page.setViewportSize(WIDE);
    expect(over <= 0, `${over} px too wide`);
}

await check("a running job's page offers a shell, and opens none before a person asks", async () => {
    await page.goto(at(`/jobs/${running.id}`));
    await page.getByLabel("Token").waitFor();
    cut.isOnPurpose = true; /* the 401 that leads to the door */
    await signIn(flags.token);
    cut.isOnPurpose = false;
    await page.getByRole("link", { name: "Shell", exact: true }).waitFor();
    takeFaults();
    await page.getByRole("link", { name: "Shell", exact: true }).click();
    await page.getByRole("button", { name: "Connect" }).waitFor();
    isSilent();
    await look("shell-before");
});

await check("a command that is typed runs there, without a breach of the policy", async () => {
    await connect(running.id);
    await run("echo hel''lo-$((6*7)) $TERM");
    await untilShown(/^hello-42 xterm-256color$/m);
    isSilent();
});

await check("colours of all kinds are drawn, and can be read, without a breach of the policy", async () => {
    await run("printf '\\033[31mr''ed \\033[38;5;208mora''nge \\033[38;2;0;0;40mdark''blue\\033[4:3m curly\\033[0m\\n'");
    await untilShown(/^red orange darkblue curly$/m);
    const colours = await rows.evaluate((element) =>
        [...element.querySelectorAll("span")]
            .filter((it) => /^(red|orange|darkblue)/.test(it.textContent.trim()))
            .map((it) => getComputedStyle(it).color),
    );
    expect(new Set(colours).size === 3, `the colours are ${colours.join(" ")}`);
    await look("shell-open");
    isSilent();
});

await check("keys of the page are the shell's while it has the focus, and a pair leads out of it", async () => {
    await page.locator(".xterm-screen").click();
    await type("gj?[/");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(page.url() === at(`/jobs/${running.id}/shell`), `the address is ${page.url()}`);
    expect((await page.getByRole("dialog").count()) === 0, "a dialog of the page has opened");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+Shift+Enter");
    const focused = await page.evaluate(() => document.activeElement.textContent);
    expect(focused === "Disconnect", `the focus is on ${focused}`);
    await page.locator(".xterm-screen").click();
});

await check("the shell has the size of the window, also after that changes", async () => {
    const size = async (name) => {
        const line = new RegExp(`^${name} (\\d+) (\\d+)$`, "m");
        await run(`clear; echo ${name} $(stty size)`);
        await untilShown(line);
        return line.exec(await shown()).slice(1).map(Number);
    };
    const [tall, wide] = await size("first");
    const drawn = await rows.locator("> div").count();
    expect(tall === drawn, `${tall} rows there, ${drawn} here`);
    await page.setViewportSize({ width: 900, height: 600 });
    for (let tries = 0; (await rows.locator("> div").count()) === drawn && tries < 50; tries++) await sleep(100);
    const [shorter, narrower] = await size("then");
    const less = await rows.locator("> div").count();
    await page.setViewportSize(WIDE);
    expect(shorter === less && shorter < tall, `${shorter} rows there, ${less} here, ${tall} before`);
    expect(narrower < wide, `${narrower} columns, ${wide} before`);
});

await check("text is copied out of it and pasted into it", async () => {
    await run("clear; echo copy''-this-word");
    await untilShown(/^copy-this-word$/m);
    const line = await page.evaluate(() => {
        const row = [...document.querySelectorAll(".xterm-rows > div")].find((it) => it.textContent.trim() === "copy-this-word");
        const { left, top, height } = row.getBoundingClientRect();
        return { x: left + 30, y: top + height / 2 };
    });
    await page.mouse.dblclick(line.x, line.y);
    await page.keyboard.press("Control+Shift+C");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied === "copy-this-word", `"${copied}" is copied`);
    await page.evaluate(() => navigator.clipboard.writeText("echo pas''ted-$((1+1))"));
    await page.keyboard.press("Control+Shift+V");
    await page.keyboard.press("Enter");
    await untilShown(/^pasted-2$/m);
});

await check("output that comes faster than a page draws leaves the page alive, and its end is there", async () => {
    await run("clear; yes 0123456789012345678901234567890123456789 | head -c 60000000; echo; echo the-e''nd");
    await untilShown(/^the-end$/m);
    await run("echo ali''ve");
    await untilShown(/^alive$/m);
    isSilent();
});

await check("a shell that ends says with which exit code, and another one is opened", async () => {
    await run("exit 7");
    await status.getByText("The shell has ended with exit code 7.").waitFor();
    await look("shell-ended");
    await page.getByRole("button", { name: "Connect again" }).click();
    await status.getByText("connected").waitFor();
    await untilShown(/[$#>] ?$/m);
    await run("echo ag''ain");
    await untilShown(/^again$/m);
    await disconnect();
    isSilent();
});

await check("the shell reports a lost connection, and connects again", async () => {
    await connect(running.id);
    cut.isOnPurpose = true;
    forwarder.cut();
    await status.getByText("The connection was lost").waitFor();
    await shoot("shell-lost");
    forwarder.mend();
    await page.getByText("Live", { exact: true }).waitFor();
    cut.isOnPurpose = false;
    takeFaults();
    await page.getByRole("button", { name: "Connect again" }).click();
    await status.getByText("connected").waitFor();
    await disconnect();
});

await check("an element of an array is chosen", async () => {
    await connect(array.id, async () => {
        await page.getByLabel("Element").fill("2");
        await page.keyboard.press("Enter");
    });
    await run("echo element-$FAIRLEAD_ELEMENT-$((1+1))");
    await untilShown(/^element-2-2$/m);
    await disconnect();
});

await check("a reload asks first while a shell is open, and leaving the view ends the shell", async () => {
    await connect(array.id);
    const isLeft = /: the client (left|is gone);/;
    const asked = page.waitForEvent("dialog");
    await page.locator(".xterm-screen").click();
    await endsShell(array.id, isLeft, () => page.reload());
    expect((await asked).type() === "beforeunload", "it did not ask");
    await connect(array.id);
    await endsShell(array.id, isLeft, async () => {
        await page.getByRole("link", { name: "Overview", exact: true }).click();
        await page.locator(".terminal-view").waitFor({ state: "detached" });
    });
    isSilent();
});

await check("a replica that ends under the shell ends it, with a word", async () => {
    await connect(brief.id);
    await api("POST", `/v1/jobs/${brief.id}:cancel`);
    await page.getByRole("button", { name: "Disconnect" }).waitFor({ state: "detached" });
    const text = await status.textContent();
    expect(/^(The replica has ended|The shell has ended with exit code 1\d\d)/.test(text), text);
    await page.getByText("The job has ended.").waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("link", { name: "Shell", exact: true }).waitFor({ state: "detached" });
    isSilent();
});

await check("a job of which nothing runs says so in place of a shell", async () => {
    await open(`/jobs/${waiting.id}/shell`);
    await heading("Nothing of it runs now");
    await open(`/jobs/${brief.id}/shell`);
    await heading("The job has ended");
    isSilent();
});

await check("a refusal is shown in the control plane's words", async () => {
    await open(`/jobs/${array.id}/shell`);
    await page.getByLabel("Element").fill("1");
    await page.keyboard.press("Enter");
    cut.isOnPurpose = true; /* the browser logs a refused connection by itself */
    await page.getByRole("button", { name: "Connect" }).click();
    await status.getByText(/^(?!connecting$)/).waitFor();
    const text = await status.textContent();
    expect(/does not run now; the job is running/.test(text), text);
    await shoot("shell-refused");
    cut.isOnPurpose = false;
    takeFaults();
});

await check("a field keeps the text that is typed as soon as it is there", async () => {
    await open(`/jobs/${array.id}`);
    await page.evaluate(() => {
        /* As soon as the field is there: sooner than anything that the page does once it is drawn. */
        const typist = new MutationObserver(() => {
            const field = document.querySelector(".log-pick input");
            if (!field) return;
            typist.disconnect();
            field.value = "2";
            field.dispatchEvent(new Event("input", { bubbles: true }));
        });
        typist.observe(document.body, { childList: true, subtree: true });
    });
    await page.getByRole("link", { name: "Shell", exact: true }).click();
    await page.getByRole("button", { name: "Connect" }).waitFor();
    await sleep(500);
    const text = await page.getByLabel("Element").inputValue();
    expect(text === "2", `it has '${text}'`);
    isSilent();
});

await check("a token without the right is not offered a shell, and refused one all the same", async () => {
    const made = await api("POST", "/v1/tokens", { name: `reader-${Date.now()}`, scopes: ["read"] });
    const other = await browser.newContext({ viewport: WIDE });
    const reader = await other.newPage();
    await reader.goto(at(`/jobs/${running.id}`));
    await reader.getByLabel("Token").fill(made.token);
    await reader.getByRole("button", { name: "Sign in" }).click();
    await reader.getByText("Running on").first().waitFor();
    const offered = await reader.getByRole("link", { name: "Shell", exact: true }).count();
    await reader.goto(at(`/jobs/${running.id}/shell`));
    await reader.getByText("This token may not open a shell").waitFor();
    const result = await reader.evaluate(tryShell, [forwarder.url, running.id]);
    await api("DELETE", `/v1/tokens/${made.id}`);
    await other.close();
    expect(offered === 0, "it is offered");
    expect(result === "refused", result);
});

await check("a page of another port of this host, which is sent the cookie, opens no shell", async () => {
    const server = createServer((_, response) => response.end("<!doctype html><title>foreign</title>"));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const foreign = await page.context().newPage();
    await foreign.goto(`http://127.0.0.1:${server.address().port}/`);
    const result = await foreign.evaluate(tryShell, [forwarder.url, running.id]);
    await foreign.close();
    await open("/");
    const own = await page.evaluate(tryShell, [forwarder.url, running.id]);
    server.close();
    expect(result === "refused", `the foreign page: ${result}`);
    expect(own === "opened", `our own page: ${own}`);
});

await check("a session that is signed out elsewhere ends its shell", async () => {
    await connect(array.id);
    cut.isOnPurpose = true;
    /* The application leaves its shell when it hears that its session is over; a page without it stays, and it is the
     * control plane that ends the shell. */
    const bare = await page.context().newPage();
    await bare.route(/\/ui\/.*\.js$/, (route) => route.abort());
    await bare.goto(at("/"));
    const result = await bare.evaluate(keepShell, [forwarder.url, running.id]);
    expect(result === "opened", result);
    await endsShell(running.id, /: the session of this visit is over/, async () => {
        const other = await page.context().newPage();
        await other.goto(at("/health"));
        await other.getByRole("button", { name: /signed in as/ }).click();
        await other.getByRole("button", { name: "Sign out" }).click();
        await other.getByText("Sign in to Fairlead").waitFor();
        await other.close();
        await page.getByText("Your session is over").waitFor();
    });
    await bare.close();
    await signIn(flags.token);
    await page.getByRole("button", { name: "Connect" }).waitFor();
    cut.isOnPurpose = false;
    takeFaults();
});

await check("a part that does not load says so, and comes when the page is loaded again", async () => {
    const parts = /\/ui\/Usage-\w+\.js$/;
    cut.isOnPurpose = true;
    await page.route(parts, (route) => route.fulfill({ status: 404, body: "no" }));
    await open("/usage");
    await heading("This part of the page did not load");
    await setTheme("dark");
    await shoot("part-missing-dark");
    const violations = await axeViolations();
    await page.unroute(parts);
    await page.getByRole("button", { name: "Load the page again" }).click();
    await see("Days are of UTC");
    cut.isOnPurpose = false;
    takeFaults();
    expect(violations.length === 0, violations.join("; "));
});

await check("a page does not load the parts that it does not show", async () => {
    const loaded = [];
    const note = (request) => loaded.push(new URL(request.url()).pathname);
    page.on("request", note);
    await open("/jobs");
    await see(running.id);
    page.off("request", note);
    const parts = loaded.filter((path) => /^\/ui\/(?!app-|chunk-)/.test(path));
    expect(parts.length === 0, parts.join(" "));
    isSilent();
});

for (const { id } of [running, array, waiting]) await api("POST", `/v1/jobs/${id}:cancel`);
await finish();
