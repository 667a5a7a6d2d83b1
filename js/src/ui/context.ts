// What every component may reach: the line to the kernel and the words.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ShownStore } from "../cards/shown.js";
import type { Link } from "../link.js";
import { en, type Strings } from "../text/en.js";

export interface Surface {
  link: Link;
  words: Strings;
  /** What the kernel shows in place of results; absent where there is no kernel. */
  shown?: ShownStore;
}

export const SurfaceContext = createContext<Surface | null>(null);

export function useSurface(): Surface {
  const surface = useContext(SurfaceContext);
  if (surface === null) throw new Error("a component of the chat was drawn outside of it");
  return surface;
}

export function useWords(): Strings {
  return useContext(SurfaceContext)?.words ?? en;
}
