/* test.mjs - bundles every src/**.test.ts and runs them by node's own test runner.  They are tests of modules
 * that touch no page, so no browser stands in between. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const tests = readdirSync("src", { recursive: true })
    .filter((path) => path.endsWith(".test.ts"))
    .sort()
    .map((path) => join("src", path));
const directory = mkdtempSync(join(tmpdir(), "fairlead-dashboard-tests-"));
try {
    await build({
        entryPoints: tests,
        bundle: true,
        platform: "node",
        format: "esm",
        outdir: directory,
        outbase: "src",
        outExtension: { ".js": ".mjs" },
        sourcemap: "inline",
        logLevel: "error",
    });
    const built = tests.map((path) => join(directory, path.slice("src/".length).replace(/ts$/, "mjs")));
    const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...built], {
        stdio: "inherit",
    });
    process.exitCode = run.status ?? 1;
} finally {
    rmSync(directory, { recursive: true, force: true });
}
