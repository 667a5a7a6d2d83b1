// Other arguments for a card: a field for what is simple, JSON for the rest. The kernel checks them; nothing runs.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type InvocationView, isObject, own } from "../protocol.js";
import { useApart, useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { asText, asValue, Field, JsonField } from "./Field.js";
import { Revealed } from "./Revealed.js";

interface EditFormProps {
  view: InvocationView;
  onCancel: () => void;
  /** Whether the fields differ from what the card shows. */
  onDiffers: (differs: boolean) => void;
}

interface Part {
  name: string;
  schema: Record<string, unknown>;
  required: boolean;
  /** A line of text or a choice; anything else is written as JSON. */
  simple: boolean;
}

export function EditForm({ view, onCancel, onDiffers }: EditFormProps) {
  const { link, words } = useSurface();
  const form = useId();
  const place = useRef<HTMLFormElement>(null);
  const args = view.args ?? {};
  const [schema, setSchema] = useState<Record<string, unknown> | null>(null);
  const [changed, setChanged] = useState<Record<string, string>>({});
  const [wrong, setWrong] = useState<ReadonlySet<string>>(new Set());
  const { waiting, refusal } = useAsked((ask) => ask.type === "edit_call" && ask.key === view.key);
  useEffect(() => {
    let open = true;
    const answered = (found: unknown) => open && setSchema(isObject(found) ? found : {});
    // Without an answer the arguments are changed as they stand; the kernel checks them all the same.
    link.question({ type: "arguments_form", key: view.key }).then(answered, () => answered({}));
    return () => {
      open = false;
    };
  }, [link, view.key]);
  const ready = schema !== null;
  useLayoutEffect(() => {
    if (ready) place.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, [ready]);
  const apart = useApart();
  const parts = schema === null ? [] : partsOf(schema, args);
  const shownAs = (part: Part) => initial(part, own(args, part.name));
  const textOf = (part: Part) => own(changed, part.name) ?? shownAs(part);
  const differs = parts.some((part) => textOf(part) !== shownAs(part));
  useLayoutEffect(() => {
    onDiffers(differs);
    return () => onDiffers(false);
  }, [differs, onDiffers]);
  if (schema === null) return <p class="bnb-faint">{words.checkingEdit}</p>;

  const faults = faultsByField(refusal?.refused ?? "", parts);
  const submit = (event: Event) => {
    event.preventDefault();
    if (apart !== "") return;
    const next = new Map<string, unknown>();
    const bad = new Set<string>();
    for (const part of parts) {
      if (own(changed, part.name) === undefined) {
        if (Object.hasOwn(args, part.name)) next.set(part.name, args[part.name]); // exactly as it was
        continue;
      }
      const text = textOf(part);
      if (text.trim() === "" && !(part.required && part.simple)) continue;
      if (part.simple) {
        next.set(part.name, asValue(text, part.schema));
        continue;
      }
      try {
        next.set(part.name, JSON.parse(text));
      } catch {
        bad.add(part.name);
      }
    }
    setWrong(bad);
    const { key, digest, version } = view;
    if (bad.size === 0) link.ask({ type: "edit_call", key, digest, version, args: Object.fromEntries(next) });
  };
  return (
    <form
      ref={place}
      class="bnb-form bnb-edit"
      aria-label={words.editing}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onCancel();
        } else if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
          event.preventDefault();
          event.currentTarget.requestSubmit(); // a host may take the key before the browser submits the form
        }
      }}
    >
      <p class="bnb-faint">{words.editNote}</p>
      {parts.map((part, index) => {
        const id = `${form}${index}`;
        const fault = wrong.has(part.name) ? words.notJson : (faults.of.get(part.name) ?? "");
        const common = {
          name: id,
          value: textOf(part),
          onValue: (value: string) => setChanged((all) => ({ ...all, [part.name]: value })),
          faultId: fault === "" ? undefined : `${id}f`,
        };
        return (
          <div class="bnb-field" key={part.name}>
            <label for={id}>
              <Revealed text={part.name} /> {part.required && <span class="bnb-faint">{words.required}</span>}
            </label>
            {part.simple ? (
              <Field {...common} schema={part.schema} required={part.required} />
            ) : (
              <JsonField {...common} />
            )}
            {fault !== "" && (
              <span class="bnb-fault" id={`${id}f`} role="alert">
                <Revealed text={fault} />
              </span>
            )}
            {typeof part.schema.description === "string" && (
              <span class="bnb-faint">
                <Revealed text={part.schema.description} />
              </span>
            )}
          </div>
        );
      })}
      {faults.other !== "" && (
        <p class="bnb-fault" role="alert">
          <Revealed text={faults.other} />
        </p>
      )}
      <div class="bnb-buttons">
        <button
          type="submit"
          class="bnb-button bnb-primary"
          data-bnb-action="use-edit"
          disabled={apart !== ""}
          aria-busy={waiting !== null}
        >
          {waiting === null ? words.useEdit : words.checkingEdit}
        </button>
        <button type="button" class="bnb-button" onClick={onCancel}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}

/** What the schema names, then whatever else the arguments hold. */
function partsOf(schema: Record<string, unknown>, args: Record<string, unknown>): Part[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return [...new Set([...Object.keys(properties), ...Object.keys(args)])].map((name) => {
    const found = own(properties, name);
    const schema = isObject(found) ? found : {};
    return { name, schema, required: required.includes(name), simple: isSimple(schema, own(args, name)) };
  });
}

const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

function isSimple(schema: Record<string, unknown>, value: unknown): boolean {
  if (typeof value === "string" && value.includes("\n")) return false; // a line cannot hold it
  if (Array.isArray(schema.enum)) return schema.enum.every((one) => typeof one !== "object");
  if (SCALARS.has(schema.type)) return value === undefined || SCALARS.has(typeof value);
  return schema.type === undefined && typeof value === "string";
}

function initial(part: Part, value: unknown): string {
  if (part.simple) return asText(value);
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

/** The kernel's sentences, one a line, each with the field that it names first; the rest stand below the form. */
function faultsByField(text: string, parts: Part[]): { of: Map<string, string>; other: string } {
  const found = { of: new Map<string, string>(), other: "" };
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const named = parts
      .map((part) => ({ name: part.name, at: wordAt(line, part.name) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at || b.name.length - a.name.length)[0];
    if (named === undefined) found.other = [found.other, line].filter((one) => one !== "").join("\n");
    else found.of.set(named.name, [found.of.get(named.name), line].filter(Boolean).join("\n"));
  }
  return found;
}

function wordAt(line: string, word: string): number {
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
    const around = (line[at - 1] ?? " ") + (line[at + word.length] ?? " ");
    if (!/[\p{L}\p{N}_-]/u.test(around)) return at;
  }
  return -1;
}
