// What the kernel shows in place of a result: something that a renderer or a function of the notebook's author made.
//
// It comes as custom messages beside the numbered events, one for each card, and again with every snapshot; it is no
// state, so a saved notebook does not hold it.

import { type ReadonlySignal, signal } from "@preact/signals";
import type { Model } from "../link.js";
import { isObject } from "../protocol.js";

export interface Shown {
  /** Id of a widget's model in this kernel, or empty. */
  readonly view: string;
  /** The widget keeps anywidget's contract, so that any front end can draw it. */
  readonly portable: boolean;
  /** A data URL, or empty. */
  readonly display: string;
  /** A sentence about it, or empty. */
  readonly note: string;
}

/** The part of anywidget's host that draws another widget. */
export interface Host {
  getWidget?(
    reference: string,
  ): Promise<{ render(props: { el: HTMLElement; signal: AbortSignal }): Promise<void> }>;
}

interface Manager {
  get_model?(name: string): Promise<unknown>;
  create_view?(model: unknown): Promise<{
    el: HTMLElement;
    remove(): void;
    luminoWidget?: { constructor: { attach?(widget: unknown, host: HTMLElement): void } };
  }>;
}

/** Where something is shown: keys of calls are unique in their chat only. */
export function placeOf(chat: string, key: string): string {
  return `${chat}/${key}`;
}

export class ShownStore {
  readonly entries: ReadonlySignal<Readonly<Record<string, Shown>>>;
  readonly #entries = signal<Readonly<Record<string, Shown>>>({});
  readonly #model: Model;
  host: Host | null = null;

  constructor(model: Model) {
    this.#model = model;
    this.entries = this.#entries;
    model.on("msg:custom", (content: unknown) => this.receive(content));
  }

  receive(content: unknown): void {
    if (!isObject(content) || content.type !== "shown") return;
    const text = (name: string) => (typeof content[name] === "string" ? (content[name] as string) : "");
    const shown = {
      view: text("view"),
      portable: content.portable === true,
      display: text("display"),
      note: text("note"),
    };
    const place = placeOf(text("chat"), text("key"));
    const { [place]: _, ...others } = this.#entries.value;
    const isNothing = shown.view === "" && shown.display === "" && shown.note === "";
    this.#entries.value = isNothing ? others : { ...others, [place]: shown };
  }

  /** Draws the widget into the element until the signal is aborted; rejects where this front end cannot. */
  async mount(shown: Shown, el: HTMLElement, signal: AbortSignal): Promise<void> {
    if (shown.portable && this.host?.getWidget !== undefined) {
      const widget = await this.host.getWidget(`anywidget:${shown.view}`);
      if (!signal.aborted) await widget.render({ el, signal });
      return;
    }
    const manager = this.#model.widget_manager as Manager | null | undefined;
    if (typeof manager?.get_model !== "function" || typeof manager.create_view !== "function")
      throw new Error("no widget manager");
    const view = await manager.create_view(await manager.get_model(shown.view));
    if (signal.aborted) return view.remove();
    signal.addEventListener("abort", () => view.remove());
    const lumino = view.luminoWidget;
    // A Lumino widget wants to be told that it is on the page; its class knows how.
    if (lumino?.constructor.attach !== undefined && el.isConnected) lumino.constructor.attach(lumino, el);
    else el.append(view.el);
  }
}
