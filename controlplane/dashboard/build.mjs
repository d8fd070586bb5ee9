/* build.mjs - src/ to built/: index.html, one script and one style sheet, and the table assets.def by which
 * CMake puts them into fairleadd.  The same sources give the same bytes: names are hashes of the contents, and
 * GNU gzip compresses, since the zlib of one node differs from that of the next. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const OUT = "built";
const BUNDLE_GZIP_BYTES_MAX = 90 * 1024;
const MEDIA_TYPES = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" };

/* Of each package that is in the bundle: its name, version and licence, as it asks. */
function licences(inputs) {
    const packages = new Set();
    for (const path of Object.keys(inputs)) {
        const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
        if (name) packages.add(name);
    }
    return [...packages].sort().map((name) => {
        const folder = join("node_modules", name);
        const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        return `${name} ${version}, ${license}\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : ""}\n`;
    });
}

const bundle = await build({
    entryPoints: { app: "src/main.tsx" },
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022", "chrome110", "firefox115", "safari16.4"],
    /* h(type, props, child): shorter than the calls that the compiler checks, and the same elements */
    inject: ["src/jsx.ts"],
    tsconfigRaw: {
        compilerOptions: {
            jsx: "react",
            jsxFactory: "h",
            jsxFragmentFactory: "Fragment",
            target: "es2022",
            verbatimModuleSyntax: true,
        },
    },
    legalComments: "none",
    charset: "utf8",
    outdir: OUT,
    write: false,
    metafile: true,
    logLevel: "warning",
});
const notices = `/* ${licences(bundle.metafile.inputs).join("\n").replaceAll("*/", "* /")}*/\n`;

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);

let page = readFileSync("src/index.html", "utf8");
let gzipBytes = 0;
const assets = [];
for (const ending of ["js", "css"]) {
    const { text } = bundle.outputFiles.find((file) => file.path.endsWith(`.${ending}`));
    const contents = Buffer.from(ending === "js" ? notices + text : text);
    const hash = createHash("sha256").update(contents).digest("hex").slice(0, 8);
    const name = `app-${hash}.${ending}`;
    const compressed = execFileSync("gzip", ["-9", "-n", "-c"], { input: contents, maxBuffer: 1 << 26 });
    writeFileSync(join(OUT, `${name}.gz`), compressed);
    gzipBytes += compressed.length;
    assets.push(`ASSET("/ui/${name}", "${name}.gz", "${MEDIA_TYPES[ending]}")`);
    page = page.replace(`/ui/app.${ending}`, `/ui/${name}`);
    console.log(`${name}: ${contents.length} bytes, ${compressed.length} compressed`);
}
writeFileSync(join(OUT, "index.html"), page);
assets.push('ASSET("/", "index.html", "text/html; charset=utf-8")');
writeFileSync(join(OUT, "assets.def"), assets.join("\n") + "\n");

console.log(`together ${gzipBytes} bytes compressed, of ${BUNDLE_GZIP_BYTES_MAX}`);
if (gzipBytes > BUNDLE_GZIP_BYTES_MAX) {
    console.error("the bundle is larger than its limit");
    process.exitCode = 1;
}
