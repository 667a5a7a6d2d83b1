// A result by its component where its tool or its shape has one; the components come as a chunk of their own.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type InvocationView, isObject } from "../protocol.js";
import { useSurface } from "../ui/context.js";
import { Spinner } from "../ui/icons.js";
import { useLate } from "../ui/late.js";
import { placeOf } from "./shown.js";

const BY_NAME = new Set([
  "render-chart",
  "generate-image",
  "create-drop",
  "submit-query",
  "get-portfolio",
  "get-sui-balances",
  "sign-message",
  "generate-transaction",
  "transfer-ft",
  "generate-evm-tx",
  "generate-sui-tx",
  "generate-sol-tx",
  "generate-cardano-tx",
]);

interface ResultCardProps {
  view: InvocationView;
  data: unknown;
  /** The result as it came. */
  children: ComponentChildren;
}

export function ResultCard({ view, data, children }: ResultCardProps) {
  const { link, shown } = useSurface();
  const own = shown?.entries.value[placeOf(link.state.value?.chat.chat ?? "", view.key)];
  const wanted = own !== undefined || hasComponent(view, data);
  const { part: cards, failed, want } = useLate(() => import("./cards.js"));
  useEffect(() => {
    if (wanted) want();
  }, [wanted]);
  if (!wanted || failed) return <>{children}</>;
  if (cards === null)
    return (
      <p class="bnb-faint">
        <Spinner />
      </p>
    );
  return (
    <cards.Result view={view} data={data} own={own}>
      {children}
    </cards.Result>
  );
}

/** Whether a finished call is drawn by a component, so that its arguments need not be read first. */
export function isDrawn(view: InvocationView): boolean {
  return view.result !== null && "data" in view.result && hasComponent(view, view.result.data);
}

function hasComponent(view: InvocationView, data: unknown): boolean {
  if (BY_NAME.has(view.tool)) return true;
  if (!isObject(data)) return false;
  if (view.kind === "local") return typeof data.display === "string" || Array.isArray(data.columns);
  return isObject(data.ui) || data.type === "swap" || data.type === "transfer-ft";
}
