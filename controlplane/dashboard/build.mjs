/* build.mjs - src/ to built/: index.html, the script that a page begins with, scripts of parts that it loads when
 * they are opened, one style sheet, and the table assets.def by which CMake puts all into fairleadd.  The same sources
 * give the same bytes: names are hashes of the contents, and GNU gzip compresses, since the zlib of one node differs
 * from that of the next. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";

const MAIN = "src/main.tsx";
const OUT = "built";
/** The first page loads the script, its direct imports and the styles. */
const FIRST_GZIP_BYTES_MAX = 90 * 1024;
/** A part with all that only it, or it and other parts, import. */
const PART_GZIP_BYTES_MAX = 32 * 1024;
const PARTS_GZIP_BYTES_MAX = { ShellView: 112 * 1024 };
const MEDIA_TYPES = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" };

/* xterm.js writes <style> elements and style attributes, which the page's policy forbids.  Each place where it does is
 * led to src/shell/xterm_styles.ts; another version of it, with another number of them, stops the build. */
const XTERM_EDITS = [
    { find: /[\w.]+\.createElement\("style"\)/g, times: 3, put: "createStyle()" },
    { find: /(\w+)\.setAttribute\("style",(`[^`]*`)\)/g, times: 1, put: "putStyle($1,$2)" },
];
const xtermStyles = {
    name: "xterm-styles",
    setup({ onLoad }) {
        onLoad({ filter: /@xterm\/xterm\/lib\/xterm\.mjs$/ }, ({ path }) => {
            let contents = readFileSync(path, "utf8");
            for (const { find, times, put } of XTERM_EDITS) {
                const found = contents.match(find)?.length ?? 0;
                if (found !== times) throw new Error(`${path}: ${found} of ${find}, not ${times}: look at each`);
                contents = contents.replace(find, put);
            }
            contents = `import { createStyle, putStyle } from "./src/shell/xterm_styles.ts";\n${contents}`;
            return { contents, loader: "js", resolveDir: process.cwd() };
        });
    },
};

/* A part imports the whole application first, so the code that both use is in one file, which the page has already;
 * otherwise that code would be in as many files as there are sets of parts that share something. */
const partsLast = {
    name: "parts-last",
    setup({ onResolve, onLoad }) {
        onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
            if (kind !== "dynamic-import") return undefined;
            return { path: `${relative(process.cwd(), join(resolveDir, path))}.tsx`, namespace: "part" };
        });
        onLoad({ filter: /^/, namespace: "part" }, ({ path }) => ({
            contents: `import "./${MAIN}";\nexport * from "./${path}";`,
            resolveDir: process.cwd(),
        }));
    },
};

/* The packages that are in these files. */
function packagesOf(inputs) {
    const names = Object.keys(inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
    return [...new Set(names.filter(Boolean))].sort().map((name) => {
        const folder = join("node_modules", name);
        const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        return { name, version, license, text: file ? readFileSync(join(folder, file), "utf8").trim() : "" };
    });
}

/* Each package's licence stands in the file that has the package, as it asks. */
function withNotices(text, inputs) {
    const notices = packagesOf(inputs).map((it) => `${it.name} ${it.version}, ${it.license}\n\n${it.text}\n`);
    return notices.length > 0 ? `/* ${notices.join("\n").replaceAll("*/", "* /")}*/\n${text}` : text;
}

const options = {
    entryPoints: { app: MAIN },
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
    plugins: [xtermStyles],
    legalComments: "none",
    charset: "utf8",
    outdir: OUT,
    write: false,
    metafile: true,
    logLevel: "warning",
};
const scripts = await build({
    ...options,
    plugins: [xtermStyles, partsLast],
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
});
/* The styles of all parts are one sheet: a part that comes later moves nothing that is there. */
const styles = await build(options);

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);

const assets = [];
const gzipBytes = {};

function emit(name, text) {
    const compressed = execFileSync("gzip", ["-9", "-n", "-c"], { input: text, maxBuffer: 1 << 26 });
    writeFileSync(join(OUT, `${name}.gz`), compressed);
    gzipBytes[name] = compressed.length;
    assets.push(`ASSET("/ui/${name}", "${name}.gz", "${MEDIA_TYPES[name.split(".").pop()]}")`);
}

const sheet = styles.outputFiles.find((file) => file.path.endsWith(".css")).text;
const sheetName = `app-${createHash("sha256").update(sheet).digest("hex").slice(0, 8)}.css`;
emit(sheetName, sheet);

const outputs = {};
for (const [path, output] of Object.entries(scripts.metafile.outputs)) {
    if (path.endsWith(".js")) outputs[basename(path)] = output;
}
for (const name of Object.keys(outputs).sort()) {
    const { text } = scripts.outputFiles.find((file) => basename(file.path) === name);
    emit(name, withNotices(text, outputs[name].inputs));
}

/** A script with all that it imports at once. */
function closure(name, found = new Set()) {
    if (found.has(name)) return found;
    found.add(name);
    for (const { path, kind } of outputs[name].imports) {
        if (kind === "import-statement") closure(basename(path), found);
    }
    return found;
}

const sum = (names) => [...names].reduce((bytes, name) => bytes + gzipBytes[name], 0);
const entry = Object.keys(outputs).find((name) => outputs[name].entryPoint === MAIN);
const first = closure(entry);

const preloads = [...first].filter((name) => name !== entry).sort();
const page = readFileSync("src/index.html", "utf8")
    .replace("/ui/app.css", `/ui/${sheetName}`)
    .replace("/ui/app.js", `/ui/${entry}`)
    .replace("</head>", preloads.map((name) => `<link rel="modulepreload" href="/ui/${name}">\n`).join("") + "</head>");
writeFileSync(join(OUT, "index.html"), page);
assets.push('ASSET("/", "index.html", "text/html; charset=utf-8")');
writeFileSync(join(OUT, "assets.def"), assets.join("\n") + "\n");

/* For the bill of materials of an image (deploy/images/sbom.py). */
const packages = packagesOf(scripts.metafile.inputs).map(({ name, version, license }) => ({ name, version, license }));
writeFileSync(join(OUT, "packages.json"), JSON.stringify(packages, null, 1) + "\n");

function weigh(what, bytes, bytesMax) {
    console.log(`${what}: ${bytes} bytes compressed, of ${bytesMax}`);
    if (bytes <= bytesMax) return;
    console.error(`${what} is larger than its limit`);
    process.exitCode = 1;
}
weigh("the first page", sum(first) + gzipBytes[sheetName], FIRST_GZIP_BYTES_MAX);
for (const name of Object.keys(outputs).sort()) {
    if (!outputs[name].entryPoint || name === entry) continue;
    const part = basename(outputs[name].entryPoint).replace(/\.\w+$/, "");
    const own = [...closure(name)].filter((it) => !first.has(it));
    weigh(`the part ${part}`, sum(own), PARTS_GZIP_BYTES_MAX[part] ?? PART_GZIP_BYTES_MAX);
}
