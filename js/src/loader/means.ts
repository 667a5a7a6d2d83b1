// How a browser waits and links, for `Files`, and where a page keeps its one `Files`.

import type { Means } from "./files.js";

/** The name carries the version of `Files`: widgets of two releases may share a page. */
export const PLACE = Symbol.for("bitte_nb/1");

export const browserMeans: Means = {
  later: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  address: (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" })),
  link: (address) => import(/* webpackIgnore: true */ /* @vite-ignore */ address),
};
