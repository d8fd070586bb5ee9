/* driver.mjs - what the programs of this folder share that look at one page: the API of a control plane, a browser
 * whose connections go through a forwarder, and what the page says that it must not.
 *
 *     node tests/browser/NAME.mjs --url URL --token TOKEN [--shots DIR]
 *
 * Prints a line for each promise: 'ok - sentence' or 'not ok - sentence: why'. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { startForwarder } from "./forwarder.mjs";

export const { values: flags } = parseArgs({
    options: {
        url: { type: "string" },
        token: { type: "string" },
        shots: { type: "string" },
        chromium: { type: "string", default: "/usr/bin/chromium" },
    },
});
if (!flags.url || !flags.token) {
    console.error("usage: node NAME.mjs --url URL --token TOKEN [--shots DIR]");
    process.exit(2);
}
if (flags.shots) mkdirSync(flags.shots, { recursive: true });

export const WIDE = { width: 1280, height: 860 };
export const NARROW = { width: 390, height: 844 };
export const WAIT_MS = 60_000;
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let failures = 0;

export async function check(sentence, body) {
    try {
        await body();
        console.log(`ok - ${sentence}`);
    } catch (thrown) {
        failures += 1;
        const why = String(thrown.message ?? thrown)
            .split("\n")
            .slice(0, 3)
            .join(" ");
        console.log(`not ok - ${sentence}: ${why}`);
        await shoot(`not-ok-${failures}`).catch(() => undefined);
    }
}

export function expect(condition, why) {
    if (!condition) throw new Error(why);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- the control plane

export async function api(method, path, body) {
    const response = await fetch(flags.url + path, {
        method,
        headers: { Authorization: `Bearer ${flags.token}`, "Content-Type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
}

export const submit = (document, query = "") => api("POST", `/v1/jobs${query}`, document);
export const shell = (script) => ["sh", "-c", script];

export async function untilState(id, states) {
    for (let tries = 0; tries < 1200; tries++) {
        const job = await api("GET", `/v1/jobs/${id}`);
        if (states.includes(job.state)) return job;
        await sleep(100);
    }
    throw new Error(`${id} is not ${states.join(" or ")} yet`);
}

// ---- the browser

export const forwarder = await startForwarder(flags.url);
export const browser = await chromium.launch({ executablePath: flags.chromium, args: ["--no-sandbox"] });
export const context = await browser.newContext({ viewport: WIDE, colorScheme: "dark", reducedMotion: "reduce" });
await context.grantPermissions(["clipboard-read", "clipboard-write"]);
export const page = await context.newPage();
page.setDefaultTimeout(WAIT_MS);

/** Errors that a page must never report; a request that is cut on purpose is not a fault. */
let faults = [];
export const cut = { isOnPurpose: false };
page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
page.on("dialog", (dialog) => {
    if (dialog.type() === "beforeunload") return void dialog.accept();
    faults.push(`a script of a job ran: ${dialog.message()}`);
    void dialog.dismiss();
});
page.on("console", (message) => {
    if (message.type() === "error" && !cut.isOnPurpose)
        faults.push(`console: ${message.text()} ${message.location().url}`);
});
page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(forwarder.url) && !/^(data|blob):/.test(url)) faults.push(`a request to ${url}`);
});

export function takeFaults() {
    const taken = faults;
    faults = [];
    return taken;
}

export const at = (path) => forwarder.url + path;
export const see = (text) => page.getByText(text, { exact: false }).first().waitFor();
export const heading = (name) => page.getByRole("heading", { name, exact: true }).first().waitFor();

export async function open(path) {
    await page.goto(at(path));
    await page.locator("#main").waitFor();
}

export async function shoot(name) {
    if (flags.shots) await page.screenshot({ path: join(flags.shots, `${name}.png`) });
}

/** By the button, as a person does: it goes through system, light and dark. */
export async function setTheme(theme) {
    for (let clicks = 0; clicks < 3; clicks++) {
        if ((await page.evaluate(() => document.documentElement.dataset.theme)) === theme) return;
        await page.getByRole("button", { name: /^theme: / }).click();
    }
}

/** The page's policy lets no script in; axe comes by the debugger, which stands above it. */
export async function axeViolations() {
    const session = await context.newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axeSource });
    const { result } = await session.send("Runtime.evaluate", {
        expression: `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }).then((found) =>
            found.violations.map((it) => it.id + ": " + it.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")))`,
        awaitPromise: true,
        returnByValue: true,
    });
    await session.detach();
    return result.value;
}

export async function signIn(token) {
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
}

/** At the end; exits with 1 when a promise does not hold. */
export async function finish() {
    await browser.close();
    forwarder.close();
    process.exitCode = failures > 0 ? 1 : 0;
}
