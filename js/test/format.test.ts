import { expect, test, vi } from "vitest";
import { duration, initials, loadLine, money, pretty, sayChoice } from "../src/format.js";
import { en } from "../src/text/en.js";
import { ptBR } from "../src/text/pt-br.js";
import { inLanguage, LATE } from "../src/text/words.js";
import { soon } from "./patience.js";

test.each([
  [0, "0 ms"],
  [214, "214 ms"],
  [1_340, "1.3 s"],
  [12_400, "12 s"],
  [59_700, "1 min 0 s"],
  [200_000, "3 min 20 s"],
  [359_999_700, "100 h 0 min"],
  [-1, ""],
])("%i milliseconds are %s", (milliseconds, wanted) => {
  expect(duration(milliseconds)).toBe(wanted);
});

test("a choice is said with its values as JSON", () => {
  expect(sayChoice("flip", {})).toBe("use flip");
  expect(sayChoice("set", { a: "x", b: 2, c: [true] })).toBe('use set with a="x", b=2, c=[true]');
});

test("JSON is indented, other text stays", () => {
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty("a=1")).toBe("a=1");
});

test.each(["en", "en-GB", "de", "", "constructor", "__proto__"])(
  "English is there at once: %j",
  (language) => {
    const drawn: string[] = [];
    inLanguage(language, (words) => drawn.push(words.language));
    expect(drawn).toEqual([en.language]);
  },
);

test.each(["pt", "pt-BR", "PT_br"])(
  "another language is drawn once its words are here, and nothing before: %s",
  async (language) => {
    const drawn: string[] = [];
    inLanguage(language, (words) => drawn.push(words.language));
    await soon(() => expect(drawn).toHaveLength(1));
    expect(drawn).toEqual([ptBR.language]);
  },
);

test("words that are late are English until they come", async () => {
  vi.useFakeTimers();
  try {
    const drawn: string[] = [];
    inLanguage("pt-BR", (words) => drawn.push(words.language));
    vi.advanceTimersByTime(LATE);
    expect(drawn).toEqual([en.language]);
    vi.useRealTimers();
    await soon(() => expect(drawn).toEqual([en.language, ptBR.language]));
  } finally {
    vi.useRealTimers();
  }
});

test("a chat's name cannot end the string it stands in", () => {
  expect(loadLine('a"); evil("\\\n')).toBe(
    'import bitte_nb as bn; chat = bn.Chat.load("a\\"); evil(\\"\\\\\\n"); chat',
  );
});

test.each([
  ["Demo agent", "DA"],
  ["zoë", "Z"],
  ["get-user_tool", "GT"],
  ["  ", "·"],
  ["\u202e👻", "·"],
  ["日本 語", "日語"],
])("the initials of %j are %s", (name, wanted) => {
  expect(initials(name)).toBe(wanted);
});

test.each([
  [0, "$0.00"],
  [1.5, "$1.50"],
  [0.00214, "$0.0021"],
  [12.345, "$12.35"],
])("%d dollars are %s", (amount, wanted) => {
  expect(money(amount, "USD")).toBe(wanted);
  expect(money(amount, "not a currency")).toContain("not a currency");
});
