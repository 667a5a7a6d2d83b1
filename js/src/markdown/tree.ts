// What a Markdown text is made of: blocks that hold blocks, and leaves that hold text.

export interface Document {
  kind: "document";
  children: Block[];
}

export interface Quote {
  kind: "quote";
  children: Block[];
}

export interface List {
  kind: "list";
  ordered: boolean;
  start: number;
  /** The character behind the number, or the bullet: another one begins another list. */
  marker: string;
  /** Whether a blank line asks for space between the items. */
  loose: boolean;
  children: Item[];
}

export interface Item {
  kind: "item";
  /** Columns that a line needs in front of it to belong to the item. */
  indent: number;
  /** What is in the box of a task, empty for an item that is none. */
  task: string;
  children: Block[];
}

export interface Paragraph {
  kind: "paragraph";
  text: string;
}

export interface Heading {
  kind: "heading";
  depth: number;
  text: string;
}

export interface Code {
  kind: "code";
  /** The run that opened the fence and how far it was indented; null for indented code. */
  fence: { run: string; indent: number } | null;
  language: string;
  lines: string[];
}

export interface Rule {
  kind: "rule";
}

export interface Table {
  kind: "table";
  aligns: string[];
  head: string[];
  rows: string[][];
}

/** TeX on lines of its own; while it has no end it may still turn out to be text. */
export interface Formula {
  kind: "formula";
  source: string;
  tex: string;
}

export type Container = Document | Quote | List | Item;
export type Leaf = Paragraph | Heading | Code | Rule | Table | Formula;
export type Block = Exclude<Container, Document> | Leaf;

/** The parts of a line of text. */
export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "math"; tex: string; display: boolean }
  | { kind: "break" }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] }
  | { kind: "image"; href: string; alt: string };

/** Where the labels of link definitions lead, by normalised label. */
export type Definitions = ReadonlyMap<string, string>;

/** The words of parts, without their form. */
export function textOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if ("text" in part) return part.text;
      if ("children" in part) return textOf(part.children);
      return part.kind === "image" ? part.alt : part.kind === "math" ? part.tex : "\n";
    })
    .join("");
}
