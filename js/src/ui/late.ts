// A part of the page that is fetched when it is first wanted.

import { useState } from "preact/hooks";

export interface Late<Part> {
  part: Part | null;
  /** It was wanted, and cannot be had. */
  failed: boolean;
  want(): void;
}

export function useLate<Part>(load: () => Promise<Part>): Late<Part> {
  const [found, setFound] = useState<{ part: Part } | "failed" | null>(null);
  return {
    part: found === null || found === "failed" ? null : found.part,
    failed: found === "failed",
    want: () => {
      if (found === null || found === "failed")
        load().then(
          (part) => setFound({ part }),
          () => setFound("failed"),
        );
    },
  };
}
