// Files of messages: the paper clip and the tray where one writes, and the files that a message has.

import { useEffect, useRef, useState } from "preact/hooks";
import { fromBase64, type Unfit } from "../attachments.js";
import { fileSize } from "../format.js";
import type { AttachView, FilePart, FileView } from "../protocol.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Revealed } from "./Revealed.js";

/** The types that a page draws by itself; no other may have an active part. */
const DRAWN: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Bytes up to which a picture is fetched to be shown. */
const LARGEST_DRAWN = 5_000_000;

/** Takes files for the next message, however they come. */
function useTaking(attach: AttachView): (files: FileList | null | undefined) => void {
  const { link, words } = useSurface();
  return (files) => {
    const why: Record<Unfit, string> = {
      kind: words.fileKind(attach.accept.join(", ")),
      size: words.fileSize(fileSize(attach.largest)),
      many: words.fileMany(attach.most),
    };
    link.attachments.add([...(files ?? [])], attach, why);
  };
}

/** The paper clip. */
export function AttachButton({ attach }: { attach: AttachView }) {
  const { words } = useSurface();
  const take = useTaking(attach);
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field}
        type="file"
        class="bnb-sr"
        multiple
        tabIndex={-1}
        aria-hidden="true"
        accept={attach.accept.includes("*/*") ? undefined : attach.accept.join(",")}
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
      <button
        type="button"
        class="bnb-round bnb-attach"
        data-bnb-action="attach"
        aria-label={words.attach}
        title={words.attach}
        onClick={() => field.current?.click()}
      >
        <Icon name="clip" />
      </button>
    </>
  );
}

/** Where files may be dropped or pasted: what is around the place where one writes. */
export function useDropping(attach: AttachView | null) {
  const [over, setOver] = useState(false);
  const take = useTaking(attach ?? { accept: [], largest: 0, most: 0 });
  if (attach === null) return {};
  const hasFiles = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  return {
    "data-bnb-drop": over,
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation(); // JupyterLab would open the file
      take(event.dataTransfer?.files);
    },
    onPaste: (event: ClipboardEvent) => {
      if ((event.clipboardData?.files.length ?? 0) === 0) return;
      event.preventDefault();
      take(event.clipboardData?.files);
    },
  };
}

/** The files that go with the next message. */
export function AttachTray() {
  const { link, words } = useSurface();
  const drafts = link.attachments.drafts.value;
  if (drafts.length === 0) return null;
  return (
    <ul class="bnb-tray" aria-label={words.attachments}>
      {drafts.map(({ id, file, sent, done, fault }) => (
        <li key={id} class="bnb-file" data-bnb-file={fault !== "" ? "fault" : done ? "done" : "sending"}>
          <Icon name={fault === "" ? "clip" : "warning"} />
          <span class="bnb-file-name">
            <Revealed text={file.name} />
          </span>
          <span class="bnb-faint">{fileSize(file.size)}</span>
          {fault !== "" && (
            <span role="alert">
              <Revealed text={fault === "…" ? words.noAnswer : fault} />
            </span>
          )}
          {!done && fault === "" && (
            <progress max={Math.max(1, file.size)} value={sent} aria-label={words.fileSending(file.name)} />
          )}
          <button
            type="button"
            class="bnb-icon-button"
            data-bnb-action="remove-file"
            aria-label={words.fileRemove(file.name)}
            onClick={() => link.attachments.remove(id)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The files of a message. */
export function Files({ files }: { files: readonly FileView[] }) {
  const { words } = useSurface();
  if (files.length === 0) return null;
  return (
    <ul class="bnb-files" aria-label={words.attachments}>
      {files.map((file) => (
        <li key={file.digest} class="bnb-file" title={`SHA-256 ${file.digest}`}>
          <Picture file={file} />
          <Icon name="clip" />
          <span class="bnb-file-name">
            <Revealed text={file.name} />
          </span>
          <span class="bnb-faint">
            {file.media} · {fileSize(file.size)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A picture of local bytes, which come from the kernel over the widget's own line. */
function Picture({ file }: { file: FileView }) {
  const { link } = useSurface();
  const [url, setUrl] = useState("");
  const live = link.connection.value === "live";
  const drawn = DRAWN.has(file.media) && file.size <= LARGEST_DRAWN;
  useEffect(() => {
    if (!drawn || !live || url !== "") return;
    let gone = false;
    void fetchFile((offset) => link.question({ type: "fetch_file", digest: file.digest, offset }), file.size)
      .then((parts) => {
        if (!gone) setUrl(URL.createObjectURL(new Blob(parts, { type: file.media })));
      })
      .catch(() => undefined); // its name is there all the same
    return () => {
      gone = true;
    };
  }, [drawn, live, file.digest]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return url === "" ? null : <img class="bnb-file-picture" src={url} alt={file.name} />;
}

async function fetchFile(
  ask: (offset: number) => Promise<unknown>,
  size: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  while (offset < size) {
    const part = fromBase64(((await ask(offset)) as FilePart).data);
    if (part.length === 0) throw new Error("an empty piece");
    parts.push(part);
    offset += part.length;
  }
  return parts;
}
