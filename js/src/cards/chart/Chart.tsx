// A chart with its legend, a cursor for mouse and keyboard, and its numbers as a table.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useWords } from "../../ui/context.js";
import { Revealed } from "../../ui/Revealed.js";
import { Table } from "../Table.js";
import { change, fullTime, fullValue } from "./format.js";
import { type Layout, layout } from "./layout.js";
import type { ChartModel } from "./model.js";
import { unitOf } from "./scale.js";

const HEIGHT = 232;
const COLOURS = 5;
const START_WIDTH = 560;

export function Chart({ model }: { model: ChartModel }) {
  const { cards: words, language } = useWords();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const drawn = useMemo(() => layout(model, width, HEIGHT, language), [model, width, language]);
  const count = drawn.x.length;
  const isEmpty = !model.series.some(({ values }) => values.some((value) => value !== null));
  const unit = unitOf((model.times?.at(-1) ?? 0) - (model.times?.[0] ?? 0));
  const nameOf = (index: number) =>
    model.times === null ? (model.names[index] ?? "") : fullTime(model.times[index] ?? 0, unit, language);
  return (
    <figure class="bnb-chart" data-bnb-chart={model.type}>
      <figcaption>
        <div class="bnb-card-heading">
          <Revealed text={model.title} />
        </div>
        {model.description !== "" && (
          <div class="bnb-faint">
            <Revealed text={model.description} />
          </div>
        )}
        <Legend model={model} />
      </figcaption>
      <div class="bnb-plot" ref={place}>
        {isEmpty ? (
          <p class="bnb-plot-empty bnb-faint">{words.noPoints}</p>
        ) : (
          <Plot model={model} drawn={drawn} count={count} nameOf={nameOf} />
        )}
      </div>
      {!isEmpty && (
        <details class="bnb-exact">
          <summary>{words.asTable}</summary>
          {model.format === "percentage" && <p class="bnb-faint">{words.percentages}</p>}
          <Table
            columns={[
              { name: model.timeLabel, isNumber: false },
              ...model.series.map(({ name }) => ({ name, isNumber: true })),
            ]}
            count={count}
            cell={(row, column) => {
              if (column === 0) return nameOf(row);
              const value = model.series[column - 1]?.values[row] ?? null;
              return value === null ? "" : fullValue(value, model.format, language);
            }}
          />
        </details>
      )}
    </figure>
  );
}

function Legend({ model }: { model: ChartModel }) {
  const { language } = useWords();
  if (model.type === "candle") return null;
  const single = model.series.length === 1 && model.series[0]?.change === null;
  if (single) return null;
  return (
    <ul class="bnb-legend">
      {model.series.map(({ name, change: percent }, index) => (
        <li key={name + index}>
          <span class={`bnb-swatch bnb-series-${index % COLOURS}`} aria-hidden="true" />
          <Revealed text={name} />
          {percent !== null && (
            <span class={percent < 0 ? "bnb-falls" : "bnb-rises"}>{change(percent, language)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

interface PlotProps {
  model: ChartModel;
  drawn: Layout;
  count: number;
  nameOf: (index: number) => string;
}

function Plot({ model, drawn, count, nameOf }: PlotProps) {
  const { cards: words, language } = useWords();
  const [cursor, setCursor] = useState<number | null>(null);
  const at = cursor === null ? null : Math.min(cursor, count - 1);
  const readout = (index: number) =>
    model.series
      .map(({ name, values }) => ({ name, value: values[index] ?? null }))
      .map(({ name, value }) => ({
        name,
        value: value === null ? "–" : fullValue(value, model.format, language),
      }));
  const said = (index: number) =>
    [nameOf(index), ...readout(index).map(({ name, value }) => `${name} ${value}`)].join(", ");
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.round(count / 10));
    const from = at ?? count - 1;
    const to: Record<string, number> = {
      ArrowLeft: at === null ? count - 1 : from - 1,
      ArrowRight: at === null ? 0 : from + 1,
      PageDown: from - page,
      PageUp: from + page,
      Home: 0,
      End: count - 1,
    };
    const next = to[event.key];
    if (event.key === "Escape" && at !== null) setCursor(null);
    else if (next === undefined) return;
    else setCursor(Math.max(0, Math.min(count - 1, next)));
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointer = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    setCursor(nearest(drawn.x, event.clientX - box.left));
  };
  return (
    <div
      class="bnb-plot-area"
      role="slider"
      tabIndex={0}
      aria-label={words.chartLabel(model.title)}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={at ?? count - 1}
      aria-valuetext={said(at ?? count - 1)}
      onKeyDown={onKeyDown}
      onPointerMove={onPointer}
      onPointerLeave={() => setCursor(null)}
      onBlur={() => setCursor(null)}
    >
      <Picture model={model} drawn={drawn} at={at} />
      {at !== null && (
        <div
          class="bnb-readout"
          data-bnb-readout=""
          style={
            (drawn.x[at] ?? 0) > drawn.width / 2
              ? { right: `${drawn.width - (drawn.x[at] ?? 0) + 12}px` }
              : { left: `${(drawn.x[at] ?? 0) + 12}px` }
          }
        >
          <div class="bnb-readout-head">
            <Revealed text={nameOf(at)} />
          </div>
          {readout(at).map(({ name, value }, index) => (
            <div class="bnb-readout-row" key={name + index}>
              {model.type !== "candle" && <span class={`bnb-swatch bnb-series-${index % COLOURS}`} />}
              <span class="bnb-readout-name">
                <Revealed text={name} />
              </span>
              <span class="bnb-readout-value">{value}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function Picture({ model, drawn, at }: { model: ChartModel; drawn: Layout; at: number | null }) {
  const { width, height, left, right, top, bottom } = drawn;
  return (
    <svg
      class="bnb-plot-svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      {drawn.yMarks.map((mark) => (
        <g key={mark.at}>
          <path class="bnb-grid" d={`M${left} ${mark.at.toFixed(1)}H${right}`} />
          <text class="bnb-tick" x={left - 8} y={mark.at + 3.5} text-anchor="end">
            {mark.text}
          </text>
        </g>
      ))}
      {drawn.zero !== null && <path class="bnb-zero" d={`M${left} ${drawn.zero.toFixed(1)}H${right}`} />}
      {drawn.xMarks.map((mark, index) => (
        <text
          class="bnb-tick"
          key={index}
          x={within(mark.at, mark.text, left, right)}
          y={height - 6}
          text-anchor="middle"
        >
          {mark.text}
        </text>
      ))}
      {at !== null && <path class="bnb-cursor" d={`M${(drawn.x[at] ?? 0).toFixed(1)} ${top}V${bottom}`} />}
      {drawn.shapes.map(({ line, fill }, index) => (
        <g key={index} class={`bnb-series bnb-series-${index % COLOURS}`}>
          {fill !== "" && <path class={model.type === "bar" ? "bnb-bars" : "bnb-area"} d={fill} />}
          {line !== "" && <path class="bnb-line-path" d={line} />}
        </g>
      ))}
      {drawn.candles.map(({ wicks, bodies, rises }) => (
        <g key={String(rises)} class={rises ? "bnb-candle-rises" : "bnb-candle-falls"}>
          <path class="bnb-wicks" d={wicks} />
          <path class="bnb-bodies" d={bodies} />
        </g>
      ))}
      {at !== null &&
        (model.type === "line" || model.type === "area") &&
        model.series.map(({ values }, index) => {
          const value = values[at] ?? null;
          return value === null ? null : (
            <circle
              key={index}
              class={`bnb-dot bnb-series-${index % COLOURS}`}
              cx={drawn.x[at]}
              cy={drawn.y(value)}
              r="4"
            />
          );
        })}
    </svg>
  );
}

/** Keeps a centred text of an axis inside the picture. */
function within(at: number, text: string, left: number, right: number): number {
  const half = text.length * 3.3;
  return Math.max(left + half - 8, Math.min(right + 10 - half, at));
}

function nearest(x: number[], at: number): number {
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const before = x[low - 1];
  return before !== undefined && at - before < (x[low] ?? 0) - at ? low - 1 : low;
}

function useWidth(place: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(START_WIDTH);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const measure = () => element.clientWidth > 0 && setWidth(Math.max(220, Math.round(element.clientWidth)));
    measure();
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
