import fc from "fast-check";
import { expect, test } from "vitest";
import { partialJson } from "../src/partial_json.js";

test.each([
  ["", undefined],
  ["{", {}],
  ['{"a', {}],
  ['{"a"', {}],
  ['{"a":', {}],
  ['{"a":1,"b', { a: 1 }],
  ['{"a":12.', { a: 12 }],
  ['{"a":"x', { a: "x" }],
  ['{"a":"x\\', { a: "x" }],
  ['{"a":"x\\u00', { a: "x" }],
  ['{"a":1', { a: 1 }],
  ['{"a":-', {}],
  ['{"a":tr', {}],
  ['{"a":1,', { a: 1 }],
  ['{"a":1,"b":[1,{"c":"d', { a: 1, b: [1, { c: "d" }] }],
  ['{"a":1}', { a: 1 }],
])("%s reads as %j", (text, value) => {
  expect(partialJson(text)).toEqual(value);
});

test("every beginning of an object can be read once it has begun, and the whole is exact", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }), (value) => {
      const text = JSON.stringify(value);
      for (let end = 1; end <= text.length; end += 1)
        expect(typeof partialJson(text.slice(0, end))).toBe("object");
      expect(partialJson(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 60, seed: 7 },
  );
});
