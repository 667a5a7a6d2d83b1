// Which language the interface speaks.

import { en, type Strings } from "./en.js";
import { ptBR } from "./pt-br.js";

/** A file per language, by the first part of its BCP 47 tag. */
const LANGUAGES: Record<string, Strings> = { en, pt: ptBR };

/** The words for a BCP 47 language tag; English where there is none. */
export function wordsFor(language: string): Strings {
  return LANGUAGES[language.toLowerCase().split(/[-_]/, 1)[0] ?? ""] ?? en;
}
