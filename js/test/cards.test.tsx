import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { CARDS, CHARTS, chartData, FRAME, PORTFOLIO, primitive, SWAP, TRANSFER } from "../dev/cards.js";
import { FakeModel } from "../dev/fake_model.js";
import { chat, invocation, step, turn } from "../dev/views.js";
import type { InvocationView } from "../src/protocol.js";
import widget from "../src/widget.js";
import { HOSTILE } from "./hostile.js";
import { drawn, soon } from "./patience.js";

let open: (() => void)[] = [];

interface Props {
  host?: unknown;
  manager?: unknown;
}

/** One chat with these cards, once their components are there. */
async function show(views: InvocationView[], { host, manager }: Props = {}, language = "en") {
  document.documentElement.lang = language;
  const view = chat({
    turns: [turn({ steps: [step({ calls: views.map((one) => one.key) })] })],
    invocations: Object.fromEntries(views.map((one) => [one.key, one])),
  });
  const model = new FakeModel(view);
  model.widget_manager = manager;
  const module = widget();
  module.initialize({ model });
  const el = document.createElement("div");
  document.body.append(el);
  const close = module.render({ model, el, host } as Parameters<typeof module.render>[0]);
  open.push(close, () => model.fire("destroy"));
  await settled();
  return { el, model };
}

/** Waits for the components, and for what an event has changed. */
async function settled(): Promise<void> {
  await soon(() => expect(document.querySelector(".bnb-result .bnb-spinner")).toBeNull());
  await drawn();
}

const component = (el: Element) => el.querySelector(".bnb-component");
const text = (el: Element) => component(el)?.textContent ?? "";

beforeAll(async () => {
  await import("../src/cards/cards.js");
});

afterEach(() => {
  for (const close of open) close();
  open = [];
  document.body.replaceChildren();
});

describe("a chart", () => {
  for (const view of CHARTS) {
    const type = String((view.result as { data: { chartType: string } }).data.chartType);
    test(`${type} is drawn, or says that it is empty`, async () => {
      const { el } = await show([view]);
      const figure = el.querySelector(`[data-bnb-chart="${type}"]`);
      expect(figure).not.toBeNull();
      const isEmpty = figure?.querySelector(".bnb-plot-empty") !== null;
      expect(figure?.querySelector("svg.bnb-plot-svg") !== null).toBe(!isEmpty);
      expect(el.querySelector(".bnb-json")).toBeNull();
    });
  }

  test("has its numbers as a table, percentages as hundredths, gaps as dashes", async () => {
    const data = chartData({ dataFormat: "percentage", columns: { Yield: [0.12, null, -0.5] } });
    const { el } = await show([primitive("render-chart", data)]);
    const cells = [...el.querySelectorAll("tbody td")].map((cell) => cell.textContent);
    expect(cells).toEqual(["Jan 1, 2026", "12%", "Jan 2, 2026", "–", "Jan 3, 2026", "-50%"]);
    expect(text(el)).toContain("0.12 is 12%");
  });

  test("is read point by point with the keyboard and the mouse, and tells a screen reader", async () => {
    const { el } = await show([primitive("render-chart", chartData({ columns: { BTC: [1, 2, 3] } }))]);
    const plot = el.querySelector<HTMLElement>('[role="slider"]');
    if (plot === null) throw new Error("no plot");
    expect(plot.getAttribute("aria-valuetext")).toBe("Jan 3, 2026, BTC $3.00");
    const press = async (key: string, said: string) => {
      plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      await soon(() => expect(plot.getAttribute("aria-valuetext")).toBe(said));
    };
    await press("Home", "Jan 1, 2026, BTC $1.00");
    await press("ArrowRight", "Jan 2, 2026, BTC $2.00");
    expect(el.querySelector("[data-bnb-readout]")?.textContent).toContain("$2.00");
    await press("ArrowLeft", "Jan 1, 2026, BTC $1.00");
    await press("ArrowLeft", "Jan 1, 2026, BTC $1.00");
    await press("End", "Jan 3, 2026, BTC $3.00");
    await press("Escape", "Jan 3, 2026, BTC $3.00");
    await soon(() => expect(el.querySelector("[data-bnb-readout]")).toBeNull());
    plot.dispatchEvent(new PointerEvent("pointermove", { clientX: 300, bubbles: true }));
    await soon(() => expect(el.querySelector("[data-bnb-readout]")?.textContent).toContain("$2.00"));
  });

  test("speaks the language of the page", async () => {
    const { el } = await show(
      [primitive("render-chart", chartData({ columns: { BTC: [1234.5] } }))],
      {},
      "pt-BR",
    );
    await soon(() => expect(text(el)).toContain("Em tabela"));
    expect(el.querySelector("tbody")?.textContent).toContain("1.234,50");
  });

  test("of five thousand points with gaps is drawn with a path of few thousand places", async () => {
    const values = Array.from({ length: 5_000 }, (_, index) =>
      index % 1_000 === 500 ? null : Math.sin(index / 40),
    );
    const { el } = await show([primitive("render-chart", chartData({ columns: { Wave: values } }))]);
    const path = el.querySelector(".bnb-line-path")?.getAttribute("d") ?? "";
    expect(path.split("M").length - 1).toBe(6);
    expect(path.length).toBeLessThan(40_000);
    expect(el.querySelectorAll("tbody tr")).toHaveLength(12);
  });

  test("is found where the reference wraps a result once more", async () => {
    const { el } = await show([primitive("render-chart", { result: chartData({}) })]);
    expect(el.querySelector(".bnb-chart")).not.toBeNull();
  });
});

describe("what has not the shape of its component is shown as it came, with the field that is wrong", () => {
  const good = chartData({ columns: { BTC: [1, 2] } });
  const cases: [string, unknown, string][] = [
    ["render-chart", { ...good, chartType: "pie" }, "chartType should be one of bar, area, line, candle"],
    ["render-chart", { ...good, chartData: 7 }, "chartData should be a list"],
    [
      "render-chart",
      { ...good, chartData: [{ time: 1, "x-1": "many" }] },
      "chartData[0].x-1 should be a number",
    ],
    [
      "render-chart",
      { ...good, chartData: [{ time: "soon", "x-1": 1 }] },
      "chartData[0].time should be a time",
    ],
    ["render-chart", { ...good, chartConfig: {} }, "chartConfig should be an object"],
    ["render-chart", { ...good, title: null }, "title should be text"],
    ["render-chart", "text", "data should be an object"],
    ["generate-image", { link: "x" }, "url should be text"],
    ["create-drop", 7, "data should be text"],
    [
      "get-portfolio",
      { significantAssets: [{ symbol: "X" }] },
      "significantAssets[0].balances should be an object",
    ],
    ["get-portfolio", {}, "significantAssets should be a list"],
    ["get-sui-balances", { balances: [{ symbol: 1 }] }, "balances[0].symbol should be text"],
    ["any-tool", { type: "swap", data: { tokenIn: {} } }, "tokenIn.symbol should be text"],
    ["any-tool", { ui: { type: "transfer-ft", receiver: "b" } }, "token should be an object"],
  ];
  for (const [tool, data, sentence] of cases)
    test(`${tool}: ${sentence}`, async () => {
      const { el } = await show([primitive(tool, data)]);
      expect(el.querySelector("[data-bnb-wrong]")?.textContent).toContain(sentence);
      expect(el.querySelector(".bnb-json")).not.toBeNull();
    });
});

describe("other components", () => {
  test("an image elsewhere is loaded only when the person asks for it, without saying from where", async () => {
    const { el } = await show([
      primitive("generate-image", { url: "https://images.example/a.png", hash: "h" }),
    ]);
    expect(el.querySelector("img")).toBeNull();
    const button = el.querySelector<HTMLButtonElement>('[data-bnb-action="load-image"]');
    expect(button?.textContent).toBe("Load the image from images.example");
    button?.click();
    await soon(() => expect(el.querySelector("img")).not.toBeNull());
    const image = el.querySelector("img");
    expect([image?.src, image?.getAttribute("referrerpolicy")]).toEqual([
      "https://images.example/a.png",
      "no-referrer",
    ]);
  });

  for (const url of [
    "javascript:alert(1)",
    "data:text/html;base64,PGI+",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "file:///etc/passwd",
    "",
  ])
    test(`an image at ${url || "nowhere"} is neither shown nor offered`, async () => {
      const { el } = await show([primitive("generate-image", { url })]);
      expect(el.querySelector("img, iframe, [data-bnb-action=load-image]")).toBeNull();
    });

  test("a drop shows its id, and its page only where the address is one", async () => {
    const { el } = await show([primitive("create-drop", "my-drop:x1")]);
    expect(text(el)).toContain("/claim/my-drop:x1");
    expect(el.querySelector(".bnb-component a")).toBeNull();
    const other = await show([primitive("create-drop", { id: "d1", url: "https://drops.example/d1" })]);
    const link = other.el.querySelector<HTMLAnchorElement>(".bnb-component a");
    expect([link?.href, link?.rel]).toEqual(["https://drops.example/d1", "noopener noreferrer"]);
  });

  test("a portfolio hides empty columns and spam", async () => {
    const { el } = await show([primitive("get-portfolio", PORTFOLIO)]);
    expect(text(el)).toContain("$18,204.55");
    expect(text(el)).toContain("1 token is marked as spam");
    expect(text(el)).not.toContain("evil.example");
    expect(el.querySelectorAll(".bnb-portfolio th")).toHaveLength(8);
    const asset = { symbol: "X", balances: { balance: "123456789012345678901234.5" } };
    const bare = await show([primitive("get-portfolio", { significantAssets: [asset] })]);
    expect([...bare.el.querySelectorAll(".bnb-portfolio th")].map((one) => one.textContent)).toEqual([
      "Token",
      "Balance",
    ]);
    expect(text(bare.el)).toContain("123456789012345678901234.5");
  });

  test("coins of Sui are a portfolio too", async () => {
    const data = {
      balances: [{ coinType: "0x2::sui::SUI", balance: "1.5", name: "Sui", symbol: "SUI", usdValue: 4.5 }],
      totalUsdValue: 4.5,
    };
    expect(text((await show([primitive("get-sui-balances", data)])).el)).toContain("$4.50");
  });

  test("a swap and a transfer say what goes and what comes, whatever operation returned them", async () => {
    const { el } = await show([invocation({ key: "s", tool: "any", result: { data: SWAP } })]);
    expect(el.querySelector('[data-bnb-trade="swap"]')?.textContent).toContain(
      "Sell0.5 ETHEther ≈ $1,956.20",
    );
    expect(text(el)).toContain("Buy1948.114503 USDC");
    const other = await show([invocation({ key: "t", tool: "any", result: { data: TRANSFER } })]);
    expect(text(other.el)).toContain("Send12.5 USDC");
    expect(text(other.el)).toContain("bob.near");
  });

  test("the rows of a query are a table; an answer with errors is not", async () => {
    const rows = [
      { id: 1, owner: "a" },
      { id: 2, owner: null },
    ];
    const { el } = await show([primitive("submit-query", { data: { nft: rows } })]);
    expect([...el.querySelectorAll("tbody td")].map((cell) => cell.textContent)).toEqual([
      "1",
      "a",
      "2",
      "–",
    ]);
    const wrong = await show([primitive("submit-query", { errors: [{ message: "no such field" }] })]);
    expect(wrong.el.querySelector("table")).toBeNull();
    expect(text(wrong.el)).toContain("no such field");
  });

  test("warnings of a transaction are read in both shapes of the runtime", async () => {
    const data = {
      transactions: [],
      status: "succeeded",
      hashes: ["h1"],
      warnings: ["High cost", { message: "Low balance", final: true }],
    };
    const { el } = await show([primitive("generate-transaction", data, { executor: "wallet" })]);
    expect(text(el)).toContain("High cost");
    expect(text(el)).toContain("Low balance");
    expect(text(el)).toContain("Succeeded");
    expect(text(el)).toContain("h1");
  });

  test("a frame of Python says how many rows there are and shows more on request", async () => {
    const { el } = await show([primitive("prices", FRAME, { kind: "local" })]);
    expect(el.querySelectorAll("tbody tr")).toHaveLength(12);
    expect(text(el)).toContain("12 of 2,000 rows");
    el.querySelector<HTMLButtonElement>(".bnb-table-foot button")?.click();
    await soon(() => expect(el.querySelectorAll("tbody tr")).toHaveLength(40));
  });

  test("HTML that a function returned is in a frame without scripts and requests; an operation's is not shown at all", async () => {
    const html = "<script>parent.alert(1)</script><img src=https://evil.example/p.png><b>x</b>";
    const data = { type: "Styler", text: "s", display: `data:text/html;base64,${btoa(html)}` };
    const { el } = await show([primitive("styled", data, { kind: "local" })]);
    const frame = el.querySelector("iframe");
    expect(frame?.getAttribute("sandbox")).toBe("allow-same-origin");
    expect(frame?.getAttribute("srcdoc")).toContain("default-src 'none'; img-src data:;");
    const other = await show([primitive("styled", data, { kind: "operation" })]);
    expect(other.el.querySelector("iframe")).toBeNull();
  });

  test("an operation is drawn by the component of a primitive whose name it has", async () => {
    const { el } = await show([
      primitive("get-portfolio", PORTFOLIO, { kind: "operation", executor: "http" }),
    ]);
    expect(el.querySelector(".bnb-portfolio")).not.toBeNull();
  });

  test("an unknown tool keeps the tree", async () => {
    const { el } = await show([
      invocation({ key: "u", tool: "random", result: { data: { columns: ["a"], display: "x" } } }),
    ]);
    expect(component(el)).toBeNull();
    expect(el.querySelector(".bnb-json")).not.toBeNull();
  });

  test("the arguments of a drawn result are folded away, and there when asked for", async () => {
    const { el } = await show([
      primitive("render-chart", chartData({}), { args: { dataPoints: [["2026-01-01", 1]] } }),
    ]);
    expect(el.querySelector(".bnb-arguments")).toBeNull();
    el.querySelector<HTMLButtonElement>(".bnb-card-more")?.click();
    await soon(() => expect(el.querySelector(".bnb-arguments")).not.toBeNull());
  });
});

describe("hostile data", () => {
  const SAFE = "svg, path, g, text, circle, table, thead, tbody, tr, th, td, bdi, iframe[sandbox]";

  function poisoned(data: unknown, evil: string): unknown {
    if (
      typeof data === "string" &&
      !/^(bar|area|line|candle|currency|percentage|number|swap|transfer-ft)$/.test(data)
    )
      return evil;
    if (Array.isArray(data)) return data.map((one) => poisoned(one, evil));
    if (typeof data === "object" && data !== null)
      return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, poisoned(value, evil)]));
    return data;
  }

  for (const [index, evil] of HOSTILE.slice(0, 24).entries())
    test(`text ${index} in every field runs nothing and loads nothing`, async () => {
      const fetched = vi.spyOn(globalThis, "fetch");
      const views = [...CHARTS.slice(0, 2), ...CARDS].map((view, place) => ({
        ...view,
        key: `h${place}`,
        result: { data: poisoned((view.result as { data: unknown }).data, evil) },
      }));
      const { el } = await show(views);
      expect(
        el.querySelectorAll("script, object, embed, video, audio, link, form, style, base, img"),
      ).toHaveLength(0);
      for (const node of el.querySelectorAll(`.bnb-component :is(${SAFE}, *)`))
        for (const { name, value } of node.attributes) {
          expect(name).not.toMatch(/^on/);
          if (name === "href") expect(value).toMatch(/^(https?|mailto):/);
        }
      expect(fetched).not.toHaveBeenCalled();
    });

  for (const data of [
    null,
    0,
    "",
    [],
    {},
    [[[]]],
    { data: null },
    { columns: [] },
    { columns: [1], rows: 2 },
    { ui: {} },
    { ui: { type: "swap" } },
  ])
    test(`${JSON.stringify(data)} as any result draws something and breaks nothing`, async () => {
      const tools = [
        "render-chart",
        "generate-image",
        "create-drop",
        "submit-query",
        "get-portfolio",
        "generate-evm-tx",
        "sign-message",
      ];
      const views = [...tools.map((tool) => primitive(tool, data)), primitive("f", data, { kind: "local" })];
      const { el } = await show(views);
      expect(el.querySelectorAll(".bnb-card")).toHaveLength(views.length);
      expect(el.textContent).not.toContain("could not be drawn");
    });

  test("a thousand columns and rows are bounded", async () => {
    const columns = Array.from({ length: 1_000 }, (_, index) => ({ name: `c${index}`, type: "x" }));
    const data = { columns, row_count: 1_000, rows: [columns.map(() => 1)] };
    const { el } = await show([primitive("wide", data, { kind: "local" })]);
    expect(el.querySelectorAll("td")).toHaveLength(1_000);
  });
});

describe("what the kernel shows in place of a result", () => {
  const view = invocation({ key: "k", tool: "look", kind: "local", result: { data: { seen: "sea" } } });
  const shown = (change: Record<string, unknown>) => ({
    type: "shown",
    chat: "c1",
    key: "k",
    view: "",
    portable: false,
    display: "",
    note: "",
    ...change,
  });

  test("Markdown of a renderer stands in its place, and goes again", async () => {
    const { el, model } = await show([view]);
    expect(el.querySelector(".bnb-json")).not.toBeNull();
    model.say(shown({ display: `data:text/markdown;base64,${btoa("I see **it**")}` }));
    await soon(() => expect(el.querySelector(".bnb-component strong")?.textContent).toBe("it"));
    expect(el.querySelector(".bnb-json")).toBeNull();
    model.say(shown({}));
    await soon(() => expect(el.querySelector(".bnb-json")).not.toBeNull());
  });

  test("a failed renderer leaves the result, with the sentence", async () => {
    const { el, model } = await show([view]);
    model.say(shown({ note: "The renderer failed. KeyError" }));
    await soon(() => expect(text(el)).toContain("The renderer failed. KeyError"));
    expect(el.querySelector(".bnb-json")).not.toBeNull();
  });

  test("another chat's card of the same key is not meant", async () => {
    const { el, model } = await show([view]);
    model.say(shown({ chat: "c2", note: "wrong" }));
    await settled();
    expect(component(el)).toBeNull();
  });

  test("an anywidget is drawn by the host", async () => {
    const asked: string[] = [];
    const host = {
      getWidget: async (reference: string) => {
        asked.push(reference);
        return { render: async ({ el }: { el: HTMLElement }) => el.append("drawn by the host") };
      },
    };
    const { el, model } = await show([view], { host });
    model.say(shown({ view: "m1", portable: true }));
    await soon(() => expect(el.querySelector(".bnb-live")?.textContent).toBe("drawn by the host"));
    expect(asked).toEqual(["anywidget:m1"]);
  });

  test("any other widget is drawn by Jupyter's manager, and removed with the card", async () => {
    const node = document.createElement("p");
    node.textContent = "slider";
    const removed = vi.fn();
    const manager = {
      get_model: async (name: string) => name,
      create_view: async () => ({ el: node, remove: removed }),
    };
    const { el, model } = await show([view], { manager });
    model.say(shown({ view: "m2" }));
    await soon(() => expect(el.querySelector(".bnb-live")?.textContent).toBe("slider"));
    model.say(shown({}));
    await soon(() => expect(removed).toHaveBeenCalled());
  });

  test("a front end that cannot draw it says so and shows what is kept", async () => {
    const { el, model } = await show([view]);
    model.say(shown({ view: "m3" }));
    await soon(() => expect(text(el)).toContain("This front end cannot show it"));
    expect(el.querySelector(".bnb-json")).not.toBeNull();
  });

  test("a malformed message changes nothing", async () => {
    const { el, model } = await show([view]);
    for (const message of [
      { type: "shown" },
      { type: "shown", key: 7 },
      { type: "shown", chat: "c1", key: "k", display: 7 },
    ])
      model.say(message);
    await settled();
    expect(component(el)).toBeNull();
  });
});
