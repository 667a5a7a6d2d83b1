// Bundles the page part into bitte_nb/static and fails when it outgrows its budget.
//
//   loader.js         what each widget carries: fetches the core from its kernel, once per page
//   core-HASH.js      the anywidget module of src/widget.tsx with its style sheet; chunk-HASH.js are pieces it shares
//   NAME-HASH.js      a chunk: whatever the source imports by `import("./NAME.js")`
//   js/labextension/  the JupyterLab extension of lab/, as a prebuilt one looks
//   files.json        {"core": [...]}: the files of the core, each after the ones it imports
//
// To load something late, write `const { Chart } = await import("./charts/Chart.js")` and show something else until it is
// there. The build makes a chunk of it and turns the import into a request by name over the widget's own channel: no
// address is ever asked for. A style sheet of a chunk is text (`import css from "./charts.css?inline"`).
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { inlineStyles } from "./styles.mjs";

const KIB = 1024;
// What a page needs before it draws its first chat. Chunks are listed but not limited.
const BUDGET = { min: 240 * KIB, gzip: 85 * KIB };
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const outdir = here("../bitte_nb/static");
const labdir = here("labextension");
const watch = process.argv.includes("--watch");

const common = {
  outdir,
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  minify: !watch,
  define: { "process.env.NODE_ENV": '"production"' },
  legalComments: "none",
  logLevel: "warning",
};

/** The files that an output imports, each after the ones it imports itself, and the output last. */
function inOrder(outputs, name, order = []) {
  if (order.includes(name)) return order;
  for (const { path, kind } of outputs[name].imports)
    if (kind === "import-statement") inOrder(outputs, path, order);
  order.push(name);
  return order;
}

const base = (path) => path.split("/").at(-1);

async function finish(result) {
  if (result.errors.length > 0) return;
  const { outputs } = result.metafile;
  const files = new Map(result.outputFiles.map((file) => [base(file.path), file.text]));
  for (const [path, { imports }] of Object.entries(outputs)) {
    let text = files.get(base(path));
    for (const { path: target } of imports.filter(({ kind }) => kind === "dynamic-import")) {
      const names = JSON.stringify(inOrder(outputs, target).map(base));
      const written = `import("./${base(target)}")`;
      if (!text.includes(written)) throw new Error(`${base(path)} does not hold ${written}`);
      text = text.replaceAll(written, `globalThis[Symbol.for("bitte_nb/1")].load(${names})`);
    }
    files.set(base(path), text);
  }
  const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === "src/widget.tsx");
  const core = inOrder(outputs, entry).map(base);
  const loader = await esbuild.build({
    ...common,
    entryPoints: { loader: here("src/loader/loader.ts") },
    define: { CORE: JSON.stringify(core) },
  });
  files.set("loader.js", loader.outputFiles[0].text);
  await writeExtension(core);
  files.set("files.json", `${JSON.stringify({ core })}\n`);
  await write(files);
  if (!watch) report(files, core);
}

/** The JupyterLab extension: one script that names itself to JupyterLab, and what says so. */
async function writeExtension(core) {
  const made = await esbuild.build({
    ...common,
    format: "iife",
    entryPoints: { remoteEntry: here("lab/remote.ts") },
    define: { CORE: JSON.stringify(core) },
    plugins: [inlineStyles],
  });
  const text = made.outputFiles[0].text;
  const load = `static/remoteEntry.${createHash("sha256").update(text).digest("hex").slice(0, 16)}.js`;
  const { version } = JSON.parse(await readFile(here("package.json"), "utf-8"));
  const about = {
    name: "bitte-nb",
    version,
    description: "Chats with agents made of OpenAPI documents",
    license: "MIT",
    jupyterlab: {
      extension: true,
      mimeExtension: true,
      schemaDir: "schemas",
      _build: { load, extension: "./extension", mimeExtension: "./mimeExtension" },
    },
  };
  await rm(labdir, { recursive: true, force: true });
  await mkdir(`${labdir}/static`, { recursive: true });
  await mkdir(`${labdir}/schemas/bitte-nb`, { recursive: true });
  await writeFile(`${labdir}/${load}`, text);
  await writeFile(`${labdir}/package.json`, `${JSON.stringify(about, null, 2)}\n`);
  await copyFile(here("lab/plugin.json"), `${labdir}/schemas/bitte-nb/plugin.json`);
  if (!watch) console.log(`JupyterLab extension     ${(text.length / KIB).toFixed(1).padStart(6)} KiB`);
}

/** Writes each file whole, the loader last, and removes what an earlier build left. */
async function write(files) {
  await mkdir(outdir, { recursive: true });
  for (const name of [...files.keys()].sort((a, b) => (a === "loader.js") - (b === "loader.js"))) {
    await writeFile(`${outdir}/${name}.${process.pid}.new`, files.get(name));
    await rename(`${outdir}/${name}.${process.pid}.new`, `${outdir}/${name}`);
  }
  for (const name of await readdir(outdir))
    if (/\.(js|css)$/.test(name) && !files.has(name)) await rm(`${outdir}/${name}`, { force: true });
}

function report(files, core) {
  const first = ["loader.js", ...core];
  const total = { min: 0, gzip: 0, brotli: 0 };
  const line = (name, s) =>
    `${name.padEnd(24)} ${(s.min / KIB).toFixed(1).padStart(6)} KiB, gzip ${(s.gzip / KIB).toFixed(1)}, brotli ${(s.brotli / KIB).toFixed(1)}`;
  for (const name of [...first, null, ...[...files.keys()].filter((one) => !first.includes(one))]) {
    if (name === null) {
      console.log(line("for the first chat", total));
      continue;
    }
    if (!name.endsWith(".js")) continue;
    const bytes = Buffer.from(files.get(name));
    const size = {
      min: bytes.length,
      gzip: gzipSync(bytes, { level: 9 }).length,
      brotli: brotliCompressSync(bytes).length,
    };
    if (first.includes(name)) for (const key of Object.keys(total)) total[key] += size[key];
    console.log(line(name, size));
  }
  for (const key of Object.keys(BUDGET)) {
    if (total[key] > BUDGET[key]) {
      console.error(
        `the core is over its ${key} budget of ${BUDGET[key] / KIB} KiB: remove something or load it late by import()`,
      );
      process.exitCode = 1;
    }
  }
}

const options = {
  ...common,
  absWorkingDir: here("."),
  entryPoints: { core: here("src/widget.tsx") },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  splitting: true,
  metafile: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [inlineStyles],
};

if (watch) {
  const onEnd = { name: "finish", setup: (build) => build.onEnd(finish) };
  const context = await esbuild.context({ ...options, plugins: [inlineStyles, onEnd] });
  await context.watch();
  console.log("watching js/src, writing bitte_nb/static");
} else {
  await finish(await esbuild.build(options));
}
