import { expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat } from "../dev/views.js";
import { readDerivation, wordsOf } from "../src/derivation.js";
import { Link, TIMES } from "../src/link.js";
import { explorerPage } from "../src/review.js";
import { Clock } from "./clock.js";

const STEP = {
  path: "",
  row: "arg.to",
  label: "to",
  value: "bob",
  where: "data[4:36]",
  taken: "0x",
  how: "A word.",
};

test("steps are grouped by the call they belong to, with its data", () => {
  const found = readDerivation({
    digest: "d",
    steps: [STEP, { ...STEP, path: "calls[0]", where: "value" }],
    data: { "": "0xa9059cbb", "calls[0]": "0x01" },
  });
  expect(found.levels.map((level) => [level.path, level.data, level.rows[0]?.range])).toEqual([
    ["", "a9059cbb", { start: 4, end: 36 }],
    ["calls[0]", "01", null],
  ]);
});

test.each([null, "text", {}, { steps: "no" }, { steps: [null, 5], data: [] }])(
  "%j explains nothing",
  (value) => {
    expect(readDerivation(value).levels).toEqual([]);
  },
);

test("data is laid out as a selector and words, each with what was read from it", () => {
  const data = `a9059cbb${"00".repeat(32)}${"11".repeat(10)}`;
  const { levels } = readDerivation({ steps: [STEP], data: { "": `0x${data}` } });
  const lines = wordsOf(data, levels[0]?.rows ?? []);
  expect(lines.map((line) => [line.start, line.end, line.labels])).toEqual([
    [0, 4, []],
    [4, 36, ["to"]],
    [36, 46, []],
  ]);
  expect(lines.map((line) => line.hex).join("")).toBe(data);
});

test("a question is repeated until it is answered, and not kept among what was asked", async () => {
  const clock = new Clock();
  const model = new FakeModel(chat({}));
  model.answers = false;
  const link = new Link(model, clock);
  const answer = link.question({ type: "explain", key: "1.1.0" });
  clock.pass(TIMES.repeat);
  const asked = model.asked("explain");
  expect(asked.map((one) => one.mid)).toEqual([asked[0]?.mid, asked[0]?.mid]);
  expect(link.pending.value).toEqual([]);
  model.acknowledge(asked[0]?.mid ?? "", { data: { steps: [] } });
  await expect(answer).resolves.toEqual({ steps: [] });
  clock.pass(TIMES.repeat * 3);
  expect(model.asked("explain")).toHaveLength(2);
});

test("a refused question says why, and one that nobody answers ends", async () => {
  const clock = new Clock();
  const model = new FakeModel(chat({}));
  model.answers = false;
  const link = new Link(model, clock);
  const refused = link.question({ type: "explain", key: "k" });
  model.acknowledge(model.asked("explain")[0]?.mid ?? "", { ok: false, message: "No review." });
  await expect(refused).rejects.toThrow("No review.");
  const silent = link.question({ type: "explain", key: "k" });
  clock.pass(TIMES.repeat * 10);
  await expect(silent).rejects.toThrow();
});

test("an account has a page at the chain's explorer, anything else has none", () => {
  const row = { name: "to", label: "To", value: "bob.near", raw: "", kind: "address", note: "" };
  expect(explorerPage("https://e.example", row)).toBe("https://e.example/address/bob.near");
  for (const [explorer, value, kind] of [
    ["", "bob.near", "address"],
    ["javascript:alert(1)//", "bob.near", "address"],
    ["https://e.example", "bob.near", "text"],
    ["https://e.example", "../../x?y", "address"],
  ] as const) {
    expect(explorerPage(explorer, { ...row, value, kind })).toBeNull();
  }
});
