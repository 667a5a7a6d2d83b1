// A few named facts, those with exact values to copy.

import { CopyButton } from "../ui/CopyButton.js";
import { Revealed } from "../ui/Revealed.js";

export interface Fact {
  label: string;
  value: string | null | undefined;
  /** An address, hash or signature: shown in full, to copy. */
  isExact?: boolean;
}

export function Facts({ facts }: { facts: Fact[] }) {
  const known = facts.filter(({ value }) => value !== null && value !== undefined && value !== "");
  if (known.length === 0) return null;
  return (
    <dl class="bnb-rows">
      {known.map(({ label, value, isExact }, index) => (
        <div class="bnb-row" key={label + index}>
          <dt>{label}</dt>
          <dd class={isExact ? "bnb-mono" : undefined}>
            <Revealed text={value ?? ""} /> {isExact && <CopyButton text={value ?? ""} label={label} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
