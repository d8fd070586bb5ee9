/* restart.mjs - a page that is open while the control plane is killed and started again.
 *
 *     node tests/browser/restart.mjs --url URL --token TOKEN --job JOB [--shots DIR]
 *
 * The job runs and writes a line a moment.  Prints 'READY' when the page shows its log live; then the caller kills
 * the control plane, starts it again, and writes a line to standard input.  Prints 'ok - sentence' or
 * 'not ok - sentence: why' for each promise, and exits 1 when one does not hold. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

const { values: flags } = parseArgs({
    options: {
        url: { type: "string" },
        token: { type: "string" },
        job: { type: "string" },
        shots: { type: "string" },
        chromium: { type: "string", default: "/usr/bin/chromium" },
    },
});
if (flags.shots) mkdirSync(flags.shots, { recursive: true });

let failures = 0;

async function check(sentence, body) {
    try {
        await body();
        console.log(`ok - ${sentence}`);
    } catch (thrown) {
        failures += 1;
        console.log(`not ok - ${sentence}: ${String(thrown.message ?? thrown).split("\n").slice(0, 3).join(" ")}`);
    }
}

const browser = await chromium.launch({ executablePath: flags.chromium, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
page.setDefaultTimeout(60_000);
const faults = [];
page.on("pageerror", (error) => faults.push(error.message));

const shoot = (name) => flags.shots && page.screenshot({ path: join(flags.shots, `${name}.png`) });
const signIn = async () => {
    await page.getByPlaceholder("fl_...").fill(flags.token);
    await page.keyboard.press("Enter");
};
const path = `/jobs/${flags.job}/logs`;
/** The newest line in view: "tick 17" is 17. */
const newest = async () => {
    const texts = await page.getByText(/^tick \d+$/).allTextContents();
    return Math.max(-1, ...texts.map((text) => Number(text.split(" ")[1])));
};
const untilNewer = async (tick) => {
    for (let tries = 0; tries < 600; tries++) {
        if ((await newest()) > tick) return;
        await page.waitForTimeout(100);
    }
    throw new Error(`no line behind tick ${tick} has come`);
};

await check("the log of a job that runs is live", async () => {
    await page.goto(flags.url + path);
    await signIn();
    await untilNewer(2);
});
const before = await newest();
console.log("READY");
await createInterface({ input: process.stdin }).question("");

await check("after a restart the page asks to sign in again, over the address where it was", async () => {
    await page.getByPlaceholder("fl_...").waitFor();
    await shoot("signed-out");
    if (new URL(page.url()).pathname !== path) throw new Error(`it is at ${page.url()}`);
});
await check("signed in, it shows the same log, and that goes on", async () => {
    await signIn();
    await untilNewer(Math.max(before, 0));
    const at = await newest();
    await untilNewer(at);
    await shoot("back");
    if (new URL(page.url()).pathname !== path) throw new Error(`it is at ${page.url()}`);
});
await check("no error was thrown on the way", async () => {
    if (faults.length > 0) throw new Error(faults.join("; "));
});

await browser.close();
process.exit(failures > 0 ? 1 : 0);
