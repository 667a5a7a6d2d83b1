// Which language the interface speaks.

import { en, type Strings } from "./en.js";

/** A chunk per language besides English, by the first part of its BCP 47 tag. */
const LANGUAGES: Record<string, () => Promise<Strings>> = {
  pt: async () => (await import("./pt-br.js")).ptBR,
};

/** A kernel that runs a cell sends no chunk: after so many milliseconds English is better than nothing. */
export const LATE = 1_000;

/**
 * Draws with the words for a BCP 47 language tag: at once in English where there is no other, else once the words are
 * here. Words that come late replace the English that was drawn meanwhile.
 */
export function inLanguage(language: string, draw: (words: Strings) => void): void {
  const name = language.toLowerCase().split(/[-_]/, 1)[0] ?? "";
  if (!Object.hasOwn(LANGUAGES, name)) {
    draw(en);
    return;
  }
  const english = setTimeout(() => draw(en), LATE);
  void LANGUAGES[name]?.()
    .catch(() => en)
    .then((words) => {
      clearTimeout(english);
      draw(words);
    });
}
