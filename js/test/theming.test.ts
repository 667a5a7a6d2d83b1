import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");
const names = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();

test("every variable of the theme is documented, and no other", () => {
  const theme = names(read("../src/styles/theme.css"), /(--bnb-[a-z-]+):/g);
  const documented = names(read("../../docs/theming.md"), /^\| `(--bnb-[a-z-]+)`/gm);
  expect(documented).toEqual(theme);
});

test("the five colours of Bitte are options that go before the notebook's", () => {
  const theme = read("../src/styles/theme.css");
  for (const name of names(read("../../docs/theming.md"), /`(--bitte-[a-z-]+)`/g))
    expect(theme).toContain(`var(${name},`);
});
