// A drop that was created: its id, and its page where the service gave an address.

import { safeLink } from "../markdown/links.js";
import { isObject } from "../protocol.js";
import { CopyButton } from "../ui/CopyButton.js";
import { useWords } from "../ui/context.js";
import { Icon } from "../ui/icons.js";
import { Revealed } from "../ui/Revealed.js";
import { ShapeError } from "./shape.js";

export interface DropData {
  name: string;
  address: string | null;
}

/** The drop's id, alone or with its address; or its address alone. */
export function readDrop(data: unknown): DropData {
  const given = isObject(data)
    ? { name: data.id ?? data.dropId ?? data.url, address: data.url }
    : { name: data };
  if (typeof given.name !== "string" || given.name.trim() === "") throw new ShapeError("data", "text");
  const address = typeof given.address === "string" ? given.address : given.name;
  return { name: given.name, address: safeLink(address) };
}

export function Drop({ data }: { data: DropData }) {
  const { cards: words } = useWords();
  return (
    <div class="bnb-drop">
      <div class="bnb-card-heading">{words.drop}</div>
      <p>
        <span class="bnb-mono">
          <Revealed text={data.name} />
        </span>{" "}
        <CopyButton text={data.name} label={words.drop} />
      </p>
      {data.address !== null ? (
        <a class="bnb-button bnb-small" href={data.address} target="_blank" rel="noopener noreferrer">
          <Icon name="link" /> {words.openDrop} ({new URL(data.address).host})
        </a>
      ) : (
        <p class="bnb-faint">
          {words.dropPath} <code>/claim/{data.name}</code>
        </p>
      )}
    </div>
  );
}
