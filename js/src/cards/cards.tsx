// The components of results, one for each kind. What does not have its shape is shown as it came, with a sentence.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type InvocationView, isObject } from "../protocol.js";
import { placeSheet } from "../styles/place.js";
import type { Strings } from "../text/en.js";
import { useWords } from "../ui/context.js";
import { Fence } from "../ui/Fence.js";
import { Revealed } from "../ui/Revealed.js";
import css from "./cards.css?inline";
import { Chart } from "./chart/Chart.js";
import { readChart } from "./chart/model.js";
import { Display, isDisplay, Live } from "./Display.js";
import { Drop, readDrop } from "./Drop.js";
import { Outcome, readOutcome } from "./Outcome.js";
import { Picture, readPicture } from "./Picture.js";
import { Portfolio, readCoins, readPortfolio } from "./Portfolio.js";
import { Rows, rowsIn } from "./Rows.js";
import { list, number, object, ShapeError, text } from "./shape.js";
import type { Shown } from "./shown.js";
import { readTrade, Trade, tradeIn } from "./Trade.js";

interface ResultProps {
  view: InvocationView;
  data: unknown;
  /** What the kernel shows in its place. */
  own: Shown | undefined;
  /** The result as it came. */
  children: ComponentChildren;
}

export function Result({ view, data, own, children }: ResultProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current !== null) placeSheet(place.current, "cards", css);
  }, []);
  return (
    <div class="bnb-component" ref={place} data-bnb-component={view.tool}>
      <Fence key={view.key} instead={(error) => <Fault error={error} tree={children} />}>
        <Own own={own}>
          <BuiltIn view={view} data={data} tree={children} />
        </Own>
      </Fence>
    </div>
  );
}

function Fault({ error, tree }: { error: string; tree: ComponentChildren }) {
  const { cards: words } = useWords();
  return (
    <>
      <p class="bnb-note">{words.failed(error)}</p>
      {tree}
    </>
  );
}

function Own({ own, children }: { own: Shown | undefined; children: ComponentChildren }) {
  if (own === undefined) return <>{children}</>;
  const kept = isDisplay(own.display) ? <Display url={own.display} alt="" /> : children;
  return (
    <>
      {own.note !== "" && (
        <p class="bnb-note">
          <Revealed text={own.note} />
        </p>
      )}
      {own.view === "" ? kept : <Live shown={own}>{kept}</Live>}
    </>
  );
}

function BuiltIn({ view, data, tree }: { view: InvocationView; data: unknown; tree: ComponentChildren }) {
  const { cards: words } = useWords();
  try {
    return <>{draw(view, data, tree, words) ?? tree}</>;
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return (
      <>
        <p class="bnb-note" data-bnb-wrong={error.path}>
          <Revealed text={words.wrongShape(view.tool, error.path, wantedOf(error, words))} />
        </p>
        {tree}
      </>
    );
  }
}

function wantedOf(error: ShapeError, words: Strings["cards"]): string {
  return [words.wanted[error.wanted], error.values.join(", ")].filter((part) => part !== "").join(" ");
}

function draw(
  view: InvocationView,
  data: unknown,
  tree: ComponentChildren,
  words: Strings["cards"],
): ComponentChildren {
  const trade = tradeIn(data);
  if (trade !== null) return <Trade data={readTrade(trade)} tree={tree} />;
  switch (view.tool) {
    case "render-chart":
      return <Chart model={readChart(unwrapped(data, "chartType"))} />;
    case "generate-image":
      return <Picture data={readPicture(unwrapped(data, "url"), "")} alt={String(view.args?.prompt ?? "")} />;
    case "create-drop":
      return <Drop data={readDrop(data)} />;
    case "get-portfolio":
      return <Portfolio data={readPortfolio(unwrapped(data, "significantAssets"))} tree={tree} />;
    case "get-sui-balances":
      return <Portfolio data={readCoins(unwrapped(data, "balances"))} tree={tree} />;
    case "submit-query": {
      const found = rowsIn(data);
      return found === null ? null : <Rows data={found} tree={tree} />;
    }
    default:
      break;
  }
  if (view.kind === "local") return drawValue(data, words);
  if (view.kind !== "primitive" || !isObject(data)) return null;
  const outcome = readOutcome(data);
  return outcome === null ? null : <Outcome data={outcome} tree={tree} />;
}

/** The reference wraps a local result once more; the card looks where the field is. */
function unwrapped(data: unknown, field: string): unknown {
  if (!isObject(data) || field in data) return data;
  const inner = [data.data, data.result].find((one) => isObject(one) && field in one);
  return inner ?? data;
}

const frame = object({
  columns: list(object({ name: text, type: text })),
  row_count: number,
  rows: list(list((value: unknown) => value)),
});

/** What a Python function returned: a table, or something that shows itself. */
function drawValue(data: unknown, words: Strings["cards"]): ComponentChildren {
  if (!isObject(data)) return null;
  if (typeof data.display === "string" && isDisplay(data.display)) {
    const said = typeof data.text === "string" ? data.text : "";
    return <Display url={data.display} alt={said} />;
  }
  if (!Array.isArray(data.columns)) return null;
  const read = frame(data, "");
  const further = typeof data.further_columns === "number" ? data.further_columns : 0;
  return (
    <>
      <Rows data={{ columns: read.columns, rows: read.rows, total: read.row_count }} tree={null} />
      {further > 0 && <p class="bnb-faint">{words.furtherColumns(further)}</p>}
    </>
  );
}
