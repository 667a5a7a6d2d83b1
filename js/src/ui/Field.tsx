// One argument in a form: a choice, a line of text, or JSON for what is neither.

import { useLayoutEffect, useRef } from "preact/hooks";
import { isObject } from "../protocol.js";
import { useWords } from "./context.js";

export interface FieldProps {
  name: string;
  schema: Record<string, unknown>;
  required: boolean;
  value: string;
  onValue: (value: string) => void;
  /** The id of what says what is wrong with it, or nothing. */
  faultId?: string | undefined;
}

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;
const INTEGER = /^-?[0-9]+(\.0+)?$/;

export function Field({ name, schema, required, value, onValue, faultId }: FieldProps) {
  const words = useWords();
  const place = useRef<(HTMLInputElement & HTMLSelectElement) | null>(null);
  const isInteger = schema.type === "integer";
  const isNumber = isInteger || schema.type === "number";
  const isWrong = isNumber && value !== "" && !(isInteger ? INTEGER : NUMBER).test(value.trim());
  const wrong = required && value === "" ? words.isRequired : isWrong ? words.notNumber(isInteger) : "";
  // The browser's own words are in its language, and say nothing of what would be right.
  useLayoutEffect(() => place.current?.setCustomValidity(wrong), [wrong]);
  const choices = schema.type === "boolean" ? [true, false] : Array.isArray(schema.enum) ? schema.enum : null;
  const fault = { "aria-invalid": faultId !== undefined, "aria-describedby": faultId };
  if (choices !== null) {
    return (
      <select
        ref={place}
        id={name}
        class="bnb-input"
        required={required}
        value={value}
        {...fault}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        <option value="" />
        {choices.map((choice) => (
          <option key={asText(choice)} value={asText(choice)}>
            {asText(choice)}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      ref={place}
      id={name}
      class="bnb-input"
      type="text"
      inputMode={isNumber ? "decimal" : "text"}
      required={required}
      value={value}
      {...fault}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}

export function JsonField({ name, value, onValue, faultId }: Omit<FieldProps, "schema" | "required">) {
  return (
    <textarea
      id={name}
      class="bnb-input bnb-mono"
      rows={Math.min(12, value.split("\n").length + 1)}
      spellcheck={false}
      value={value}
      aria-invalid={faultId !== undefined}
      aria-describedby={faultId}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}

export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The typed text as the schema's type; a number too long for a double stays text. */
export function asValue(text: string, schema: unknown): unknown {
  const type = isObject(schema) ? schema.type : undefined;
  if (type === undefined || type === "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && String(value) !== text.trim() ? text : value;
  } catch {
    return text;
  }
}
