// The widget in a page of its own: mounted for a model as a front end does, and taken down after the test.

import type { FakeModel } from "../dev/fake_model.js";
import widget from "../src/widget.js";

let open: (() => void)[] = [];

/** The element in which the widget shows the model. */
export function mounted(model: FakeModel): HTMLElement {
  const module = widget();
  module.initialize({ model });
  const el = document.createElement("div");
  document.body.append(el);
  open.push(module.render({ model, el }), () => model.fire("destroy"));
  return el;
}

/** Take down all that is mounted, and empty the page. */
export function unmount(): void {
  for (const close of open) close();
  open = [];
  document.body.replaceChildren();
}
