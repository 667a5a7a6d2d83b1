/** Texts that try to run something, load something or pose as something else; the kernel's own tests read the same file. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

export const CORPUS: Record<string, string[]> = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../tests/hostile/corpus.json"), "utf8"),
);

export const HOSTILE: string[] = Object.values(CORPUS).flat();

const NEVER =
  "script iframe frame object embed applet link meta base style video audio source track picture portal template image use foreignObject";

/** Nothing below `root` can run, load, or lead anywhere that a person would not expect. */
export function expectHarmless(root: Element): void {
  expect(root.querySelector(NEVER.split(" ").join(","))).toBeNull();
  for (const element of root.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(
        /^on|^formaction$|^ping$|^background$|^srcdoc$|^srcset$|^xlink|^poster$|^is$/i,
      );
      if (name === "href") {
        expect(value).toMatch(/^(?:https?:|mailto:)/);
        expect(element.getAttribute("rel")).toContain("noopener");
      }
      if (name === "src") expect(value).toMatch(/^data:image\/(?:png|jpeg|gif|webp);base64,/);
      if (name === "style") expect(value).not.toMatch(/url|expression|position|behavior|import/i);
    }
  }
}
