// Which language the extension speaks: the one in which JupyterLab itself is shown, which it writes into the page.

import { en, type LabStrings } from "./en.js";
import { ptBR } from "./pt-br.js";

/** A language besides English, by the first part of its tag. */
const LANGUAGES: Record<string, LabStrings> = { pt: ptBR };

export function labWords(language: string = document.documentElement.lang): LabStrings {
  const name = language.toLowerCase().split(/[-_]/, 1)[0] ?? "";
  return Object.hasOwn(LANGUAGES, name) ? (LANGUAGES[name] ?? en) : en;
}
