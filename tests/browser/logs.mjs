/* logs.mjs - the log viewer in a real browser, against a real control plane; output that is written meanwhile
 * is looked at by live_logs.mjs.
 *
 *     node tests/browser/logs.mjs --url URL --token TOKEN [--shots DIR] [--lines N]
 *
 * Makes its jobs by the API, looks at their output as a person would, and prints a line for each promise of
 * the viewer: 'ok - sentence' or 'not ok - sentence: why'.  Exits 1 when one does not hold. */
import {
    check,
    ended,
    expect,
    expectSequence,
    finish,
    flags,
    openLogs,
    openPage,
    readAll,
    rowCount,
    rowsInSight,
    seeText,
    shot,
    sleep,
    submit,
} from "./log_driver.mjs";

const LINES = Number(flags.lines);
const ROWS_MAX = 300;
const HEAP_MAX = 150 * 1024 * 1024;

const ESC = "\\033";
const ARTS = [
    `printf '${ESC}[1;31mred bold${ESC}[0m ${ESC}[38;5;208morange${ESC}[0m '`,
    `printf '${ESC}[38;2;120;200;255mtrue${ESC}[0m plain\\n'`,
    `for c in 0 1 2 3 4 5 6 7; do`,
    `printf "${ESC}[3\${c}mcolour $c${ESC}[0m ${ESC}[9\${c}mbright${ESC}[0m "`,
    `printf "${ESC}[4\${c}mbehind${ESC}[0m\\n"`,
    `done`,
    `printf '${ESC}[3mitalic${ESC}[0m ${ESC}[4munderline${ESC}[0m '`,
    `printf '${ESC}[2mdim${ESC}[0m ${ESC}[7minverse${ESC}[0m\\n'`,
    `printf '${ESC}]8;;https://example.org/run${ESC}\\\\a safe link${ESC}]8;;${ESC}\\\\\\n'`,
    `for i in $(seq 1 100); do printf '\\rprogress %d%%' $i; done; echo`,
    `echo '{"ts":"2026-01-31T09:00:00Z","level":"warn","msg":"slow disk","disk":"sda","ms":1204}'`,
    `echo '{"level":"error","message":"could not save","path":"/data/x","code":28}'`,
    `echo '2026-01-31 09:00:01 INFO trainer: epoch 1'; echo '2026-01-31 09:00:01 DEBUG trainer: batch 7'`,
    `printf 'Traceback (most recent call last):\\n'`,
    `for i in 1 2 3 4 5 6; do printf '  File "train.py", line %d, in f%d\\n    f%d()\\n' $i $i $i; done`,
    `echo 'ValueError: shapes (3,) and (4,) not aligned'`,
    `printf 'Exception in thread "main" java.lang.IllegalStateException: closed\\n'`,
    `for i in 1 2 3 4 5; do printf '\\tat org.example.Run.step%d(Run.java:%d)\\n' $i $i; done`,
    `printf 'panic: index out of range\\n\\ngoroutine 1 [running]:\\n'`,
    `printf 'main.step(0x1)\\n\\t/src/main.go:12 +0x1d\\nmain.main()\\n\\t/src/main.go:20 +0x2a\\n'`,
    `printf 'the last line of many'; echo`,
].join("\n");

const HOSTILE = [
    `echo '<script>window.pwned=1</script><img src=x onerror="window.pwned=2">'`,
    `echo '"><svg onload=window.pwned=3><iframe src=javascript:window.pwned=4>'`,
    `printf '${ESC}]8;;javascript:window.pwned=5${ESC}\\\\evil link${ESC}]8;;${ESC}\\\\\\n'`,
    `printf '${ESC}]0;title${ESC}\\\\${ESC}[2J${ESC}[1;1Hstill here\\n'`,
    `printf 'hidden ${ESC}]0;not ended: seen all the same\\n'`,
    `printf 'bidi \\342\\200\\256gnirts\\342\\200\\254 end\\n'`,
    `printf 'bad \\377\\376 bytes \\355\\240\\200 nul \\000 bell \\007\\n'`,
    `for i in $(seq 1 3000); do printf '${ESC}[3%dm#' $((i % 8)); done; echo`,
    `for i in $(seq 1 20000); do printf '${ESC}]8;;'; done; echo bomb over`,
    `head -c 3000000 /dev/zero | tr '\\0' x; echo`,
    `head -c 12000000 /dev/zero | tr '\\0' z; echo`,
    `echo '{"__proto__":{"x":1},"msg":"<b>bold</b>","level":"error"}'`,
    `echo the end of hostility`,
].join("\n");

// ---- the promises

const million = await submit(
    "million",
    `seq -f 'step %.0f loss 2.31 and text that makes the line eighty bytes long' 1 ${LINES}`,
);
const arts = await submit("arts", ARTS);
const hostile = await submit("hostile", HOSTILE);
const gang = await submit(
    "gang",
    [
        'seq -f "rank $FAIRLEAD_REPLICA step %.0f" 1 300',
        "if [ $FAIRLEAD_REPLICA = 2 ]; then sleep 1; echo 'ERROR: rank 2 gives up'; exit 3; fi",
        "sleep 20",
    ].join("\n"),
    { replicas: 4 },
);
const array = await submit("array", 'echo "element $FAIRLEAD_ELEMENT speaks"; seq 1 20', { array: 5 });
await Promise.all([million, arts, hostile, gang, array].map(ended));

const page = await openPage();

await check("the first lines of a long log are there (the test prints the time and does not judge it)", async () => {
    await page.goto(`${flags.url}/jobs/${million}`);
    const tab = page
        .getByRole("link", { name: "Logs", exact: true })
        .or(page.getByRole("tab", { name: "Logs", exact: true }));
    await tab.first().waitFor();
    await page.evaluate(() => {
        window.firstLine = new Promise((resolve) => {
            const look = () => {
                if (document.querySelector(".log-line .log-text:not(.log-absent)"))
                    resolve(performance.now());
                else requestAnimationFrame(look);
            };
            document.addEventListener("click", () => ((window.clickedAt = performance.now()), look()), {
                once: true,
                capture: true,
            });
        });
    });
    await tab.first().click();
    const took = await page.evaluate(async () => (await window.firstLine) - window.clickedAt);
    return `${LINES} lines, ${took.toFixed(0)} ms after the click`;
});

await check("lines are counted, and the first stands at the top", async () => {
    await page.getByText(`${LINES.toLocaleString("en")} lines`).waitFor();
    const [first] = await rowsInSight(page);
    expect(first.text.startsWith("step 1 "), `the first is "${first.text}"`);
    await shot(page, "million-dark");
});

await check("End, Home, a page and a line are moved by keys", async () => {
    await page.focus(".log-scroller");
    await page.keyboard.press("End");
    await seeText(page, `step ${LINES} `);
    await page.keyboard.press("PageUp");
    await sleep(200);
    const before = await rowsInSight(page);
    expect(before.at(-1).row < LINES - 20, "Page Up did not move");
    await page.keyboard.press("k");
    await sleep(100);
    expect((await rowsInSight(page))[0].row === before[0].row - 1, "k did not move by a line");
    await page.keyboard.press("j");
    await sleep(100);
    expect((await rowsInSight(page))[0].row === before[0].row, "j did not move by a line");
    await page.keyboard.press("Home");
    await seeText(page, "step 1 ");
});

await check("the wheel moves line by line, however long the log is", async () => {
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 200);
    await sleep(400);
    const [first] = await rowsInSight(page);
    expect(first.row === 10, `200 pixels went ${first.row} lines`);
    await page.mouse.wheel(0, 400);
    await sleep(400);
    expect((await rowsInSight(page))[0].row === 30, "400 more pixels did not go 20 lines");
});

await check("the bar reaches every part of the log", async () => {
    for (const part of [0.5, 0.25, 0.9]) {
        await page.evaluate((at) => {
            const bar = document.querySelector(".log-scroller");
            bar.scrollTop = at * (bar.scrollHeight - bar.clientHeight);
        }, part);
        await sleep(150);
        await page.waitForFunction(() => !document.querySelector(".log-absent"), null, { timeout: 60_000 });
        const [first] = await rowsInSight(page);
        expect(Math.abs(first.row / LINES - part) < 0.01, `at ${part} stands line ${first.row}`);
        expect(first.text.startsWith(`step ${first.row + 1} `), `line ${first.row} is "${first.text}"`);
    }
});

await check("a line is reached by its number", async () => {
    const line = Math.floor(LINES * 0.777);
    await page.getByLabel("Go to line").fill(String(line));
    await page.keyboard.press("Enter");
    await seeText(page, `step ${line} `);
    expect((await page.evaluate(() => location.hash)) === `#L${line}`, "the address does not name the line");
});

await check(`at most ${ROWS_MAX} rows are in the page, and memory is bounded`, async () => {
    let most = 0;
    await page.evaluate(() => document.querySelector(".log-scroller").focus());
    for (let i = 0; i < 40; i++) {
        await page.evaluate((at) => {
            const bar = document.querySelector(".log-scroller");
            bar.scrollTop = at * (bar.scrollHeight - bar.clientHeight);
        }, i / 40);
        await sleep(60);
        most = Math.max(most, await rowCount(page));
    }
    await page.waitForFunction(() => !document.querySelector(".log-absent"), null, { timeout: 60_000 });
    const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
    expect(most <= ROWS_MAX, `${most} rows`);
    expect(heap <= HEAP_MAX, `${(heap / 1048576).toFixed(0)} MiB`);
    return `${most} rows, ${(heap / 1048576).toFixed(1)} MiB of heap`;
});

await check("a text is found on the server, and n goes to the next hit", async () => {
    await page.focus(".log-scroller");
    await page.keyboard.press("Home");
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find in this log").fill("step 7770 ");
    const begin = Date.now();
    await page.keyboard.press("Enter");
    await page.getByText("1 of 1 hit").waitFor();
    const took = Date.now() - begin;
    await seeText(page, "step 7770 ");
    expect(
        (await page.locator(".is-current mark.log-hit").first().textContent()) === "step 7770 ",
        "the hit is not marked",
    );
    await page.getByLabel("Find in this log").fill("0000 loss");
    await page.keyboard.press("Enter");
    await page.getByText(/^1 of \d+ hits$/).waitFor();
    await page.focus(".log-scroller");
    await page.keyboard.press("n");
    await page.getByText(/^2 of \d+ hits$/).waitFor();
    await seeText(page, "step 20000 ");
    expect((await page.locator(".log-map span").count()) > 5, "no marks beside the bar");
    await shot(page, "find-dark");
    return `${took} ms`;
});

await check("only the lines that match are shown when asked", async () => {
    await page.getByLabel("Only lines that match").click();
    await sleep(300);
    const rows = await rowsInSight(page);
    expect(rows.length > 3 && rows.every((row) => row.text.includes("0000 loss")), "other lines are there");
    await shot(page, "filter-dark");
    await page.getByLabel("Only lines that match").click();
    await page.getByLabel("Close the search").click();
});

await check("a regular expression is found, what it matched is marked, and a malformed one is explained", async () => {
    const field = page.getByLabel("Find in this log");
    await page.keyboard.press("/");
    await field.fill("STEP 77[67]0 ");
    await page.keyboard.press("Enter");
    await page.getByText("not found").waitFor();
    await page.keyboard.press("Alt+r");
    await page.keyboard.press("Alt+c");
    await page.getByText("1 of 2 hits").waitFor();
    await seeText(page, "step 7760 ");
    expect((await page.locator(".is-current mark.log-hit").first().textContent()) === "step 7760 ", "the hit is not marked");
    expect((await page.getByLabel("Regular expression").getAttribute("aria-pressed")) === "true", "the switch is not shown as on");
    await shot(page, "find-regex-dark");
    await field.fill("step (7");
    await page.keyboard.press("Enter");
    await page.getByText(/missing closing parenthesis, at byte 7/).waitFor();
    await page.keyboard.press("Alt+r");
    await page.keyboard.press("Alt+c");
    await page.keyboard.press("Escape");
});

await check("a search that finds too much stops and says so", async () => {
    await page.keyboard.press("/");
    await page.getByLabel("Find in this log").fill("loss");
    await page.keyboard.press("Enter");
    await page.getByText(/the first 5,000 hits, there are more/).waitFor();
    await page.keyboard.press("Escape");
});

await check("a link to lines shows and marks them", async () => {
    const first = Math.floor(LINES / 2);
    await openLogs(page, million, `#L${first}-${first + 7}`);
    await seeText(page, `step ${first} `);
    const selected = await page.locator(".is-selected .log-text").allTextContents();
    expect(
        selected.length === 8 && selected[0].startsWith(`step ${first} `),
        `${selected.length} lines are marked`,
    );
    await shot(page, "permalink-dark");
});

await check("a click on a number links the line, with shift a range, and it is copied as text", async () => {
    await openLogs(page, million);
    await page.locator("[data-number='4']").click();
    expect((await page.evaluate(() => location.hash)) === "#L5", "the click");
    await page.locator("[data-number='6']").click({ modifiers: ["Shift"] });
    expect((await page.evaluate(() => location.hash)) === "#L5-7", "the shift-click");
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text.split("\n").length === 4 && text.startsWith("step 5 "), `"${text}" was copied`);
    await page.getByRole("button", { name: "Command", exact: true }).click();
    await sleep(200);
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command === `fairlead logs ${million}`, `"${command}" was copied`);
});

await check(
    "colours, bold and links of a terminal are shown, and progress bars in their last state",
    async () => {
        await openLogs(page, arts);
        await seeText(page, "red bold");
        const style = await page.evaluate(() => {
            const span = [...document.querySelectorAll(".log-text span")].find(
                (one) => one.textContent === "red bold",
            );
            const { color, fontWeight } = getComputedStyle(span);
            return { color, fontWeight };
        });
        const [red, green] = style.color.match(/\d+/g).map(Number);
        expect(red > green + 60 && style.fontWeight === "700", JSON.stringify(style));
        const link = page.locator(".log-text a");
        expect((await link.count()) === 1, "not one link");
        expect((await link.getAttribute("rel")) === "noopener noreferrer", "rel");
        expect((await link.getAttribute("href")) === "https://example.org/run", "href");
        await seeText(page, "progress 100%");
        expect(
            !(await rowsInSight(page)).some((row) => row.text.includes("progress 7%")),
            "an earlier state is shown",
        );
        await shot(page, "arts-dark");
    },
);

await check("stack traces fold, JSON lines show their message, and both open", async () => {
    const folds = page.locator(".log-fold");
    expect((await folds.count()) === 3, `${await folds.count()} folds`);
    await folds.first().click();
    await seeText(page, 'File "train.py", line 3');
    const fields = page.locator(".log-fields-toggle").first();
    await fields.click();
    await page.locator(".log-fields dt", { hasText: "disk" }).waitFor();
    expect((await page.locator(".log-error").count()) >= 2, "no errors are marked");
    await shot(page, "arts-open-dark");
});

await check("only lines of the levels that are pressed are shown, with counts, and the address keeps them", async () => {
    const choice = (level) => page.getByRole("group", { name: "Only lines of these levels" }).getByRole("button", { name: level });
    await choice("warn").click();
    await page.waitForURL(/\?level=warn/);
    await choice("warn 1").waitFor();
    await choice("debug 1").waitFor();
    await seeText(page, "slow disk");
    const rows = await rowsInSight(page);
    expect(rows.length === 1 && rows[0].text.includes("slow disk"), `${rows.length} lines are shown`);
    await shot(page, "levels-dark");
    await choice("error").click();
    await page.waitForURL(/\?level=error%2Cwarn/);
    await seeText(page, "could not save");
    await page.reload();
    await seeText(page, "could not save");
    expect((await choice("error").getAttribute("aria-pressed")) === "true", "the level is not pressed");
    expect(!(await rowsInSight(page)).some((row) => row.text.includes("red bold")), "a line without a level is shown");
    await page.keyboard.press("/");
    await page.getByLabel("Find in this log").fill("disk");
    await page.keyboard.press("Enter");
    await page.getByText("1 of 1 hit").waitFor();
    await page.getByLabel("Close the search").click();
    await seeText(page, "could not save");
    await page.setViewportSize({ width: 390, height: 780 });
    await sleep(300);
    await shot(page, "levels-dark-390");
    await page.setViewportSize({ width: 1280, height: 800 });
    /* Both before the page is drawn again: neither is lost. */
    await page.getByRole("group", { name: "Only lines of these levels" }).evaluate((group) => {
        for (const level of ["error", "warn"]) group.querySelector(`button.${level}`).click();
    });
    await page.waitForURL((url) => !url.searchParams.has("level"));
    await seeText(page, "red bold");
    await choice("debug").click();
    await page.waitForURL(/\?level=debug/);
    await seeText(page, "batch 7");
    await choice("debug").click();
    await seeText(page, "red bold");
});

await check("times are shown as chosen, and long lines wrap", async () => {
    await page.getByLabel("Times of the lines").selectOption("relative");
    expect(/^\+0:00:0\d\.\d{3}$/.test(await page.locator(".log-time").first().textContent()), "the time");
    await page.getByLabel("Times of the lines").selectOption("utc");
    expect(
        /^\d\d:\d\d:\d\d\.\d{3}$/.test(await page.locator(".log-time").first().textContent()),
        "the time in UTC",
    );
    await page.getByLabel("Wrap long lines").click();
    await page.locator(".log-wrap").waitFor();
    await page.getByLabel("Wrap long lines").click();
    await page.getByLabel("Times of the lines").selectOption("off");
});

await check("hostile output makes no element, no link and no violation, and hides nothing", async () => {
    await openLogs(page, hostile);
    await seeText(page, "<script>window.pwned=1</script>");
    await seeText(page, "not ended: seen all the same");
    await seeText(page, "still here");
    await seeText(page, "U+202E");
    expect(
        (await page.locator(".log-viewer :is(script, img, iframe, .log-text svg, object)").count()) === 0,
        "an element",
    );
    expect((await page.locator(".log-text a").count()) === 0, "a link");
    expect((await page.evaluate(() => window.pwned)) === undefined, "a script ran");
    expect(await page.evaluate(() => ({}).x === undefined), "a prototype was changed");
    await shot(page, "hostile-dark");
    await page.keyboard.press("End");
    await seeText(page, "the end of hostility");
});

await check("a line of megabytes is cut for show and says how much is left", async () => {
    const more = await page.locator(".log-more").allTextContents();
    expect(
        more.some((text) => /2\.9 MiB more/.test(text)),
        `"${more.join('", "')}"`,
    );
    expect(
        more.some((text) => /11\.4 MiB more/.test(text)),
        `"${more.join('", "')}"`,
    );
    const longest = await page.evaluate(() =>
        Math.max(...[...document.querySelectorAll(".log-text")].map((line) => line.textContent.length)),
    );
    expect(longest < 5000, `${longest} characters are shown`);
    await page.locator(".log-more button").last().click();
    await page.waitForFunction(() =>
        [...document.querySelectorAll(".log-text")].some((line) => line.textContent.length > 60000),
    );
});

await check("in a gang that failed, the replica that failed first is offered first", async () => {
    await openLogs(page, gang);
    await seeText(page, "rank 2 gives up");
    expect(
        (await rowsInSight(page)).every(
            (row) => !row.text.startsWith("rank") || row.text.startsWith("rank 2"),
        ),
        "other ranks",
    );
    expect(
        await page.getByRole("button", { name: "First failure r2" }).getAttribute("aria-pressed"),
        "no button",
    );
    await shot(page, "failure-dark");
});

await check("replicas are merged with their rank, and filtered by rank", async () => {
    await page.getByRole("button", { name: "First failure r2" }).click();
    await page.locator(".log-rank").first().waitFor();
    const rows = await readAll(page);
    for (const rank of ["r0", "r1", "r3"]) {
        const steps = rows
            .filter((row) => row.rank === rank)
            .map((row) => Number(/step (\d+)/.exec(row.text)[1]));
        expect(steps.length === 300, `${steps.length} lines of ${rank}`);
        expectSequence(steps, rank);
    }
    await shot(page, "gang-dark");
    await page.getByLabel("Replicas").fill("0,3");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash === "#r0,3");
    await page.locator(".log-rank").first().waitFor();
    const ranks = new Set((await rowsInSight(page)).map((row) => row.rank));
    expect(![...ranks].some((rank) => rank !== "r0" && rank !== "r3"), [...ranks].join());
});

await check("a hit in merged output is reached", async () => {
    await page.goto("about:blank");
    await openLogs(page, gang, "#all");
    await page.keyboard.press("/");
    await page.getByLabel("Find in this log").fill("rank 3 step 250");
    await page.keyboard.press("Enter");
    await page.getByText("1 of 1 hit").waitFor();
    await seeText(page, "rank 3 step 250");
    expect((await page.evaluate(() => location.hash)) === "#all", "it left the merged view");
});

await check("one element of an array is shown alone", async () => {
    await openLogs(page, array);
    await page.getByLabel("Element").fill("3");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash === "#e3");
    await seeText(page, "element 3 speaks");
    expect((await page.locator(".log-rank").count()) === 0, "ranks are shown");
});

await check("a phone shows it without scrolling sideways", async () => {
    const phone = await openPage({ viewport: { width: 390, height: 844 }, colorScheme: "light" });
    await openLogs(phone, arts);
    await seeText(phone, "red bold");
    const { page: width, list } = await phone.evaluate(() => ({
        page: document.documentElement.scrollWidth,
        list: document.querySelector(".log-scroller").clientHeight,
    }));
    expect(width <= 390, `the page is ${width} pixels wide`);
    expect(list > 300, `the list is ${list} pixels high`);
    await shot(phone, "arts-phone-light");
    await openLogs(phone, gang, "#all");
    await phone.locator(".log-rank").first().waitFor();
    await phone.locator("[data-number]").nth(20).click();
    await shot(phone, "gang-phone-light");
    await phone.context().close();
});

await check("every colour of the sixteen can be read in the light theme", async () => {
    const light = await openPage({ colorScheme: "light" });
    await openLogs(light, arts);
    await seeText(light, "colour 7");
    await shot(light, "arts-light");
    await openLogs(light, gang, "#all");
    await shot(light, "gang-light");
    await light.context().close();
});

await finish(page);
