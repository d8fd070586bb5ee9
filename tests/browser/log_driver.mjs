/* log_driver.mjs - what the programs of this folder share that look at the log viewer: the API of a control plane,
 * a browser whose connections go through a forwarder of its own, which can cut them, and the rows of a log.
 *
 *     node tests/browser/NAME.mjs --url URL --token TOKEN [--shots DIR] [--lines N]
 *
 * Prints a line for each promise: 'ok - sentence' or 'not ok - sentence: why'. */
import { mkdirSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

export const { values: flags } = parseArgs({
    options: {
        url: { type: "string" },
        token: { type: "string" },
        shots: { type: "string" },
        lines: { type: "string", default: "1000000" },
        chromium: { type: "string", default: "/usr/bin/chromium" },
    },
});
if (!flags.url || !flags.token) {
    console.error("usage: node NAME.mjs --url URL --token TOKEN [--shots DIR] [--lines N]");
    process.exit(2);
}
if (flags.shots) mkdirSync(flags.shots, { recursive: true });

let failures = 0;

export async function check(sentence, body) {
    try {
        const note = await body();
        console.log(`ok - ${sentence}${note ? ` (${note})` : ""}`);
    } catch (thrown) {
        failures++;
        console.log(`not ok - ${sentence}: ${String(thrown.message ?? thrown).split("\n")[0]}`);
    }
}

export function expect(condition, why) {
    if (!condition) throw new Error(why);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- the control plane

export async function api(path, body) {
    const response = await fetch(flags.url + path, {
        method: body ? "POST" : "GET",
        headers: { Authorization: `Bearer ${flags.token}`, "Content-Type": "application/json" },
        body: body && JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
}

export async function submit(name, script, more = {}) {
    const response = await api("/v1/jobs", { name, command: ["sh", "-c", script], ...more });
    return (await response.json()).id;
}

/** Until the job has ended and its output is complete. */
export async function ended(id) {
    for (let tries = 0; tries < 600; tries++) {
        const job = await (await api(`/v1/jobs/${id}`)).json();
        if (job.endedAt !== null) {
            const logs = await api(`/v1/jobs/${id}/logs?from=${Number.MAX_SAFE_INTEGER}&count=1`);
            await logs.text();
            if (logs.headers.get("X-Fairlead-Output") !== "more") return job;
        }
        await sleep(200);
    }
    throw new Error(`${id} has not ended`);
}

// ---- the browser

/** Forwards to the control plane, and cuts what it forwards. */
async function openForwarder(target) {
    const open = new Set();
    const server = net.createServer((inner) => {
        const outer = net.connect(Number(target.port), target.hostname);
        for (const socket of [inner, outer]) {
            open.add(socket);
            socket.on("error", () => undefined);
            socket.on("close", () => {
                open.delete(socket);
                inner.destroy();
                outer.destroy();
            });
        }
        inner.pipe(outer);
        outer.pipe(inner);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        port: server.address().port,
        cut() {
            expect(open.size > 0, "the browser has no connection that could be cut");
            for (const socket of open) socket.destroy();
        },
        close() {
            for (const socket of open) socket.destroy();
            server.close();
        },
    };
}

const target = new URL(flags.url);
export const forwarder = await openForwarder(target);
const browser = await chromium.launch({
    executablePath: flags.chromium,
    args: [
        "--no-sandbox",
        "--enable-precise-memory-info",
        `--host-resolver-rules=MAP ${target.host} 127.0.0.1:${forwarder.port}`,
    ],
});
/* A promise that is not kept within this time is broken. */
const PATIENCE_MS = 60_000;
const violations = [];

export async function openPage(options = {}) {
    const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        colorScheme: "dark",
        permissions: ["clipboard-read", "clipboard-write"],
        ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on("console", (message) => {
        if (/Content.Security.Policy|TrustedHTML|TrustedScript/i.test(message.text()))
            violations.push(message.text());
    });
    page.on("pageerror", (error) => violations.push(`error of the page: ${error.message}`));
    await page.addInitScript(() => {
        window.violations = [];
        document.addEventListener("securitypolicyviolation", (event) =>
            window.violations.push(event.violatedDirective),
        );
    });
    await page.goto(`${flags.url}/login`);
    const status = await page.evaluate(async (token) => {
        const response = await fetch("/v1/session", {
            method: "POST",
            headers: { "Content-Type": "application/json", "Fairlead-Page": "1" },
            body: JSON.stringify({ token }),
        });
        return response.status;
    }, flags.token);
    expect(status === 201, `the login was answered ${status}`);
    return page;
}

export async function openLogs(page, id, hash = "") {
    await page.goto("about:blank");
    await page.goto(`${flags.url}/jobs/${id}/logs${hash}`);
    await page.waitForSelector(".log-line .log-text");
}

export async function shot(page, name) {
    if (flags.shots) await page.screenshot({ path: join(flags.shots, `${name}.png`) });
}

/** The rows in sight, from top to bottom. */
export function rowsInSight(page) {
    return page.evaluate(() => {
        const port = document.querySelector(".log-scroller").getBoundingClientRect();
        return [...document.querySelectorAll(".log-row")]
            .filter((row) => {
                const { top, bottom } = row.getBoundingClientRect();
                return bottom > port.top + 1 && top < port.bottom - 1;
            })
            .map((row) => ({
                row: Number(row.dataset.row),
                text: row.querySelector(".log-text")?.textContent ?? "",
                rank: row.querySelector(".log-rank")?.textContent ?? "",
            }));
    });
}

export const rowCount = (page) => page.evaluate(() => document.querySelectorAll(".log-row").length);

export async function seeText(page, text, timeout = PATIENCE_MS) {
    await page.waitForFunction(
        (wanted) =>
            [...document.querySelectorAll(".log-text")].some((line) => line.textContent.includes(wanted)),
        text,
        { timeout },
    );
}

/** Every row of the log, from the first on, by the key that turns pages. */
export async function readAll(page) {
    await page.focus(".log-scroller");
    await page.keyboard.press("Home");
    await sleep(300);
    const rows = new Map();
    for (let turns = 0, same = 0; same < 3 && turns < 2000; turns++) {
        const before = rows.size;
        for (const row of await rowsInSight(page)) rows.set(row.row, row);
        same = rows.size === before ? same + 1 : 0;
        await page.keyboard.press("PageDown");
        await sleep(40);
    }
    return [...rows.values()].sort((a, b) => a.row - b.row);
}

export function expectSequence(numbers, what) {
    for (const [i, number] of numbers.entries()) {
        expect(number === numbers[0] + i, `${what}: ${number} stands where ${numbers[0] + i} belongs`);
    }
}

/** At the end; exits with 1 when a promise does not hold. */
export async function finish(page) {
    await check("no policy was violated and no error was thrown", async () => {
        violations.push(...(await page.evaluate(() => window.violations)));
        expect(violations.length === 0, violations.join("; "));
    });
    await browser.close();
    forwarder.close();
    process.exit(failures > 0 ? 1 : 0);
}
