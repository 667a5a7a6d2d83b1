// What painting costs in a real browser: CPU of flushes over a growing text, at its end, per kind of text.

import { MarkdownStream, renderMarkdown } from "../src/markdown/stream.js";

const KINDS: Record<string, (line: number) => string> = {
  prose: (line) =>
    `Paragraph ${line} with **bold**, *em*, \`code\` and a [link](https://example.org/${line}).\n\n`,
  paragraph: (line) => `sentence ${line} with **bold** and \`code\` that goes on, `,
  table: (line) =>
    line === 0 ? "| a | b | c |\n|---|---|---|\n" : `| row ${line} | **${line}** | \`x${line}\` |\n`,
  list: (line) => `- item ${line} with **bold** words and \`code\`\n`,
  nested: (line) => (line === 0 ? "- root\n" : `  - item ${line} with **bold** words\n`),
  fence: (line) => (line === 0 ? "```python\n" : `value_${line} = compute(${line}, name="x")  # comment\n`),
  quote: (line) => `> line ${line} of a long quote with **bold**\n`,
};

function grown(lineOf: (line: number) => string, characters: number): string {
  let text = "";
  for (let line = 0; text.length < characters; line += 1) text += lineOf(line);
  return text;
}

/** Milliseconds of all flushes and of the last hundred, forced layout included. */
function stream(text: string, width: number): { total: number; last: number; removed: number } {
  const root = document.createElement("div");
  root.className = "bnb-markdown";
  document.body.append(root);
  const painter = new MarkdownStream(root);
  const times: number[] = [];
  for (let at = 0; at < text.length; at += width) {
    painter.push(text.slice(at, at + width));
    const start = performance.now();
    painter.flush();
    times.push(performance.now() - start);
    void root.offsetHeight;
  }
  painter.finish();
  root.remove();
  const tail = times.slice(-100);
  return {
    total: times.reduce((sum, time) => sum + time, 0),
    last: tail.reduce((sum, time) => sum + time, 0) / tail.length,
    removed: painter.removed,
  };
}

// `#table,list` measures only these, `#whole` texts of a megabyte that are there at once.
const wanted = location.hash === "" ? Object.keys(KINDS) : location.hash.slice(1).split(",");
const rows: string[] = [];
for (const [kind, lineOf] of Object.entries(KINDS).filter(([kind]) => wanted.includes(kind))) {
  // 64 characters are sixteen tokens: one flush of a coalesced stream.
  const short = stream(grown(lineOf, 8_000), 64);
  const long = stream(grown(lineOf, 80_000), 64);
  rows.push(
    `${kind.padEnd(10)} 8 KB ${short.total.toFixed(0).padStart(5)} ms   80 KB ${long.total.toFixed(0).padStart(6)} ms   ` +
      `per flush at 8 KB ${short.last.toFixed(2)} ms, at 80 KB ${long.last.toFixed(2)} ms   removed ${long.removed}`,
  );
}
if (wanted.includes("whole")) {
  for (const [kind, lineOf] of Object.entries(KINDS)) {
    const text = grown(lineOf, 1_000_000);
    const root = document.createElement("div");
    document.body.append(root);
    const start = performance.now();
    renderMarkdown(root, text);
    const built = performance.now() - start;
    void root.offsetHeight;
    rows.push(
      `${kind.padEnd(10)} 1 MB at once: built in ${built.toFixed(0)} ms, laid out by ${(performance.now() - start).toFixed(0)} ms`,
    );
    root.remove();
  }
}
const out = document.createElement("pre");
out.id = "out";
out.textContent = rows.join("\n");
document.body.append(out);
