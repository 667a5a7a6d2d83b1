// Writes src/protocol.gen.ts from the JSON Schema of bitte_nb/widget/protocol.py; `--check` only compares.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compile } from "json-schema-to-typescript";

const root = fileURLToPath(new URL("../../", import.meta.url));
const target = fileURLToPath(new URL("../src/protocol.gen.ts", import.meta.url));
const virtualenv = `${root}.venv/bin/python`;
const python = process.env.PYTHON ?? (existsSync(virtualenv) ? virtualenv : "python3");

const { stdout } = await promisify(execFile)(python, ["-m", "bitte_nb.widget.protocol"], { cwd: root });
const schema = JSON.parse(stdout);
stripTitles(schema);
const models = Object.keys(schema.$defs).sort();
schema.title = "Protocol";
schema.type = "object";
schema.additionalProperties = false;
// One property per model: the compiler names and exports only what a schema reaches.
schema.properties = Object.fromEntries(models.map((name) => [name, { $ref: `#/$defs/${name}` }]));
schema.required = models;

const source = await compile(schema, "Protocol", {
  bannerComment: "// Generated from bitte_nb/widget/protocol.py by `npm run protocol`. Do not edit.",
  additionalProperties: false,
  style: { printWidth: 110 },
});

if (process.argv.includes("--check")) {
  const current = existsSync(target) ? await readFile(target, "utf8") : "";
  if (current !== source) {
    console.error(
      "js/src/protocol.gen.ts is not what bitte_nb/widget/protocol.py says: run `npm run protocol`",
    );
    process.exitCode = 1;
  }
} else {
  await writeFile(target, source);
  console.log(`wrote ${target.slice(root.length)}: ${models.length} types`);
}

/** Field titles would become a type alias each. */
function stripTitles(node) {
  if (Array.isArray(node)) {
    for (const item of node) stripTitles(item);
  } else if (node !== null && typeof node === "object") {
    for (const [key, value] of Object.entries(node)) {
      if (key === "title" && typeof value === "string") delete node.title;
      else stripTitles(value);
    }
  }
}
