// Buttons for what the model could do; one that lacks arguments opens a small form.

import { useId, useState } from "preact/hooks";
import { sayChoice } from "../format.js";
import { type ChoiceView, isObject, own } from "../protocol.js";
import { useSurface } from "./context.js";
import { asText, asValue, Field } from "./Field.js";
import { Icon } from "./icons.js";
import { Revealed } from "./Revealed.js";

export function Offers({ offers, enabled }: { offers: ChoiceView[]; enabled: boolean }) {
  const { link } = useSurface();
  const [open, setOpen] = useState<number | null>(null);
  const say = (choice: ChoiceView, args: Record<string, unknown>) => {
    setOpen(null);
    link.ask({ type: "send", text: sayChoice(choice.tool, args) });
  };
  const chosen = open === null ? undefined : offers[open];
  return (
    <div class="bnb-offers">
      <div class="bnb-offer-buttons">
        {offers.map((choice, index) => (
          <button
            type="button"
            class="bnb-offer"
            key={`${choice.tool}${index}`}
            data-bnb-offer={choice.tool}
            disabled={!enabled}
            aria-expanded={choice.missing.length > 0 ? open === index : undefined}
            onClick={() =>
              choice.missing.length === 0 ? say(choice, choice.args) : setOpen(open === index ? null : index)
            }
          >
            <Revealed text={choice.label === "" ? choice.tool : choice.label} />
            <Icon name={choice.missing.length === 0 ? "chevron" : "pen"} />
          </button>
        ))}
      </div>
      {chosen !== undefined && enabled && (
        <Form
          key={open}
          choice={chosen}
          onSubmit={(args) => say(chosen, args)}
          onCancel={() => setOpen(null)}
        />
      )}
    </div>
  );
}

interface FormProps {
  choice: ChoiceView;
  onSubmit: (args: Record<string, unknown>) => void;
  onCancel: () => void;
}

function Form({ choice, onSubmit, onCancel }: FormProps) {
  const { words } = useSurface();
  const form = useId();
  const names = [...new Set([...Object.keys(choice.args), ...choice.missing])];
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(names.map((name) => [name, asText(own(choice.args, name))])),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    const filled = names.filter((name) => (own(values, name) ?? "").trim() !== "");
    onSubmit(
      Object.fromEntries(
        filled.map((name) => [name, asValue(own(values, name) ?? "", own(choice.fields, name))]),
      ),
    );
  };
  return (
    <form class="bnb-form" onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && onCancel()}>
      {names.map((name, index) => {
        const found = own(choice.fields, name);
        const field = isObject(found) ? found : {};
        const required = choice.missing.includes(name);
        return (
          <div class="bnb-field" key={name}>
            <label for={`${form}${index}`}>
              <Revealed text={name} /> {required && <span class="bnb-faint">{words.required}</span>}
            </label>
            <Field
              name={`${form}${index}`}
              schema={field}
              required={required}
              value={own(values, name) ?? ""}
              onValue={(value) => setValues((all) => ({ ...all, [name]: value }))}
            />
            {typeof field.description === "string" && (
              <span class="bnb-faint">
                <Revealed text={field.description} />
              </span>
            )}
          </div>
        );
      })}
      <div class="bnb-buttons">
        <button type="submit" class="bnb-button bnb-primary">
          {words.use} <Revealed text={choice.tool} />
        </button>
        <button type="button" class="bnb-button" onClick={onCancel}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}
