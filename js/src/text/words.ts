// Which language the interface speaks.

import { en, type Strings } from "./en.js";
import { ptBR } from "./pt-br.js";

/** The words for a BCP 47 language tag; English where there is none. */
export function wordsFor(language: string): Strings {
  return language.toLowerCase().startsWith("pt") ? ptBR : en;
}
