// Builds the gallery into js/.dev, or the folder named: open js/.dev/index.html#approvals.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { inlineStyles } from "../styles.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const into = process.argv[2] ?? here("../.dev");
await mkdir(into, { recursive: true });
await esbuild.build({
  entryPoints: { page: here("page.tsx"), bench: here("bench.ts") },
  outdir: into,
  bundle: true,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  sourcemap: true,
  plugins: [inlineStyles],
});
await writeFile(
  `${into}/index.html`,
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    '<title>Gallery</title><body style="margin:12px"><script src="page.js"></script>',
);
// What `benchmarks/widget_page.py` built of other ways to paint.
const peers = existsSync(`${into}/peers.js`) ? '<script src="peers.js"></script>' : "";
await writeFile(
  `${into}/bench.html`,
  `<!doctype html><meta charset="utf-8"><title>Painting</title><body>${peers}<script src="bench.js"></script>`,
);
