// What the model was given for each step of an answer: made by the kernel when it is looked at, drawn as text only.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isCut } from "../host.js";
import { isObject, type StepGiven, type TurnView } from "../protocol.js";
import givenCss from "../styles/given.css?inline";
import { placeSheet } from "../styles/place.js";
import { CopyButton } from "./CopyButton.js";
import { useSurface } from "./context.js";
import { Fold, Messages, Tools, Words } from "./GivenParts.js";
import { Spinner } from "./icons.js";

type Form = "text" | "json";

export function Given({ turn }: { turn: TurnView }) {
  const { words } = useSurface();
  const said = words.given;
  const root = useRef<HTMLElement>(null);
  // A further step does not take away what is being read.
  const [chosen, setChosen] = useState(turn.steps.at(-1)?.step);
  const [form, setForm] = useState<Form>("text");
  useLayoutEffect(() => {
    if (root.current !== null) placeSheet(root.current, "given", givenCss);
  }, []);
  const step = turn.steps.find((one) => one.step === chosen) ?? turn.steps.at(-1);
  if (step === undefined) return null;
  return (
    // What a person opens to read is not announced as if it had been said.
    <section ref={root} class="bnb-given" aria-label={said.open} aria-live="off">
      <div class="bnb-given-head">
        {turn.steps.length > 1 && (
          <Choice
            label={said.steps}
            options={turn.steps.map((one) => [one.step, said.step(one.step)] as const)}
            value={step.step}
            onChange={setChosen}
          />
        )}
        <Choice
          label={said.form}
          options={[
            ["text", said.asText],
            ["json", said.asJson],
          ]}
          value={form}
          onChange={setForm}
        />
      </div>
      {form === "text" ? (
        <Parts key={step.step} turn={turn.turn} step={step.step} counted={step.input_tokens} />
      ) : (
        <Json key={step.step} turn={turn.turn} step={step.step} />
      )}
    </section>
  );
}

interface ChoiceProps<Value> {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChange: (value: Value) => void;
}

function Choice<Value extends string | number>({ label, options, value, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset class="bnb-given-choice" aria-label={label}>
      {options.map(([one, name]) => (
        <button
          key={one}
          type="button"
          class="bnb-given-option"
          aria-pressed={one === value}
          onClick={() => onChange(one)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

/** The kernel's answer, asked for once; null until it comes, and a sentence where none does. */
function useAnswer<Answer>(
  turn: number,
  step: number,
  raw: boolean,
  read: (data: unknown) => Answer | null,
): Answer | string | null {
  const { link, words } = useSurface();
  const [answer, setAnswer] = useState<{ is: Answer | string } | null>(null);
  useEffect(() => {
    link.question({ type: "step_request", turn, step, raw }).then(
      (data) => setAnswer({ is: read(data) ?? words.noAnswer }),
      (error: Error) => {
        const none = isCut(link.connection.peek()) ? words.given.noKernel : words.noAnswer;
        setAnswer({ is: error.message || none });
      },
    );
  }, [link, turn, step, raw, read, words]);
  return answer === null ? null : answer.is;
}

interface Of {
  turn: number;
  step: number;
}

function Parts({ turn, step, counted }: Of & { counted: number }) {
  const { words } = useSurface();
  const said = words.given;
  const given = useAnswer(turn, step, false, readGiven);
  if (given === null) return <Spinner />;
  if (typeof given === "string") return <p class="bnb-note">{given}</p>;
  const { system_tokens: system, message_tokens: messages, tool_tokens: tools } = given;
  return (
    <>
      <p class="bnb-faint">
        {counted > 0 ? said.counted(counted) : said.about(system + messages + tools)}
        {` (${said.parts(system, messages, tools)})`}
      </p>
      <p class={given.changed ? "bnb-note" : "bnb-faint"}>{given.changed ? said.changed : said.made}</p>
      <Fold title={said.system} isOpen>
        {() => (
          <>
            <CopyButton text={given.system} label={said.system} />
            <Words text={given.system} />
          </>
        )}
      </Fold>
      <Fold title={said.messages(given.messages.length)} isOpen>
        {() => <Messages messages={given.messages} />}
      </Fold>
      {given.tools.length === 0 ? (
        <p class="bnb-faint">{said.tools(0)}</p>
      ) : (
        <Fold title={said.tools(given.tools.length)}>{() => <Tools tools={given.tools} />}</Fold>
      )}
    </>
  );
}

/** The whole request as the kernel wrote it: every digit, every character. */
function Json({ turn, step }: Of) {
  const { words } = useSurface();
  const text = useAnswer(turn, step, true, readText);
  if (text === null) return <Spinner />;
  if (typeof text === "string") return <p class="bnb-note">{text}</p>;
  return (
    <>
      <CopyButton text={text.text} label={words.given.whole} />
      <Words text={text.text} isCode />
    </>
  );
}

function readText(data: unknown): { text: string } | null {
  return typeof data === "string" ? { text: data } : null;
}

/** The parts of the kernel's answer; null for what is none. */
function readGiven(data: unknown): StepGiven | null {
  if (!isObject(data) || typeof data.system !== "string") return null;
  return Array.isArray(data.messages) && Array.isArray(data.tools) ? (data as unknown as StepGiven) : null;
}
