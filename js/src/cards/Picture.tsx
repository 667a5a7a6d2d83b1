// An image: from inside the data at once, from elsewhere when the person asks for it.

import { useState } from "preact/hooks";
import { inlineImage, remoteImage } from "../markdown/links.js";
import { CopyButton } from "../ui/CopyButton.js";
import { useWords } from "../ui/context.js";
import { Revealed } from "../ui/Revealed.js";
import { lenient, object, text } from "./shape.js";

export const readPicture = object({ url: text, hash: lenient(text) });

export function Picture({ data, alt }: { data: ReturnType<typeof readPicture>; alt: string }) {
  const { cards: words } = useWords();
  return (
    <div class="bnb-picture">
      <Image url={data.url} alt={alt} />
      {alt !== "" && (
        <p class="bnb-faint">
          <Revealed text={alt} />
        </p>
      )}
      {data.hash !== null && (
        <p class="bnb-faint">
          {words.hash}{" "}
          <span class="bnb-mono">
            <Revealed text={data.hash} />
          </span>{" "}
          <CopyButton text={data.hash} label={words.hash} />
        </p>
      )}
    </div>
  );
}

/** Loading an image from elsewhere tells its host that it was looked at, so a person has to ask for it. */
function Image({ url, alt }: { url: string; alt: string }) {
  const { cards: words } = useWords();
  const [asked, setAsked] = useState(false);
  const inside = inlineImage(url);
  if (inside !== null) return <img class="bnb-image" src={inside} alt={alt || words.image} />;
  const remote = remoteImage(url);
  if (remote === null) return <p class="bnb-note">{words.noAddress}</p>;
  if (asked)
    return <img class="bnb-image" src={remote.href} alt={alt || words.image} referrerpolicy="no-referrer" />;
  return (
    <button
      type="button"
      class="bnb-button bnb-small"
      data-bnb-action="load-image"
      onClick={() => setAsked(true)}
    >
      {words.loadFrom(remote.host)}
    </button>
  );
}
