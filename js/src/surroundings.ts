// The browser's clock, timers and randomness, as the link wants them.

import type { Surroundings } from "./link.js";

// `crypto.randomUUID` is missing on plain-http pages.
const random = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const browser: Surroundings = {
  now: () => Date.now(),
  later: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  newId: random,
  newPage: random,
  isHidden: () => document.hidden,
  kept: (name) => {
    try {
      return sessionStorage.getItem(name) ?? "";
    } catch {
      return ""; // a sandboxed frame has no storage
    }
  },
  keep: (name, text) => {
    try {
      if (text === "") sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, text);
    } catch {
      // Then a reload loses a half-written message and the place of what is new, as it does everywhere else.
    }
  },
};
