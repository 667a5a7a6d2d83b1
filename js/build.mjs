// Bundles the widget into bitte_nb/static and fails when it outgrows its budget.
import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const KIB = 1024;
// Every widget instance carries the bundle in its comm and in the saved notebook.
const BUDGET = { min: 240 * KIB, gzip: 85 * KIB };
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const outdir = here("../bitte_nb/static");
const watch = process.argv.includes("--watch");

const options = {
  entryPoints: { widget: here("src/widget.tsx") },
  outdir,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: !watch,
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
  legalComments: "none",
  logLevel: "warning",
};

await mkdir(outdir, { recursive: true });
if (watch) {
  const context = await esbuild.context(options);
  await context.watch();
  console.log("watching js/src, writing bitte_nb/static");
} else {
  await esbuild.build(options);
  await report();
}

async function report() {
  const total = { min: 0, gzip: 0, brotli: 0 };
  const line = (name, s) =>
    `${name.padEnd(12)} ${(s.min / KIB).toFixed(1).padStart(6)} KiB, gzip ${(s.gzip / KIB).toFixed(1)}, brotli ${(s.brotli / KIB).toFixed(1)}`;
  for (const name of ["widget.js", "widget.css"]) {
    const bytes = await readFile(`${outdir}/${name}`);
    const size = {
      min: bytes.length,
      gzip: gzipSync(bytes, { level: 9 }).length,
      brotli: brotliCompressSync(bytes).length,
    };
    for (const key of Object.keys(total)) total[key] += size[key];
    console.log(line(name, size));
  }
  console.log(line("total", total));
  for (const key of Object.keys(BUDGET)) {
    if (total[key] > BUDGET[key]) {
      console.error(
        `the bundle is over its ${key} budget of ${BUDGET[key] / KIB} KiB: remove something or split it`,
      );
      process.exitCode = 1;
    }
  }
}
