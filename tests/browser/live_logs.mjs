/* live_logs.mjs - the log viewer on output that is written meanwhile, in a real browser, against a real control
 * plane.
 *
 *     node tests/browser/live_logs.mjs --url URL --token TOKEN [--shots DIR]
 *
 * Makes its jobs by the API, and prints a line for each promise of the viewer: 'ok - sentence' or 'not ok -
 * sentence: why'.  Exits 1 when one does not hold.  The browser's connections are cut on the way. */
import {
    check,
    expect,
    expectSequence,
    finish,
    flags,
    forwarder,
    openPage,
    readAll,
    rowsInSight,
    seeText,
    shot,
    sleep,
    submit,
} from "./log_driver.mjs";

const page = await openPage();
const live = await submit(
    "live",
    'i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo "line $i at $(date +%s%3N)"; sleep 0.05; done',
);

await check("lines are shown as they are written", async () => {
    await page.goto(`${flags.url}/jobs/${live}/logs`);
    await page.waitForSelector(".log-line", { timeout: 60_000 });
    await page.locator(".log-status", { hasText: "live" }).waitFor();
    const delays = await page.evaluate(
        () =>
            new Promise((resolve, reject) => {
                setTimeout(() => reject(new Error("60 lines did not come within 60 s")), 60_000);
                const seen = new Set(document.querySelectorAll(".log-text"));
                const found = [];
                const observer = new MutationObserver(() => {
                    for (const line of document.querySelectorAll(".log-text")) {
                        const written = / at (\d+)$/.exec(line.textContent)?.[1];
                        if (seen.has(line) || !written) continue;
                        seen.add(line);
                        found.push(Date.now() - Number(written));
                    }
                    if (found.length >= 60) {
                        observer.disconnect();
                        resolve(found);
                    }
                });
                observer.observe(document.querySelector(".log-layer"), {
                    childList: true,
                    subtree: true,
                    characterData: true,
                });
            }),
    );
    delays.sort((a, b) => a - b);
    const p95 = delays[Math.floor(delays.length * 0.95)];
    return `95 of 100 within ${p95} ms`;
});

await check("a reader who scrolls up keeps the place, and sees that new lines came", async () => {
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, -300);
    await sleep(500);
    const before = (await rowsInSight(page))[0];
    await sleep(1500);
    const after = (await rowsInSight(page))[0];
    expect(
        before.row === after.row && before.text === after.text,
        `line ${before.row} became line ${after.row}`,
    );
    const button = page.getByRole("button", { name: /new lines?$/ });
    await button.waitFor();
    const told = await button.textContent();
    await shot(page, "paused-dark");
    await button.click();
    await page.waitForFunction(() => !document.querySelector(".log-new button"));
    return `"${told.trim()}"`;
});

await check("the place is kept, too, when lines come by the thousand", async () => {
    const script = 'for k in $(seq 1 60); do seq -f "block $k line %.0f" 1 1000; sleep 0.1; done';
    const id = await submit("fast", script, { replicas: 2 });
    await page.goto(`${flags.url}/jobs/${id}/logs`);
    await page.waitForSelector(".log-line", { timeout: 60_000 });
    await sleep(1000);
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, -300);
    await sleep(600);
    const before = (await rowsInSight(page))[0];
    await sleep(2500);
    const after = (await rowsInSight(page))[0];
    expect(before.row === after.row && before.text === after.text, `"${before.text}" became "${after.text}"`);
    const told = await page.getByRole("button", { name: /new lines$/ }).textContent();
    await page.getByRole("button", { name: /new lines$/ }).click();
    await page.locator(".log-status", { hasText: "complete" }).waitFor({ timeout: 60_000 });
    await seeText(page, "block 60 line 1000");
    return `"${told.trim()}"`;
});

await check("after cuts the live output has no gap and no repeat", async () => {
    const script = 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "line $i"; sleep 0.04; done';
    const id = await submit("cut", script);
    await page.goto(`${flags.url}/jobs/${id}/logs`);
    await page.waitForSelector(".log-line", { timeout: 60_000 });
    for (let i = 0; i < 4; i++) {
        forwarder.cut();
        await sleep(1300);
    }
    await page.locator(".log-status", { hasText: "complete" }).waitFor({ timeout: 60_000 });
    const rows = await readAll(page);
    const numbers = rows.map((row) => Number(/^line (\d+)/.exec(row.text)?.[1]));
    expect(numbers.length === 200, `${numbers.length} lines`);
    expectSequence(numbers, "lines");
});

await check(
    "several replicas that are written now are merged live, without gap or repeat over cuts",
    async () => {
        const id = await submit(
            "live-gang",
            'i=0; while [ $i -lt 150 ]; do i=$((i+1)); echo "step $i"; sleep 0.05; done; sleep 2',
            { replicas: 3 },
        );
        await page.goto(`${flags.url}/jobs/${id}/logs`);
        await page.waitForSelector(".log-line", { timeout: 60_000 });
        await sleep(1500);
        await shot(page, "live-gang-dark");
        await page.mouse.move(600, 500);
        await page.mouse.wheel(0, -200);
        for (let i = 0; i < 3; i++) {
            forwarder.cut();
            await sleep(1300);
        }
        await page.locator(".log-status", { hasText: "complete" }).waitFor({ timeout: 60_000 });
        await page.mouse.wheel(0, -100_000);
        await sleep(500);
        const rows = new Map();
        for (let turns = 0; turns < 40; turns++) {
            for (const row of await rowsInSight(page)) rows.set(row.row, row);
            await page.keyboard.press("PageDown");
            await sleep(50);
            if (await page.evaluate(() => document.querySelector(".log-number") !== null)) break;
        }
        const all = [...rows.values()].sort((a, b) => a.row - b.row);
        for (const rank of ["r0", "r1", "r2"]) {
            const steps = all
                .filter((row) => row.rank === rank)
                .map((row) => Number(/step (\d+)/.exec(row.text)?.[1]));
            expect(steps.length > 50, `${steps.length} lines of ${rank}`);
            expectSequence(steps, rank);
        }
    },
);

await finish(page);
