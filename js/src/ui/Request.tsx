// Exactly what would be sent: an HTTP request, or a message to sign.

import { clock, pretty } from "../format.js";
import { httpMessage } from "../http_message.js";
import type { InvocationView } from "../protocol.js";
import type { Review } from "../review.js";
import { CopyButton } from "./CopyButton.js";
import { useWords } from "./context.js";
import { Revealed } from "./Revealed.js";
import { Warning } from "./Review.js";

export function Request({ view }: { view: InvocationView }) {
  const words = useWords();
  const headers = Object.entries(view.headers);
  const came: string[] = [];
  if (typeof view.sent_at === "number") came.push(words.sentAt(clock(view.sent_at)));
  if (typeof view.status === "number") came.push(words.answeredWith(view.status));
  return (
    <section class="bnb-request">
      <div class="bnb-request-line">
        <span class={`bnb-method bnb-method-${view.method.toLowerCase()}`}>{view.method}</span>{" "}
        <span class="bnb-mono bnb-url">
          <Revealed text={view.url} />
        </span>
        <CopyButton text={httpMessage(view)} label={words.httpMessage} quiet />
      </div>
      {came.length > 0 && <p class="bnb-faint">{came.join(" · ")}</p>}
      {headers.length > 0 && (
        <dl class="bnb-rows" aria-label={words.headers}>
          {headers.map(([name, value]) => (
            <div class="bnb-row" key={name}>
              <dt class="bnb-mono">
                <Revealed text={name} />
              </dt>
              <dd class="bnb-mono">
                <Revealed text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {view.body !== "" && (
        <div class="bnb-request-body">
          <div class="bnb-section-head">
            <span>{words.body}</span>
            <CopyButton text={view.body} label={words.body} />
          </div>
          <pre class="bnb-pre">
            <Revealed text={pretty(view.body)} />
          </pre>
        </div>
      )}
    </section>
  );
}

/** Whether a card is a message to sign, shown by its own fields. */
export function isSignMessage(view: InvocationView): boolean {
  return view.tool === "sign-message" && typeof view.args?.message === "string";
}

/** The text of a message to sign, or empty for anything else. */
export function messageOf(view: InvocationView, review: Review | null): string {
  if (review === null) return isSignMessage(view) ? field(view, "message") : "";
  return review.rows.find((row) => row.name === "message" && row.kind === "message")?.value ?? "";
}

export function SignMessage({ view }: { view: InvocationView }) {
  const words = useWords();
  const message = field(view, "message");
  const callback = field(view, "callbackUrl");
  return (
    <section class="bnb-request">
      <div class="bnb-section-head">
        <span>{words.message}</span>
        <CopyButton text={message} label={words.message} />
      </div>
      <pre class="bnb-pre bnb-message">
        <Revealed text={message} />
      </pre>
      <dl class="bnb-rows">
        <Row label={words.nonce} value={field(view, "nonce") || words.nonceMade} exact />
        <Row label={words.recipient} value={field(view, "recipient") || words.noRecipient} exact />
        {callback !== "" && <Row label={words.callback} value={callback} exact />}
      </dl>
      {callback !== "" && (
        <Warning
          warning={{ name: "callback", severity: "warn", sentence: words.callbackWarning, path: "" }}
        />
      )}
    </section>
  );
}

function Row({ label, value, exact }: { label: string; value: string; exact: boolean }) {
  return (
    <div class="bnb-row">
      <dt>{label}</dt>
      <dd class={exact ? "bnb-mono" : undefined}>
        <Revealed text={value} />
      </dd>
    </div>
  );
}

function field(view: InvocationView, name: string): string {
  const value = view.args?.[name];
  return typeof value === "string"
    ? value
    : value === undefined || value === null
      ? ""
      : JSON.stringify(value);
}
