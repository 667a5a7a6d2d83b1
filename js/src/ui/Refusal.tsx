// The kernel's own words about why it did not do what was asked.

import type { Pending } from "../pending.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Revealed } from "./Revealed.js";

export function Refusal({ refusal }: { refusal: Pending | null }) {
  const { link, words } = useSurface();
  if (refusal?.refused === undefined) return null;
  return (
    <div class="bnb-refusal" role="alert">
      <Icon name="warning" />
      <span>
        <strong>{words.refused}:</strong> <Revealed text={refusal.refused} />
      </span>
      <button type="button" class="bnb-text-button" onClick={() => link.dismiss(refusal.mid)}>
        {words.dismiss}
      </button>
    </div>
  );
}
