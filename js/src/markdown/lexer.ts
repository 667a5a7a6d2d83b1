// CommonMark, GFM and TeX to tokens, with raw HTML read as the text that it is.

import { Lexer, type Token, Tokenizer, type Tokens } from "marked";
import { findBlock, readBlock, readInline } from "./math.js";

class TextOnly extends Tokenizer {
  override html(): undefined {
    return undefined;
  }

  /** Of all inline HTML only `<br>` means something: models write it inside table cells. */
  override tag(src: string): Tokens.Tag | undefined {
    const raw = /^<br\s*\/?>/i.exec(src)?.[0];
    if (raw === undefined) return undefined;
    const line = { type: "br", raw, text: "" };
    return line as unknown as Tokens.Tag;
  }
}

/** While a text arrives its link definitions are text too: they would change what is painted already. */
class Unfinished extends TextOnly {
  override def(): undefined {
    return undefined;
  }
}

const MATH = {
  renderers: {},
  childTokens: {},
  block: [(src: string) => readBlock(src) ?? undefined],
  startBlock: [(src: string) => findBlock(src)],
  inline: [(src: string) => readInline(src) ?? undefined],
  startInline: [(src: string) => src.search(/\$|\\[([]/)],
};

/** The block tokens of `source`; their `raw` fields, joined, are the source. */
export function lex(source: string, withDefinitions: boolean): Token[] {
  const tokenizer = withDefinitions ? new TextOnly() : new Unfinished();
  // Most texts hold no formula, and looking for one has its price.
  const extensions = /\$|\\[([]/.test(source) ? MATH : null;
  return new Lexer({ gfm: true, tokenizer, extensions }).lex(source);
}
