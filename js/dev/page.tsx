// The gallery in a browser: `#name` shows one chat, `?theme=dark` sets Jupyter's theme attribute, `?lang=pt-BR` the language.

import widget from "../src/widget.js";
import { EXTREMES } from "./extremes.js";
import { FakeModel } from "./fake_model.js";
import { GALLERY } from "./gallery.js";
import { HistoryModel } from "./history.js";
import { turn } from "./views.js";

const name = location.hash.slice(1) || "answer";
const query = new URLSearchParams(location.search);
const theme = query.get("theme") ?? "light";
document.documentElement.lang = query.get("lang") ?? "en";
document.body.dataset.jpThemeLight = String(theme === "light");
document.body.style.background = theme === "light" ? "#fff" : "#111214";

const shown = GALLERY[name] ?? EXTREMES[name];
const el = document.createElement("div");
document.body.append(el);
if (shown !== undefined) {
  const model = name === "versions" || name === "deciding" ? new HistoryModel(shown) : new FakeModel(shown);
  const { initialize, render } = widget();
  initialize({ model });
  render({ model, el });
  // To play the kernel from the console: model.happen({type: "text_delta", turn: 1, step: 1, text: "…"}).
  Object.assign(window, { model, turnHead: turn({}) });
}
